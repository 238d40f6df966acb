"""What sitemaps tell a crawl before its first fetch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from focuscrawl.dates import parse_date
from focuscrawl.hints import CHANGEFREQ_SECONDS
from focuscrawl.urls import normalise, site_of
from focuscrawl.xml_items import LONGEST_FIELD, ItemTarget, Unpacked, decoded, read_items

MAX_UNPACKED = 50 * 1024 * 1024
MAX_URLS = 50_000
MAX_DEPTH = 5
"""An index may name indexes; the caller follows them no deeper than this."""
_ROOTS = ("urlset", "sitemapindex")
_FIELDS = frozenset(("loc", "lastmod", "changefreq", "priority"))
_SCHEMES = ("http://", "https://")


class SitemapEntry(NamedTuple):
    """A page as its sitemap lists it; ``lastmod`` in seconds since 1970."""

    url: str
    lastmod: float | None
    changefreq: str | None
    priority: float | None


@dataclass(frozen=True, slots=True)
class SitemapFile:
    """One file: the pages of a urlset or the children of an index, and what was left out.

    ``cut`` counts entries beyond the limit, ``foreign`` those of other sites, for which a
    sitemap may not speak; ``problem`` is empty or says why the file may hold more.
    """

    entries: tuple[SitemapEntry, ...]
    children: tuple[str, ...]
    cut: int
    foreign: int
    problem: str


def claim_order(links_by_site: Mapping[str, Iterable[str]]) -> list[str]:
    """The order in which to crawl sites so that shared links are claimed once.

    The site with the most links that no earlier site has claimed goes first, and
    its links are then taken out of all others; equal counts go by name.
    """
    remaining = {site: set(links) for site, links in links_by_site.items()}
    order: list[str] = []
    while remaining:
        site = min(remaining, key=lambda name: (-len(remaining[name]), name))
        claimed = remaining.pop(site)
        order.append(site)
        for links in remaining.values():
            links -= claimed
    return order


def read_sitemap(body: bytes, url: str) -> SitemapFile:
    """Read a urlset, an index or a plain list of URLs, zipped or not, that came from ``url``."""
    unpacked = Unpacked(body, MAX_UNPACKED)
    pieces = decoded(unpacked)
    head = next(pieces, "")
    found = _SitemapItems(url)
    if head.startswith("<"):
        problem = read_items(chain((head,), pieces), found)
        if found.root not in _ROOTS:
            problem = f"no sitemap but <{found.root[:40]}>" if found.root else "not XML"
    else:
        _read_lines(chain((head,), pieces), unpacked, found)
        problem = "" if found.items else "not XML"
    return SitemapFile(
        entries=tuple(found.entries),
        children=tuple(found.children),
        cut=max(0, found.items - MAX_URLS),
        foreign=found.foreign,
        problem=unpacked.problem or problem,
    )


def _read_lines(pieces: Iterable[str], unpacked: Unpacked, found: _SitemapItems) -> None:
    """Take every line that is a URL; the last one only if the file is whole."""
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split("\n")
        rest = rest[:LONGEST_FIELD]
        for line in lines:
            found.take_line(line)
    if not unpacked.problem:
        found.take_line(rest)


class _SitemapItems(ItemTarget):
    """Entries and children as they are read; no more than the limit is looked at."""

    def __init__(self, url: str) -> None:
        super().__init__(frozenset(("url", "sitemap")))
        self.entries: list[SitemapEntry] = []
        self.children: list[str] = []
        self.foreign = 0
        self._base = url
        self._site = site_of(normalise(url) or url)

    def field_of(self, tag: str, name: str, attributes: Mapping[str, str]) -> str:
        """Only an entry's own ``loc`` counts: images and videos inside it have theirs."""
        if name in _FIELDS:
            return name if self.depth == self.item_depth + 1 else ""
        return name if name == "publication_date" else ""

    def take(self, item: str, fields: Mapping[str, str]) -> None:
        url = self._own_url(fields.get("loc", "")) if self.items <= MAX_URLS else None
        if url is None or self.root not in _ROOTS:
            return
        if item == "sitemap":
            self.children.append(url)
        else:
            self.entries.append(_entry(url, fields))

    def take_line(self, line: str) -> None:
        """A line of a plain list; one that is no URL is a remark."""
        if not line.lstrip().lower().startswith(_SCHEMES):
            return
        self.items += 1
        url = self._own_url(line) if self.items <= MAX_URLS else None
        if url is not None:
            self.entries.append(SitemapEntry(url, None, None, None))

    def _own_url(self, location: str) -> str | None:
        """The address, unless it is none or on another site; most are absolute already."""
        if not location:
            return None
        absolute = location.startswith(_SCHEMES)
        url = normalise(location) if absolute else normalise(location, self._base)
        if url is not None and site_of(url) != self._site:
            self.foreign += 1
            return None
        return url


def _entry(url: str, fields: Mapping[str, str]) -> SitemapEntry:
    changefreq = fields.get("changefreq", "").lower()
    return SitemapEntry(
        url,
        parse_date(fields.get("lastmod") or fields.get("publication_date", "")),
        changefreq if changefreq in CHANGEFREQ_SECONDS else None,
        _priority(fields.get("priority", "")),
    )


def _priority(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
