"""An evaluation from its files to its finished crawls; none is made a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from focuscrawl.evaluation.archive import Page, pages_of
from focuscrawl.evaluation.measures import Run
from focuscrawl.evaluation.results import Results, identity
from focuscrawl.evaluation.tables import EvaluationError, read_labels, read_starts
from focuscrawl.evaluation.trial import Job, Trial, check_topics, runs_of, targets_in, workers_for
from focuscrawl.evaluation.web import Web
from focuscrawl.orderings.registry import ORDERINGS
from focuscrawl.semantics.wordnet import WordNet


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be compared, and on what."""

    archive: Path
    labels: Path
    seeds: Path
    orderings: tuple[str, ...]
    budget: int
    rounds: int | None = None


class Session:
    """``folder`` keeps what was finished, and WordNet's tables.

    Wrong tables are told at once; the archive is read when there is something to crawl.
    ``missing`` is then the number of labelled pages that it does not hold, and ``skipped`` counts
    the records that nobody can read, by reason.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._labels = read_labels(plan.labels)
        self._starts = read_starts(plan.seeds, plan.rounds)
        check_topics(self._starts, self._labels)
        name = identity(plan.archive, (plan.labels, plan.seeds), plan.budget)
        self._results = Results(folder / f"{name}.jsonl")
        self.missing = 0
        self.skipped: Counter[str] = Counter()

    @cached_property
    def jobs(self) -> list[Job]:
        """All crawls of the plan."""
        return [Job(ordering, start) for ordering in self._plan.orderings for start in self._starts]

    @property
    def left(self) -> list[Job]:
        """Those that are not finished."""
        return [job for job in self.jobs if job.name not in self._results.runs]

    @property
    def runs(self) -> list[Run]:
        """Those that are, in the order of the plan."""
        known = self._results.runs
        return [known[job.name] for job in self.jobs if job.name in known]

    def forget(self) -> None:
        """Begin from nothing."""
        self._results.clear()

    def work(self, read: Callable[[], object], workers: int | None = None) -> Iterator[Run]:
        """Make the crawls that are left; ``read`` is called for every page of the archive."""
        left = self.left
        if not left:
            return
        wordnet = self._wordnet(left)
        trial = self._trial(_told(pages_of(self._plan.archive, self.skipped), read), wordnet)
        for run in runs_of(trial, left, workers or workers_for(len(left))):
            self._results.add(run)
            yield run

    def _wordnet(self, jobs: Iterable[Job]) -> WordNet | None:
        wanted = any(ORDERINGS[job.ordering].meanings for job in jobs)
        return WordNet.find(self._folder) if wanted else None

    def _trial(self, pages: Iterable[Page], wordnet: WordNet | None) -> Trial:
        web = Web(pages)
        if not len(web):
            raise EvaluationError(f"{self._plan.archive}: no HTML page in this archive")
        targets, self.missing = targets_in(web, self._starts, self._labels)
        return Trial(web, targets, wordnet, self._plan.budget)


def _told(pages: Iterable[Page], read: Callable[[], object]) -> Iterator[Page]:
    for page in pages:
        yield page
        read()
