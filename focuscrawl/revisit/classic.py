"""Policies of others, to compare with and to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from focuscrawl.revisit.cycles import Cyclic
from focuscrawl.revisit.pages import Flags, Floats, Ints, Known
from focuscrawl.revisit.policy import DAY, Policy, best


class RoundRobin(Policy):
    """Every page in turn: the one that waited longest is next."""

    name = "round-robin"

    def _ranked(self, count: int, now: float) -> Ints:
        rows = self.pages.living()
        return best(rows, -self.pages.visited[rows].astype(np.float64), count)


class Importance(Cyclic):
    """IC = IS + ID: a page's importance and the changes seen of it.

    Every day begins at the top: pages that were seen to change, by IC, then the others by
    their importance alone.
    """

    name = "ic"
    columns: ClassVar = {"changes": np.uint32}

    def _begin(self, now: float) -> None:
        self._queue = self._by_importance(self.pages.living())

    def _learn(self, rows: Ints, changed: Flags, at: Floats) -> None:
        self.pages.changes[rows[changed]] += 1

    def _order(self) -> Ints:
        rows = self.pages.living()
        undone = self._undone(rows)
        done = rows[~np.isin(rows, undone)]
        return np.concatenate((self._by_importance(undone), self._by_importance(done)))

    def _by_importance(self, rows: Ints) -> Ints:
        changes = self.pages.changes[rows]
        importance = changes + self.pages.weight[rows].astype(np.float64)
        return np.asarray(rows[np.lexsort((-importance, changes == 0))])


class Oracle(Policy):
    """Knows the true mean rate of every page: the measure of all others, not to be had in life."""

    name = "oracle"
    columns: ClassVar = {"rate": np.float64}

    def __init__(self, rates_per_day: Floats) -> None:
        super().__init__()
        self._rates = rates_per_day

    def _added(self, rows: Ints, pages: Sequence[Known]) -> None:
        self.pages.rate[rows] = self._rates[[page.key for page in pages]]

    def _ranked(self, count: int, now: float) -> Ints:
        rows = self.pages.living()
        rates = self.pages.rate[rows]
        expected = rates * (now - self.pages.visited[rows]) / DAY
        gain = -np.expm1(-expected) - expected * np.exp(-expected)
        return best(rows, self.pages.weight[rows] * gain / rates, count)
