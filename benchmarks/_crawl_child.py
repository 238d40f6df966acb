"""One contestant of benchmarks/crawl.py: one whole crawl in this process, then its CPU seconds."""

from __future__ import annotations

import argparse
import json
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.project import get_project_settings

from focuscrawl.scrapy_archive import cache_dir
from focuscrawl.semantics.wordnet import WordNet

CONCURRENCY = 16
# The same for every contestant; all else is its own default.
SHARED_SETTINGS: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": CONCURRENCY,
    "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_FILE": os.devnull,
    "LOG_LEVEL": "INFO",
}


class LinkExtractorSpider(Spider):
    name = "linkextractor"
    extractor = LinkExtractor()

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url}
        for link in self.extractor.extract_links(response):
            yield response.follow(link, callback=self.parse)


class FollowSpider(Spider):
    name = "follow"

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url}
        for href in response.css("a::attr(href)"):
            yield response.follow(href, callback=self.parse)


def plain(process_settings: dict[str, Any], spider: type[Spider], seed: str) -> Crawler:
    return run(AsyncCrawlerProcess(process_settings), spider, start_urls=[seed])


def focuscrawl(seed: str, pages: int, category: str) -> Crawler:
    """`scrapy crawl topic` with every pipeline and the store, on a topic that wants every page.

    WordNet is compiled here, as part of the start-up: an installation does it once for all crawls.
    """
    os.environ["SCRAPY_SETTINGS_MODULE"] = "focuscrawl.settings"
    settings = get_project_settings()
    ours = {
        "FOCUSCRAWL_DIR": str(Path(os.environ["FOCUSCRAWL_BENCH_FOLDER"], "store")),
        "FOCUSCRAWL_BUDGET": pages,
    }
    WordNet.find(cache_dir(settings)).topic_table(["page"])
    settings.setdict({**SHARED_SETTINGS, **ours}, priority="cmdline")
    return run(AsyncCrawlerProcess(settings), "topic", category=category, seeds=seed)


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


CLOCK: dict[str, float] = {}


def run(process: AsyncCrawlerProcess, spider: type[Spider] | str, **arguments: Any) -> Crawler:
    crawler = process.create_crawler(spider)

    def opened() -> None:
        CLOCK["opened"] = cpu_seconds()

    crawler.signals.connect(opened, signals.spider_opened)
    process.crawl(crawler, **arguments)
    process.start()
    return crawler


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contestant", choices=["linkextractor", "follow", "focuscrawl"])
    parser.add_argument("seed")
    parser.add_argument("pages", type=int)
    parser.add_argument("category")
    given = parser.parse_args()
    if given.contestant == "focuscrawl":
        crawler = focuscrawl(given.seed, given.pages, given.category)
    else:
        spider = FollowSpider if given.contestant == "follow" else LinkExtractorSpider
        crawler = plain(SHARED_SETTINGS, spider, given.seed)
    total = cpu_seconds()
    assert crawler.stats is not None
    print(
        json.dumps(
            {
                "cpu_s": total - CLOCK["opened"],
                "startup_cpu_s": CLOCK["opened"],
                "items": crawler.stats.get_value("item_scraped_count", 0),
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


if __name__ == "__main__":
    main()
