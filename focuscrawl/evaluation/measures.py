"""What a crawl over labelled pages comes to, and the mean of many."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from focuscrawl.evaluation.simulation import Fetch

MILESTONES = (100, 200, 500, 1_000)


@dataclass(frozen=True, slots=True)
class Run:
    """One finished crawl.

    ``hits`` are the places (from 1) of the fetches that were on the topic, ``lengths`` the links
    from the seeds to those of them that are no seeds, ``targets`` the pages there were to find.
    """

    ordering: str
    topic: str
    round: int
    budget: int
    fetched: int
    hits: tuple[int, ...]
    lengths: tuple[int, ...]
    targets: int
    seconds: float

    def hits_within(self, fetches: int) -> int:
        return bisect_right(self.hits, fetches)


class Figures(NamedTuple):
    """None where there is nothing to say: milestones past the budget, no target found."""

    harvest_100: float | None
    harvest_200: float | None
    harvest_500: float | None
    harvest_1000: float | None
    precision: float | None
    irrelevance: float | None
    recall: float | None
    recall_1000: float | None
    target_length: float | None
    seconds: float | None


class Named(NamedTuple):
    """Whose crawl it was."""

    ordering: str
    topic: str
    round: int


def run_of(
    name: Named, fetches: Sequence[Fetch], targets: Collection[int], budget: int, seconds: float
) -> Run:
    """The record of a crawl, from its fetches in their order."""
    found = [(place, fetch) for place, fetch in enumerate(fetches, 1) if fetch.key in targets]
    return Run(
        *name,
        budget=budget,
        fetched=len(fetches),
        hits=tuple(place for place, _ in found),
        lengths=tuple(fetch.depth for _, fetch in found if fetch.depth),
        targets=len(targets),
        seconds=seconds,
    )


def figures_of(run: Run) -> Figures:
    """A crawl that ran out of links before a milestone is measured as if it had gone on in vain."""
    first, second, third, last = (
        run.hits_within(n) / n if n <= run.budget else None for n in MILESTONES
    )
    precision = len(run.hits) / run.fetched if run.fetched else None
    found = run.hits_within(MILESTONES[-1]) / run.targets
    return Figures(
        first,
        second,
        third,
        last,
        precision=precision,
        irrelevance=None if precision is None else 1 - precision,
        recall=len(run.hits) / run.targets,
        recall_1000=None if last is None else found,
        target_length=fmean(run.lengths) if run.lengths else None,
        seconds=run.seconds,
    )


def mean(figures: Iterable[Figures]) -> Figures:
    """Figure by figure, of the crawls that have it."""
    columns = zip(*figures, strict=True)
    return Figures(*map(_mean, columns))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def curve(runs: Sequence[Run], places: Iterable[int]) -> list[float]:
    """The mean harvest rate after so many fetches, for each of the places."""
    return [fmean(run.hits_within(place) / place for run in runs) for place in places]
