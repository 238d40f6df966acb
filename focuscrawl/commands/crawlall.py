"""``scrapy crawlall``: several categories at once, in one process, under one progress table."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError

from focuscrawl.archive.records import ArchiveError
from focuscrawl.scrapy_archive import prepare_archive
from focuscrawl.topics.catalog import load_catalog


class Command(BaseRunSpiderCommand):
    """Every category is crawled by its own spider, into the same store."""

    def syntax(self) -> str:
        return "[options] [CATEGORY ...]"

    def short_desc(self) -> str:
        return "Crawl several categories at once (all of them when none is named)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--seeds",
            metavar="FILE",
            help="JSON file: category name -> list of seed URLs, in place of the categories' own",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.crawler_process
        known = load_catalog().names
        unknown = [name for name in args if name not in known]
        if unknown:
            raise UsageError(f"no category {', '.join(unknown)}; known are {', '.join(known)}")
        seeds = _read_seeds(opts.seeds)
        try:
            prepare_archive(self.settings)
        except ArchiveError as error:
            raise UsageError(str(error), print_help=False) from None
        spiders = set(self.crawler_process.spider_loader.list())
        crawlers = []
        for name in args or known:
            arguments: dict[str, Any] = dict(opts.spargs)
            if name in seeds:
                arguments["seeds"] = ",".join(seeds[name])
            if name not in spiders:
                arguments["category"] = name
            crawler = self.crawler_process.create_crawler(name if name in spiders else "topic")
            crawlers.append(crawler)
            self.crawler_process.crawl(crawler, **arguments)
        self.crawler_process.start()
        if self.crawler_process.bootstrap_failed or any(
            crawler.stats is None or crawler.stats.get_value("finish_reason") != "finished"
            for crawler in crawlers
        ):
            self.exitcode = 1


def _read_seeds(path: str | None) -> dict[str, list[str]]:
    if path is None:
        return {}
    try:
        seeds = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--seeds {path}: {error}; give a JSON file {{category: [URL]}}") from None
    if not isinstance(seeds, dict) or not all(isinstance(urls, list) for urls in seeds.values()):
        raise UsageError(f"--seeds {path}: not an object of lists; write {{category: [URL]}}")
    return seeds
