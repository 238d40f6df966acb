"""New terms for a category, out of the pages that nearly belonged to it.

A near miss is a page whose nearest category is c but which stays under c's threshold. Some of
these speak of c in words that c's vector does not hold yet; most are about something else, and
their most frequent words are names of places and papers. So the pages that the category did keep
must bear a term out: it joins when it stands in many more of them than in those of the others.
Learned terms are kept apart from the shipped ones so that they can be listed and withdrawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from focuscrawl.text import common_stems

LEARNED_WEIGHT = 0.5
"""A learned term is a guess: half the weight of a shipped one (``unit`` makes every weight 1)."""

CONTRAST = 8.0
"""So much larger must the share of kept pages with the term be than that of other pages."""

FEWEST_PAGES = 6
"""Kept pages that must hold a term."""


@dataclass(slots=True)
class Spread:
    """In how many pages of a set each stem stands."""

    pages: int = 0
    holding: Counter[str] = field(default_factory=Counter)

    def add(self, stems: Iterable[str]) -> None:
        self.pages += 1
        self.holding.update(stems)

    def share(self, stem: str) -> float:
        """Of the pages; one more page that holds every stem keeps shares of few pages modest."""
        return (self.holding[stem] + 1) / (self.pages + 1)


@dataclass(frozen=True, slots=True)
class LearnedTerm:
    """A stem that joins a vector, how often the near misses used it, and the phase it came in."""

    stem: str
    weight: float
    count: int
    phase: int


def learn(
    category: str,
    near_misses: Mapping[str, int],
    vectors: Mapping[str, Mapping[str, float]],
    phase: int,
    limit: int,
    kept: Spread,
    others: Spread,
) -> list[LearnedTerm]:
    """The ``limit`` most frequent stems of the near misses that may join the category's vector.

    A stem in two or more other categories' vectors tells nothing apart and stays out, as do
    common English and stems of one or two letters. ``kept`` are pages of the category, ``others``
    those of other ones. ``vectors`` holds every category's terms by name; equal counts go by
    alphabet.
    """
    claims = Counter(stem for name, terms in vectors.items() if name != category for stem in terms)
    barred = common_stems() | vectors[category].keys() | {s for s, n in claims.items() if n > 1}

    def is_borne_out(stem: str) -> bool:
        enough = kept.holding[stem] >= FEWEST_PAGES
        return enough and kept.share(stem) >= CONTRAST * others.share(stem)

    fresh = [
        (stem, count)
        for stem, count in near_misses.items()
        if len(stem) > 2 and stem not in barred and is_borne_out(stem)
    ]
    ranked = sorted(fresh, key=lambda item: (-item[1], item[0]))
    return [LearnedTerm(stem, LEARNED_WEIGHT, count, phase) for stem, count in ranked[:limit]]
