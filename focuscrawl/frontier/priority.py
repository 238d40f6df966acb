"""The one number that orders requests, and the terms it is made of.

A new URL stands where its links promise. Where a link scorer is at work, that is its score;
else half the score of the blocks that name it (``MU`` of the best block, the rest the mean
over all pages that link there), half the similarity of its anchor text. Either is lowered by
a factor per level of tunnelling. A page
that was fetched before stands by its importance IS, by its dynamicity ID, here the
share of visits that found a change, and by a hint that says it changed since, as far as
the site's hints are trusted. Seeds come first.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

MU = 0.5
LEVEL_FACTOR = 0.6
SEED_BONUS = 10.0
DYNAMIC_FRONTIER = 1e6
LINK_SCORE = "link score"


class Knowledge(NamedTuple):
    """What the frontier knows of a URL that bears on its place."""

    block: float = 0.0
    parents: float = 0.0
    anchor: float = 0.0
    level: int = 0
    depth: int = 0
    seed: bool = False
    found: float = 0.0
    visits: int = 0
    importance: float = 0.0
    changes: int = 0
    score: float | None = None
    hint: float = 0.0


class Ordering(Protocol):
    """A strategy: what is known of a URL in, a place in the queue out (higher is sooner)."""

    def terms(self, known: Knowledge) -> dict[str, float]:
        """The named parts of the number, for ``scrapy explain``; their sum is the number."""

    def priority(self, known: Knowledge) -> float:
        """The number itself."""


def url_score(block: float, parents: float, mu: float = MU) -> float:
    """Score of a link: its block's relevance, and the mean of its parents' blocks."""
    return mu * block + (1 - mu) * parents


def _promise(score: float, level: int) -> float:
    """A score under 0 is not made better by a long tunnel."""
    return score * LEVEL_FACTOR**level if score > 0 else score


class Focused:
    """The product's own ordering: topic similarity and dynamicity as one number."""

    def terms(self, known: Knowledge) -> dict[str, float]:
        if known.visits:
            comparisons = max(known.visits - 1, 0)
            rate = (known.changes + 1) / (comparisons + 2)
            parts = {
                "importance": known.importance / 2,
                "dynamicity": known.importance * (rate - 0.5),
            }
            if known.hint:
                parts["hint"] = known.importance * known.hint / 2
        elif known.score is not None:
            parts = {LINK_SCORE: _promise(known.score, known.level)}
        else:
            factor = LEVEL_FACTOR**known.level / 2
            parts = {
                "block": MU * known.block * factor,
                "parents": (1 - MU) * known.parents * factor,
                "anchor": known.anchor * factor,
            }
        if known.seed:
            parts["seed"] = SEED_BONUS
        return parts

    def priority(self, known: Knowledge) -> float:
        if known.visits or known.seed:
            return sum(self.terms(known).values())
        if known.score is not None:
            return _promise(known.score, known.level)
        score = url_score(known.block, known.parents) + known.anchor
        return score * LEVEL_FACTOR**known.level / 2


class DynamicThenStatic:
    """The documents' IC: pages that were seen to change first, by IS + ID; then all others by IS.

    ID is the number of changes seen. It starves the many for the few that changed first.
    """

    def terms(self, known: Knowledge) -> dict[str, float]:
        if known.visits:
            parts = {"IS": known.importance, "ID": float(known.changes)}
        else:
            similarity = (url_score(known.block, known.parents) + known.anchor) / 2
            parts = {"IS": similarity * LEVEL_FACTOR**known.level}
        if known.changes:
            parts["dynamic frontier"] = DYNAMIC_FRONTIER
        if known.seed:
            parts["seed"] = 2 * DYNAMIC_FRONTIER
        return parts

    def priority(self, known: Knowledge) -> float:
        return sum(self.terms(known).values())


class BreadthFirst:
    """First found, first fetched: the baseline every focused crawl must beat."""

    def terms(self, known: Knowledge) -> dict[str, float]:
        return {"depth": -float(known.depth), "found": -known.found / 1e10}

    def priority(self, known: Knowledge) -> float:
        return -known.depth - known.found / 1e10


ORDERINGS: dict[str, type[Ordering]] = {
    "focused": Focused,
    "blocks": Focused,
    "ic": DynamicThenStatic,
    "breadth-first": BreadthFirst,
}
