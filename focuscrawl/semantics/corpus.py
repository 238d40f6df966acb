"""What the pages seen so far teach about a topic's terms: how rare each is, how long pages are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log
from typing import Any

from focuscrawl.semantics.features import Features

K1 = 1.2
"""How soon further mentions of a term count for little."""

B = 0.75
"""How much a text longer than usual must do more."""


class Corpus:
    """N, n and the average lengths of BM25, for one topic's terms; grows by :meth:`observe`.

    Only the topic's own terms are counted, so it stays as small as the topic.
    """

    def __init__(self, terms: Iterable[str]) -> None:
        self.pages = 0
        self.holding = dict.fromkeys(terms, 0)
        self.lengths = dict.fromkeys(Features._fields, 0)
        self._idf: dict[str, float] | None = None

    def observe(self, page: Features) -> None:
        """Count a page in."""
        self.pages += 1
        for term in self.holding.keys() & page.text.keys():
            self.holding[term] += 1
        for name, counts in zip(Features._fields, page, strict=True):
            self.lengths[name] += sum(counts.values())
        self._idf = None

    def idf(self) -> dict[str, float]:
        """log((N − n + ½) / (n + ½)), never under 0: a term on every second page tells nothing."""
        if self._idf is None:
            pages = self.pages + 0.5
            self._idf = {
                term: max(0.0, log((pages - n) / (n + 0.5))) for term, n in self.holding.items()
            }
            self._enough = sum(self._idf.values())
        return self._idf

    def bm25(self, counts: Mapping[str, int], feature: str) -> float:
        """How well a text matches the topic by its very words, 0 to 1.

        1 is a very good match: as much as all of the topic's terms, once each, in a text of
        average length.
        """
        idf = self.idf()
        present = idf.keys() & counts.keys()
        average = self.lengths[feature] / self.pages if self.pages else 0
        if not present or not average or not self._enough:
            return 0.0
        damping = K1 * (1 - B + B * sum(counts.values()) / average)
        found = sum(idf[term] * counts[term] / (counts[term] + damping) for term in present)
        return min(1.0, (K1 + 1) * found / self._enough)

    def tf_idf(self, counts: Mapping[str, int]) -> float:
        """The mean over the topic's terms of tf · idf, each as a share of the largest possible.

        tf is taken against the text's most frequent stem, idf against a term never seen.
        """
        present = self.holding.keys() & counts.keys()
        if not present:
            return 0.0
        most, rarest = max(counts.values()), log(2 * self.pages + 2)
        found = sum(
            counts[term] * log((self.pages + 1) / (self.holding[term] + 0.5)) for term in present
        )
        return max(0.0, found / (most * rarest * len(self.holding)))

    def as_dict(self) -> dict[str, Any]:
        """For storing as JSON; :meth:`from_dict` reads it back."""
        return {"pages": self.pages, "holding": self.holding, "lengths": self.lengths}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Corpus:
        corpus = cls(())
        corpus.pages = stored["pages"]
        corpus.holding = dict(stored["holding"])
        corpus.lengths = dict(stored["lengths"])
        return corpus
