"""An archive as a web to crawl: every page parsed once, links resolved to pages of the archive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import urljoin

from focuscrawl.blocks import parse_html, partition
from focuscrawl.evaluation.archive import Page
from focuscrawl.orderings.base import LinkView, PageView
from focuscrawl.orderings.views import view_of
from focuscrawl.reading import Reading
from focuscrawl.urls import normalise


class _Found(NamedTuple):
    """A link whose target may or may not be in the archive: known when all pages are."""

    url: str
    anchor: str
    context: Sequence[str]
    block: int


class Web:
    """Pages by number, as orderings see them. Links that leave the archive are left out."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self.keys: dict[str, int] = {}
        self.pages: list[PageView] = []
        self._addresses: dict[str, str | None] = {}
        found = [self._add(page) for page in pages]
        for view, links in zip(self.pages, found, strict=True):
            view.links = self._inside(view.key, links)
        self._addresses.clear()

    def __len__(self) -> int:
        return len(self.pages)

    def _add(self, page: Page) -> list[_Found]:
        outline = partition(parse_html(page.html))
        reading = Reading(outline)
        key = self.keys[page.url] = len(self.pages)
        self.pages.append(view_of(key, outline, reading, parts=True))
        base = urljoin(page.url, outline.base) if outline.base else page.url
        return [
            _Found(url, link.anchor, context, link.block)
            for link, context in zip(outline.links, reading.contexts(), strict=True)
            if (url := self._address(urljoin(base, link.href))) is not None
        ]

    def _address(self, absolute: str) -> str | None:
        if absolute not in self._addresses:
            self._addresses[absolute] = normalise(absolute)
        return self._addresses[absolute]

    def _inside(self, source: int, links: Iterable[_Found]) -> Sequence[LinkView]:
        return [
            LinkView(target, link.anchor, link.context, link.block)
            for link in links
            if (target := self.keys.get(link.url)) is not None and target != source
        ]
