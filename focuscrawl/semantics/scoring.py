"""Page scorers to choose from: the documents' four, behind one interface.

All scores are 0 to 1. A link is worth the mean of the page it stands on and its own text
(:func:`link_score`); breadth first, the fifth strategy, scores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from focuscrawl.semantics.corpus import Corpus
from focuscrawl.semantics.features import Features
from focuscrawl.semantics.tables import TopicTable
from focuscrawl.text import cosine

Counts = Mapping[str, int]


class PageScorer(Protocol):
    """How near a page, or the text of a link, is to a topic."""

    def page(self, features: Features) -> float: ...

    def anchor(self, counts: Counts) -> float: ...


def link_score(page: float, anchor: float | None) -> float:
    """½ (page + anchor text); without anchor text the page's alone."""
    return page if anchor is None else (page + anchor) / 2


class Vsm:
    """Vector space model: the cosine with the topic's vector."""

    def __init__(self, topic: Mapping[str, float]) -> None:
        self._topic = topic

    def page(self, features: Features) -> float:
        return cosine(self._topic, features.text)

    def anchor(self, counts: Counts) -> float:
        return cosine(self._topic, counts)


class Ssrm:
    """Semantic similarity retrieval model: nearness in meaning × tf-idf."""

    def __init__(self, table: TopicTable, corpus: Corpus) -> None:
        self._table = table
        self._corpus = corpus

    def page(self, features: Features) -> float:
        return self.anchor(features.text)

    def anchor(self, counts: Counts) -> float:
        weight = self._corpus.tf_idf(counts)
        return weight and weight * float(self._table.best([counts]).mean())


class Ssvsm:
    """Semantic similarity vector space model: nearness in meaning × cosine."""

    def __init__(self, table: TopicTable, topic: Mapping[str, float]) -> None:
        self._table = table
        self._topic = topic

    def page(self, features: Features) -> float:
        return self.anchor(features.text)

    def anchor(self, counts: Counts) -> float:
        weight = cosine(self._topic, counts)
        return weight and weight * float(self._table.best([counts]).mean())


class Hsm:
    """Hybrid string matching: nearness in meaning or BM25, whichever is larger.

    For each feature the mean over the topic's terms of the best match; for a page the mean over
    its five features.
    """

    def __init__(self, table: TopicTable, corpus: Corpus) -> None:
        self._table = table
        self._corpus = corpus

    def page(self, features: Features) -> float:
        pairs = zip(features, Features._fields, strict=True)
        floors = np.array([[self._corpus.bm25(counts, name)] for counts, name in pairs])
        best = self._table.best(features)
        return float(np.add.reduce(np.maximum(best, floors), axis=None)) / best.size

    def anchor(self, counts: Counts) -> float:
        floor = self._corpus.bm25(counts, "anchor")
        return float(np.maximum(self._table.best([counts]), floor).mean())
