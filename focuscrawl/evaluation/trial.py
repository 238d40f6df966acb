"""Many crawls over one web: which are to be made, and made on all cores that may be used."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from focuscrawl.evaluation.measures import Named, Run, run_of
from focuscrawl.evaluation.simulation import crawl, most_frequent
from focuscrawl.evaluation.tables import EvaluationError, Start
from focuscrawl.evaluation.web import Web
from focuscrawl.orderings.base import Topic
from focuscrawl.orderings.registry import ORDERINGS, Vector
from focuscrawl.semantics.wordnet import WordNet
from focuscrawl.text import stems

MOST_WORKERS = 2


@dataclass(frozen=True, slots=True)
class Job:
    """One ordering on one start."""

    ordering: str
    start: Start

    @property
    def name(self) -> Named:
        return Named(self.ordering, self.start.topic, self.start.round)


@dataclass(frozen=True, slots=True)
class Trial:
    """All that the crawls share."""

    web: Web
    targets: Mapping[str, frozenset[int]]
    wordnet: WordNet | None
    budget: int

    def make(self, job: Job) -> Run:
        """Make one crawl; its seconds are of CPU time, for all that the ordering does."""
        seeds = [self.web.keys[url] for url in job.start.seeds]
        ordering = ORDERINGS[job.ordering]
        topic = Topic(job.start.words, self._vector(job.start, seeds, ordering.vector))
        began = time.process_time()
        scorer = ordering.make(topic, self.wordnet)
        fetches = crawl(self.web, scorer, seeds, self.budget)
        seconds = time.process_time() - began
        return run_of(job.name, fetches, self.targets[job.start.topic], self.budget, seconds)

    def _vector(self, start: Start, seeds: Sequence[int], kind: Vector) -> dict[str, float]:
        if kind == "seeds":
            return most_frequent(self.web.pages[seed] for seed in seeds)
        return dict.fromkeys(stems(" ".join(start.words)), 1.0)


def check_topics(starts: Sequence[Start], labels: Mapping[str, frozenset[str]]) -> None:
    """Every topic that has seeds must have labels too."""
    for start in starts:
        if start.topic not in labels:
            raise EvaluationError(
                f"{start.topic}: this topic has seeds and no labels; label its pages or drop it"
            )


def targets_in(
    web: Web, starts: Sequence[Start], labels: Mapping[str, frozenset[str]]
) -> tuple[dict[str, frozenset[int]], int]:
    """Topic → its pages that the archive holds, and the number of those that it does not hold."""
    for start in starts:
        for url in start.seeds:
            if url not in web.keys:
                raise EvaluationError(f"{url}: a seed of {start.topic} is not in the archive")
    found: dict[str, frozenset[int]] = {}
    missing = 0
    for topic in dict.fromkeys(start.topic for start in starts):
        found[topic] = frozenset(web.keys[url] for url in labels[topic] if url in web.keys)
        missing += len(labels[topic]) - len(found[topic])
        if not found[topic]:
            raise EvaluationError(f"{topic}: none of its labelled pages is in the archive")
    return found, missing


_trial: Trial | None = None


def _begin(trial: Trial) -> None:
    """In a worker: interruptions are the parent's business, and its handlers are its own."""
    global _trial
    _trial = trial
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _make(job: Job) -> Run:
    assert _trial is not None
    return _trial.make(job)


def workers_for(jobs: int) -> int:
    """Not more than there are cores, nor than there is work."""
    return max(1, min(MOST_WORKERS, os.cpu_count() or 1, jobs))


def runs_of(trial: Trial, jobs: Sequence[Job], workers: int) -> Iterator[Run]:
    """The crawls as they are finished, in any order.

    Workers are forked where that is possible: the parsed pages are then shared, not copied.
    """
    if workers == 1:
        yield from map(trial.make, jobs)
        return
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    gc.freeze()  # the collector of a worker would touch, and so copy, every page
    pool = ProcessPoolExecutor(workers, context, _begin, (trial,))
    try:
        for done in as_completed([pool.submit(_make, job) for job in jobs]):
            yield done.result()
    except BrokenProcessPool:
        raise EvaluationError(
            "a worker process was ended from outside, perhaps for want of memory; "
            "the same command goes on from here"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
        gc.unfreeze()
