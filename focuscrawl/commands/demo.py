"""``scrapy demo``: the main job on the bundled sample web, measured against its truth."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.utils.project import data_path
from sqlalchemy import Connection, select

from focuscrawl.evaluation.harvest import Score, score
from focuscrawl.newsweb.client import NewswebError, RunningNewsweb, running_newsweb
from focuscrawl.repository.engine import open_connection
from focuscrawl.repository.schema import pages, phases, visits
from focuscrawl.topics.catalog import load_catalog

PORT = 8750
BUDGET = 150
HOURS_BETWEEN_PHASES = 24
_SETTINGS = {
    "DOWNLOAD_DELAY": "0",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "8",
    "LOG_LEVEL": "WARNING",
    "HTTPPROXY_ENABLED": "False",
}


class Command(ScrapyCommand):
    """Two phases over six categories, and breadth first on the same web beside them."""

    requires_project = True
    requires_crawler_process = False

    def short_desc(self) -> str:
        return "Crawl the bundled sample web and print what was found"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--port", type=int, default=PORT, help="first port of the sample web")
        parser.add_argument("--budget", type=int, default=BUDGET, help="fetches per category")
        parser.add_argument("--fresh", action="store_true", help="delete the demo's store first")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.budget < 1:
            raise UsageError("--budget: give a number of fetches, at least 1")
        console = Console()
        store = Path(data_path(f"demo-{opts.port}"))
        if opts.fresh:
            shutil.rmtree(store, ignore_errors=True)
        try:
            with running_newsweb(port=opts.port) as web:
                Demo(console, web, store, opts.budget).run()
        except NewswebError as error:
            console.print(f"{error}; another port: scrapy demo --port N", style="red")
            self.exitcode = 1
        except subprocess.CalledProcessError as error:
            console.print(f"the crawl ended with code {error.returncode}; its messages are above")
            self.exitcode = 1


class Demo:
    """One showing: crawl, wait a virtual day, crawl again, compare."""

    def __init__(self, console: Console, web: RunningNewsweb, store: Path, budget: int) -> None:
        self.console = console
        self.web = web
        self.store = store
        self.budget = budget
        self.categories = load_catalog().names

    def run(self) -> None:
        began = time.monotonic()
        done = self._phases_done()
        if done:
            self.console.print(
                f"Found the store of an earlier demo ({done} phases): this is a further one. "
                "To start afresh: scrapy demo --fresh"
            )
            self.web.advance(done * HOURS_BETWEEN_PHASES)
        for number in (done + 1, done + 2):
            self.console.print(f"\nPhase {number}: six categories, {self.budget} fetches each")
            self.crawl(self.store)
            self._report_phase(number)
            self.web.advance(HOURS_BETWEEN_PHASES)
        if not done:
            self._compare()
        self._farewell(time.monotonic() - began)

    def crawl(self, store: Path, *more: str) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as seeds:
            json.dump({name: self.web.seeds(name) for name in self.categories}, seeds)
            seeds.flush()
            settings = {
                **_SETTINGS,
                "FOCUSCRAWL_DIR": str(store),
                "FOCUSCRAWL_BUDGET": str(self.budget),
                "FOCUSCRAWL_CLOCK_OFFSET": f"{self.web.clock() - time.time():.0f}",
            }
            command = [sys.executable, "-m", "scrapy", "crawlall", "--seeds", seeds.name, *more]
            for key, value in settings.items():
                command += ["-s", f"{key}={value}"]
            subprocess.run(command, check=True)  # noqa: S603 - our own command

    def _compare(self) -> None:
        self.console.print("\nThe same web and budget, breadth first, for comparison")
        focused = self.scores(self.store, 1)
        with tempfile.TemporaryDirectory() as folder:
            plain = "FOCUSCRAWL_ORDERING=breadth-first"
            self.crawl(Path(folder), "-s", plain)
            breadth = self.scores(Path(folder), 1)
        table = _table(
            f"Harvest rate at {self.budget} pages", "category", "focused", "breadth first", "ratio"
        )
        for name in self.categories:
            table.add_row(name, *_pair(focused[name].harvest, breadth[name].harvest))
        means = [fmean(each.harvest for each in scores.values()) for scores in (focused, breadth)]
        table.add_row("mean", *_pair(*means), style="bold")
        self.console.print(table)

    def _report_phase(self, number: int) -> None:
        table = _table(
            f"Phase {number} against the truth",
            "category",
            "fetched",
            "harvest rate",
            "kept so far",
            "precision",
            "recall",
        )
        for name, result in self.scores(self.store, number).items():
            table.add_row(
                name,
                str(result.fetched),
                f"{result.harvest:.1%}",
                str(result.kept),
                f"{result.precision:.1%}",
                f"{result.recall:.1%}",
            )
        self.console.print(table)

    def scores(self, store: Path, phase: int) -> dict[str, Score]:
        """Each category's crawl of one phase, and its corpus so far, against the truth."""
        truth = self.web.truth()

        def label(url: str) -> str | None:
            record = truth.get(url) or self.web.record(url) or {}
            return record.get("category")

        result = {}
        with _reading(store) as connection:
            for name in self.categories:
                fetched = connection.execute(
                    select(pages.c.url)
                    .join(visits, visits.c.page == pages.c.id)
                    .where(visits.c.crawl == name, visits.c.phase == phase)
                ).scalars()
                kept = connection.execute(
                    select(pages.c.url).where(pages.c.category == name, pages.c.alias_of.is_(None))
                ).scalars()
                targets = [url for url, record in truth.items() if _is_target(record, name)]
                result[name] = score(name, list(fetched), list(kept), targets, label)
        return result

    def _phases_done(self) -> int:
        if not (self.store / "repository.sqlite").exists():
            return 0
        with _reading(self.store) as connection:
            numbers = connection.execute(
                select(phases.c.number).where(phases.c.ended.is_not(None))
            ).scalars()
            return max(numbers, default=0)

    def _farewell(self, seconds: float) -> None:
        store = self.store
        if store.is_relative_to(Path.cwd()):
            store = store.relative_to(Path.cwd())
        where = f"-s FOCUSCRAWL_DIR={store}"
        self.console.print(
            f"\nDone in {seconds:.0f} s. The store is in {store}. Look at it:\n"
            f"  .venv/bin/scrapy status {where}\n"
            f"  .venv/bin/scrapy changes sports {where}\n"
            f"  .venv/bin/scrapy export sports -o sports.jsonl {where}\n"
            f"  .venv/bin/scrapy explain {self.web.seeds('sports')[-1]} {where}\n"
            "Run the demo again for a further phase.",
            soft_wrap=True,
        )


def _is_target(record: dict[str, object], category: str) -> bool:
    return (
        record["category"] == category
        and record["kind"] == "article"
        and not record["disallowed"]
        and not record["duplicate_of"]
        and record["status"] == 200
    )


@contextmanager
def _reading(store: Path) -> Iterator[Connection]:
    connection = open_connection(store / "repository.sqlite")
    try:
        yield connection
    finally:
        connection.close()
        connection.engine.dispose()


def _table(title: str, *columns: str) -> Table:
    table = Table(*columns, title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _pair(focused: float, breadth: float) -> tuple[str, str, str]:
    ratio = f"{focused / breadth:.1f}×" if breadth else "-"
    return f"{focused:.1%}", f"{breadth:.1%}", ratio
