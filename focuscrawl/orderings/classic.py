"""The classic strategies: by the order of finding, or by the words of the pages passed through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from focuscrawl.orderings.base import LinkView, PageView, Scored, Topic
from focuscrawl.orderings.places import BestPlaces
from focuscrawl.text import cosine, counts

FISH_DEPTH = 3
"""A fish lives through so many pages without food."""
FOOD_SHARE = 0.5
"""A page is food when it is at least so near to the topic as its examples are on the average."""
SHARK_DECAY = 0.5
SHARK_INHERITED = 0.5
"""Weight of what the ancestors were worth; the rest is for the link's own surroundings."""
SHARK_ANCHOR = 0.8
"""Weight of the link's text within its surroundings; the rest is for the words around it."""


class BreadthFirst:
    """What was found first is fetched first."""

    names: Sequence[str] = ()

    def __init__(self, topic: Topic) -> None:
        self._found = 0
        self._best = BestPlaces()

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        start = self._found
        self._found += len(page.links)
        return self._best.raised(
            (link.target, -float(place)) for place, link in enumerate(page.links, start)
        )


class DepthFirst:
    """The links of the page that came last go first, in the order in which they stand on it."""

    names: Sequence[str] = ()

    def __init__(self, topic: Topic) -> None:
        self._pages = 0
        self._best = BestPlaces()

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        self._pages += 1
        size = len(page.links)
        return self._best.raised(
            (link.target, self._pages - place / size) for place, link in enumerate(page.links)
        )


class BestFirst:
    """A link is worth what the page it stands on is worth."""

    names: Sequence[str] = ("page",)

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self._best = BestPlaces()

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        score = cosine(self._topic.vector, page.text)
        return _with_terms(self._best.raised((link.target, score) for link in page.links))


class Fish:
    """Fish search: a page is food or not, and links far from the last food wait.

    The link of a page with food gets 1 and a full life; each page without food on the way costs a
    share of it. Links whose life is spent come last, in the order of finding.
    """

    names: Sequence[str] = ("food", "life")

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self._examples: list[float] = []
        self._life: dict[int, int] = {}
        self._best = BestPlaces()

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        food = self._is_food(page)
        life = FISH_DEPTH if food else max(0, self._life.get(page.key, FISH_DEPTH) - 1)
        for link in page.links:
            self._life[link.target] = max(life, self._life.get(link.target, 0))
        terms = (float(food), life / (FISH_DEPTH + 1))
        raised = self._best.raised((link.target, sum(terms)) for link in page.links)
        return {target: Scored(place.score, terms) for target, place in raised.items()}

    def _is_food(self, page: PageView) -> bool:
        near = cosine(self._topic.vector, page.text)
        if page.example:
            self._examples.append(near)
            return True
        average = sum(self._examples) / len(self._examples) if self._examples else 0.0
        return near > 0 and near >= FOOD_SHARE * average


class _Surroundings(NamedTuple):
    anchor: float
    context: float


class Shark:
    """Shark search: nearness by degrees, some of which descendants inherit.

    A page without any nearness passes on what it was itself given; each generation halves it.
    Beside it stand the link's text and, where that says nothing, the words around it.
    """

    names: Sequence[str] = ("inherited", "anchor", "context")

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self._inherited: dict[int, float] = {}
        self._best = BestPlaces()

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        near = cosine(self._topic.vector, page.text)
        legacy = SHARK_DECAY * (near or self._inherited.get(page.key, 0.0))
        places: dict[int, Scored] = {}
        for link in page.links:
            self._inherited[link.target] = max(legacy, self._inherited.get(link.target, 0.0))
            terms = tuple(self._terms(legacy, link))
            if raised := self._best.raised([(link.target, sum(terms))]):
                places[link.target] = Scored(raised[link.target].score, terms)
        return places

    def _terms(self, legacy: float, link: LinkView) -> Iterator[float]:
        found = self._surroundings(link)
        own = 1 - SHARK_INHERITED
        yield SHARK_INHERITED * legacy
        yield own * SHARK_ANCHOR * found.anchor
        yield own * (1 - SHARK_ANCHOR) * found.context

    def _surroundings(self, link: LinkView) -> _Surroundings:
        anchor = cosine(self._topic.vector, counts(link.anchor))
        if anchor > 0:
            return _Surroundings(anchor, 1.0)
        return _Surroundings(0.0, cosine(self._topic.vector, Counter(link.context)))


def _with_terms(places: Mapping[int, Scored]) -> dict[int, Scored]:
    return {target: Scored(place.score, (place.score,)) for target, place in places.items()}
