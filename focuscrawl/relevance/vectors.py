"""The category vectors, and how near a text is to each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import sqrt
from typing import Literal

from focuscrawl.text import common_stems, elsewhere_stems
from focuscrawl.topics.category import Category

Scheme = Literal["weighted", "unit"]
SCHEMES: tuple[Scheme, ...] = ("weighted", "unit")

COMMON_WEIGHT = 0.5
"""Share of its weight that a term of common English keeps. From .15 to .5 little changes."""

HEAVIEST = 50
"""So many terms, the heaviest, make the norm of a vector: no text speaks all words of a field, and
a wide vocabulary must not look farther off than a narrow one for being wide."""

Vectors = dict[str, dict[str, float]]


class TopicVectors:
    """All categories' vectors under one weighting scheme, merged for one pass over a text.

    ``unit`` is the documents' measure: every term weighs 1, the text side is raw counts.

    ``weighted``: a term weighs what its file says, times its share among the categories that
    claim it, so that a stem which all share decides little; a term of common English ("new",
    "time", "show"), which turns up on pages of any topic, keeps half of that. What a text says
    of fields far from the topics (film, food, travel) lowers its similarity to a category that
    asks for the contrast: to a half where it says as much of them as of the category.

    Length: the cosine divides by the text's own norm, so a text twice as long with the same mix
    of words scores the same; a long page still scores lower than a short one when its vocabulary
    is wider. ``weighted`` takes the square root of each count first, so that one word repeated
    all over a page (a player's name, a menu entry) does not drown the rest.
    """

    def __init__(
        self,
        categories: Iterable[Category],
        scheme: Scheme = "weighted",
        learned: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        if scheme not in SCHEMES:
            raise ValueError(f"scheme {scheme!r} is not known; use one of {', '.join(SCHEMES)}")
        self.scheme = scheme
        learned = learned or {}
        ordered = sorted(categories, key=lambda category: category.name)
        self.names: tuple[str, ...] = tuple(category.name for category in ordered)
        own = {c.name: (scheme == "weighted" and c.vocabulary) or c.terms for c in ordered}
        merged = {name: {**learned.get(name, {}), **terms} for name, terms in own.items()}
        self._similarities: Callable[[Mapping[str, float]], list[float]]
        if scheme == "unit":
            self._similarities = self._raw
            self._vectors = _unit(merged)
            self._index = _merge(self._vectors.values())
        else:
            self._similarities = self._rooted
            self._vectors = _weighted(merged)
            self._index = _merge([*self._vectors.values(), _elsewhere(merged)], HEAVIEST)
            self._contrasted = [place for place, each in enumerate(ordered) if each.contrast]

    def vector(self, name: str) -> Mapping[str, float]:
        """Stem → weight of one category, as used in the comparison."""
        return self._vectors[name]

    def similarities(self, counts: Mapping[str, float]) -> dict[str, float]:
        """The cosine of a text's stem counts with every category, in name order."""
        return dict(zip(self.names, self._similarities(counts), strict=True))

    def similarity(self, name: str, counts: Mapping[str, float]) -> float:
        """The cosine of a text's stem counts with one category."""
        return self._similarities(counts)[self.names.index(name)]

    def _raw(self, counts: Mapping[str, float]) -> list[float]:
        sums = [0.0] * len(self.names)
        for stem in self._index.keys() & counts.keys():
            count = counts[stem]
            for position, weight in self._index[stem]:
                sums[position] += weight * count
        norm = sqrt(sum(count * count for count in counts.values()))
        return [min(1.0, total / norm) for total in sums] if norm else sums

    def _rooted(self, counts: Mapping[str, float]) -> list[float]:
        """As ``_raw`` with √count; the norm is then just the root of the text's length."""
        sums = [0.0] * (len(self.names) + 1)
        for stem in self._index.keys() & counts.keys():
            count = sqrt(counts[stem])
            for position, weight in self._index[stem]:
                sums[position] += weight * count
        elsewhere = sums.pop()
        if elsewhere:
            for position in self._contrasted:
                total = sums[position]
                sums[position] = total * total / (total + elsewhere)
        norm = sqrt(sum(counts.values()))
        return [min(1.0, total / norm) for total in sums] if norm else sums


def _unit(terms: Vectors) -> Vectors:
    return {name: dict.fromkeys(vector, 1.0) for name, vector in terms.items()}


def _weighted(terms: Vectors) -> Vectors:
    claims: Counter[str] = Counter()
    for vector in terms.values():
        claims.update(vector)  # type: ignore[arg-type]  # weights add up as counts do
    common = common_stems()
    return {
        name: {
            stem: weight * (weight / claims[stem]) * (COMMON_WEIGHT if stem in common else 1.0)
            for stem, weight in vector.items()
        }
        for name, vector in terms.items()
    }


def _elsewhere(terms: Vectors) -> dict[str, float]:
    """The vector of all other fields: their stems, as far as no category claims them."""
    return dict.fromkeys(elsewhere_stems().difference(*terms.values()), 1.0)


def _merge(
    vectors: Iterable[Mapping[str, float]], heaviest: int | None = None
) -> dict[str, list[tuple[int, float]]]:
    """stem → (position of a vector, weight / norm of that vector by its heaviest terms)."""
    index: dict[str, list[tuple[int, float]]] = {}
    for position, vector in enumerate(vectors):
        heavy = sorted(vector.values(), reverse=True)[:heaviest]
        norm = sqrt(sum(weight * weight for weight in heavy))
        for stem, weight in vector.items():
            index.setdefault(stem, []).append((position, weight / norm))
    return index
