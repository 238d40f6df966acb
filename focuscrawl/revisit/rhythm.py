"""The hours of the week in which pages change: nights and weekends are quiet.

A rhythm says how much faster than on average a page changes in each of the 168 hours. Every
site has one, and so have the pages that are visited often; what few visits show is mended by
the rhythm above. Their number is bounded, whatever the size of the web.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from focuscrawl.revisit.pages import Flags, Floats, Ints

WEEK = 168
MOST = 512
OWN_AFTER = 8
"""Visits of a page after which it has a rhythm of its own, if there is room."""
_MOST_COUNTED = 16 * MOST
"""Pages whose visits are counted; when there are more, those visited often are soon back."""
MEMORY_DAYS = 60.0
_EVERYBODY = 0
_AHEAD = 4 * WEEK
_HOURLY, _DAILY = (2.0, 8.0, 8.0), (12.0, 24.0, 24.0)
"""Changes at that hour (on that day) that the rhythm above weighs: for all, sites, pages."""


class Rhythms:
    """The rhythms, and what was seen of them."""

    def __init__(self) -> None:
        self._of_site = np.zeros(0, np.int64)
        self._rows: dict[int, int] = {}
        self._visits: dict[int, int] = {}
        self._parents = [_EVERYBODY]
        self._levels = [0]
        self._own_rows = np.zeros(0, np.int64)
        self._own_numbers = np.zeros(0, np.int64)
        self._seen = np.zeros((1, WEEK + 1))
        self._expected = np.zeros((1, WEEK + 1))
        self._changes = np.zeros((1, WEEK))
        self._exposure = np.zeros((1, WEEK))
        self.factors = np.ones((1, WEEK))
        self.sums = self._summed_up()

    def of(self, rows: Ints, sites: Ints) -> Ints:
        """The number of the rhythm that goes for each page."""
        self._reach(int(sites.max(initial=-1)))
        numbers = self._of_site[sites]
        if len(self._own_rows):
            places = np.minimum(np.searchsorted(self._own_rows, rows), len(self._own_rows) - 1)
            own = self._own_rows[places] == rows
            numbers[own] = self._own_numbers[places[own]]
        return numbers

    def passed(self, numbers: Ints, since: Floats, until: Floats) -> Floats:
        """The hours from ``since`` to ``until``, each as long as it is lively."""
        until = np.maximum(since, until)
        start = np.floor(since).astype(np.int64)
        whole = np.floor(until).astype(np.int64) - start
        first = start % WEEK
        weeks, rest = np.divmod(whole, WEEK)
        hours = weeks * float(WEEK)
        hours += self.sums[numbers, first + rest] - self.sums[numbers, first]
        into = (until - np.floor(until)) * self.factors[numbers, np.floor(until).astype(int) % WEEK]
        before = (since - start) * self.factors[numbers, first]
        return np.asarray(np.maximum(hours + into - before, 0.0))

    def visited(
        self, rows: Ints, sites: Ints, hours: tuple[Floats, Floats], changed: Flags, rates: Floats
    ) -> None:
        """Add what visits showed of the time since the visit before; longer than a week tells
        nothing of its hours."""
        since, until = hours
        recent = (until - since < WEEK) & (until - since >= 1)
        rows, sites, changed, rates = rows[recent], sites[recent], changed[recent], rates[recent]
        since, until = since[recent], until[recent]
        self._give_rhythms(rows, sites)
        numbers = self.of(rows, sites)
        expected = np.maximum(rates * self.passed(numbers, since, until), 1e-9)
        share = np.where(changed, rates / -np.expm1(-expected), 0.0)
        start = np.floor(since).astype(np.int64) % WEEK
        end = start + np.floor(until - since).astype(np.int64)
        _add_spans(self._seen, numbers, start, end, share)
        _add_spans(self._expected, numbers, start, end, rates)

    def learn(self, days: float) -> None:
        """Make the rhythms anew of what was seen."""
        self._changes += np.cumsum(self._seen, axis=1)[:, :WEEK] * self.factors
        self._exposure += np.cumsum(self._expected, axis=1)[:, :WEEK]
        self._seen[:] = 0
        self._expected[:] = 0
        levels, parents = np.array(self._levels), np.array(self._parents)
        changes, exposure = self._changes.copy(), self._exposure.copy()
        for level in (2, 1):
            chosen = np.flatnonzero(levels == level)
            np.add.at(changes, parents[chosen], changes[chosen])
            np.add.at(exposure, parents[chosen], exposure[chosen])
        factors = np.ones_like(self.factors)
        for level in (0, 1, 2):
            chosen = np.flatnonzero(levels == level)
            above = factors[parents[chosen]]
            factors[chosen] = _fitted(changes[chosen], exposure[chosen], above, level)
        self.factors = factors / factors.mean(axis=1, keepdims=True)
        self.sums = self._summed_up()
        fading = np.exp(-days / MEMORY_DAYS)
        self._changes *= fading
        self._exposure *= fading

    def _give_rhythms(self, rows: Ints, sites: Ints) -> None:
        self._reach(int(sites.max(initial=-1)))
        for row, site in zip(rows.tolist(), sites.tolist(), strict=True):
            if len(self._levels) >= MOST:
                return
            if self._of_site[site] == _EVERYBODY:
                self._of_site[site] = self._new(_EVERYBODY, 1)
            if row in self._rows:
                continue
            if len(self._visits) >= _MOST_COUNTED:
                self._visits.clear()
            self._visits[row] = self._visits.get(row, 0) + 1
            if self._visits[row] >= OWN_AFTER:
                del self._visits[row]
                self._rows[row] = self._new(int(self._of_site[site]), 2)
                self._list_own()

    def forget(self, rows: Ints) -> None:
        """Rows that will be other pages' have no rhythm of their own any more."""
        for row in rows.tolist():
            self._rows.pop(row, None)
            self._visits.pop(row, None)
        self._list_own()

    def _list_own(self) -> None:
        own = sorted(self._rows.items())
        self._own_rows = np.array([row for row, _ in own], np.int64)
        self._own_numbers = np.array([number for _, number in own], np.int64)

    def _reach(self, site: int) -> None:
        more = np.full(max(site + 1 - len(self._of_site), 0), _EVERYBODY)
        self._of_site = np.concatenate((self._of_site, more))

    def _new(self, parent: int, level: int) -> int:
        self._parents.append(parent)
        self._levels.append(level)
        self.factors = np.vstack((self.factors, self.factors[parent]))
        self.sums = np.vstack((self.sums, self.sums[parent]))
        for name in ("_seen", "_expected", "_changes", "_exposure"):
            table: NDArray[np.float64] = getattr(self, name)
            setattr(self, name, np.vstack((table, np.zeros(table.shape[1]))))
        return len(self._levels) - 1

    def _summed_up(self) -> Floats:
        ahead = np.tile(self.factors, _AHEAD // WEEK)
        return np.hstack((np.zeros((len(ahead), 1)), np.cumsum(ahead, axis=1)))


def _fitted(changes: Floats, exposure: Floats, above: Floats, level: int) -> Floats:
    """The rhythm above, mended by hour of the day and then by day of the week."""
    hourly, daily = _HOURLY[level], _DAILY[level]
    by_hour = (changes.reshape(-1, 7, 24).sum(axis=1) + hourly) / (
        (exposure * above).reshape(-1, 7, 24).sum(axis=1) + hourly
    )
    mended = above * np.tile(by_hour, (1, 7))
    by_day = (changes.reshape(-1, 7, 24).sum(axis=2) + daily) / (
        (exposure * mended).reshape(-1, 7, 24).sum(axis=2) + daily
    )
    return np.asarray(mended * np.repeat(by_day, 24, axis=1))


def _add_spans(table: Floats, numbers: Ints, start: Ints, end: Ints, amount: Floats) -> None:
    """Add an amount to the hours from start to end, around the week, as steps up and down."""
    np.add.at(table, (numbers, start), amount)
    around = end > WEEK
    np.add.at(table, (numbers[~around], end[~around]), -amount[~around])
    table[:, 0] += np.bincount(numbers[around], amount[around], len(table))
    np.add.at(table, (numbers[around], end[around] - WEEK), -amount[around])
