"""A link that several pages have: most strategies give it the best place of those it was given."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.orderings.base import Scored


class BestPlaces:
    """The best score of every link so far."""

    def __init__(self) -> None:
        self._best: dict[int, float] = {}

    def raised(self, scores: Iterable[tuple[int, float]]) -> dict[int, Scored]:
        """Take (link, score) in; the places of those links that are new or have risen."""
        changed: dict[int, Scored] = {}
        best = self._best
        for target, score in scores:
            if target not in best or score > best[target]:
                best[target] = score
                changed[target] = Scored(score)
        return changed
