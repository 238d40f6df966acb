"""A small ring in a temporary folder: two categories, unit weights, so numbers can be checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from focuscrawl.blocks import parse_html, partition
from focuscrawl.frontier.records import Candidate, Lease
from focuscrawl.items import PageItem
from focuscrawl.pipelines.blocks import BlocksPipeline
from focuscrawl.pipelines.changes import ChangesPipeline
from focuscrawl.pipelines.classification import ClassificationPipeline
from focuscrawl.pipelines.duplicates import DuplicatesPipeline
from focuscrawl.pipelines.repository import RepositoryPipeline
from focuscrawl.pipelines.stemming import StemmingPipeline
from focuscrawl.scheduler import FrontierScheduler
from focuscrawl.scrapy_options import DEFAULTS
from focuscrawl.scrapy_ring import Ring
from focuscrawl.topics.catalog import Catalog
from focuscrawl.topics.category import parse_category
from focuscrawl.urls import site_of

SPORT = 'words = ["goal", "striker", "referee", "stadium"]\ndomains = ["news.test"]\n'
HEALTH = 'words = ["vaccine", "nurse", "hospital", "surgeon"]\ndomains = ["news.test"]\n'
STATIONS = (
    StemmingPipeline,
    ClassificationPipeline,
    BlocksPipeline,
    DuplicatesPipeline,
    ChangesPipeline,
    RepositoryPipeline,
)


@pytest.fixture
def ring(tmp_path: Path) -> Iterator[Ring]:
    settings = {
        **DEFAULTS,
        "FOCUSCRAWL_DIR": str(tmp_path),
        "FOCUSCRAWL_WEIGHTS": "unit",
        "DOWNLOAD_DELAY": 0,
    }
    crawler: Any = get_crawler(settings_dict=settings)
    catalog = Catalog(
        parse_category(name, f"{text}threshold = 0.3\n", f"{name}.toml")
        for name, text in (("sport", SPORT), ("health", HEALTH))
    )
    opened = Ring.of(crawler)
    opened.open(catalog["sport"], catalog)
    crawler.engine = SimpleNamespace(scheduler=FrontierScheduler.from_crawler(crawler))
    yield opened
    opened.close()


@pytest.fixture
def lease(ring: Ring) -> Callable[..., Lease]:
    """Queue a URL and lease it, as a crawl would."""

    def take(url: str, **known: Any) -> Lease:
        ring.frontier.add([Candidate(url, site_of(url), **known)])
        (taken,) = ring.frontier.lease(1)
        assert taken.url == url
        return taken

    return take


@pytest.fixture
def page() -> Callable[..., PageItem]:
    """An item as the spider yields it."""

    def make(
        html: str, url: str = "http://news.test/a", lease: Lease | None = None, at: float = 100.0
    ) -> PageItem:
        body = html.encode()
        return PageItem(url, 200, body, "utf-8", partition(parse_html(body)), at, lease)

    return make


@pytest.fixture
def through(ring: Ring) -> Callable[[PageItem, type], PageItem]:
    """Send an item through the stations, up to and with the one named."""

    def run(item: PageItem, last: type) -> PageItem:
        for station in STATIONS[: STATIONS.index(last) + 1]:
            assert station.from_crawler(ring.crawler).process_item(item) is item
        return item

    return run


@pytest.fixture
def rows(ring: Ring) -> Callable[[str], list[tuple[Any, ...]]]:
    """Ask the repository's file."""

    def ask(query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in ring.repository._db.exec_driver_sql(query)]

    return ask
