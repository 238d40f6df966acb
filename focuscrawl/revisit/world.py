"""A web whose changes are all known: recorded histories, or made ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from focuscrawl.revisit.pages import Floats, Ints, Known

_DAY = 86_400.0
_LEAST_CHANGES = 0.5
"""A page that never changed may have been about to."""


@dataclass(frozen=True, slots=True)
class Reports:
    """What one site's sitemap says over time: when the date of which page moves."""

    times: Floats
    pages: Ints


@dataclass(frozen=True, slots=True)
class World:
    """Pages by number, with all their changes in one row, page after page.

    ``first`` and ``last`` bound the time in which a page is known; ``sitemaps`` are the reports
    by site. ``pages`` hold weight and declared interval.
    """

    pages: Sequence[Known]
    first: Floats
    last: Floats
    changes: Floats
    ends: Ints
    sitemaps: Mapping[str, Reports] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def weights(self) -> Floats:
        return np.array([page.weight for page in self.pages])

    def counts(self) -> Ints:
        """The number of changes of each page."""
        return np.diff(self.ends, prepend=0)

    def rates(self) -> Floats:
        """Changes per day, the mean over a page's whole time."""
        days = np.maximum((self.last - self.first) / _DAY, 1 / 24)
        return np.asarray(np.maximum(self.counts(), _LEAST_CHANGES) / days)


def joined(worlds: Sequence[World]) -> World:
    """Several webs as one; sites that bear the same name are one site."""
    if len(worlds) == 1:
        return worlds[0]
    pages = [page for world in worlds for page in world.pages]
    starts = np.cumsum([0, *(len(world.changes) for world in worlds)])[:-1]
    return World(
        pages=[page._replace(key=key) for key, page in enumerate(pages)],
        first=np.concatenate([world.first for world in worlds]),
        last=np.concatenate([world.last for world in worlds]),
        changes=np.concatenate([world.changes for world in worlds]),
        ends=np.concatenate(
            [world.ends + start for world, start in zip(worlds, starts, strict=True)]
        ),
        sitemaps=_joined_sitemaps(worlds),
    )


def _joined_sitemaps(worlds: Sequence[World]) -> dict[str, Reports]:
    """The pages of the second web are numbered on behind those of the first."""
    sitemaps: dict[str, Reports] = {}
    before = 0
    for world in worlds:
        for site, reports in world.sitemaps.items():
            known = sitemaps.get(site, Reports(np.zeros(0), np.zeros(0, np.int64)))
            times = np.concatenate((known.times, reports.times))
            pages = np.concatenate((known.pages, reports.pages + before))
            order = np.argsort(times, kind="stable")
            sitemaps[site] = Reports(times[order], pages[order])
        before += len(world)
    return sitemaps
