"""The figures of an evaluation, ordering by ordering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from focuscrawl.evaluation.measures import Figures, Run, figures_of, mean

DIGITS = 4


@dataclass(frozen=True, slots=True)
class Summary:
    """An ordering's crawls, their mean, and the mean of every topic."""

    ordering: str
    runs: Sequence[Run]
    figures: Figures
    topics: dict[str, Figures]


def summaries(orderings: Iterable[str], runs: Iterable[Run]) -> list[Summary]:
    """One for each ordering, in their order."""
    by_ordering: dict[str, list[Run]] = {name: [] for name in orderings}
    for run in runs:
        by_ordering[run.ordering].append(run)
    return [_summary(name, found) for name, found in by_ordering.items() if found]


def _summary(ordering: str, runs: Sequence[Run]) -> Summary:
    by_topic: dict[str, list[Figures]] = {}
    for run in runs:
        by_topic.setdefault(run.topic, []).append(figures_of(run))
    topics = {topic: mean(figures) for topic, figures in by_topic.items()}
    return Summary(ordering, runs, mean(map(figures_of, runs)), topics)


def as_json(found: Iterable[Summary]) -> dict[str, Any]:
    """Ordering → its figures, and under ``topics`` the same for every topic."""
    return {
        each.ordering: {
            **_rounded(each.figures),
            "topics": {topic: _rounded(figures) for topic, figures in each.topics.items()},
        }
        for each in found
    }


def _rounded(figures: Figures) -> dict[str, float | None]:
    return {
        name: None if value is None else round(value, DIGITS)
        for name, value in figures._asdict().items()
    }
