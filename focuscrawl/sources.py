"""Sitemaps and feeds as one thing: a file that names pages, and may say when they changed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from focuscrawl.feeds import read_feed
from focuscrawl.hints import CHANGEFREQ_SECONDS
from focuscrawl.sitemaps import read_sitemap
from focuscrawl.urls import normalise

SourceKind = Literal["sitemap", "feed"]
_HINT_KINDS = {"sitemap": "lastmod", "feed": "feed"}
_WORD = re.compile(r"[^\W\d_]{2,}")
_ENDINGS = frozenset(("html", "htm", "php", "asp", "aspx", "xml", "index"))


class Source(NamedTuple):
    """A sitemap or a feed; ``depth`` counts the indexes above it."""

    url: str
    site: str
    kind: SourceKind
    depth: int = 0
    etag: str = ""
    modified: str = ""

    @property
    def hint_kind(self) -> str:
        """The name under which its word about pages is checked."""
        return _HINT_KINDS[self.kind]


class Named(NamedTuple):
    """A page that a source names."""

    url: str
    title: str
    lastmod: float | None
    interval: float | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a source holds; ``problem`` is empty, or says in a sentence what is wrong with it."""

    pages: tuple[Named, ...]
    children: tuple[str, ...] = ()
    left_out: int = 0
    problem: str = ""


def read_source(source: Source, body: bytes) -> Reading:
    """The pages that a source names, whatever its format."""
    if source.kind == "feed":
        feed = read_feed(body, source.url)
        named = [
            Named(url, entry.title, entry.updated, None)
            for entry in feed.entries
            if (url := normalise(entry.url)) is not None
        ]
        return Reading(tuple(named), left_out=feed.cut, problem=feed.problem)
    file = read_sitemap(body, source.url)
    pages = tuple(
        Named(entry.url, "", entry.lastmod, CHANGEFREQ_SECONDS.get(entry.changefreq or ""))
        for entry in file.entries
    )
    return Reading(pages, file.children, file.cut + file.foreign, file.problem)


def words_of_address(url: str) -> str:
    """The words in a page's address: all that is known of it before any link names it."""
    words = _WORD.findall(unquote(urlsplit(url).path))
    return " ".join(word for word in words if word.lower() not in _ENDINGS)
