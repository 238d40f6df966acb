"""The records that travel between the repository and the rest of the ring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from focuscrawl.changes.verdict import Verdict

NEW_PAGE = "new"
NO_CHANGE = "none"
CONTENT_CHANGE = "content"
MINOR_CHANGE = "minor"
NOTHING = Verdict()


class BlockRow(NamedTuple):
    number: int
    level: int
    heading: str
    text: str
    main_text: str | None
    relevance: float
    tables: int
    images: int


class LinkRow(NamedTuple):
    """A link of a page; ``place`` is its number among all that the page's outline holds."""

    target: int
    url: str
    anchor: str
    block: int
    place: int = 0


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What is known of a page from earlier visits."""

    id: int
    url: str
    category: str | None
    digest: str
    copy: str | None
    visits: int
    changes: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Fetched:
    """One visit to a page, with all that the stations found out about it."""

    url: str
    site: str
    title: str
    status: int
    at: float
    crawl: str
    phase: int
    body: bytes
    encoding: str
    digest: str
    category: str | None
    kept: bool
    similarity: float
    scores: Mapping[str, float]
    threshold: float
    rule: str
    relevance: float
    anchor: str
    words: int
    change: str
    alias_of: int | None = None
    blocks: Sequence[BlockRow] = ()
    links: Sequence[LinkRow] = ()
    near_miss: Mapping[str, int] | None = None
    verdict: Verdict = NOTHING
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Phase:
    """One run over a category, from its seeds until its budget is spent."""

    crawl: str
    number: int
    resumed: bool
    thresholds: Mapping[str, object]
