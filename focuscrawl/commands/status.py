"""``scrapy status``: what is stored, per category; learned terms can be withdrawn here."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.frontier import report as frontier
from focuscrawl.frontier.records import State
from focuscrawl.frontier.schema import FrontierError
from focuscrawl.relevance.thresholds import resting_thresholds
from focuscrawl.repository import report as repository
from focuscrawl.repository.engine import RepositoryError
from focuscrawl.repository.report import CategoryReport, utc
from focuscrawl.repository.store import Repository
from focuscrawl.scrapy_ring import store_dir
from focuscrawl.topics.catalog import load_catalog

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

FILES = ("frontier.sqlite", "repository.sqlite")
_NO_QUEUE = {state.name.lower(): 0 for state in State}


class StatusError(ValueError):
    """What was asked for is not in the store; the message says what is."""


class Command(ScrapyCommand):
    """Reads both stores; writes only to withdraw terms."""

    requires_project = True
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "[--json] [CATEGORY] | --withdraw CATEGORY:stem[,stem]"

    def short_desc(self) -> str:
        return "Show what is stored, per category, and what was learned"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")
        parser.add_argument(
            "--withdraw", metavar="CATEGORY:STEMS", help="take learned terms out for good"
        )

    def run(self, args: list[str], opts: Namespace) -> None:
        if len(args) > 1 or (args and opts.withdraw):
            raise UsageError("give one category, or none, or --withdraw alone")
        assert self.settings is not None
        folder = store_dir(self.settings)
        try:
            if opts.withdraw:
                print(_withdraw(folder, opts.withdraw))
                return
            found = _status(folder, args[0] if args else None)
        except (StatusError, FrontierError, RepositoryError) as error:
            print(error, file=sys.stderr)
            self.exitcode = 1
            return
        print(json.dumps(found, ensure_ascii=False) if opts.json else "\n".join(_as_lines(found)))


def _withdraw(folder: Path, wanted: str) -> str:
    """Check against what was learned first: a misspelt stem must withdraw nothing."""
    category, _, listed = wanted.partition(":")
    stems = [stem.strip() for stem in listed.split(",") if stem.strip()]
    if not category or not stems:
        raise StatusError(f"--withdraw {wanted}: give CATEGORY:stem[,stem]")
    path = folder / "repository.sqlite"
    with repository.reading(path) as db:
        learned = [term.stem for term in repository.category_report(db, category).terms]
    unknown = [stem for stem in stems if stem not in learned]
    if unknown:
        raise StatusError(
            f"--withdraw {wanted}: {category} has not learned {', '.join(unknown)}; "
            f"learned are: {', '.join(learned) or 'none'}"
        )
    store = Repository(path)
    try:
        store.learned.withdraw(category, stems)
    finally:
        store.close()
    return f"{category}: withdrawn for good: {', '.join(stems)}"


def _status(folder: Path, category: str | None) -> dict[str, Any]:
    with frontier.reading(folder / FILES[0]) as queue:
        sizes = frontier.queue_sizes(queue)
    with repository.reading(folder / FILES[1]) as store:
        names = sorted({*repository.crawled(store), *sizes})
        if category is not None and category not in names:
            known = ", ".join(names) or "nothing yet"
            raise StatusError(f"category {category!r} is not in the store; stored: {known}")
        chosen = names if category is None else [category]
        reports = [repository.category_report(store, name) for name in chosen]
    resting = resting_thresholds(load_catalog().values())
    return {
        "store": str(folder),
        "files": {name: (folder / name).stat().st_size for name in FILES},
        "categories": {
            each.category: _category(each, sizes.get(each.category, _NO_QUEUE), resting)
            for each in reports
        },
    }


def _category(
    report: CategoryReport, queue: dict[str, int], resting: dict[str, float]
) -> dict[str, Any]:
    found = asdict(report)
    del found["category"]
    if report.threshold is None:
        found |= {
            "threshold": resting.get(report.category),
            "threshold_source": "default",
        }
    for phase in found["phases"]:
        phase |= {name: utc(phase[name]) for name in ("started", "ended")}
    return {**found, "queue": queue}


def _as_lines(status: dict[str, Any]) -> list[str]:
    sizes = ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in status["files"].items())
    lines = [f"store {status['store']}: {sizes}"]
    if not status["categories"]:
        lines.append("nothing stored yet; start with: scrapy crawl sports")
    for name, found in status["categories"].items():
        lines += ["", name, *(f"  {label:<10} {text}" for label, text in _category_lines(found))]
    return lines


def _category_lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    queue = ", ".join(f"{count} {state}" for state, count in found["queue"].items())
    threshold = found["threshold"]
    shown = "" if threshold is None else f"{threshold:.4f} "
    lines = [
        ("pages", f"{found['kept']} kept, {found['aliases']} aliases"),
        ("visits", f"{found['visits']}, {found['changes']} changes"),
        ("queue", queue),
        ("threshold", f"{shown}({found['threshold_source']})"),
    ]
    for phase in found["phases"]:
        harvest = "-" if phase["harvest"] is None else f"{phase['harvest']:.0%}"
        end = f"{phase['reason']} {phase['ended']}" if phase["ended"] else "open"
        lines.append(
            (
                f"phase {phase['number']}",
                f"{phase['fetched']} fetched, {phase['kept']} kept, harvest {harvest}, {end}",
            )
        )
    if found["terms"]:
        lines.append(("learned", ", ".join(_term(term) for term in found["terms"])))
    return lines


def _term(term: dict[str, Any]) -> str:
    withdrawn = ", withdrawn" if term["withdrawn"] else ""
    return f"{term['stem']} (phase {term['phase']}, count {term['count']}{withdrawn})"
