"""Harvest rate, precision and recall of a crawl against labels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """How good a crawl of one category was."""

    fetched: int
    harvest: float
    kept: int
    precision: float
    recall: float


def score(
    category: str,
    fetched: Sequence[str],
    kept: Collection[str],
    targets: Collection[str],
    label: Callable[[str], str | None],
) -> Score:
    """``targets`` are all pages of the category; ``label`` gives a page's true category.

    Harvest rate is the share of fetches that were of the category, precision the share of
    kept pages that are, recall the share of targets that are among the kept.
    """
    of_category = sum(label(url) == category for url in fetched)
    right = sum(label(url) == category for url in kept)
    wanted = set(targets)
    return Score(
        fetched=len(fetched),
        harvest=of_category / len(fetched) if fetched else 0.0,
        kept=len(kept),
        precision=right / len(kept) if kept else 0.0,
        recall=len(wanted.intersection(kept)) / len(wanted) if wanted else 0.0,
    )
