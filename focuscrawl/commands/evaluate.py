"""``scrapy evaluate``: orderings side by side on an archive whose pages are labelled."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.utils.project import data_path

from focuscrawl.archive.records import ArchiveError
from focuscrawl.evaluation.plot import plot
from focuscrawl.evaluation.report import Summary, as_json, summaries
from focuscrawl.evaluation.session import Plan, Session
from focuscrawl.evaluation.tables import EvaluationError
from focuscrawl.orderings.registry import ORDERINGS, UnknownOrdering, chosen
from focuscrawl.semantics.dictionary import WordNetError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

BUDGET = 1_000
WIDTH = 120
_PAGES_A_STEP = 50
_HEADINGS = {
    "harvest_100": "100", "harvest_200": "200", "harvest_500": "500", "harvest_1000": "1,000",
    "precision": "precision", "irrelevance": "irrelevance", "recall": "recall",
    "target_length": "length", "seconds": "seconds",
}  # fmt: skip


class Command(ScrapyCommand):
    """Reads the archive; fetches nothing. Finished crawls are kept for the next time."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "ARCHIVE --labels FILE.tsv --seeds FILE.tsv [--orderings A,B] [--json FILE]"

    def short_desc(self) -> str:
        return "Compare orderings on an archive with labelled pages"

    def long_desc(self) -> str:
        return (
            "Crawl a WARC file, or a folder of them, once for every ordering, topic and round of "
            "seeds, and print the harvest rate after 100, 200, 500 and 1,000 pages with other "
            f"measures. The orderings are {', '.join(ORDERINGS)}. An interrupted evaluation goes "
            "on where it was."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="Evaluation")
        group.add_argument("--labels", metavar="FILE", help="table with the columns topic, url")
        group.add_argument("--seeds", metavar="FILE", help="table: topic, words, round, url")
        group.add_argument("--orderings", metavar="A,B", help="only these; all unless given")
        group.add_argument("--budget", type=int, default=BUDGET, help="pages a crawl fetches")
        group.add_argument("--rounds", type=int, metavar="N", help="the first N rounds of seeds")
        group.add_argument("--json", metavar="FILE", help="write the figures there")
        group.add_argument("--plot", metavar="FILE", help="write the curves there, as HTML")
        group.add_argument("--fresh", action="store_true", help="forget finished crawls first")

    def run(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1 or not opts.labels or not opts.seeds:
            raise UsageError("give an archive, --labels and --seeds")
        for name in ("budget", "rounds"):
            if getattr(opts, name) is not None and getattr(opts, name) < 1:
                raise UsageError(f"--{name}: give a number, at least 1", print_help=False)
        try:
            self._evaluate(Path(args[0]), opts)
        except (EvaluationError, ArchiveError, UnknownOrdering, WordNetError) as error:
            self._complain(str(error))
        except KeyboardInterrupt:
            self._complain("interrupted; the same command goes on from here")

    def _evaluate(self, archive: Path, opts: Namespace) -> None:
        names = opts.orderings.split(",") if opts.orderings else ORDERINGS
        plan = Plan(
            archive=archive,
            labels=Path(opts.labels),
            seeds=Path(opts.seeds),
            orderings=tuple(chosen(name.strip() for name in names)),
            budget=opts.budget,
            rounds=opts.rounds,
        )
        for name in filter(None, (opts.json, opts.plot)):
            _check_writable(Path(name))
        session = Session(plan, Path(data_path("evaluate")))
        if opts.fresh:
            session.forget()
        work_off(session)
        found = summaries(plan.orderings, session.runs)
        Console(width=None if sys.stdout.isatty() else WIDTH).print(table_of(found))
        if opts.json:
            Path(opts.json).write_text(json.dumps(as_json(found), indent=2) + "\n", "utf-8")
        if opts.plot:
            Path(opts.plot).write_text(plot(found, plan.budget), "utf-8")

    def _complain(self, message: str) -> None:
        print(message, file=sys.stderr)
        self.exitcode = 1


def work_off(session: Session) -> None:
    """Make the crawls that are left, with a bar on standard error.

    The bar is drawn by this thread: workers are forked, and a second thread would be lost in them.
    """
    console = Console(stderr=True)
    kept = len(session.runs)
    if kept:
        console.print(f"{kept} of {len(session.jobs)} crawls were finished before; --fresh repeats")
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(
        *columns, TimeElapsedColumn(), console=console, auto_refresh=False,
        disable=not console.is_terminal,
    ) as progress:  # fmt: skip
        reading = progress.add_task("pages read", total=None)
        crawling = progress.add_task("crawls", total=len(session.jobs), completed=kept)

        def read() -> None:
            progress.advance(reading)
            if not progress.tasks[reading].completed % _PAGES_A_STEP:
                progress.refresh()

        for _ in session.work(read):
            progress.advance(crawling)
            progress.refresh()
    if session.skipped:
        reasons = ", ".join(f"{reason} {number}" for reason, number in session.skipped.items())
        console.print(f"records of the archive that cannot be read: {reasons}")
    if session.missing:
        console.print(f"{session.missing} labelled pages are not in the archive: no targets")


def table_of(found: Sequence[Summary]) -> Table:
    """One row an ordering; the harvest rates stand under the number of pages fetched."""
    table = Table(title="harvest rate after so many pages, and other means", title_justify="left")
    table.add_column("ordering")
    for heading in _HEADINGS.values():
        table.add_column(heading, justify="right")
    for each in found:
        values = (getattr(each.figures, name) for name in _HEADINGS)
        table.add_row(each.ordering, *map(_shown, values, _HEADINGS))
    return table


def _shown(value: float | None, name: str) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if name in ("target_length", "seconds") else f"{value:.3f}"


def _check_writable(path: Path) -> None:
    """Told before the work, not after it."""
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise EvaluationError(f"{path}: cannot be written; give a file in a folder of yours")
