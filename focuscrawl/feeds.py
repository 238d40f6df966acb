"""Feeds: the stories that RSS and Atom files list."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from focuscrawl.dates import parse_date
from focuscrawl.urls import normalise
from focuscrawl.xml_items import ItemTarget, Unpacked, decoded, read_items

MAX_FEED = 5 * 1024 * 1024
MAX_ENTRIES = 1_000
_ROOTS = ("rss", "rdf", "feed")
_OF_MEDIA = ("{http://search.yahoo.com/mrss", "{http://www.itunes.com/")
_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_DATES = ("updated", "modified", "pubdate", "date", "published", "issued", "created")
_FEED_FIELDS = frozenset(("link", "guid", "title", *_DATES))


class FeedEntry(NamedTuple):
    """A story as its feed lists it, on whatever site; ``updated`` in seconds since 1970."""

    url: str
    updated: float | None
    title: str


@dataclass(frozen=True, slots=True)
class Feed:
    """The entries in their order; ``cut`` of them lay beyond the limit."""

    entries: tuple[FeedEntry, ...]
    cut: int
    problem: str


def read_feed(body: bytes, url: str) -> Feed:
    """Read RSS 0.9x, 1.0 and 2.0 and Atom; relative links count from ``url`` or ``xml:base``."""
    unpacked = Unpacked(body, MAX_FEED)
    found = _FeedItems(url)
    problem = read_items(decoded(unpacked), found)
    if found.root not in _ROOTS:
        problem = f"no feed but <{found.root[:40]}>" if found.root else "not XML"
    cut = max(0, found.items - MAX_ENTRIES)
    return Feed(tuple(found.entries), cut, unpacked.problem or problem)


class _FeedItems(ItemTarget):
    def __init__(self, url: str) -> None:
        super().__init__(frozenset(("item", "entry")))
        self.entries: list[FeedEntry] = []
        self._bases = [(-1, url)]

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if _XML_BASE in attributes:
            base = self._absolute(attributes[_XML_BASE]) or self._bases[-1][1]
            self._bases.append((self.depth, base))
        super().start(tag, attributes)

    def end(self, tag: str) -> None:
        super().end(tag)
        if self._bases[-1][0] == self.depth:
            self._bases.pop()

    def field_of(self, tag: str, name: str, attributes: Mapping[str, str]) -> str:
        if name not in _FEED_FIELDS or tag.startswith(_OF_MEDIA):
            return ""
        if attributes.get("isPermaLink", "true").lower() != "true":
            return ""
        if attributes.get("rel", "alternate") != "alternate":
            return ""
        if "href" in attributes:
            self.fields.setdefault(name, self._absolute(attributes["href"]) or "")
            return ""
        return name

    def _absolute(self, link: str) -> str | None:
        return normalise(link, self._bases[-1][1])

    def take(self, item: str, fields: Mapping[str, str]) -> None:
        link = fields.get("link") or fields.get("guid")
        url = self._absolute(link) if link else None
        if url is None or self.items > MAX_ENTRIES or self.root not in _ROOTS:
            return
        dates = (parse_date(fields[name]) for name in _DATES if name in fields)
        updated = next((date for date in dates if date is not None), None)
        title = " ".join(html.unescape(fields.get("title", "")).split())
        self.entries.append(FeedEntry(url, updated, title))
