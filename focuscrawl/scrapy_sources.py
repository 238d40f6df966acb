"""Reads sitemaps and feeds as part of a crawl, before the pages they speak about.

They are found in robots.txt and in the heads of pages, and remembered: from the second phase
on they are read first, and their hosts wait until that is done.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http import Response

from focuscrawl.engine_hooks import limit_delay, sitemaps_in
from focuscrawl.frontier.hinting import UrlHint
from focuscrawl.frontier.records import Candidate
from focuscrawl.hints import page_hints
from focuscrawl.scrapy_options import META_SOURCE
from focuscrawl.scrapy_ring import Ring, header_map
from focuscrawl.sitemaps import MAX_DEPTH
from focuscrawl.sources import Named, Source, SourceKind, read_source, words_of_address
from focuscrawl.urls import is_page, normalise, site_of

if TYPE_CHECKING:
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

    from focuscrawl.scheduler import FrontierScheduler

logger = logging.getLogger(__name__)

FILES_PER_SITE = 50
FEEDS_PER_SITE = 3
BUDGET_SHARE = 10
"""Reading what speaks about pages may cost one fetch in so many."""
FEWEST_FILES = 5
SLOWEST_CRAWL_DELAY = 30.0
_PRIORITY = 1_000_000
_BATCH = 2_000


class SourceReader:
    """One crawl's reader; the scheduler holds a host back while its sources are read."""

    def __init__(self, ring: Ring, scheduler: FrontierScheduler) -> None:
        self.ring = ring
        self._scheduler = scheduler
        self._asked: set[str] = set()
        self._files: Counter[tuple[str, SourceKind]] = Counter()
        self._is_on = ring.settings.getbool("FOCUSCRAWL_HINTS")
        budget = ring.settings.getint("FOCUSCRAWL_BUDGET")
        self._most = max(budget // BUDGET_SHARE, FEWEST_FILES) if budget else None

    def start(self) -> None:
        """Ask for what earlier phases have met."""
        for source in self.ring.frontier.sources.unread(self.ring.phase.number):
            self._ask(source)

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """The site's robots.txt is here: its sitemaps, and how fast it may be asked."""
        if not self.ring.is_open:
            return
        site = site_of(normalise(request.url) or request.url)
        delay = robotparser.crawl_delay(self.ring.settings["USER_AGENT"])
        if delay:
            limit_delay(self.ring.crawler, site, min(delay, SLOWEST_CRAWL_DELAY))
        for url in sitemaps_in(robotparser):
            self.found(url, "sitemap", site)

    def found(self, address: str, kind: SourceKind, site: str, depth: int = 0) -> None:
        """A source was named; it is read once in a phase, if it belongs to an allowed site."""
        url = normalise(address)
        if not self._is_on or url is None or site_of(url) not in self.ring.allowed:
            return
        source = Source(url, site_of(url), kind, depth)
        book = self.ring.frontier.sources
        if book.add(source) or not book.was_read(url, self.ring.phase.number):
            self._ask(source)

    def _ask(self, source: Source) -> None:
        limit = FILES_PER_SITE if source.kind == "sitemap" else FEEDS_PER_SITE
        too_many = self._files[source.site, source.kind] >= limit or source.depth > MAX_DEPTH
        too_many = too_many or (self._most is not None and len(self._asked) >= self._most)
        if not self._is_on or source.url in self._asked or too_many:
            return
        self._asked.add(source.url)
        self._files[source.site, source.kind] += 1
        headers = {}
        if source.etag:
            headers["If-None-Match"] = source.etag
        if source.modified:
            headers["If-Modified-Since"] = source.modified
        self._scheduler.read_first(
            Request(
                source.url,
                callback=self.parse,
                errback=self.failed,
                headers=headers,
                priority=_PRIORITY,
                dont_filter=True,
                meta={
                    META_SOURCE: source,
                    "download_slot": source.site,
                    "handle_httpstatus_list": [304],
                },
            ),
            source.site,
        )

    def parse(self, response: Response) -> Iterator[Request]:
        source: Source = response.meta[META_SOURCE]
        try:
            if response.status == 304:
                self.ring.frontier.sources.note(source, self.ring.phase.number, None, "")
                self.ring.count("sources/not_modified")
            else:
                self._take_in(source, response)
        finally:
            self._scheduler.has_read(source.site)
        yield from ()

    def _take_in(self, source: Source, response: Response) -> None:
        self.ring.count("sources/bytes", len(response.body))
        reading = read_source(source, response.body)
        hints = page_hints(header_map(response), "", self.ring.now())
        answered = source._replace(etag=hints.etag or "", modified=hints.last_modified or "")
        number = len(reading.pages)
        self.ring.frontier.sources.note(answered, self.ring.phase.number, number, reading.problem)
        self.ring.count("sources/read")
        self.ring.count("sources/left_out", reading.left_out)
        if reading.problem:
            logger.warning("%s: %s; read as far as it goes", source.url, reading.problem)
        for child in reading.children:
            self.found(child, source.kind, source.site, source.depth + 1)
        pages = [page for page in reading.pages if self._is_wanted(page)]
        for start in range(0, len(pages), _BATCH):
            self._note(source, pages[start : start + _BATCH])

    def _is_wanted(self, page: Named) -> bool:
        return site_of(page.url) in self.ring.allowed and is_page(page.url)

    def _note(self, source: Source, pages: list[Named]) -> None:
        frontier, judge = self.ring.frontier, self.ring.judge
        hints = [UrlHint(page.url, page.lastmod, page.interval) for page in pages]
        unknown = {hint.url for hint in frontier.note_hints(hints, source.hint_kind)}
        fresh = []
        for page in pages:
            if page.url in unknown:
                words = page.title or words_of_address(page.url)
                similarity = judge.anchor_similarity(words) if words else 0.0
                fresh.append(
                    Candidate(
                        page.url,
                        site_of(page.url),
                        anchor=page.title,
                        anchor_similarity=similarity,
                        level=1,
                        depth=1,
                        parent=source.url,
                    )
                )
        added = frontier.add(fresh)
        frontier.note_hints([hint for hint in hints if hint.url in unknown], source.hint_kind)
        self.ring.count("links/from_sources", added.new)

    def failed(self, failure: Failure) -> None:
        source: Source = getattr(failure, "request").meta[META_SOURCE]  # noqa: B009
        self.ring.count("sources/failed")
        if self.ring.is_open:
            problem = f"not read: {failure.getErrorMessage()}"[:200]
            self.ring.frontier.sources.note(source, self.ring.phase.number, 0, problem)
        self._scheduler.has_read(source.site)
