"""Places that change without meaning, learned per site.

A clock, a counter or a teaser box that a site forgot to mark as such looks like content. But
it changes on all pages of the site, at most looks; content does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

FEWEST_COMPARISONS = 6
FEWEST_PAGES = 3
NOISY_SHARE = 0.6
MEMORY = 60
"""Comparisons of a site after which all earlier ones count half: templates change too."""


class PlaceRecord(NamedTuple):
    """How often, and on how many pages, a place was found changed."""

    place: str
    changes: int
    pages: int


def noisy(records: Iterable[PlaceRecord], comparisons: int) -> frozenset[str]:
    """The places that changed in most comparisons of the site, on several pages."""
    if comparisons < FEWEST_COMPARISONS:
        return frozenset()
    return frozenset(
        record.place
        for record in records
        if record.pages >= FEWEST_PAGES and record.changes >= NOISY_SHARE * comparisons
    )
