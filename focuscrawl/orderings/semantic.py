"""Links by the page they stand on and their own text, each scored by one of the page scorers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.orderings.base import PageView, Scored
from focuscrawl.orderings.places import BestPlaces
from focuscrawl.semantics.corpus import Corpus
from focuscrawl.semantics.features import Features
from focuscrawl.semantics.scoring import PageScorer, link_score
from focuscrawl.text import counts


class Semantic:
    """``corpus`` is the scorer's own, where it has one: every page that comes is counted in."""

    names: Sequence[str] = ("page", "anchor")

    def __init__(self, scorer: PageScorer, corpus: Corpus | None = None) -> None:
        self._scorer = scorer
        self._corpus = corpus
        self._best = BestPlaces()

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        features = Features(page.title, page.headings, page.bold, page.anchors, page.text)
        if self._corpus is not None:
            self._corpus.observe(features)
        near = self._scorer.page(features)
        texts = dict.fromkeys(link.anchor for link in page.links if link.anchor)
        found = dict(zip(texts, self._scorer.anchors(list(map(counts, texts))), strict=True))
        places: dict[int, Scored] = {}
        for link in page.links:
            own = found.get(link.anchor)
            score = link_score(near, own)
            if self._best.raised([(link.target, score)]):
                places[link.target] = Scored(score, _terms(near, own))
        return places


def _terms(page: float, anchor: float | None) -> tuple[float, float]:
    return (page, 0.0) if anchor is None else (page / 2, anchor / 2)
