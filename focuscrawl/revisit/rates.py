"""How often pages change, from visits that see only "changed or not since the last time".

A page's belief is the logarithm of the likelihood of its visits on a grid of rates; the prior
that goes with it comes from the other pages of its section, its site and the whole web.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.revisit.pages import NOBODY, Flags, Floats, Ints, PageTable

RATES = 2.0 ** np.arange(-10, 6) / 24
"""Changes per hour that are held possible: from one in three years to one in 45 minutes."""
POINTS = len(RATES)
MEMORY_DAYS = 120.0
"""Evidence of a visit fades to a third in so many days: pages take other habits."""
PARENT_WEIGHT = 10.0
"""What the whole web shows weighs as much as so many pages of a site, a site's as a section's."""
_UNSEEN = 0.05
_SURE = 1e-12
_LEAST = -60_000.0
"""Beliefs are kept as half floats; a rate that unlikely is out of the question anyway."""
_AT_ONCE = 16_384


def after_visits(beliefs: NDArray[Any], exposure: Floats, changed: Flags, hours: Floats) -> Floats:
    """Beliefs after a visit each; ``exposure`` is the number of changes that each rate expects."""
    faded = beliefs * np.exp(-hours / (24 * MEMORY_DAYS))[:, None]
    seen = np.log(-np.expm1(-exposure) + _SURE)
    told = faded + np.where(changed[:, None], seen, -exposure)
    return np.asarray(np.maximum(told - told.max(axis=1, keepdims=True), _LEAST))


def posteriors(beliefs: NDArray[Any], log_priors: NDArray[Any]) -> Floats:
    """How likely each rate is, a row a page."""
    joint = np.asarray(beliefs + log_priors, np.float64)
    joint -= joint.max(axis=1, keepdims=True)
    np.exp(joint, out=joint)
    joint /= joint.sum(axis=1, keepdims=True)
    return joint


def bias_reduced(visits: int, changes: int, interval: float) -> float:
    """The rate by regular visits: changes over time can never be more than the visits."""
    return float(-np.log((visits - changes + 0.5) / (visits + 0.5)) / interval)


class Pools:
    """The priors: what pages are like in a section, on a site, everywhere.

    A sweep goes once a day over all pages, a part at a time, so that no question waits for it.
    """

    _DAY = 24.0

    def __init__(self, pages: PageTable) -> None:
        self._pages = pages
        self.log_priors: NDArray[np.float32] = np.zeros((0, POINTS), np.float32)
        self._sums: NDArray[np.float32] = np.zeros((0, POINTS), np.float32)
        self._everywhere = np.full(POINTS, -np.log(POINTS), np.float32)
        self._place = 0
        self._swept: float | None = None

    def log_prior(self, rows: Ints) -> NDArray[np.float32]:
        self._make_room()
        return np.asarray(self.log_priors[self._pages.group[rows]])

    def sweep(self, hour: float) -> bool:
        """Go on by as much as the time since the last call asks for; whether a round ended."""
        self._make_room()
        total = len(self._pages.group)
        first = self._swept is None
        passed = self._DAY if self._swept is None else hour - self._swept
        count = min(int(total * passed / self._DAY), total - self._place)
        if not first and count < 1:
            return False
        done = self._DAY * count / max(total, 1)
        self._swept = hour if first else max((self._swept or 0.0) + done, hour - self._DAY)
        end = self._place + count
        for start in range(self._place, end, _AT_ONCE):
            self._add_up(start, min(start + _AT_ONCE, end))
        self._place = end
        if self._place < total:
            return False
        self._end_round()
        return True

    def _add_up(self, start: int, end: int) -> None:
        rows = start + np.flatnonzero(self._pages.group[start:end] != NOBODY)
        found = posteriors(self._pages.belief[rows], self.log_prior(rows))
        self._sums += _summed(self._pages.group[rows], found, len(self._sums))

    def _end_round(self) -> None:
        """From the whole to its parts: a part that shows little takes after the whole."""
        sites = self._pages.groups.site_of_each
        is_site = sites == np.arange(len(sites))
        by_site = _summed(sites, self._sums, len(sites))
        everywhere = self._sums.sum(axis=0) + _UNSEEN
        everywhere /= everywhere.sum()
        self._everywhere = np.log(everywhere + _SURE).astype(np.float32)
        of_sites = _mixed(everywhere, by_site)
        of_groups = np.where(is_site[:, None], of_sites, _mixed(of_sites[sites], self._sums))
        self.log_priors = np.log(of_groups + _SURE).astype(np.float32)
        self._sums = np.zeros_like(self._sums)
        self._place = 0

    def _make_room(self) -> None:
        missing = len(self._pages.groups) - len(self.log_priors)
        if missing > 0:
            known = len(self.log_priors)
            parents = self._pages.groups.sites[known:]
            web = self._everywhere
            new = [self.log_priors[site] if site < known else web for site in parents]
            self.log_priors = np.vstack((self.log_priors, *new))
            empty = np.zeros((missing, POINTS), np.float32)
            self._sums = np.vstack((self._sums, empty))


def _mixed(parent: NDArray[Any], sums: NDArray[Any]) -> NDArray[Any]:
    count = sums.sum(axis=1, keepdims=True)
    return np.asarray((PARENT_WEIGHT * parent + sums) / (PARENT_WEIGHT + count))


def _summed(groups: NDArray[Any], amounts: NDArray[Any], count: int) -> NDArray[np.float32]:
    """The rows of amounts that belong to each group, added up."""
    columns = [np.bincount(groups, column, count) for column in amounts.T]
    return np.stack(columns, axis=1).astype(np.float32)
