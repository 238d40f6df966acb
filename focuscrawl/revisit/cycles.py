"""Policies that plan a day ahead: within it no page comes twice before all others came."""

from __future__ import annotations

import numpy as np

from focuscrawl.revisit.pages import NOBODY, Ints
from focuscrawl.revisit.policy import DAY, Policy


class Cyclic(Policy):
    """Goes along a queue of pages, a part of the day's plan at a time.

    What was visited since the cycle began is done, whoever had it visited. A cycle ends with
    its day, or when all pages are done.
    """

    def __init__(self, max_age_days: float = float("inf")) -> None:
        super().__init__(max_age_days)
        self._began: float | None = None
        self._queue: Ints = np.zeros(0, np.int64)

    def _begin(self, now: float) -> None:
        """Put the first part of a new cycle into the queue."""
        raise NotImplementedError

    def _go_on(self, now: float) -> bool:
        """Put the next part into the queue, whether the one before is done or not worth the
        wait; false if there is none."""
        return False

    def _is_late(self, now: float) -> bool:
        """Whether the part in the queue is not worth the wait any longer."""
        return False

    def _order(self) -> Ints:
        """All pages, best first, those that are done last."""
        raise NotImplementedError

    def _ranked(self, count: int, now: float) -> Ints:
        waiting = self._waiting(now)
        if len(waiting) >= count:
            return waiting
        others = self._order()
        return np.concatenate((waiting, others[~np.isin(others, waiting)]))

    def _waiting(self, now: float) -> Ints:
        if self._began is None or now - self._began >= DAY:
            self._start(now)
        waiting = self._undone(self._queue)
        while (not len(waiting) or self._is_late(now)) and self._go_on(now):
            waiting = self._undone(self._queue)
        if not len(waiting) and not len(self._undone(self.pages.living())):
            self._start(now)
            waiting = self._undone(self._queue)
        return waiting

    def _start(self, now: float) -> None:
        self._began = now
        self._begin(now)

    def _undone(self, rows: Ints) -> Ints:
        assert self._began is not None
        undone = (self.pages.visited[rows] < int(self._began)) & (self.pages.group[rows] != NOBODY)
        return np.asarray(rows[undone])

    def _longest_waiting(self, rows: Ints) -> Ints:
        return np.asarray(rows[np.argsort(self.pages.visited[rows], kind="stable")])
