"""``scrapy crawl``: Scrapy's own, with one clear line when it cannot begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands import crawl
from scrapy.exceptions import UsageError

from focuscrawl.archive.records import ArchiveError
from focuscrawl.scrapy_archive import prepare_archive
from focuscrawl.scrapy_options import CANNOT_START
from focuscrawl.spiders.base import CategorySpider
from focuscrawl.topics.category import CategoryError

if TYPE_CHECKING:
    import argparse


class Command(crawl.Command):
    """Reads the category before the engine starts, where a wrong file is still a wrong argument."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            super().run(args, opts)
            return
        crawler = self._create_crawler(args[0])
        if issubclass(crawler.spidercls, CategorySpider):
            try:
                crawler.spidercls(**opts.spargs).chosen_category()
                prepare_archive(crawler.settings)
            except (ArchiveError, CategoryError) as error:
                raise UsageError(str(error), print_help=False) from None
        assert self.crawler_process
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        stats = crawler.stats
        reason = stats.get_value("finish_reason") if stats else None
        if self.crawler_process.bootstrap_failed or reason == CANNOT_START:
            self.exitcode = 1
