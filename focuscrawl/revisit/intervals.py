"""Policies by which each page has an interval, declared by its site or found by trying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from focuscrawl.revisit.pages import NOBODY, Flags, Floats, Ints, Known
from focuscrawl.revisit.policy import DAY, HOUR, Policy, best

_UNDECLARED = 7 * DAY
_SHORTEST_DECLARED = HOUR
"""What ``always`` means in practice."""
_READ_EVERY = DAY
_MOVED = 1e9
"""More intervals than any page waits."""


class Sitemap(Policy):
    """Believes what sites declare: moved dates first, then whose interval is most exceeded."""

    name = "sitemap"
    columns: ClassVar = {"interval": np.float32, "moved": np.bool_}

    def __init__(self, max_age_days: float = float("inf")) -> None:
        super().__init__(max_age_days)
        self._last_read: dict[str, float] = {}

    def has_sitemap(self, site: str, at: float) -> None:
        self._last_read.setdefault(site, at)

    def has_read(
        self, site: str, moved: Iterable[int], at: float, *, complete: bool = True
    ) -> None:
        self._learn_visits()
        rows = self.pages.rows(np.fromiter(moved, np.int64))
        self.pages.moved[rows[rows != NOBODY]] = True
        self._last_read[site] = at

    def reads(self, now: float) -> list[str]:
        return [site for site, last in self._last_read.items() if now - last >= _READ_EVERY]

    def _added(self, rows: Ints, pages: Sequence[Known]) -> None:
        self.pages.interval[rows] = [
            _UNDECLARED if page.interval is None else max(page.interval, _SHORTEST_DECLARED)
            for page in pages
        ]

    def _learn(self, rows: Ints, changed: Flags, at: Floats) -> None:
        self.pages.moved[rows] = False

    def _ranked(self, count: int, now: float) -> Ints:
        rows = self.pages.living()
        exceeded = (now - self.pages.visited[rows]) / self.pages.interval[rows]
        return best(rows, exceeded + _MOVED * self.pages.moved[rows], count)


class Nutch(Policy):
    """The adaptive schedule of Apache Nutch: shorter after a change, longer after none.

    An interval is never shorter than the time without a change, and it is counted from a
    point before the visit, so that visits come nearer to the changes. Pages that are due
    go first, the longest due at the top; then those that are due next.
    """

    name = "nutch"
    columns: ClassVar = {"interval": np.float32, "changed": np.uint32, "due": np.float64}

    _FIRST, _LEAST, _MOST = DAY, HOUR, 365 * DAY
    _SHORTER, _LONGER = 0.8, 1.4
    _SYNC = 0.3

    def _added(self, rows: Ints, pages: Sequence[Known]) -> None:
        new = rows[self.pages.interval[rows] == 0]
        self.pages.interval[new] = self._FIRST
        self.pages.changed[new] = self.pages.visited[new]
        self.pages.due[new] = self.pages.visited[new] + self._FIRST

    def _learn(self, rows: Ints, changed: Flags, at: Floats) -> None:
        factor = np.where(changed, self._SHORTER, self._LONGER)
        quiet = np.where(changed, 0.0, np.maximum(at - self.pages.changed[rows], 0.0))
        interval = np.maximum(self.pages.interval[rows] * factor, quiet)
        interval = np.clip(interval, self._LEAST, self._MOST)
        self.pages.interval[rows] = interval
        self.pages.changed[rows[changed]] = at[changed].astype(np.uint32)
        self.pages.due[rows] = at - self._SYNC * quiet + interval

    def _ranked(self, count: int, now: float) -> Ints:
        rows = self.pages.living()
        return best(rows, -self.pages.due[rows], count)
