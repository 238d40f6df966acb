"""The product's own policy: each fetch goes where it adds most to the freshness of the whole.

The worth of a fetch is known page by page, so no plan is made: at any moment the pages with the
highest are next. Only pages whose worth may have reached that of the others are looked at anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focuscrawl.revisit.index import Outlook, age_gain, freshness_gain, lesson, still_fresh
from focuscrawl.revisit.pages import NOBODY, Flags, Floats, Ints, Known
from focuscrawl.revisit.policy import HOUR, Policy, best
from focuscrawl.revisit.rates import POINTS, RATES, Pools, after_visits, posteriors
from focuscrawl.revisit.rhythm import Rhythms
from focuscrawl.revisit.signals import Signals

MAX_AGE_DAYS = 90.0
HORIZON = 45 * 24.0
"""Hours for which what a visit teaches is of use."""
PRICE_MEMORY = 50.0
"""Hours after which the price of a fetch follows another one by two thirds."""
AGE = 0.05
"""What an hour of age weighs against an hour of freshness, times the fetches per page and hour."""
AGE_OF_HINTED = 3.0
"""What dates do not tell waits longest: there it weighs so many times as much."""
_HOPELESS, _HOPEFUL = 0.35, 0.45
"""Shares of fresh copies between which age begins to count."""
_LEAST_SHARE = 0.02
_SAMPLE = 4_096
_FASTEST = 0.4
"""What a page of weight 1 may gain in an hour; at a constant rate it is 1/e at the most."""
_MOST_MOVED = 255
_AT_ONCE = 512
"""Pages that are valued in one go: they stay in the processor's cache, and are too few for BLAS
to wake up all cores for them."""
_PART = 65_536
_LEAST = float(np.finfo(np.float32).min)


class Sight(NamedTuple):
    """``passed`` are hours as long as they are lively, ``exposure`` the changes that each rate
    expects since the visit, ``hinted`` whether dates bear on it."""

    sites: Ints
    hours: Floats
    passed: Floats
    rhythms: Ints
    exposure: Floats
    hinted: Flags
    chances: Floats


class Fresh(Policy):
    """Highest freshness for the fetches there are, without ever forgetting a page."""

    name = "fresh"
    columns: ClassVar = {
        "belief": np.dtype((np.float16, POINTS)),
        "value": np.float32,
        "valued": np.uint32,
        "moved": np.uint8,
    }

    def __init__(self, max_age_days: float = MAX_AGE_DAYS) -> None:
        super().__init__(max_age_days)
        self.pools = Pools(self.pages)
        self.rhythms = Rhythms()
        self.signals = Signals()
        self._outlook = Outlook(self.rhythms, 0.0)
        self._price: float | None = None
        self._priced = 0.0
        self._age = AGE * _LEAST_SHARE
        self._learned_day = 0.0

    # -- what it is told ---------------------------------------------------------------

    def _added(self, rows: Ints, pages: Sequence[Known]) -> None:
        self.pages.value[rows] = np.inf
        self.pages.valued[rows] = 0

    def _dropped(self, rows: Ints) -> None:
        self.rhythms.forget(rows)

    def _learn(self, rows: Ints, changed: Flags, at: Floats) -> None:
        sight = self.look(rows, at)
        rates = (sight.chances * RATES).sum(axis=1)
        known = self.signals.has(sight.sites)
        if known.any():
            moved = self.pages.moved[rows[known]].astype(np.float64)
            by_time = (rates * sight.hours)[known]
            self.signals.visited(sight.sites[known], moved, by_time, changed[known])
        plain = ~sight.hinted
        since, until = self.pages.visited[rows] / HOUR, at / HOUR
        self.rhythms.visited(
            rows[plain],
            sight.sites[plain],
            (since[plain], until[plain]),
            changed[plain],
            rates[plain],
        )
        self.pages.belief[rows] = after_visits(
            self.pages.belief[rows], sight.exposure, changed, sight.hours
        )
        self.pages.moved[rows] = 0
        self.pages.value[rows] = 0.0
        self.pages.valued[rows] = at.astype(np.uint32)

    def has_sitemap(self, site: str, at: float) -> None:
        self.signals.announce(self.pages.groups.number(site), at / HOUR)

    def has_read(
        self, site: str, moved: Iterable[int], at: float, *, complete: bool = True
    ) -> None:
        self._learn_visits()
        number = self.pages.groups.find(site)
        rows = self.pages.rows(np.fromiter(moved, np.int64))
        rows = rows[rows != NOBODY]
        if number == NOBODY:
            return
        listed = self.pages.of_site(number)
        share = len(rows) / max(len(listed), 1) if complete else 0.0
        gap = self.signals.has_read(number, share, at / HOUR)
        self.pages.moved[rows] = np.minimum(self.pages.moved[rows].astype(int) + 1, _MOST_MOVED)
        self.pages.value[rows] = np.inf
        self.pages.valued[rows] = 0
        one = np.array([number])
        if complete and gap and self.signals.usable(one)[0] and self.signals.proven(one)[0]:
            self._learn_dates(number, listed, rows, gap)

    def _learn_dates(self, site: int, listed: Ints, moved: Ints, gap: float) -> None:
        """That a date moved, or did not, tells of the rate as a visit does."""
        one = np.array([site])
        worth, missed = float(self.signals.worth(one)[0]), float(self.signals.missed(one)[0])
        expected = np.broadcast_to(
            (1 - missed) * gap / -np.expm1(-worth) * RATES, (len(listed), POINTS)
        )
        did = np.isin(listed, moved)
        self.pages.belief[listed] = after_visits(
            self.pages.belief[listed], expected, did, np.zeros(len(listed))
        )

    # -- what it is asked --------------------------------------------------------------

    def reads(self, now: float) -> list[str]:
        if not len(self.signals.sites()):
            return []
        share = self.pages.counts() / max(len(self.pages), 1) * self.pace.per_day / 24
        names = self.pages.groups.names
        return [names[site] for site in self.signals.due(now / HOUR, share).tolist()]

    def _ranked(self, count: int, now: float) -> Ints:
        self._outlook = Outlook(self.rhythms, now / HOUR)
        self._value(np.flatnonzero(np.isinf(self.pages.value)), now)
        rows = self._may_be_best(count, now)
        chosen = best(rows, self.pages.value[rows], count)
        last = chosen[min(self.pace.latest, len(chosen)) - 1]
        self._set_price(float(self.pages.value[last]), now)
        return chosen

    def _may_be_best(self, count: int, now: float) -> Ints:
        """Rows that are valued as of now, so many that ``count`` of them are worth more than any
        other row can be."""
        bounds = self._bounds(now)
        nearest, level = 2 * count + 64, np.inf
        reached = -np.inf
        while level > max(reached, _LEAST):
            level = max(_nth(bounds, nearest), reached, _LEAST)
            rows = np.flatnonzero(bounds >= level)
            self._value(rows[self.pages.valued[rows] != np.uint32(now)], now)
            reached = _nth(self.pages.value[rows], count)
            nearest *= 2
        return rows

    def _bounds(self, now: float) -> NDArray[np.float32]:
        """What each page is worth by now at the most, a part at a time; nothing for empty rows."""
        table = self.pages
        bounds = table.value.copy()
        for start in range(0, len(bounds), _PART):
            part = slice(start, start + _PART)
            waited = (now - table.valued[part]) / HOUR
            before = (table.valued[part] - table.visited[part].astype(np.float64)) / HOUR
            bounds[part] += _growth(bounds[part], table.weight[part], before, waited)
        bounds[table.group == NOBODY] = -np.inf
        return bounds

    def _time_passes(self, now: float) -> None:
        self.pools.sweep(now / HOUR)
        day = now / HOUR / 24
        if day - self._learned_day >= 1:
            days = min(day - self._learned_day, 30.0) if self._learned_day else 0.0
            self._learned_day = day
            self.rhythms.learn(days)
            self._weigh_age(now)

    def chances_fresh(self, rows: Ints, now: float) -> Floats:
        """How likely each copy is still the page."""
        sight = self.look(rows, np.full(len(rows), now))
        return still_fresh(sight.chances, sight.exposure)

    def _value(self, rows: Ints, now: float) -> None:
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            self.pages.value[part] = self._values(part, now)
        self.pages.valued[rows] = np.uint32(now)

    def _values(self, rows: Ints, now: float) -> Floats:
        """Never more than the time since the visit: lessons are not to be had by the hour."""
        sight = self.look(rows, np.full(len(rows), now))
        value = freshness_gain(sight.chances, sight.exposure)
        plain = np.flatnonzero(~sight.hinted)
        if len(plain):
            value[plain] = self._outlook.gain(
                sight.chances[plain], sight.passed[plain], sight.rhythms[plain]
            )
        pace = self.pace.per_day / 24 / max(len(self.pages), 1)
        factor = self._age * pace * np.where(sight.hinted, AGE_OF_HINTED, 1.0)
        value += factor * age_gain(sight.chances, sight.exposure, sight.hours)
        weight = self.pages.weight[rows].astype(np.float64)
        if self._price is not None:
            price = self._price / np.maximum(weight, 1e-3)
            value += HORIZON * lesson(sight.chances, sight.exposure, price)
        return np.asarray(weight * np.minimum(value, sight.hours))

    def look(self, rows: Ints, at: Floats) -> Sight:
        """All that is known of pages at a moment, before a visit."""
        since, until = self.pages.visited[rows] / HOUR, at / HOUR
        hours = np.maximum(until - since, 0.0)
        sites = self.pages.sites(rows)
        numbers = self.rhythms.of(rows, sites)
        passed = self.rhythms.passed(numbers, since, until)
        exposure = passed[:, None] * RATES
        hinted = self.signals.usable(sites)
        if hinted.any():
            moved = self.pages.moved[rows[hinted]].astype(np.float64)
            exposure[hinted] = self.signals.exposure(sites[hinted], hours[hinted], moved)
        chances = posteriors(self.pages.belief[rows], self.pools.log_prior(rows))
        return Sight(sites, hours, passed, numbers, exposure, hinted, chances)

    def _weigh_age(self, now: float) -> None:
        """Where most copies can be kept fresh, age is taken away at little cost; where few can,
        it would take the fetches from those."""
        rows = self.pages.living()
        sample = rows[:: max(len(rows) // _SAMPLE, 1)]
        weights = self.pages.weight[sample].astype(np.float64)
        fresh = float(weights @ self.chances_fresh(sample, now)) / max(float(weights.sum()), 1e-9)
        share = (fresh - _HOPELESS) / (_HOPEFUL - _HOPELESS)
        self._age = AGE * min(max(share, _LEAST_SHARE), 1.0)

    def _set_price(self, last: float, now: float) -> None:
        if self._price is None:
            self._price = last
        else:
            share = 1 - exp(-max(now - self._priced, 1.0) / HOUR / PRICE_MEMORY)
            self._price += share * (last - self._price)
        self._priced = now


def _growth(value: NDArray[Any], weight: NDArray[Any], before: Floats, waited: Floats) -> Floats:
    """What pages gain at the most after they were valued, ``before`` hours after their visits.

    At a constant rate it is less than with the square of the time since the visit.
    """
    longer = waited / np.maximum(before, 1e-3)
    by_square = np.minimum(_FASTEST * waited * weight, value * longer * (2 + longer))
    return np.asarray(np.where(before > 0, by_square, waited * weight))


def _nth(values: NDArray[Any], count: int) -> float:
    """The value that ``count`` of them reach."""
    if count > len(values):
        return -np.inf
    return float(np.partition(values, len(values) - count)[len(values) - count])
