"""A policy that knows so many pages: what a question, an outcome and a page cost it.

Hour after hour it is asked for the next pages and told what their visits found; the sitemaps that
it asks for are read in between. Beside it, a heap of next-visit times does the same work.
"""

from __future__ import annotations

import ctypes
import heapq
import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from _common import resident_bytes
from focuscrawl.revisit.fresh import Fresh
from focuscrawl.revisit.pages import Known

SITES, SITEMAPS = 10_000, 500
ASKED, HOURS = 1_000, 49
AT_ONCE = 10_000
HOUR = 3_600.0
START = 1_700_000_000.0 // 86_400 * 86_400
LONGEST_AGO = 30 * 24 * HOUR


class Web:
    """Pages by number, with the rate of each, and when it was fetched last."""

    def __init__(self, pages: int) -> None:
        self._random = np.random.default_rng(7)
        share = 1 / np.arange(1, SITES + 1) ** 0.8
        self.sites = self._random.choice(SITES, pages, p=share / share.sum())
        of_site = self._random.normal(0, 2.4, SITES)[self.sites]
        self.per_hour = np.exp(-2.8 + of_site + self._random.normal(0, 2.9, pages)) / 24
        self.weights = self._random.beta(2, 6, pages)
        self.visited = START - self._random.random(pages) * LONGEST_AGO
        self.order = np.argsort(self.sites, kind="stable")

    def known(self) -> Iterator[list[Known]]:
        """A part at a time, as a crawl finds them."""
        for start in range(0, len(self.sites), AT_ONCE):
            part = range(start, min(start + AT_ONCE, len(self.sites)))
            yield [
                Known(key, f"s{self.sites[key]}.test", "", self.weights[key], self.visited[key])
                for key in part
            ]

    def found(self, keys: list[int], now: float) -> list[bool]:
        expected = self.per_hour[keys] * (now - self.visited[keys]) / HOUR
        self.visited[keys] = now
        changed: list[bool] = (self._random.random(len(keys)) < -np.expm1(-expected)).tolist()
        return changed

    def moved(self, site: int) -> list[int]:
        """What a sitemap dates anew."""
        begin, end = np.searchsorted(self.sites[self.order], (site, site + 1))
        return self._random.permutation(self.order[begin:end])[: (end - begin) // 20].tolist()  # type: ignore[no-any-return]


def ours(web: Web, policy: Fresh) -> dict[str, float]:
    asked, told, reads = [], 0.0, 0
    for hour in range(HOURS):
        now = START + hour * HOUR
        began = time.process_time()
        sites = policy.reads(now)
        spent = time.process_time() - began
        for site in sites:
            policy.has_read(site, web.moved(int(site[1:].partition(".")[0])), now)
        reads += len(sites)
        began = time.process_time()
        keys = policy.next(ASKED, now)
        asked.append(spent + time.process_time() - began)
        changed = web.found(keys, now)
        began = time.process_time()
        for key, was_changed in zip(keys, changed, strict=True):
            policy.visited(key, was_changed, now)
        policy._learn_visits()
        told += time.process_time() - began
    return {
        "first_ms": asked[0] * 1e3,
        "choose_ms": float(np.mean(asked[1:])) * 1e3,
        "choose_worst_ms": max(asked[1:]) * 1e3,
        "outcome_us": told / (HOURS * ASKED) * 1e6,
        "reads": reads,
    }


def heap_us(web: Web) -> float:
    """A page that changed is next visited sooner by a fifth, another later by two fifths."""
    waits = [24 * HOUR] * len(web.sites)
    heap = [(at, key) for key, at in enumerate(web.visited.tolist())]
    heapq.heapify(heap)
    spent = 0.0
    for hour in range(HOURS):
        now = START + hour * HOUR
        began = time.process_time()
        keys = [heapq.heappop(heap)[1] for _ in range(ASKED)]
        spent += time.process_time() - began
        changed = web.found(keys, now)
        began = time.process_time()
        for key, was_changed in zip(keys, changed, strict=True):
            waits[key] *= 0.8 if was_changed else 1.4
            heapq.heappush(heap, (now + waits[key], key))
        spent += time.process_time() - began
    return spent / (HOURS * ASKED) * 1e6


def held_bytes() -> int:
    """Without what is free and kept by the C library for later, where that can be told."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    return resident_bytes()


def main() -> None:
    web = Web(int(sys.argv[1]))
    policy = Fresh()
    before = held_bytes()
    began = time.process_time()
    for part in web.known():
        policy.add(part)
    adding = time.process_time() - began
    for site in range(0, SITES, SITES // SITEMAPS):
        policy.has_sitemap(f"s{site}.test", START)
    figures = ours(web, policy)
    figures["bytes_per_page"] = (held_bytes() - before) / len(web.sites)
    figures["add_us"] = adding / len(web.sites) * 1e6
    print(json.dumps({**figures, "heap_us": heap_us(web)}))


if __name__ == "__main__":
    main()
