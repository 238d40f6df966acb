"""``scrapy crawl``: Scrapy's own, with one clear line when the category cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands import crawl
from scrapy.exceptions import UsageError

from focuscrawl.spiders.base import CategorySpider
from focuscrawl.topics.category import CategoryError

if TYPE_CHECKING:
    import argparse


class Command(crawl.Command):
    """Reads the category before the engine starts, where a wrong file is still a wrong argument."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.crawler_process
        loader = self.crawler_process.spider_loader
        if len(args) == 1 and args[0] in loader.list():
            spider = loader.load(args[0])
            if issubclass(spider, CategorySpider):
                try:
                    spider(**opts.spargs).chosen_category()
                except CategoryError as error:
                    raise UsageError(str(error), print_help=False) from None
        super().run(args, opts)
