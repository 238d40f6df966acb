"""The spider that all categories share: a response in, one page item out.

Links are harvested by the last pipeline stage, which knows by then what the page is
about; so nothing here yields a request but the seeds.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.spidermiddlewares.httperror import HttpError

from focuscrawl.archive.records import ArchiveError
from focuscrawl.blocks import partition
from focuscrawl.frontier.records import Lease, Visit
from focuscrawl.frontier.schema import FrontierError
from focuscrawl.hints import page_hints
from focuscrawl.items import PageItem
from focuscrawl.middlewares.robots import RobotsOutOfOrder
from focuscrawl.repository.engine import RepositoryError
from focuscrawl.scrapy_options import CANNOT_START, META_LEASE, META_PAUSE, META_SEED
from focuscrawl.scrapy_ring import Ring, header_map
from focuscrawl.topics.catalog import load_catalog
from focuscrawl.topics.category import Category, CategoryError
from focuscrawl.urls import normalise, site_of

if TYPE_CHECKING:
    from twisted.python.failure import Failure

    from focuscrawl.scheduler import FrontierScheduler

_GONE = frozenset((400, 401, 403, 404, 405, 410, 414, 451))


class CategorySpider(Spider):
    """A focused crawl of one category.

    ``seeds`` (comma-separated URLs) and ``domains`` take the place of those in the
    category's file; without ``domains`` the sites of the seeds are allowed.
    """

    category_name = ""

    def __init__(
        self, *args: Any, seeds: str | None = None, domains: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.catalog = load_catalog()
        found = self.find_category()
        self.category = self._with(found, seeds, domains) if found else None
        if self.category:
            self.allowed_domains = sorted(
                {site.partition(":")[0] for site in self.category.domains}
            )

    def find_category(self) -> Category | None:
        return self.catalog.find(self.category_name or self.name)

    def chosen_category(self) -> Category:
        """What is to be crawled; ``list`` and ``check`` make spiders that nobody has told."""
        if self.category is None:
            known = ", ".join(self.catalog.names)
            raise CategoryError(f"say which topic: -a category=FILE.toml, or one of {known}")
        return self.category

    @staticmethod
    def _with(category: Category, seeds: str | None, domains: str | None) -> Category:
        if seeds:
            given = tuple(seed.strip() for seed in seeds.split(",") if seed.strip())
            for seed in given:
                if normalise(seed) is None:
                    raise CategoryError(
                        f"-a seeds: {seed!r} is no http(s) URL; give full addresses"
                    )
            sites = tuple(dict.fromkeys(site_of(normalise(seed) or "") for seed in given))
            category = replace(category, seeds=given, domains=sites)
        if domains:
            named = tuple(name.strip() for name in domains.split(",") if name.strip())
            category = replace(category, domains=named)
        return category

    async def start(self) -> AsyncIterator[Any]:
        try:
            category = self.chosen_category()
            self.ring.open(category, self.catalog)
        except (ArchiveError, CategoryError, FrontierError, RepositoryError, ValueError) as error:
            self.logger.error(str(error))
            raise CloseSpider(CANNOT_START) from None
        self.scheduler.start()
        for url in category.seeds:
            yield Request(url, meta={META_SEED: True}, dont_filter=True)

    @property
    def ring(self) -> Ring:
        return Ring.of(self.crawler)

    @property
    def scheduler(self) -> FrontierScheduler:
        engine = self.crawler.engine
        assert engine is not None
        return cast("FrontierScheduler", engine.scheduler)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[PageItem]:
        """Cut the page into blocks; the pipelines do the rest.

        @sample
        @returns items 1 1
        @returns requests 0 0
        """
        lease: Lease | None = response.meta.get(META_LEASE)
        if response.status == 304 and lease is not None:
            self._not_modified(lease, response)
            return
        if not isinstance(response, HtmlResponse):
            if lease is not None:
                self.scheduler.settle(lease, Visit("dropped: not a web page"))
                self.ring.count("dropped/not_html")
            return
        url = normalise(response.url) or response.url
        outline = partition(response.selector.root, self.settings.getint("FOCUSCRAWL_MAX_LINKS"))
        now = self.ring.now()
        for feed in outline.feeds if self.ring.is_open else ():
            self.scheduler.sources.found(response.urljoin(feed), "feed", site_of(url))
        yield PageItem(
            url=url,
            status=response.status,
            body=response.body,
            encoding=response.encoding,
            outline=outline,
            fetched_at=now,
            lease=lease,
            hints=page_hints(header_map(response), outline.change_frequency, now),
        )

    def _not_modified(self, lease: Lease, response: Response) -> None:
        """The site says that the page is the one we have: a visit without parsing."""
        now = self.ring.now()
        said = page_hints(header_map(response), "", now)
        hints = replace(said, etag=said.etag or lease.etag or None)
        hints = replace(hints, last_modified=said.last_modified or lease.modified or None)
        known = self.ring.repository.note_unchanged(
            lease.url, now, response.status, self.ring.category.name, self.ring.phase.number
        )
        on_topic = known is not None and known.category == self.ring.category.name
        self.ring.count("not_modified")
        self.ring.count("kept" if on_topic else "off_topic")
        self.scheduler.settle(
            lease,
            Visit(
                "kept: not modified since the last visit" if on_topic else "not modified",
                kept=on_topic,
                importance=known.similarity if known else 0.0,
                hints=hints,
            ),
        )

    def failed(self, failure: Failure) -> None:
        """No page came: a wrong address is given up, a hiccup is tried again later."""
        lease: Lease | None = getattr(failure, "request").meta.get(META_LEASE)  # noqa: B009
        if lease is None or not self.ring.is_open:
            return
        error = failure.value
        pause: float | None = None
        if isinstance(error, HttpError):
            status = error.response.status
            rule, for_good = f"failed: status {status}", status in _GONE
            pause = error.response.meta.get(META_PAUSE)
        elif isinstance(error, RobotsOutOfOrder):
            rule, for_good = f"failed: {failure.getErrorMessage()}", False
        elif isinstance(error, IgnoreRequest):
            rule, for_good = f"dropped: {failure.getErrorMessage() or 'refused'}", True
        else:
            rule, for_good = f"failed: {failure.getErrorMessage()}"[:200], False
        self.ring.count("failed")
        self.scheduler.failed(lease, rule, for_good=for_good, pause=pause)
