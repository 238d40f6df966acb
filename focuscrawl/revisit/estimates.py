"""How fresh the copies are likely to be now, and what another budget would make of them.

Nobody knows without fetching; these are means over what the visits so far leave possible.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from focuscrawl.revisit.allocation import best_frequencies
from focuscrawl.revisit.fresh import Fresh
from focuscrawl.revisit.index import age, still_fresh
from focuscrawl.revisit.pages import Floats, Ints
from focuscrawl.revisit.policy import Past
from focuscrawl.revisit.rates import RATES

_DAY_HOURS = 24.0
RATES_PER_DAY = RATES * _DAY_HOURS
FACTORS = (0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class Freshness:
    """Of some pages: ``fresh`` is the share of copies that are current and ``age`` the days since
    the first change that they miss, both by weight; ``missed`` counts changes not seen yet."""

    name: str
    pages: int
    fresh: float
    age: float
    missed: float
    visits: int
    wasted: int


@dataclass(frozen=True, slots=True)
class Prospect:
    """What so many fetches a day give in the long run."""

    per_day: float
    fresh: float


class Estimates:
    """Of all pages that a policy knows, at one moment."""

    def __init__(self, policy: Fresh, now: float, past: Iterable[Past]) -> None:
        self._policy = policy
        self._rows = policy.pages.living()
        self._weights = np.maximum(policy.pages.weight[self._rows].astype(np.float64), 1e-6)
        sight = policy.look(self._rows, np.full(len(self._rows), now))
        self._chances = sight.chances
        self._fresh = still_fresh(sight.chances, sight.exposure)
        self._age = age(sight.chances, sight.exposure, sight.hours)
        self._missed = (sight.chances * sight.exposure).sum(axis=1)
        self._count(past)

    def _count(self, past: Iterable[Past]) -> None:
        self._visits = np.zeros(len(self._policy.pages.key), np.int64)
        self._wasted = np.zeros(len(self._policy.pages.key), np.int64)
        visits = list(past)
        rows = self._policy.pages.rows(np.array([visit.key for visit in visits], np.int64))
        changed = np.array([visit.changed for visit in visits], bool)
        known = rows >= 0
        np.add.at(self._visits, rows[known], 1)
        np.add.at(self._wasted, rows[known & ~changed], 1)

    def whole(self, name: str) -> Freshness:
        return self._of(name, np.arange(len(self._rows)))

    def by_site(self) -> list[Freshness]:
        return self._by(self._policy.pages.sites(self._rows))

    def by_section(self) -> list[Freshness]:
        return self._by(self._policy.pages.group[self._rows].astype(np.int64))

    def _by(self, groups: Ints) -> list[Freshness]:
        names = self._policy.pages.groups.names
        parts = [
            self._of(names[group], np.flatnonzero(groups == group))
            for group in np.unique(groups).tolist()
        ]
        return sorted(parts, key=lambda part: (-part.pages, part.name))

    def _of(self, name: str, places: Ints) -> Freshness:
        weights = self._weights[places]
        rows = self._rows[places]
        return Freshness(
            name=name,
            pages=len(places),
            fresh=float(np.average(self._fresh[places], weights=weights)),
            age=float(np.average(self._age[places], weights=weights)) / _DAY_HOURS,
            missed=float(self._missed[places].sum()),
            visits=int(self._visits[rows].sum()),
            wasted=int(self._wasted[rows].sum()),
        )

    def outlook(self, per_day: float) -> list[Prospect]:
        """With half the fetches, with as many as now, with twice as many, spent as well as can
        be; the rates being what visits make likely."""
        rates = np.exp(self._chances @ np.log(RATES_PER_DAY))
        found = []
        for factor in FACTORS:
            frequencies = best_frequencies(rates, self._weights, per_day * factor)
            found.append(Prospect(per_day * factor, self._long_run(frequencies)))
        return found

    def _long_run(self, frequencies: Floats) -> float:
        """A page that is never fetched is never fresh."""
        visited = frequencies > 0
        ratio = RATES_PER_DAY / np.maximum(frequencies, 1e-12)[:, None]
        fresh = (self._chances * (-np.expm1(-ratio) / ratio)).sum(axis=1)
        return float(np.average(np.where(visited, fresh, 0.0), weights=self._weights))
