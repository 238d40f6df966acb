"""The records that travel between the frontier and the rest of the ring.

Candidates and leases are made by the thousand per second, hence named tuples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from focuscrawl.hints import PageHints

NO_HINTS = PageHints(None, None, None, None, None)


class State(IntEnum):
    """Where a URL stands. The numbers are stored: never renumber."""

    QUEUED = 0
    LEASED = 1
    WAITING = 2
    DONE = 3
    FAILED = 4


class Candidate(NamedTuple):
    """A link that a page offers, with what is known of it before any fetch."""

    url: str
    host: str
    anchor: str = ""
    anchor_similarity: float = 0.0
    block: float = 0.0
    level: int = 0
    depth: int = 0
    seed: bool = False
    parent: str = ""
    score: float | None = None
    terms: str = ""


class LinkScore(NamedTuple):
    """The score of a queued URL by a link scorer, and its terms as JSON."""

    id: int
    score: float
    terms: str


class Harvest(NamedTuple):
    """What a page brings: links, and what it taught about links that wait."""

    links: Sequence[Candidate] = ()
    scores: Sequence[LinkScore] = ()


NO_HARVEST = Harvest()

Said = tuple[str, bool] | None
"""The kind of hint that spoke about a page, and whether it said that the page changed."""


class Lease(NamedTuple):
    """A URL that this process may fetch until the lease runs out.

    ``etag`` and ``modified`` are the validators of the last answer, to be sent back.
    """

    id: int
    url: str
    host: str
    priority: float
    anchor: str
    level: int
    depth: int
    seed: bool
    visits: int
    attempts: int
    changes: int = 0
    found: float = 0.0
    etag: str = ""
    modified: str = ""
    parent: str = ""
    said: Said = None

    def validators(self) -> dict[str, str]:
        """The headers that ask for a stored page only if it is another one now."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in headers.items() if value}


@dataclass(frozen=True, slots=True)
class Visit:
    """What a fetch of a leased URL came to; ``hints`` is what the answer said of itself."""

    rule: str
    kept: bool = False
    importance: float = 0.0
    changed: bool = False
    final_url: str | None = None
    alias_of: str | None = None
    hints: PageHints = NO_HINTS


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a batch of candidates."""

    new: int = 0
    rescored: int = 0
    known: int = 0


@dataclass(frozen=True, slots=True)
class KnownUrl:
    """All that the frontier knows of one URL, for people to read.

    ``terms`` sum to ``priority``; ``stored_priority`` is where the row stands, which is
    another number once the page was fetched (until the next phase scores it anew) or
    when the crawl used another ordering. ``ahead`` counts the queued URLs before it.
    """

    url: str
    category: str
    state: State
    priority: float
    terms: dict[str, float]
    stored_priority: float
    ahead: int | None
    anchor: str
    parent: str
    level: int
    depth: int
    seed: bool
    found: float
    parents: int
    occurrences: int
    visits: int
    visited: float | None
    changes: int
    kept: bool
    importance: float
    attempts: int
    due: float | None
    rule: str
    alias_of: str
    said: Said = None
    trust: float | None = None
