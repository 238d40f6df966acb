"""The category vectors, and how near a text is to each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import sqrt
from typing import Literal

from focuscrawl.text import common_stems
from focuscrawl.topics.category import Category

Scheme = Literal["weighted", "unit"]
SCHEMES: tuple[Scheme, ...] = ("weighted", "unit")

COMMON_WEIGHT = 0.25
"""Share of its weight that a term of common English keeps. From .05 to .4 little changes."""

Vectors = dict[str, dict[str, float]]


class TopicVectors:
    """All categories' vectors under one weighting scheme, merged for one pass over a text.

    ``unit`` is the documents' measure: every term weighs 1, the text side is raw counts.

    ``weighted``: a term weighs what its file says, divided by the number of categories that
    claim it, so that a stem which all share decides little; a term of common English ("new",
    "time", "show"), which turns up on pages of any topic, keeps a quarter of that.

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
        merged = {
            category.name: {**learned.get(category.name, {}), **category.terms}
            for category in ordered
        }
        self._vectors = _unit(merged) if scheme == "unit" else _weighted(merged)
        self.names: tuple[str, ...] = tuple(self._vectors)
        self._index = _merge(self._vectors)
        self._similarities: Callable[[Mapping[str, float]], list[float]] = (
            self._raw if scheme == "unit" else self._rooted
        )

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
        sums = [0.0] * len(self.names)
        for stem in self._index.keys() & counts.keys():
            count = sqrt(counts[stem])
            for position, weight in self._index[stem]:
                sums[position] += weight * count
        norm = sqrt(sum(counts.values()))
        return [min(1.0, total / norm) for total in sums] if norm else sums


def _unit(terms: Vectors) -> Vectors:
    return {name: dict.fromkeys(vector, 1.0) for name, vector in terms.items()}


def _weighted(terms: Vectors) -> Vectors:
    claims = Counter(stem for vector in terms.values() for stem in vector)
    common = common_stems()
    return {
        name: {
            stem: weight * (COMMON_WEIGHT if stem in common else 1.0) / claims[stem]
            for stem, weight in vector.items()
        }
        for name, vector in terms.items()
    }


def _merge(vectors: Vectors) -> dict[str, list[tuple[int, float]]]:
    """stem → (category position, weight / norm of that category's vector)."""
    index: dict[str, list[tuple[int, float]]] = {}
    for position, vector in enumerate(vectors.values()):
        norm = sqrt(sum(weight * weight for weight in vector.values()))
        for stem, weight in vector.items():
            index.setdefault(stem, []).append((position, weight / norm))
    return index
