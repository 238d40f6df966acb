"""Page scorers to choose from: the documents' four, behind one interface.

All scores are 0 to 1. A link is worth the mean of the page it stands on and its own text
(:func:`link_score`); breadth first, the fifth strategy, scores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from focuscrawl.semantics.corpus import Corpus
from focuscrawl.semantics.features import Features
from focuscrawl.semantics.tables import TopicTable
from focuscrawl.text import cosine

Counts = Mapping[str, int]


class PageScorer(Protocol):
    """How near a page is to a topic, and the texts of its links, all at once."""

    def page(self, features: Features) -> float: ...

    def anchors(self, texts: Sequence[Counts]) -> list[float]: ...


def link_score(page: float, anchor: float | None) -> float:
    """½ (page + anchor text); without anchor text the page's alone."""
    return page if anchor is None else (page + anchor) / 2


class Vsm:
    """Vector space model: the cosine with the topic's vector."""

    def __init__(self, topic: Mapping[str, float]) -> None:
        self._topic = topic

    def page(self, features: Features) -> float:
        return cosine(self._topic, features.text)

    def anchors(self, texts: Sequence[Counts]) -> list[float]:
        return [cosine(self._topic, counts) for counts in texts]


class Ssrm:
    """Semantic similarity retrieval model: nearness in meaning × tf-idf."""

    def __init__(self, table: TopicTable, corpus: Corpus) -> None:
        self._table = table
        self._corpus = corpus

    def page(self, features: Features) -> float:
        return self.anchors([features.text])[0]

    def anchors(self, texts: Sequence[Counts]) -> list[float]:
        return _times_nearness(self._table, texts, list(map(self._corpus.tf_idf, texts)))


class Ssvsm:
    """Semantic similarity vector space model: nearness in meaning × cosine."""

    def __init__(self, table: TopicTable, topic: Mapping[str, float]) -> None:
        self._table = table
        self._topic = topic

    def page(self, features: Features) -> float:
        return self.anchors([features.text])[0]

    def anchors(self, texts: Sequence[Counts]) -> list[float]:
        weights = [cosine(self._topic, counts) for counts in texts]
        return _times_nearness(self._table, texts, weights)


class Hsm:
    """Hybrid string matching: nearness in meaning or BM25, whichever is larger.

    For each feature the mean over the topic's terms of the best match; for a page the mean over
    its five features.
    """

    def __init__(self, table: TopicTable, corpus: Corpus) -> None:
        self._table = table
        self._corpus = corpus

    def page(self, features: Features) -> float:
        best = self._table.best(features)
        floors = list(map(self._corpus.bm25, features, Features._fields))
        if any(floors):
            best = np.maximum(best, np.array(floors, np.float32)[:, None])
        return float(np.add.reduce(best, axis=None)) / best.size

    def anchors(self, texts: Sequence[Counts]) -> list[float]:
        if not texts:
            return []
        best = self._table.best(texts)
        floors = [self._corpus.bm25(counts, "anchor") for counts in texts]
        if any(floors):
            best = np.maximum(best, np.array(floors, np.float32)[:, None])
        return list(best.mean(axis=1).tolist())


def _times_nearness(
    table: TopicTable, texts: Sequence[Counts], weights: list[float]
) -> list[float]:
    """Each weight times how near its text is in meaning, which is asked only where there is one."""
    weighty = [counts for counts, weight in zip(texts, weights, strict=True) if weight]
    near = iter(table.best(weighty).mean(axis=1).tolist() if weighty else ())
    return [weight and weight * next(near) for weight in weights]
