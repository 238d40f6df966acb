"""A policy spends fetches on a web whose changes are known; what came of it is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from focuscrawl.revisit.pages import Flags, Floats, Ints
from focuscrawl.revisit.policy import Policy
from focuscrawl.revisit.world import World

TICK = 3_600.0
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Means over pages (by weight) and time; ``caught`` is the share of all changes that were
    found, ``wasted`` that of fetches that found none."""

    freshness: float
    age: float
    change_ratio: float
    caught: float
    wasted: float
    fetches: int


class Simulation:
    """Hour by hour: so many fetches, then the hour passes."""

    def __init__(self, world: World, policy: Policy, per_page_and_day: float) -> None:
        self.world = world
        self.policy = policy
        self._per_tick = per_page_and_day * TICK / _DAY
        self._credit = 0.0
        self._present = np.zeros(len(world), bool)
        self._weights = world.weights
        self._missed = self._next_changes(np.arange(len(world)), world.first)
        self._read: dict[str, float] = {}
        self._gained = self._aged = self._possible = 0.0
        self._fetches = self._found = self._reads = 0

    def run(self, on_day: Callable[[int], None] = lambda day: None) -> Outcome:
        begin = np.ceil(self.world.first.min() / TICK) * TICK
        ticks = int((self.world.last.max() - begin) // TICK)
        for tick in range(ticks):
            self._pass_hour(begin + tick * TICK)
            if tick % 24 == 23:
                on_day(tick // 24 + 1)
        return self._outcome()

    def _pass_hour(self, now: float) -> None:
        self._come_and_go(now)
        known = int(self._present.sum())
        if not known:
            return
        self._credit += self._per_tick * known
        self._read_sitemaps(now)
        count = min(int(self._credit + 1e-9), known)
        if count > 0:
            self._credit -= count
            self._fetch(np.array(self.policy.next(count, now), np.int64), now)
        self._measure(now)

    def _come_and_go(self, now: float) -> None:
        present = (self.world.first <= now) & (now < self.world.last)
        if (present == self._present).all():
            return
        came = np.flatnonzero(present & ~self._present)
        gone = np.flatnonzero(self._present & ~present)
        self.policy.drop(gone.tolist())
        times = self.world.first[came]
        self.policy.add(
            [
                self.world.pages[key]._replace(visited=float(at))
                for key, at in zip(came.tolist(), times, strict=True)
            ]
        )
        for site in self.world.sitemaps:
            if site not in self._read:
                self._read[site] = now
                self.policy.has_sitemap(site, now)
        self._present = present

    def _read_sitemaps(self, now: float) -> None:
        """A read costs a fetch; what it says is all that moved since the one before."""
        for site in self.policy.reads(now):
            if self._credit < 1:
                return
            self._credit -= 1
            self._reads += 1
            reports = self.world.sitemaps[site]
            since, until = np.searchsorted(reports.times, (self._read[site], now), "right")
            self._read[site] = now
            self.policy.has_read(site, np.unique(reports.pages[since:until]).tolist(), now)

    def _fetch(self, keys: Ints, now: float) -> None:
        changed = self._missed[keys] <= now
        for key, was_changed in zip(keys.tolist(), changed.tolist(), strict=True):
            self.policy.visited(key, was_changed, now)
        self._missed[keys] = self._next_changes(keys, np.full(len(keys), now))
        self._fetches += len(keys)
        self._found += int(changed.sum())

    def _next_changes(self, keys: Ints, after: Floats) -> Floats:
        """The first change of each page after a time; never: infinity.

        One sorted row serves all pages, each of which has a span of time of its own in it.
        """
        world = self.world
        if not hasattr(self, "_row"):
            self._span = float(max(world.last.max(), world.changes.max(initial=0.0)) + 1)
            owners = np.repeat(np.arange(len(world)), world.counts())
            self._base = float(world.first.min())
            self._span -= self._base
            self._row = owners * self._span + (world.changes - self._base)
        places = np.searchsorted(self._row, keys * self._span + (after - self._base), "right")
        inside = places < world.ends[keys]
        found = np.full(len(keys), np.inf)
        found[inside] = world.changes[places[inside]]
        return found

    def _measure(self, now: float) -> None:
        """Of the hour that begins now, which part of it the copy is the page."""
        here: Flags = self._present
        weights = self._weights[here]
        missed = self._missed[here]
        self._gained += float(weights @ np.clip((missed - now) / TICK, 0.0, 1.0))
        self._aged += float(weights @ np.maximum(now + TICK / 2 - missed, 0.0)) / _DAY
        self._possible += float(weights.sum())

    def _outcome(self) -> Outcome:
        spent = self._fetches + self._reads
        return Outcome(
            freshness=self._gained / self._possible,
            age=self._aged / self._possible,
            change_ratio=self._found / max(self._fetches, 1),
            caught=self._found / max(len(self.world.changes), 1),
            wasted=1 - self._found / max(spent, 1),
            fetches=spent,
        )
