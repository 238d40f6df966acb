"""The known pages as columns of numbers: a million of them are ranked in one go.

Pages are known to the outside by a key of 64 bits, inside by their row. Rows are never moved;
those of dropped pages are empty until they are given to new ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

NOBODY = -1
_GROWTH = 16
"""A full table grows by one part in so many: memory counts more here than time."""
_COLUMNS: Mapping[str, Any] = {
    "key": np.int64,
    "group": np.int32,
    "weight": np.float16,
    "visited": np.uint32,
}


class Known(NamedTuple):
    """A page as policies get to know it.

    ``visited`` is when its copy was made; ``interval`` the seconds between its changes as its
    site declares them.
    """

    key: int
    site: str
    section: str = ""
    weight: float = 1.0
    visited: float = 0.0
    interval: float | None = None


class Groups:
    """Sites, and sections of sites, by number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self.sites: list[int] = []
        """The number of each group's site, which is its own where the group is a site."""
        self.names: list[str] = []
        self._site_of = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.sites)

    def number(self, site: str, section: str = "") -> int:
        found = self._numbers.get((site, section))
        if found is None:
            parent = self.number(site) if section else len(self.sites)
            found = self._numbers[site, section] = len(self.sites)
            self.sites.append(parent)
            self.names.append(f"{site}/{section}" if section else site)
        return found

    def find(self, site: str) -> int:
        """The number of a known site; ``NOBODY`` for another."""
        return self._numbers.get((site, ""), NOBODY)

    def site_of(self, groups: NDArray[Any]) -> Ints:
        return np.asarray(self.site_of_each[groups])

    @property
    def site_of_each(self) -> Ints:
        """The same as ``sites``; the list is made an array when it has grown."""
        if len(self._site_of) < len(self.sites):
            self._site_of = np.array(self.sites, np.int64)
        return self._site_of


class PageTable:
    """Columns that all policies need, and those that one asks for."""

    def __init__(self, extra: Mapping[str, Any] | None = None) -> None:
        self.groups = Groups()
        self._columns = {
            name: np.zeros(0, dtype) for name, dtype in {**_COLUMNS, **(extra or {})}.items()
        }
        self._used = 0
        self._by_key = np.zeros(0, np.int32)
        self._is_sorted = True
        self._free: list[int] = []

    def __getattr__(self, name: str) -> NDArray[Any]:
        try:
            return self.__dict__["_columns"][name][: self._used]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(name) from None

    def __len__(self) -> int:
        return self._used - len(self._free)

    @property
    def nbytes(self) -> int:
        columns = sum(column.nbytes for column in self._columns.values())
        return columns + self._by_key.nbytes

    def add(self, pages: Sequence[Known]) -> Ints:
        """Append pages; a known key keeps its row and takes what is new, the last word counts."""
        keys = np.array([page.key for page in pages], np.int64)
        rows = self.rows(keys)
        new = np.flatnonzero(rows == NOBODY)
        unseen, first, which = np.unique(keys[new], return_index=True, return_inverse=True)
        as_they_came = np.argsort(np.argsort(first))
        rows[new] = self._room(len(unseen))[as_they_came[which]]
        fresh = rows[new]
        self._columns["key"][fresh] = keys[new]
        for name, column in self._columns.items():
            if name not in _COLUMNS:
                column[fresh] = 0
        number = self.groups.number
        self._columns["group"][rows] = [number(page.site, page.section) for page in pages]
        self._columns["weight"][rows] = [page.weight for page in pages]
        self._columns["visited"][rows] = [int(max(page.visited, 0)) for page in pages]
        self._is_sorted = False
        return rows

    def drop(self, keys: Ints) -> None:
        rows = self.rows(keys)
        rows = np.unique(rows[rows != NOBODY])
        self._columns["group"][rows] = NOBODY
        self._free.extend(rows.tolist())
        self._is_sorted = False

    def rows(self, keys: Ints) -> Ints:
        """The row of each key; ``NOBODY`` for those that are not known."""
        if not self._is_sorted:
            self._sort()
        if not len(self._by_key):
            return np.full(len(keys), NOBODY, np.int64)
        places = np.searchsorted(self.key, keys, sorter=self._by_key)
        rows = self._by_key[np.minimum(places, len(self._by_key) - 1)].astype(np.int64)
        known = (self.key[rows] == keys) & (self.group[rows] != NOBODY)
        return np.where(known, rows, NOBODY)

    def living(self) -> Ints:
        """The rows of all pages."""
        if not self._free:
            return np.arange(self._used)
        return np.flatnonzero(self.group != NOBODY)

    def sites(self, rows: Ints) -> Ints:
        return self.groups.site_of(self.group[rows])

    def of_site(self, site: int) -> Ints:
        """The rows of a site's pages."""
        groups = np.flatnonzero(self.groups.site_of_each == site)
        return np.flatnonzero(np.isin(self.group, groups))

    def counts(self) -> Ints:
        """The number of pages of each site."""
        of_groups = np.bincount(self.group + 1, minlength=len(self.groups) + 1)[1:]
        sites = self.groups.site_of_each
        return np.bincount(sites, of_groups, len(sites)).astype(np.int64)

    def _room(self, count: int) -> Ints:
        reused = [self._free.pop() for _ in range(min(count, len(self._free)))]
        first, end = self._used, self._used + count - len(reused)
        size = len(self._columns["key"])
        if end > size:
            larger = max(end, size + size // _GROWTH)
            for name, column in self._columns.items():
                grown = np.zeros((larger, *column.shape[1:]), column.dtype)
                grown[:size] = column
                self._columns[name] = grown
        self._used = end
        return np.array([*reused, *range(first, end)], np.int64)

    def _sort(self) -> None:
        """An empty row has no key; it goes to the end, behind the highest."""
        self._columns["key"][self._free] = np.iinfo(np.int64).max
        order = np.lexsort((self.group == NOBODY, self.key)) if self._free else self.key.argsort()
        self._by_key = order.astype(np.int32)
        self._is_sorted = True
