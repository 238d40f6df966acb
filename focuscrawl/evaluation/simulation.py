"""A crawl over a web that is already there: only the order of fetches is at stake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import NamedTuple

from focuscrawl.evaluation.web import Web
from focuscrawl.orderings.base import LinkScorer, PageView, Scored

SEED_STEMS = 50


class Fetch(NamedTuple):
    """A page, and the number of links between it and the seeds where it was first found."""

    key: int
    depth: int


class _Queue:
    """The best place first; among equals the link that was found first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, int]] = []
        self._places: dict[int, float] = {}
        self._found: dict[int, int] = {}

    def put(self, places: Mapping[int, Scored]) -> None:
        for key, place in places.items():
            if self._places.get(key) != place.score:
                self._places[key] = place.score
                order = self._found.setdefault(key, len(self._found))
                heappush(self._heap, (-place.score, order, key))

    def take(self, taken: Collection[int]) -> int | None:
        """The next page that is not taken; entries that have been overtaken are skipped."""
        while self._heap:
            score, _, key = heappop(self._heap)
            if key not in taken and self._places[key] == -score:
                return key
        return None


def crawl(web: Web, scorer: LinkScorer, seeds: Sequence[int], budget: int) -> list[Fetch]:
    """Fetch the seeds and then, as long as there are links and budget, the best place."""
    queue = _Queue()
    depths = dict.fromkeys(seeds, 0)
    fetched: dict[int, int] = {}
    waiting = list(dict.fromkeys(reversed(seeds)))
    while len(fetched) < budget:
        key = waiting.pop() if waiting else queue.take(fetched)
        if key is None:
            break
        depth = fetched[key] = depths[key]
        page = _seen(web.pages[key], depth, example=depth == 0)
        for link in page.links:
            depths.setdefault(link.target, depth + 1)
        queue.put(scorer.fetched(page))
    return [Fetch(key, depth) for key, depth in fetched.items()]


def _seen(page: PageView, depth: int, *, example: bool) -> PageView:
    return replace(page, depth=depth, example=example)


def most_frequent(pages: Iterable[PageView], size: int = SEED_STEMS) -> dict[str, float]:
    """The most frequent stems of all pages together, each with weight 1; of equals the first."""
    total: Counter[str] = Counter()
    for page in pages:
        total.update(page.text)
    return {stem: 1.0 for stem, _ in total.most_common(size)}
