"""What a topic sounds like, learned from few words, few examples, and what the crawl meets.

The vector of the topic is made of three parts: the words that name it, the mean of the example
pages, and the mean of the pages that are nearest to it so far, less the mean of all pages. How
telling a word is, is at first guessed from a list of common English, and then counted.
"""

from __future__ import annotations

import numpy as np

from focuscrawl.orderings.base import Counts, Topic
from focuscrawl.orderings.texts import Floats, Ints, Texts, Vocabulary
from focuscrawl.text import common_stems

EXAMPLES = 0.7
"""Weight of the example pages beside the topic's words (1) and the nearest pages (1)."""
GUESSED_PAGES = 60
"""The guess about common words counts like so many pages."""
COMMON, RARE = 0.03, 0.0005
"""Guessed shares of pages that hold a common word, and any other."""
NEAREST_SHARE, NEAREST_FEWEST, NEAREST_MOST = 0.35, 3, 60
ROUNDS = 2
FEWEST_TO_LEARN = 10
FAR, BEYOND = -0.5, 1.5


class TopicModel:
    """Relevance of pages and of short texts, on a scale where 1 is a page of the topic.

    0 is the usual page of the crawl. :meth:`learn` makes the vector anew from all pages that
    were added; until then relevance follows the vector as it was.
    """

    def __init__(self, topic: Topic, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._words = {vocabulary[stem]: weight for stem, weight in topic.vector.items()}
        self._pages = Texts(vocabulary)
        self._examples: list[int] = []
        self.seen = 0
        self._holding = np.zeros(1024)
        self._prior = np.zeros(0)
        self.vector = self.squared_idf = np.zeros(0)
        self._usual, self._near = 0.0, 1.0
        self.learn()

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, counts: Counts, *, example: bool) -> int:
        """Take a page in; its number."""
        row = self._pages.add(counts)
        if len(self.vocabulary) > len(self._holding):
            larger = np.zeros(2 * len(self.vocabulary))
            larger[: len(self._holding)] = self._holding
            self._holding = larger
        self._holding[self._pages.stems(row)] += 1
        self.seen += 1
        if example:
            self._examples.append(row)
        return row

    def thin_out(self, latest: int) -> None:
        """Keep the examples, the nearest and the latest pages; what words tell is not forgotten."""
        nearest = np.argsort(-self.relevance(), kind="stable")[:NEAREST_MOST].tolist()
        last = range(max(0, len(self) - latest), len(self))
        rows = sorted({*self._examples, *nearest, *last})
        self._pages = self._pages.chosen(rows)
        self._examples = [rows.index(example) for example in self._examples]

    def learn(self) -> None:
        """Make the topic's vector anew."""
        idf = self._idf()
        self.squared_idf = idf * idf
        lengths = self._pages.lengths(self.squared_idf)
        wanted = np.zeros(len(idf))
        for stem, weight in self._words.items():
            wanted[stem] = weight * idf[stem]
        base = _unit(wanted)
        if self._examples:
            examples = np.array(self._examples)
            base = base + EXAMPLES * _unit(self._pages.mean(lengths, len(idf), examples) * idf)
        vector, found = base, self._pages.products(base * idf) / lengths
        if len(self._pages) >= FEWEST_TO_LEARN:
            usual = self._pages.mean(lengths, len(idf))
            for _ in range(ROUNDS):
                nearest = self._pages.mean(lengths, len(idf), _highest(found))
                vector = base + _unit((nearest - usual) * idf)
                found = self._pages.products(vector * idf) / lengths
        self.vector = vector * idf
        self._set_scale(np.sort(found))

    def _set_scale(self, found: Floats) -> None:
        """By the similarities of all pages, the lowest first."""
        if len(found):
            self._usual = float(np.median(found)) if len(found) >= FEWEST_TO_LEARN else 0.0
            self._near = max(float(found[-max(NEAREST_FEWEST, len(found) // 10) :].mean()), 1e-9)

    def relevance(self, start: int = 0) -> Floats:
        """Of the pages from number ``start`` on."""
        self._reach()
        found = self._pages.similarities(self.vector, self.squared_idf, start)
        scale = max(self._near - self._usual, 1e-9)
        return np.clip((found - self._usual) / scale, FAR, BEYOND)

    def similarities(self, texts: Texts, start: int = 0) -> Floats:
        """Of short texts from row ``start`` on, on the scale of the nearest pages."""
        self._reach()
        return texts.similarities(self.vector, self.squared_idf, start) / self._near

    def _reach(self) -> None:
        """Stems that came since the vector was made: as telling as any rare word, but no part."""
        missing = len(self.vocabulary) - len(self.vector)
        if missing > 0:
            rare = np.log((self.seen + GUESSED_PAGES + 1) / 0.5)
            self.vector = np.append(self.vector, np.zeros(missing))
            self.squared_idf = np.append(self.squared_idf, np.full(missing, rare * rare))

    def _idf(self) -> Floats:
        size = len(self.vocabulary)
        common = common_stems()
        known = len(self._prior)
        fresh = [COMMON if stem in common else RARE for stem in list(self.vocabulary)[known:]]
        self._prior = np.append(self._prior, fresh)
        holding = np.zeros(size)
        held = min(size, len(self._holding))
        holding[:held] = self._holding[:held]
        pages = self.seen + GUESSED_PAGES
        return np.maximum(np.log((pages + 1) / (holding + GUESSED_PAGES * self._prior + 0.5)), 0.0)


def _highest(found: Floats) -> Ints:
    """Which of the pages are taken for pages of the topic."""
    number = min(NEAREST_MOST, max(NEAREST_FEWEST, int(NEAREST_SHARE * len(found))))
    return np.argsort(-found, kind="stable")[:number]


def _unit(vector: Floats) -> Floats:
    """By einsum: the threads of a BLAS, once called, go on turning at the crawl's expense."""
    length = float(np.sqrt(np.einsum("i,i", vector, vector)))
    return vector / length if length else vector
