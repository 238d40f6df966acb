"""What the words of a link mean, before the page behind it is fetched.

A link says little, often a name. WordNet knows two things about it: how near its nouns are to the
words of the topic, and how a dictionary would explain it. Both are looked up once per link text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from focuscrawl.semantics.wordnet import WordNet
from focuscrawl.text import counts, stems, tokens

FAINT = 0.2
"""Under this nearness two nouns share no more than being things."""
LONGEST_NAME = 3
LONGEST_EXPLAINED = 6
"""Words of a link that says little; a longer one, such as a headline, speaks for itself."""
_PER_WORD = 0.5
"""The explanations of single words count less than one of the name they make together."""


class Meaning(NamedTuple):
    """Of a link's text: how near it is to the topic, and the words that explain it."""

    nearness: float
    definition: Mapping[str, float]


NO_MEANING = Meaning(0.0, {})


class Meanings:
    """WordNet's view of link texts, for one topic."""

    def __init__(self, wordnet: WordNet, words: Sequence[str]) -> None:
        self._dictionary = wordnet.dictionary
        self._nearness: dict[str, float] = {}
        table = wordnet.topic_table(words, measure="ld")
        for term in table.terms:
            for stem, score in table.column(term).items():
                if score > FAINT:
                    self._nearness[stem] = max(score, self._nearness.get(stem, 0.0))
        self._name_starts = wordnet.dictionary.name_starts
        self._definitions: dict[str, Mapping[str, int]] = {}

    def of(self, anchor: str) -> Meaning:
        """The meaning of a link's text."""
        words = tokens(anchor)
        found = stems(anchor)
        if not found:
            return NO_MEANING
        near = sum(self._nearness.get(stem, 0.0) for stem in found) / len(found)
        brief = len(words) <= LONGEST_EXPLAINED
        return Meaning(near, self._definition(words) if brief else {})

    def _definition(self, words: Sequence[str]) -> Mapping[str, float]:
        """Of the whole text, if that is a name; else of the names in it; else of its words."""
        starts = [start for start, pair in enumerate(pairwise(words)) if pair in self._name_starts]
        if starts and starts[0] == 0 and (whole := self._explain(" ".join(words))):
            return whole
        parts: Counter[str] = Counter()
        for start in starts:
            for length in range(2, min(LONGEST_NAME, len(words) - start, len(words) - 1) + 1):
                parts.update(self._explain(" ".join(words[start : start + length])))
        if parts:
            return parts
        single: dict[str, float] = {}
        for word in words:
            for stem, count in self._explain(word).items():
                single[stem] = single.get(stem, 0.0) + _PER_WORD * count
        return single

    def _explain(self, name: str) -> Mapping[str, int]:
        """The words of all definitions of a name, examples left out."""
        known = self._definitions.get(name)
        if known is None:
            offsets = self._dictionary.senses(name)
            glosses = map(self._dictionary.gloss, offsets)
            known = counts(" ".join(gloss.partition(";")[0] for gloss in glosses))
            self._definitions[name] = known
        return known
