"""What the dates in a site's sitemap are worth, learned from visits.

A date that moved counts as ``worth`` changes; of the true changes a share is ``missed``. Both
are found per site by expectation and maximisation over visits whose outcome was open.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from focuscrawl.revisit.pages import Flags, Floats, Ints
from focuscrawl.revisit.rates import RATES

_LEAST_WORTH = 0.35
_MOST_OPEN = 3.0
"""Visits that were to find a change anyway say nothing about the signal."""
_PROOF = 10
_ALL = 0.9
_SHARE_OF_FETCHES = 0.1
_OFTENEST, _RAREST = 1.0, 7 * 24.0
_IGNORED_FACTOR = 8.0
_COLUMNS = 8
_WORTH, _DATES, _MISSED, _CHANGES, _READS, _FULL_READS, _LAST_READ, _HAS = range(_COLUMNS)


class Signals:
    """Per site: the quality of its dates, and when its sitemap is read."""

    def __init__(self) -> None:
        self._table: NDArray[np.float64] = np.zeros((0, _COLUMNS))

    def has(self, sites: Ints) -> Flags:
        """Which of the sites have a sitemap with dates."""
        has = np.zeros(len(sites), bool)
        inside = sites < len(self._table)
        has[inside] = self._table[sites[inside], _HAS] > 0
        return has

    def announce(self, site: int, hour: float) -> None:
        """The site has a sitemap; it is to be read from now on."""
        self._reach(site)
        if not self._table[site, _HAS]:
            self._table[site, _HAS] = 1
            self._table[site, _LAST_READ] = hour

    def sites(self) -> Ints:
        return np.flatnonzero(self._table[:, _HAS])

    def usable(self, sites: Ints) -> Flags:
        """Whose dates bear on the index."""
        usable = self.has(sites)
        table = self._table[sites[usable]]
        lies = table[:, _FULL_READS] > 0.5 * np.maximum(table[:, _READS], 2.0)
        good = (table[:, _READS] > 0) & ~lies & (self.worth(sites[usable]) > _LEAST_WORTH)
        usable[usable] = good
        return usable

    def worth(self, sites: Ints) -> Floats:
        return self._quality(sites, _WORTH, _DATES, 2.0, 2.0)

    def missed(self, sites: Ints) -> Floats:
        return np.where(self.proven(sites), self._seems_missed(sites), 1.0)

    def _seems_missed(self, sites: Ints) -> Floats:
        return np.minimum(self._quality(sites, _MISSED, _CHANGES, 1.0, 4.0), 1.0)

    def proven(self, sites: Ints) -> Flags:
        """Whether enough dates that moved were checked; until then their silence says nothing."""
        checked = np.zeros(len(sites))
        inside = sites < len(self._table)
        checked[inside] = self._table[sites[inside], _DATES]
        return checked >= _PROOF

    def _quality(self, sites: Ints, part: int, whole: int, prior: float, all_: float) -> Floats:
        quality = np.full(len(sites), prior / all_)
        inside = sites < len(self._table)
        table = self._table[sites[inside]]
        quality[inside] = (prior + table[:, part]) / (all_ + table[:, whole])
        return quality

    def exposure(self, sites: Ints, hours: Floats, moved: Floats) -> Floats:
        """The changes that each rate expects since the last visit, by time and by dates."""
        worth, missed = self.worth(sites), self.missed(sites)
        return (missed * hours)[:, None] * RATES + (worth * moved)[:, None]

    def visited(self, sites: Ints, moved: Floats, by_time: Floats, changed: Flags) -> None:
        """Visits of pages with so many dates that moved, and so many changes expected by time."""
        exposure = self.worth(sites) * moved + self._seems_missed(sites) * by_time
        open_ = exposure < _MOST_OPEN
        sites, exposure, changed = sites[open_], exposure[open_], changed[open_]
        moved, by_time = moved[open_], by_time[open_]
        if not len(sites):
            return
        self._reach(int(sites.max()))
        found = np.where(changed, 1 / np.maximum(-np.expm1(-exposure), 1e-9), 0.0)
        worth, missed = self.worth(sites), self._seems_missed(sites)
        self._add(sites, _WORTH, found * worth * moved)
        self._add(sites, _DATES, moved)
        self._add(sites, _MISSED, found * missed * by_time)
        self._add(sites, _CHANGES, by_time)

    def has_read(self, site: int, share_moved: float, hour: float) -> float:
        """Note a read; the hours since the one before."""
        self._reach(site)
        row = self._table[site]
        gap = hour - row[_LAST_READ] if row[_HAS] else 0.0
        row[_HAS] = 1
        row[_READS] += 1
        row[_FULL_READS] += share_moved >= _ALL
        row[_LAST_READ] = hour
        return float(gap)

    def due(self, hour: float, fetches_per_hour: Floats) -> Ints:
        """The sites whose sitemaps are to be read, by the fetches that each site gets."""
        sites = self.sites()
        period = 1 / np.maximum(_SHARE_OF_FETCHES * fetches_per_hour[sites], 1e-9)
        ignored = (self._table[sites, _READS] > 0) & ~self.usable(sites)
        period = np.clip(period, _OFTENEST, _RAREST) * np.where(ignored, _IGNORED_FACTOR, 1.0)
        return np.asarray(sites[hour - self._table[sites, _LAST_READ] >= period])

    def _add(self, sites: Ints, column: int, amounts: Floats) -> None:
        self._table[:, column] += np.bincount(sites, amounts, len(self._table))

    def _reach(self, site: int) -> None:
        if site >= len(self._table):
            more = np.zeros((site + 1 - len(self._table), _COLUMNS))
            self._table = np.vstack((self._table, more))
