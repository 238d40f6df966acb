"""``scrapy export CATEGORY``: the kept pages as JSON lines, CSV or Parquet."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.repository.engine import RepositoryError
from focuscrawl.repository.export import (
    EVERY_CATEGORY,
    ExportError,
    check_target,
    export_to,
    exported_pages,
    write_jsonl,
)
from focuscrawl.repository.report import crawled, reading
from focuscrawl.scrapy_ring import store_dir

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from sqlalchemy import Connection


class Command(ScrapyCommand):
    """Reads the repository; changes nothing, also while a crawl runs."""

    requires_project = True
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "CATEGORY|all [-o FILE.jsonl|FILE.csv|FILE.parquet]"

    def short_desc(self) -> str:
        return "Write the kept pages of a category to a file, or as JSON lines to stdout"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-o", "--output", metavar="FILE", help="its ending tells the format (default: stdout)"
        )

    def run(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give one category, or all")
        assert self.settings is not None
        target = None if opts.output is None else Path(opts.output)
        try:
            if target is not None:
                check_target(target)
            with reading(store_dir(self.settings) / "repository.sqlite") as db:
                _check_category(db, args[0])
                self._write(db, args[0], target)
        except (ExportError, RepositoryError) as error:
            print(error, file=sys.stderr)
            self.exitcode = 1

    def _write(self, db: Connection, category: str, target: Path | None) -> None:
        batches = exported_pages(db, category)
        if target is not None:
            count = export_to(target, batches)
            print(f"{target}: {count} pages", file=sys.stderr)
            return
        try:
            write_jsonl(sys.stdout.buffer, batches)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has seen enough (`| head`)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check_category(db: Connection, category: str) -> None:
    stored = crawled(db)
    if category != EVERY_CATEGORY and category not in stored:
        known = ", ".join([*stored, EVERY_CATEGORY])
        raise ExportError(f"category {category!r} is not in the store; give one of {known}")
