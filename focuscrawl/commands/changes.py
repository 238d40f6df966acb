"""``scrapy changes``: which kept pages changed, when, and under which headings."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.changes.report import for_terminal
from focuscrawl.repository.changelog import SINCE_FORMS, PageChange, page_changes, since_time
from focuscrawl.repository.engine import RepositoryError
from focuscrawl.repository.report import crawled, reading, utc
from focuscrawl.scrapy_archive import clock_offset
from focuscrawl.scrapy_ring import store_dir

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

LIMIT = 50


class ChangesError(ValueError):
    """What was asked for cannot be answered; the message says what can."""


class Command(ScrapyCommand):
    """Reads the repository; changes nothing, also while a crawl runs."""

    requires_project = True
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "[CATEGORY] [--since 2d] [--limit 50] [--all] [--json]"

    def short_desc(self) -> str:
        return "List the pages that changed, newest first"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--since", metavar="WHEN", help=f"not before: {SINCE_FORMS}")
        parser.add_argument(
            "--limit", type=int, default=LIMIT, metavar="N", help=f"0: no limit (default: {LIMIT})"
        )
        parser.add_argument("--all", action="store_true", help="also changes beside the content")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")

    def run(self, args: list[str], opts: Namespace) -> None:
        if len(args) > 1:
            raise UsageError("give one category, or none")
        if opts.limit < 0:
            raise UsageError("--limit: give a number of changes, or 0 for all")
        try:
            found = self._look_up(args[0] if args else None, opts)
        except (ChangesError, RepositoryError, ValueError) as error:
            print(error, file=sys.stderr)
            self.exitcode = 1
            return
        try:
            _show(found, opts)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has seen enough (`| head`)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _look_up(self, category: str | None, opts: Namespace) -> list[PageChange]:
        """One more than is shown, so that it can be said that there are more."""
        assert self.settings is not None
        since = None
        if opts.since is not None:
            now = time.time() + clock_offset(self.settings)
            since = since_time(opts.since, now)
            if since is None:
                raise ChangesError(f"--since {opts.since}: give {SINCE_FORMS}")
        with reading(store_dir(self.settings) / "repository.sqlite") as db:
            stored = crawled(db)
            if category is not None and category not in stored:
                known = ", ".join(stored) or "nothing yet"
                raise ChangesError(f"category {category!r} is not in the store; stored: {known}")
            most = opts.limit + 1 if opts.limit else None
            return page_changes(db, category, since, most, minor=opts.all)


def _show(found: list[PageChange], opts: Namespace) -> None:
    shown = found[: opts.limit] if opts.limit else found
    for number, change in enumerate(shown):
        if opts.json:
            print(json.dumps({**asdict(change), "at": utc(change.at)}, ensure_ascii=False))
        else:
            print("\n".join(["", *_as_lines(change)] if number else _as_lines(change)))
    if not shown and not opts.json:
        print("no change found", file=sys.stderr)
    if len(shown) < len(found):
        print(f"there are more than {opts.limit}; show them with --limit", file=sys.stderr)


def _as_lines(change: PageChange) -> list[str]:
    kinds = f" ({', '.join(change.kinds)})" if change.kinds else ""
    lines = [
        f"{utc(change.at)}  {change.change}{kinds}  {change.category}  weight {change.weight:.4f}",
        f"  {change.url}",
        f"  {change.title or 'no title'}",
    ]
    lines += [f"  - {heading or '(before the first heading)'}" for heading in change.blocks]
    return [for_terminal(line) for line in lines]
