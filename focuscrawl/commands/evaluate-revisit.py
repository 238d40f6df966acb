"""``scrapy evaluate-revisit``: revisit policies side by side on a web whose changes are known.

Scrapy names a command after its file, hence the hyphen.
"""

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

from focuscrawl.revisit.comparison import (
    Budget,
    ComparisonError,
    Job,
    Result,
    Row,
    as_json,
    budget_of,
    chosen,
    jobs_of,
    read_worlds,
    results_of,
    rows_of,
)
from focuscrawl.revisit.registry import POLICIES
from focuscrawl.revisit.synthetic import HINTS, Shape, synthetic_world
from focuscrawl.revisit.table42 import table_4_2
from focuscrawl.revisit.world import World

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

BUDGETS = "5%,20%,50%,100%"
WIDTH = 120
_HEADINGS = (
    "policy", "freshness", "ratio", "age (days)", "ChangeRatio", "caught", "wasted", "seconds",
)  # fmt: skip


class Command(ScrapyCommand):
    """Fetches nothing: what a visit would have found is in the histories."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "[TRACE... | --synthetic] [--policies A,B] [--budgets A,B] [--json FILE]"

    def short_desc(self) -> str:
        return "Compare revisit policies on recorded or made histories of changes"

    def long_desc(self) -> str:
        return (
            "Let every policy spend the same fetches on the same pages, of which all changes are "
            "known, and print how fresh the copies were, against an oracle that knows how often "
            f"each page changes. The policies are {', '.join(POLICIES)}."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="Comparison")
        group.add_argument("--policies", metavar="A,B", help="only these; all unless given")
        group.add_argument(
            "--budgets", metavar="A,B", default=BUDGETS,
            help=f"share of the pages a day, or fetches a page and day as 4/page; {BUDGETS}"
            .replace("%", "%%"),
        )  # fmt: skip
        group.add_argument("--jobs", type=int, metavar="N", help="processes; one a core")
        group.add_argument("--json", metavar="FILE", help="write the figures there")
        group.add_argument(
            "--table-4-2", action="store_true",
            help="what samples of 10 to 100 pages tell of a site, beside the published figures",
        )  # fmt: skip
        self._add_made(parser)

    def _add_made(self, parser: ArgumentParser) -> None:
        group = parser.add_argument_group(title="A made web")
        shape = Shape()
        group.add_argument("--synthetic", action="store_true", help="make one; no TRACE is read")
        group.add_argument("--pages", type=int, default=shape.pages)
        group.add_argument("--sites", type=int, default=shape.sites)
        group.add_argument("--days", type=int, default=shape.days)
        group.add_argument("--hints", choices=sorted(HINTS), default="none", help="its sitemaps")
        group.add_argument("--seed", type=int, default=1)
        group.add_argument(
            "--log-rate", type=float, default=shape.log_rate, metavar="X",
            help="mean of the logarithms of changes per day",
        )  # fmt: skip
        group.add_argument(
            "--spread", type=float, default=shape.spread, metavar="X", help="their deviation"
        )
        group.add_argument(
            "--site-spread", type=float, default=shape.spread_of_sites, metavar="X",
            help="the part of it between sites",
        )  # fmt: skip

    def run(self, args: list[str], opts: Namespace) -> None:
        if sum((bool(args), opts.synthetic, opts.table_4_2)) != 1:
            raise UsageError("give files of change histories, or --synthetic, or --table-4-2")
        try:
            if opts.table_4_2:
                _show(_sample_table())
            else:
                self._compare([Path(name) for name in args], opts)
        except ComparisonError as error:
            self._complain(str(error))
        except KeyboardInterrupt:
            self._complain("interrupted; nothing was kept")

    def _compare(self, paths: Sequence[Path], opts: Namespace) -> None:
        policies = chosen(opts.policies.split(",") if opts.policies else POLICIES)
        budgets = list(dict.fromkeys(map(budget_of, opts.budgets.split(","))))
        workers = os.cpu_count() or 1 if opts.jobs is None else opts.jobs
        _check_least("jobs", workers, 1)
        if opts.json:
            _check_writable(Path(opts.json))
        world = _made(opts) if opts.synthetic else read_worlds(paths)
        rows = rows_of(_work_off(world, jobs_of(policies, budgets), workers))
        for budget in budgets:
            _show(_table_of(budget, [row for row in rows if row.job.budget == budget]))
        if opts.json:
            Path(opts.json).write_text(json.dumps(as_json(rows), indent=2) + "\n", "utf-8")

    def _complain(self, message: str) -> None:
        print(message, file=sys.stderr)
        self.exitcode = 1


def _made(opts: Namespace) -> World:
    for name in ("pages", "sites", "days"):
        _check_least(name, getattr(opts, name), 1)
    _check_least("seed", opts.seed, 0)
    _check_least("site-spread", opts.site_spread, 0)
    _check_least("spread", opts.spread, opts.site_spread)
    shape = Shape(
        pages=opts.pages,
        sites=min(opts.sites, opts.pages),
        days=opts.days,
        log_rate=opts.log_rate,
        spread=opts.spread,
        spread_of_sites=opts.site_spread,
        hints=HINTS[opts.hints],
    )
    return synthetic_world(shape, opts.seed)


def _work_off(world: World, jobs: Sequence[Job], workers: int) -> list[Result]:
    """The results in the order of the jobs, with a bar on standard error.

    The bar is drawn by this thread: workers are forked, and a second thread would be lost in them.
    """
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    found: dict[Job, Result] = {}
    with Progress(
        *columns, TimeElapsedColumn(), console=console, auto_refresh=False,
        disable=not console.is_terminal,
    ) as progress:  # fmt: skip
        task = progress.add_task(f"runs over {len(world):,} pages", total=len(jobs))
        for result in results_of(world, jobs, workers):
            found[result.job] = result
            progress.advance(task)
            progress.refresh()
    return [found[job] for job in jobs]


def _table_of(budget: Budget, rows: Sequence[Row]) -> Table:
    table = Table(title=f"budget {budget.text} a day", title_justify="left")
    for index, heading in enumerate(_HEADINGS):
        table.add_column(heading, justify="right" if index else "left")
    for (policy, _), figures, seconds in rows:
        table.add_row(policy, *(f"{value:.3f}" for value in figures), f"{seconds:.1f}")
    return table


def _sample_table() -> Table:
    table = Table(
        title="accuracy of a site's change rate by so many sampled pages, in per cent",
        title_justify="left",
    )
    for heading in ("sample", "greedy", "published", "frequency-greedy", "published"):
        table.add_column(heading, justify="right")
    for row in table_4_2():
        table.add_row(str(row[0]), *(f"{value:.1f}" for value in row[1:]))
    return table


def _show(table: Table) -> None:
    Console(width=None if sys.stdout.isatty() else WIDTH).print(table)


def _check_least(name: str, value: float, least: float) -> None:
    if not least <= value < float("inf"):
        raise ComparisonError(f"--{name}: {value:g} is too little; give {least:g} or more")


def _check_writable(path: Path) -> None:
    """Told before the work, not after it."""
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ComparisonError(
            f"--json: {path}: cannot be written; give a file in a folder of yours"
        )
