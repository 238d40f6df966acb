"""The orderings by their short names, and what each of them is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from focuscrawl.orderings.base import LinkScorer, Topic
from focuscrawl.orderings.classic import BestFirst, BreadthFirst, DepthFirst, Fish, Shark
from focuscrawl.orderings.graph import Backlinks, ForwardLinks, Hits, PageRank
from focuscrawl.orderings.linktable import FEATURES
from focuscrawl.orderings.predictor import Predictor
from focuscrawl.orderings.semantic import Semantic
from focuscrawl.semantics.corpus import Corpus
from focuscrawl.semantics.meanings import Meanings
from focuscrawl.semantics.scoring import Hsm, Ssrm, Ssvsm, Vsm
from focuscrawl.semantics.tables import TopicTable
from focuscrawl.semantics.wordnet import WordNet

Factory = Callable[[Topic, WordNet | None], LinkScorer]
Vector = Literal["seeds", "words"]


class UnknownOrdering(ValueError):
    """There is no ordering of that name; the message names those there are."""


class Ordering(NamedTuple):
    """How to make a strategy, and which vector its topic has: of the seed pages or of the words.

    ``meanings`` says that it wants WordNet; ``names`` are those of its terms;
    ``reads_parts`` that it looks at title, headings, bold words and link texts apart.
    """

    make: Factory
    vector: Vector = "seeds"
    meanings: bool = False
    names: tuple[str, ...] = ()
    reads_parts: bool = False


def _plain(kind: Callable[[Topic], LinkScorer]) -> Ordering:
    return Ordering(lambda topic, wordnet: kind(topic))


def _vsm(topic: Topic, wordnet: WordNet | None) -> LinkScorer:
    return Semantic(Vsm(topic.vector))


def _table(topic: Topic, wordnet: WordNet | None) -> TopicTable:
    if wordnet is None:
        raise ValueError("this ordering needs WordNet")
    return wordnet.topic_table(topic.words)


def _ssrm(topic: Topic, wordnet: WordNet | None) -> LinkScorer:
    table = _table(topic, wordnet)
    corpus = Corpus(table.terms)
    return Semantic(Ssrm(table, corpus), corpus)


def _ssvsm(topic: Topic, wordnet: WordNet | None) -> LinkScorer:
    return Semantic(Ssvsm(_table(topic, wordnet), topic.vector))


def _hsm(topic: Topic, wordnet: WordNet | None) -> LinkScorer:
    table = _table(topic, wordnet)
    corpus = Corpus(table.terms)
    return Semantic(Hsm(table, corpus), corpus)


def _focused(topic: Topic, wordnet: WordNet | None) -> LinkScorer:
    return Predictor(topic, Meanings(wordnet, topic.words).of if wordnet else None)


ORDERINGS: dict[str, Ordering] = {
    "focused": Ordering(_focused, "words", meanings=True, names=FEATURES),
    "breadth-first": _plain(BreadthFirst),
    "depth-first": _plain(DepthFirst),
    "best-first": _plain(BestFirst),
    "fish": _plain(Fish),
    "shark": _plain(Shark),
    "pagerank": _plain(PageRank),
    "backlinks": _plain(Backlinks),
    "forward-links": _plain(ForwardLinks),
    "hits": _plain(Hits),
    "vsm": Ordering(_vsm),
    "ssrm": Ordering(_ssrm, meanings=True),
    "ssvsm": Ordering(_ssvsm, meanings=True),
    "hsm": Ordering(_hsm, meanings=True, reads_parts=True),
}


def chosen(names: Iterable[str]) -> list[str]:
    """The names, each once, if all of them are known."""
    found = list(dict.fromkeys(names))
    for name in found:
        if name not in ORDERINGS:
            raise UnknownOrdering(f"{name}: no such ordering; there are {', '.join(ORDERINGS)}")
    return found
