"""New terms for a category, out of the pages that nearly belonged to it.

A near miss is a page whose nearest category is c but which stays under c's threshold: it speaks
of c in words that c's vector does not hold yet. The most frequent of them join the vector at the
end of a phase, kept apart from the shipped terms so that they can be listed and withdrawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from focuscrawl.text import common_stems

LEARNED_WEIGHT = 0.5
"""A learned term is a guess: half the weight of a shipped one (``unit`` makes every weight 1)."""

NEAR_MISS_STEMS = 20_000
"""Distinct stems kept per category; beyond it the rarer half is forgotten."""


@dataclass(frozen=True, slots=True)
class LearnedTerm:
    """A stem that joins a vector, how often the near misses used it, and the phase it came in."""

    stem: str
    weight: float
    count: int
    phase: int


class NearMisses:
    """Stem counts of the near misses of each category, summed over a phase."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}

    def add(self, category: str, counts: Mapping[str, int]) -> None:
        summed = self._counts.setdefault(category, Counter())
        for stem, count in counts.items():
            summed[stem] += count
        if len(summed) > NEAR_MISS_STEMS:
            self._counts[category] = Counter(dict(summed.most_common(NEAR_MISS_STEMS // 2)))

    def counts(self, category: str) -> Mapping[str, int]:
        return self._counts.get(category, {})


def learn(
    category: str,
    near_miss_counts: Mapping[str, int],
    vectors: Mapping[str, Mapping[str, float]],
    phase: int,
    limit: int = 10,
) -> list[LearnedTerm]:
    """The ``limit`` most frequent stems of the near misses that may join the category's vector.

    A stem in two or more other categories' vectors tells nothing apart and stays out, as do
    common English and stems of one or two letters, which would otherwise fill the list.
    ``vectors`` holds every category's terms by name; equal counts go by alphabet.
    """
    others = Counter(stem for name, terms in vectors.items() if name != category for stem in terms)
    barred = common_stems() | vectors[category].keys() | {s for s, n in others.items() if n > 1}
    fresh = [(stem, n) for stem, n in near_miss_counts.items() if stem not in barred]
    ranked = sorted(
        (item for item in fresh if len(item[0]) > 2), key=lambda item: (-item[1], item[0])
    )
    return [LearnedTerm(stem, LEARNED_WEIGHT, count, phase) for stem, count in ranked[:limit]]
