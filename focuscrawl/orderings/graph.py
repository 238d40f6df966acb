"""Strategies that look at links alone, never at words: who links to whom, as far as it is known.

The graph is made of the pages fetched and of all that they link to. PageRank and HITS need a pass
over the whole of it; that is done at growing intervals, and in between each page hands its links
what they would get from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from focuscrawl.orderings.base import PageView, Scored, Topic
from focuscrawl.orderings.places import BestPlaces

Floats = NDArray[np.float64]

DAMPING = 0.85
SMALLEST_CHANGE = 1e-9
MOST_ITERATIONS = 200
FEWEST_BETWEEN, GROWTH = 10, 1.1
"""The graph is gone over again after at least so many pages, and by so much longer each time."""


class LinkGraph:
    """Pages by the order in which they were met, and the links between them, each once."""

    def __init__(self) -> None:
        self.keys: list[int] = []
        self._numbers: dict[int, int] = {}
        self._sources: list[int] = []
        self._targets: list[int] = []
        self.fetched: set[int] = set()

    def number(self, key: int) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.keys)
            self.keys.append(key)
        return number

    def add(self, page: PageView) -> tuple[int, list[int]]:
        """Take a page in; its number and those of the pages that it links to."""
        source = self.number(page.key)
        self.fetched.add(source)
        targets = [self.number(key) for key in dict.fromkeys(link.target for link in page.links)]
        self._sources += [source] * len(targets)
        self._targets += targets
        return source, targets

    def matrix(self) -> sparse.csr_array:
        """1 in row ``source`` and column ``target`` for every link."""
        size = len(self.keys)
        ones = np.ones(len(self._sources))
        return sparse.csr_array((ones, (self._sources, self._targets)), shape=(size, size))


def pagerank(links: sparse.csr_array) -> Floats:
    """The share of time a surfer spends on each page; where links end, he goes anywhere."""
    size = links.shape[0]
    out = np.asarray(links.sum(axis=1)).ravel()
    ends = out == 0
    passed_on = (sparse.diags_array(1 / np.maximum(out, 1)) @ links).T.tocsr()
    rank = np.full(size, 1 / size)
    for _ in range(MOST_ITERATIONS):
        anywhere = (1 - DAMPING + DAMPING * float(rank[ends].sum())) / size
        last, rank = rank, DAMPING * (passed_on @ rank) + anywhere
        if float(np.abs(rank - last).sum()) < SMALLEST_CHANGE:
            break
    return rank


def hits(links: sparse.csr_array) -> tuple[Floats, float]:
    """Authorities, as a vector of length 1, and the factor by which hubs follow from them."""
    size = links.shape[0]
    pointed_at = links.T.tocsr()
    authority, factor = np.full(size, size**-0.5), 0.0
    for _ in range(MOST_ITERATIONS):
        last, hub = authority, links @ authority
        factor = float(np.linalg.norm(hub))
        if not factor:
            return np.zeros(size), 0.0
        authority = pointed_at @ hub
        authority = authority / float(np.linalg.norm(authority))
        if float(np.abs(authority - last).sum()) < SMALLEST_CHANGE:
            break
    return authority, factor


class _Whole(ABC):
    """What PageRank and HITS share: when to go over the whole graph, and the places it gives."""

    names: Sequence[str] = ()

    def __init__(self, topic: Topic) -> None:
        self.graph = LinkGraph()
        self._due = 1.0
        self._scores: list[float] = []

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        source, targets = self.graph.add(page)
        self._scores += [0.0] * (len(self.graph.keys) - len(self._scores))
        done = len(self.graph.fetched)
        if done < self._due:
            self._hand_on(source, targets)
            return self._places(targets)
        self._due = max(done + FEWEST_BETWEEN, done * GROWTH)
        self._scores = self._go_over().tolist()
        return self._places(range(len(self._scores)))

    def _places(self, numbers: Sequence[int]) -> dict[int, Scored]:
        keys, scores, fetched = self.graph.keys, self._scores, self.graph.fetched
        return {keys[n]: Scored(scores[n]) for n in numbers if n not in fetched}

    @abstractmethod
    def _go_over(self) -> Floats:
        """The scores of all pages, by their numbers."""

    @abstractmethod
    def _hand_on(self, source: int, targets: Sequence[int]) -> None:
        """Raise the scores of a new page's links by what they get from it."""


class PageRank(_Whole):
    """The page that a random surfer would be on most often goes first."""

    def _go_over(self) -> Floats:
        return pagerank(self.graph.matrix())

    def _hand_on(self, source: int, targets: Sequence[int]) -> None:
        for target in targets:
            self._scores[target] += DAMPING * self._scores[source] / len(targets)


class Hits(_Whole):
    """The page that good lists of links agree on goes first."""

    _factor = 0.0

    def _go_over(self) -> Floats:
        authority, self._factor = hits(self.graph.matrix())
        return authority

    def _hand_on(self, source: int, targets: Sequence[int]) -> None:
        if self._factor:
            share = sum(self._scores[target] for target in targets) / self._factor**2
            for target in targets:
                self._scores[target] += share


class Backlinks:
    """The page that most of the fetched pages link to goes first."""

    names: Sequence[str] = ()

    def __init__(self, topic: Topic) -> None:
        self._parents: dict[int, int] = {}

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        targets = {link.target for link in page.links}
        for target in targets:
            self._parents[target] = self._parents.get(target, 0) + 1
        return {target: Scored(float(self._parents[target])) for target in targets}


class ForwardLinks:
    """The links of pages with many links go first: a page's own number is not known before."""

    names: Sequence[str] = ()

    def __init__(self, topic: Topic) -> None:
        self._best = BestPlaces()

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        targets = dict.fromkeys(link.target for link in page.links)
        return self._best.raised((target, float(len(targets))) for target in targets)
