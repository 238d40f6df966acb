"""The decision about a page: which category is nearest, and whether that is near enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from focuscrawl.relevance.vectors import TopicVectors


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a page, with every number that led to it.

    ``category`` is the nearest one, None when nothing of the page is in any vector;
    ``similarity`` and ``scores`` are totals (page and anchor), ``page`` and ``anchor`` the parts
    for the nearest category; ``rule`` says in a sentence why the page is kept or dropped.
    """

    category: str | None
    similarity: float
    scores: dict[str, float]
    page: float
    anchor: float | None
    threshold: float
    kept: bool
    rule: str


class Classifier:
    """Decides by the nearest category and that category's threshold.

    A category that stands ``alone`` (a topic of the user's own, whose pages may well be
    nearer to one of the shipped ones) keeps every page that passes its threshold.
    """

    def __init__(
        self, vectors: TopicVectors, thresholds: Mapping[str, float], alone: str | None = None
    ) -> None:
        missing = [name for name in vectors.names if name not in thresholds]
        if missing:
            raise ValueError(f"no threshold for {', '.join(missing)}; give one for each category")
        self.vectors = vectors
        self.thresholds = thresholds
        self._alone = alone

    def decide(
        self, page_counts: Mapping[str, float], anchor_counts: Mapping[str, float] | None = None
    ) -> Decision:
        """Total similarity is ½ (page + anchor text); without anchor text the page's alone."""
        page = self.vectors.similarities(page_counts)
        anchor = self.vectors.similarities(anchor_counts) if anchor_counts else None
        totals = page
        if anchor is not None:
            totals = {name: (score + anchor[name]) / 2 for name, score in page.items()}
        best = max(totals, key=totals.__getitem__, default=None)
        alone = self._alone
        if alone is not None and totals[alone] >= self.thresholds[alone]:
            best = alone
        if best is None or totals[best] <= 0:
            rule = "dropped: no term of any category stands in it"
            return Decision(None, 0.0, totals, 0.0, 0.0 if anchor else None, 0.0, False, rule)
        anchor_part = anchor[best] if anchor else None
        threshold = self.thresholds[best]
        kept = totals[best] >= threshold
        return Decision(
            category=best,
            similarity=totals[best],
            scores=totals,
            page=page[best],
            anchor=anchor_part,
            threshold=threshold,
            kept=kept,
            rule=_rule(best, totals[best], page[best], anchor_part, threshold),
        )


def _rule(name: str, total: float, page: float, anchor: float | None, threshold: float) -> str:
    verdict, sign = ("kept", "≥") if total >= threshold else ("dropped", "<")
    parts = "page alone" if anchor is None else f"½ (page {page:.3f} + anchor {anchor:.3f})"
    return f"{verdict}: {name} {total:.3f} ({parts}) {sign} threshold {threshold:.3f}"
