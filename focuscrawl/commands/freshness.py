"""``scrapy freshness [CATEGORY]``: how current the copies are likely to be, and at what cost."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.table import Table
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.frontier import memory
from focuscrawl.frontier.report import queue_sizes, reading
from focuscrawl.frontier.schema import FrontierError
from focuscrawl.revisit.estimates import Estimates, Freshness, Prospect
from focuscrawl.revisit.fresh import Fresh
from focuscrawl.scrapy_archive import clock_offset
from focuscrawl.scrapy_ring import store_dir

if TYPE_CHECKING:
    import sqlite3
    from argparse import ArgumentParser, Namespace

_DAY = 86_400.0
_WINDOW_DAYS = 30.0


class _Answer(NamedTuple):
    whole: Freshness
    parts: list[Freshness]
    outlook: list[Prospect]


class Command(ScrapyCommand):
    """Reads the frontier; changes nothing, also while a crawl runs."""

    requires_project = True
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "[--by site|section] [--json] [CATEGORY]"

    def short_desc(self) -> str:
        return "Estimate how fresh the stored pages are, and what another budget would give"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--by", choices=("site", "section"), help="also of each of these")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def run(self, args: list[str], opts: Namespace) -> None:
        if len(args) > 1:
            raise UsageError("give one category, or none for all")
        try:
            answers = self._answers(args, opts.by)
        except (FrontierError, ValueError) as error:
            print(error, file=sys.stderr)
            self.exitcode = 1
            return
        if opts.json:
            print(json.dumps({name: _as_json(answer) for name, answer in answers.items()}))
        else:
            _show(answers, opts.by)

    def _answers(self, args: list[str], by: str | None) -> dict[str, _Answer]:
        assert self.settings is not None
        now = time.time() + clock_offset(self.settings)
        with reading(store_dir(self.settings) / "frontier.sqlite") as db:
            known = sorted(queue_sizes(db))
            if args and args[0] not in known:
                there = ", ".join(known) or "none"
                raise ValueError(f"{args[0]}: nothing was crawled for it; there are {there}")
            found = {name: _answer(db, name, now, by) for name in args or known}
        answers = {name: answer for name, answer in found.items() if answer is not None}
        if not answers:
            raise ValueError(f"{', '.join(args or known)}: no page is kept yet; crawl on")
        return answers


def _answer(db: sqlite3.Connection, category: str, now: float, by: str | None) -> _Answer | None:
    policy = Fresh()
    memory.teach(policy, db, category, now)
    if not len(policy.pages):
        return None
    recent = list(memory.past_visits(db, category, now - _WINDOW_DAYS * _DAY, now))
    estimates = Estimates(policy, now, recent)
    parts = {"site": estimates.by_site, "section": estimates.by_section}
    days = max((now - recent[0].at) / _DAY, 1.0) if recent else 1.0
    outlook = estimates.outlook(len(recent) / days) if recent else []
    return _Answer(estimates.whole(category), parts[by]() if by else [], outlook)


def _as_json(answer: _Answer) -> dict[str, Any]:
    return {
        **asdict(answer.whole),
        "parts": [asdict(part) for part in answer.parts],
        "outlook": [asdict(each) for each in answer.outlook],
    }


def _show(answers: dict[str, _Answer], by: str | None) -> None:
    console = Console()
    table = Table(title="Estimated freshness; visits of the last 30 days")
    table.add_column(by or "category", overflow="fold")
    for column in ("pages", "fresh", "days old", "missed", "visits", "wasted"):
        table.add_column(column, justify="right")
    for answer in answers.values():
        for row in (answer.whole, *answer.parts):
            table.add_row(*_cells(row))
        if answer.parts:
            table.add_section()
    console.print(table)
    for name, answer in answers.items():
        if not answer.outlook:
            console.print(f"{name}: no page was visited twice yet; another phase shows more")
            continue
        half, same, twice = (f"{each.fresh:.1%}" for each in answer.outlook)
        console.print(
            f"{name}: {answer.outlook[1].per_day:.0f} visits a day keep {same} fresh in the long "
            f"run; half of them {half}, twice as many {twice}"
        )


def _cells(row: Freshness) -> list[str]:
    wasted = f"{row.wasted / row.visits:.0%}" if row.visits else "-"
    return [
        row.name,
        f"{row.pages:,}",
        f"{row.fresh:.1%}",
        f"{row.age:.2f}",
        f"{row.missed:.1f}",
        f"{row.visits:,}",
        wasted,
    ]
