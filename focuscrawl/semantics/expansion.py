"""Words that belong to a word, each with the relation that brings it in.

For building a topic's term list by hand or by command: what is suggested can be shown with its
reason. Nouns are looked at first; a word that is no noun ("vaccinate") is taken as verb, adjective
or adverb, and its derived forms lead back to the nouns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from focuscrawl.semantics.dictionary import Synset
from focuscrawl.semantics.morphology import base_forms
from focuscrawl.semantics.nouns import Floats
from focuscrawl.semantics.similarity import nearness
from focuscrawl.semantics.wordnet import WordNet
from focuscrawl.text import stop_words, tokens

RELATIONS = {
    "@": "hypernym",
    "@i": "hypernym",
    "~": "hyponym",
    "~i": "hyponym",
    "+": "derived",
    ";c": "field",
    "-c": "used in the field",
}
"""WordNet's pointer symbols that lead to a topic's words, and what they are called here."""

LEAST = {
    "base form": 1.0,
    "synonym": 1.0,
    "derived": 0.9,
    "field": 0.7,
    "used in the field": 0.7,
    "hypernym": 0.5,
    "hyponym": 0.5,
    "definition": 0.3,
}
"""What a relation is worth where the hierarchy of nouns says less: a verb has no place in it, and
a goalkeeper stands far from football there."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """A suggested term; ``via`` is the meaning of the given word that led to it."""

    term: str
    relation: str
    score: float
    via: str


def synonyms(wordnet: WordNet, word: str) -> list[Expansion]:
    """Words that name the same concept, the best first."""
    return [found for found in expansions(wordnet, word) if found.relation == "synonym"]


def related(wordnet: WordNet, word: str) -> list[Expansion]:
    """Wider and narrower terms, derived forms, words of the field and of the definition."""
    same = ("base form", "synonym")
    return [found for found in expansions(wordnet, word) if found.relation not in same]


def expansions(wordnet: WordNet, word: str) -> list[Expansion]:
    """All that belongs to a word, once each by its strongest relation, the best first."""
    best: dict[str, Expansion] = {}
    for found in _Explorer(wordnet, word).walk():
        known = best.get(found.term.lower())
        if known is None or found.score > known.score:
            best[found.term.lower()] = found
    best.pop(_as_text(word).lower(), None)
    return sorted(best.values(), key=lambda found: (-found.score, found.term.lower()))


class _Explorer:
    """The meanings of one word, and how near all nouns are to them."""

    def __init__(self, wordnet: WordNet, word: str) -> None:
        self._wordnet = wordnet
        self._dictionary = wordnet.dictionary
        self._bases = base_forms(word, self._dictionary) or [word.lower()]
        self._pos = next((pos for pos in "nvar" if self._offsets(self._bases[0], pos)), "n")
        offsets = dict.fromkeys(o for base in self._bases for o in self._offsets(base, self._pos))
        self._senses = [self._dictionary.synset(offset, self._pos) for offset in offsets]
        self._near = self._nearness(offsets)

    def walk(self) -> Iterator[Expansion]:
        for base in self._bases if self._senses else ():
            yield Expansion(_as_text(base), "base form", 1.0, _meaning(self._senses[0]))
        for sense in self._senses:
            yield from self._around(sense)

    def _offsets(self, word: str, pos: str) -> list[int]:
        return self._dictionary.senses(word, pos)

    def _nearness(self, offsets: Iterable[int]) -> Floats:
        """Of all noun synsets to the word; nothing is near to a word that is no noun."""
        nouns = self._wordnet.nouns
        near = nearness(nouns, nouns.numbers(offsets) if self._pos == "n" else ())
        return np.maximum(near.ld, near.ic)

    def _near_to(self, offsets: Iterable[int]) -> float:
        return max((float(self._near[n]) for n in self._wordnet.nouns.numbers(offsets)), default=0)

    def _around(self, sense: Synset) -> Iterator[Expansion]:
        via = _meaning(sense)
        for word in sense.words:
            yield Expansion(_as_text(word), "synonym", LEAST["synonym"], via)
        for pointer in sense.pointers:
            relation = RELATIONS.get(pointer.symbol)
            if relation is None or not self._dictionary.has(pointer.pos):
                continue
            target = self._dictionary.synset(pointer.offset, pointer.pos)
            near = self._near_to([target.offset]) if pointer.pos == "n" else 0.0
            score = max(near, LEAST[relation])
            for word in target.words[pointer.target - 1 :][:1] if pointer.target else target.words:
                yield Expansion(_as_text(word), relation, score, via)
        for word in _definition_words(sense):
            near = self._near_to(self._offsets(word, "n"))
            yield Expansion(word, "definition", max(near, LEAST["definition"]), via)


def _definition_words(sense: Synset) -> list[str]:
    found = tokens(_definition(sense))
    return [word for word in dict.fromkeys(found) if word not in stop_words()]


def _definition(sense: Synset) -> str:
    """The gloss without its examples."""
    return sense.gloss.partition(' "')[0].rstrip("; ")


def _meaning(sense: Synset) -> str:
    return f"{_as_text(sense.words[0])}: {_definition(sense)}"


def _as_text(word: str) -> str:
    return word.replace("_", " ")
