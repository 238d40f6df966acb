"""WordNet as the rest of the house sees it: nearness of words, and the tables of a topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from focuscrawl.semantics.cachefile import ArrayCache, Arrays
from focuscrawl.semantics.dictionary import Dictionary, find_dictionary
from focuscrawl.semantics.morphology import base_forms
from focuscrawl.semantics.nouns import Nouns, compile_nouns
from focuscrawl.semantics.similarity import nearness
from focuscrawl.semantics.tables import Scores, TopicTable
from focuscrawl.text import stems, tokens

Measure = Literal["ld", "ic", "max"]
MEASURES: tuple[Measure, ...] = ("ld", "ic", "max")
VERSION = 1
"""Of what is kept on disk: raised when the numbers in it would come out otherwise."""


class TopicTerm(NamedTuple):
    """A word of a topic and its stem; words of a category's ``terms`` are given as stems."""

    word: str
    stem: str
    is_stem: bool


class Similarity(NamedTuple):
    """Of two words: by path and depth, and by information content."""

    ld: float
    ic: float


class WordNet:
    """The noun side of one copy of WordNet; ``cache`` is a folder for what takes time to make."""

    def __init__(self, dictionary: Dictionary, cache: Path | None = None) -> None:
        self.dictionary = dictionary
        name = f"wordnet-{dictionary.identity}-{VERSION}"
        self.cache = ArrayCache(cache / name if cache else None)

    @classmethod
    def find(cls, cache: Path | None = None) -> WordNet:
        """The user's WordNet or the installed one; WordNetError says what to do without either."""
        return cls(find_dictionary(), cache)

    @cached_property
    def nouns(self) -> Nouns:
        return Nouns(**self.cache.get("nouns", lambda: compile_nouns(self.dictionary).as_arrays()))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {stem: row for row, stem in enumerate(self.nouns.stems(), start=1)}

    def similarity(self, word: str, other: str) -> Similarity:
        """The largest over all that the two words may mean; 0 for a word that is no noun."""
        senses, others = self._senses(word), self._senses(other)
        if not senses or not others:
            return Similarity(0.0, 0.0)
        near = nearness(self.nouns, senses)
        return Similarity(float(near.ld[others].max()), float(near.ic[others].max()))

    def topic_table(
        self, words: Iterable[str], terms: Iterable[str] = (), measure: Measure = "max"
    ) -> TopicTable:
        """Scores of all noun stems against each word (plain), and each term (already a stem).

        ``measure`` is path and depth (``ld``), information (``ic``) or the larger of the two.
        Words of one stem share a column. A term's own stem scores 1, known to WordNet or not.
        """
        topic = [*_terms(words), *(TopicTerm(term, term, True) for term in terms)]
        if not topic:
            raise ValueError("a topic without words has no table; give it some")
        columns = list(dict.fromkeys(term.stem for term in topic))
        rows = dict(self._rows)
        for stem in columns:
            rows.setdefault(stem, len(rows) + 1)
        scores = np.zeros((len(rows) + 1, len(columns)), np.float32)
        for term in topic:
            column = columns.index(term.stem)
            known = scores[1 : len(self._rows) + 1, column]
            np.maximum(known, self._scores(term, measure), out=known)
            scores[rows[term.stem], column] = 1.0
        return TopicTable(columns, rows, scores)

    def _scores(self, term: TopicTerm, measure: Measure) -> Scores:
        """Of every stem in WordNet against one term, in the order of the stems."""
        key = f"{'stem' if term.is_stem else 'word'} {term.word}"
        name = f"term-{blake2b(key.encode(), digest_size=12).hexdigest()}"
        kept = self.cache.get(name, lambda: self._make_scores(term))
        if measure == "max":
            return np.maximum(kept["ld"], kept["ic"])
        return np.asarray(kept[measure], np.float32)

    def _make_scores(self, term: TopicTerm) -> Arrays:
        nouns = self.nouns
        senses = () if term.is_stem else self._senses(term.word)
        near = nearness(nouns, senses or self._senses_of_stem(term.stem))
        return {
            name: np.maximum.reduceat(
                values[nouns.stem_synsets], nouns.stem_starts[:-1], dtype=np.float32
            )
            for name, values in near._asdict().items()
        }

    def _senses(self, word: str) -> Sequence[int]:
        forms = base_forms(word, self.dictionary)
        offsets = dict.fromkeys(o for form in forms for o in self.dictionary.senses(form))
        return self.nouns.numbers(offsets)

    def _senses_of_stem(self, stem: str) -> Sequence[int]:
        """What the nouns of a stem mean: for stems, and for words that are no nouns themselves."""
        row = self._rows.get(stem)
        if row is None:
            return []
        first, end = self.nouns.stem_starts[row - 1 : row + 1]
        return [int(number) for number in self.nouns.stem_synsets[first:end]]


def _terms(words: Iterable[str]) -> list[TopicTerm]:
    """One for each single word; stop words, which no page's counts hold, are left out."""
    parts = (part for word in words for part in tokens(word))
    return [TopicTerm(part, found[0], False) for part in parts if (found := stems(part))]
