"""What every policy does: it gets to know pages, is told what visits found, and says what is next.

Simulations and crawls use the same objects. Times are seconds of the crawl's clock; what happens
between two questions is gathered and learned in one go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

import numpy as np

from focuscrawl.revisit.pages import NOBODY, Flags, Floats, Ints, Known, PageTable

HOUR = 3_600.0
DAY = 24 * HOUR
_OVERDUE_SHARE = 0.5
"""Of the fetches at most for pages past the maximum age: the budget may be too small for it."""


_FURTHER = 4
"""Times as many are ranked where the best are too many of the same sites."""


class Past(NamedTuple):
    """A visit of the past; ``moved``: the site's sitemap said that the page had changed, or had
    not; None: it said nothing."""

    key: int
    site: str
    at: float
    changed: bool
    moved: bool | None = None


class Policy:
    """A strategy of spending fetches; those below differ in :meth:`_ranked` and what they learn."""

    name: ClassVar[str]
    columns: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, max_age_days: float = float("inf")) -> None:
        self.pages = PageTable(self.columns)
        self._max_age = max_age_days * DAY
        self._visits: list[tuple[int, bool, float]] = []
        self.pace = Pace()

    # -- what it is told ---------------------------------------------------------------

    def add(self, pages: Sequence[Known]) -> None:
        """Get to know pages, of which a copy was made at ``visited``."""
        self._learn_visits()
        self._added(self.pages.add(pages), pages)

    def drop(self, keys: Iterable[int]) -> None:
        """Forget pages."""
        self._learn_visits()
        gone = np.fromiter(keys, np.int64)
        rows = self.pages.rows(gone)
        self._dropped(rows[rows != NOBODY])
        self.pages.drop(gone)

    def visited(self, key: int, changed: bool, at: float) -> None:
        """A visit found the page changed since the one before, or not."""
        self._visits.append((key, changed, at))

    def has_sitemap(self, site: str, at: float) -> None:
        """The site has a sitemap that may be read (see :meth:`reads`)."""

    def has_read(
        self, site: str, moved: Iterable[int], at: float, *, complete: bool = True
    ) -> None:
        """A sitemap was read; it gives a later date than before for these pages.

        ``complete``: for no others. Else nothing is known of those that are not named.
        """

    def remember(self, visits: Iterable[Past]) -> None:
        """Learn from visits of the past, in the order of their times, as if they were now."""
        for day, group in groupby(visits, key=lambda visit: visit.at // DAY):
            past = list(group)
            for site, moved in _moved(past).items():
                self.has_read(site, moved, past[0].at, complete=False)
            for visit in past:
                self.visited(visit.key, visit.changed, visit.at)
            self.next(0, (day + 1) * DAY)
            self.pace.asked(len(past), (day + 1) * DAY)

    # -- what it is asked --------------------------------------------------------------

    def next(self, count: int, now: float, site_cap: int = 0) -> list[int]:
        """The keys of the ``count`` pages to fetch now, best first; ``site_cap`` of a site."""
        self._learn_visits()
        if len(self.pages):
            self._time_passes(now)
        self.pace.asked(count, now)
        count = min(count, len(self.pages))
        if count < 1:
            return []
        if np.isfinite(self._max_age) or site_cap:
            chosen = self._bounded(count, now, site_cap)
        else:
            chosen = self._ranked(count, now)[:count]
        return self.pages.key[chosen].tolist()  # type: ignore[no-any-return]

    def reads(self, now: float) -> list[str]:
        """The sites whose sitemaps are to be read now; each costs a fetch."""
        return []

    def _bounded(self, count: int, now: float, site_cap: int) -> Ints:
        overdue = self._overdue(int(max(count * _OVERDUE_SHARE, 1)), now)
        looked_at = count + len(overdue)
        while True:
            ranked = self._ranked(min(looked_at, len(self.pages)), now)
            chosen = np.concatenate((overdue, ranked[~np.isin(ranked, overdue)]))
            if site_cap:
                chosen = chosen[rank_within(self.pages.sites(chosen)) < site_cap]
            if len(chosen) >= count or looked_at >= len(self.pages):
                return chosen[:count]
            looked_at *= _FURTHER

    def _overdue(self, most: int, now: float) -> Ints:
        rows = self.pages.living()
        waited = now - self.pages.visited[rows]
        late = np.flatnonzero(waited > self._max_age)
        return rows[late[np.argsort(-waited[late], kind="stable")[:most]]]

    # -- what a policy is made of ------------------------------------------------------

    def _ranked(self, count: int, now: float) -> Ints:
        """The rows of ``count`` pages at least, if there are so many, best first."""
        raise NotImplementedError

    def _added(self, rows: Ints, pages: Sequence[Known]) -> None:
        """Begin with new pages."""

    def _dropped(self, rows: Ints) -> None:
        """These rows will be other pages'."""

    def _learn(self, rows: Ints, changed: Flags, at: Floats) -> None:
        """Learn from visits; ``pages.visited`` still holds the visits before."""

    def _time_passes(self, now: float) -> None:
        """Do what is to be done now and then."""

    def _learn_visits(self) -> None:
        """A page that was visited twice since is learned twice, in order."""
        while self._visits:
            keys = np.array([visit[0] for visit in self._visits], np.int64)
            _, first = np.unique(keys, return_index=True)
            once = np.zeros(len(keys), bool)
            once[first] = True
            now = [visit for visit, is_first in zip(self._visits, once, strict=True) if is_first]
            self._visits = [
                visit for visit, is_first in zip(self._visits, once, strict=True) if not is_first
            ]
            self._learn_once(now)

    def _learn_once(self, visits: list[tuple[int, bool, float]]) -> None:
        keys, changed, at = (list(column) for column in zip(*visits, strict=True))
        rows = self.pages.rows(np.array(keys, np.int64))
        known = rows != NOBODY
        rows, times = rows[known], np.array(at, np.float64)[known]
        self._learn(rows, np.array(changed, bool)[known], times)
        self.pages.visited[rows] = times.astype(np.uint32)


def _moved(visits: Iterable[Past]) -> dict[str, list[int]]:
    """By site whose dates spoke: the pages that they called changed."""
    sites: dict[str, list[int]] = {}
    for visit in visits:
        if visit.moved is not None:
            moved = sites.setdefault(visit.site, [])
            moved += [visit.key] if visit.moved else []
    return sites


class Pace:
    """How many fetches there are in a day, as experience shows."""

    _MEMORY = 7 * DAY

    def __init__(self) -> None:
        self.latest = 0
        self._fetches = 0.0
        self._seconds = HOUR
        self._last: float | None = None

    def asked(self, count: int, now: float) -> None:
        self.latest = count
        passed = 0.0 if self._last is None else max(now - self._last, 0.0)
        fading = np.exp(-passed / self._MEMORY)
        self._fetches = self._fetches * fading + count
        self._seconds = self._seconds * fading + passed
        self._last = now

    @property
    def per_day(self) -> float:
        return float(self._fetches / self._seconds * DAY)


def best(rows: Ints, values: Floats, count: int) -> Ints:
    """The rows of the ``count`` largest values, largest first; of equal ones the first."""
    if count < len(rows):
        kept = np.argpartition(-values, count)[: count + 1]
        kept = np.sort(np.flatnonzero(values >= values[kept].min()))
        rows, values = rows[kept], values[kept]
    return rows[np.argsort(-values, kind="stable")][:count]


def rank_within(groups: Ints) -> Ints:
    """How many before each have the same group."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    ranks = np.empty(len(groups), np.int64)
    ranks[order] = np.arange(len(groups)) - np.repeat(starts, lengths)
    return ranks
