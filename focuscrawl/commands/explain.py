"""``scrapy explain URL``: all that is known of a URL, and why it stands where it does."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from math import isclose
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.frontier import report as frontier
from focuscrawl.frontier.records import KnownUrl, State
from focuscrawl.frontier.schema import FrontierError
from focuscrawl.repository import report as repository
from focuscrawl.repository.engine import RepositoryError
from focuscrawl.repository.report import PageReport, utc
from focuscrawl.scrapy_archive import clock_offset
from focuscrawl.scrapy_orderings import load_ordering, term_names
from focuscrawl.scrapy_ring import store_dir
from focuscrawl.urls import normalise

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


class Command(ScrapyCommand):
    """Reads both stores; changes nothing, also while a crawl runs."""

    requires_project = True
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "[--json] URL"

    def short_desc(self) -> str:
        return "Tell where a URL came from, why it was kept or dropped, and when it is next"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def run(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give one URL")
        url = normalise(args[0])
        if url is None:
            return self._complain(f"{args[0]}: no http(s) URL; give the full address of a page")
        try:
            known, page = self._look_up(url)
        except (FrontierError, RepositoryError, ValueError) as error:
            return self._complain(str(error))
        if not known and page is None:
            return self._complain(f"{url}: in no queue and not in the store; no crawl has met it")
        if opts.json:
            print(json.dumps(_as_json(url, known, page), ensure_ascii=False))
        else:
            print("\n".join(_as_lines(url, known, page)))
        return None

    def _look_up(self, url: str) -> tuple[list[KnownUrl], PageReport | None]:
        assert self.settings is not None
        folder = store_dir(self.settings)
        ordering = load_ordering(self.settings["FOCUSCRAWL_ORDERING"])
        offset = clock_offset(self.settings)
        with (
            frontier.reading(folder / "frontier.sqlite") as queue,
            repository.reading(folder / "repository.sqlite") as store,
        ):
            now = time.time() + offset
            names = term_names(self.settings["FOCUSCRAWL_ORDERING"])
            known = frontier.known_urls(queue, url, repository.crawled(store), ordering, now, names)
            return known, repository.page_report(store, url)

    def _complain(self, message: str) -> None:
        print(message, file=sys.stderr)
        self.exitcode = 1


def next_visit(known: KnownUrl) -> str:
    """When the URL is fetched next, in words."""
    if known.state == State.QUEUED:
        return f"queued, about {known.ahead} before it"
    if known.state == State.LEASED:
        return f"being fetched; free again at {utc(known.due)} if that fails"
    if known.state == State.WAITING:
        return f"tried again at {utc(known.due)}"
    if known.state == State.FAILED:
        return "never: given up"
    if known.alias_of:
        return f"never: stands for {known.alias_of}"
    return "when a phase picks it" if known.kept or known.seed else "never: neither kept nor a seed"


def _as_json(url: str, known: list[KnownUrl], page: PageReport | None) -> dict[str, Any]:
    queues = [
        {
            **asdict(each),
            "state": each.state.name.lower(),
            "found": utc(each.found),
            "visited": utc(each.visited),
            "due": utc(each.due),
            "next": next_visit(each),
        }
        for each in known
    ]
    return {"url": url, "queues": queues, "page": None if page is None else _page_json(page)}


def _page_json(page: PageReport) -> dict[str, Any]:
    times = {
        name: utc(getattr(page, name)) for name in ("first_visit", "last_visit", "last_change")
    }
    visits = [{**asdict(visit), "at": utc(visit.at)} for visit in page.last_visits]
    return {**asdict(page), **times, "last_visits": visits}


def _as_lines(url: str, known: list[KnownUrl], page: PageReport | None) -> list[str]:
    lines = [url]
    for each in known:
        lines += ["", f"queue of {each.category}: {each.state.name.lower()}"]
        lines += [f"  {label:<11} {text}" for label, text in _queue_lines(each)]
    if not known:
        lines += ["", "in no queue"]
    lines += ["", "store"]
    if page is None:
        return [*lines, "  not in the store: no page came from this address"]
    return lines + [f"  {label:<11} {text}" for label, text in _page_lines(page)]


def _queue_lines(known: KnownUrl) -> list[tuple[str, str]]:
    origin = "a seed" if known.seed else known.parent or "unknown"
    terms = " + ".join(f"{name} {value:.4f}" for name, value in known.terms.items())
    priority = f"{known.priority:.4f} = {terms}"
    if known.state == State.QUEUED and not isclose(
        known.priority, known.stored_priority, rel_tol=1e-9, abs_tol=1e-9
    ):
        priority += f"; queued at {known.stored_priority:.4f} by another ordering"
    lines = [
        ("found on", origin),
        ("anchor", f"“{known.anchor}”" if known.anchor else "none"),
        ("place", f"depth {known.depth}, tunnel level {known.level}"),
        ("links", f"{known.parents} parents, {known.occurrences} occurrences"),
        ("priority", priority),
        (
            "visits",
            f"{known.visits}, {known.changes} changes, importance {known.importance:.4f}, "
            f"{known.attempts} failed attempts",
        ),
        ("hint", _hint(known)),
        ("next", next_visit(known)),
    ]
    return [*lines, ("rule", known.rule)] if known.rule else lines


def _hint(known: KnownUrl) -> str:
    if known.said is None or known.trust is None:
        return "none"
    kind, changed = known.said
    return f"{kind} says {'changed' if changed else 'the same'}; trusted {known.trust:.2f}"


def _page_lines(page: PageReport) -> list[tuple[str, str]]:
    ranked = sorted(page.scores.items(), key=lambda item: -item[1])
    lines = [
        ("title", page.title or "none"),
        ("category", page.category or "none: not kept"),
        ("similarity", f"{page.similarity:.4f}, threshold {page.threshold:.4f}"),
        ("scores", ", ".join(f"{name} {score:.4f}" for name, score in ranked)),
        ("rule", page.rule),
        ("visits", f"{page.visits}, {page.changes} changes"),
    ]
    if page.alias_of:
        lines.append(("alias of", page.alias_of))
    lines += [
        (
            "visited",
            f"{utc(visit.at)} by {visit.crawl}, phase {visit.phase}: status {visit.status}, "
            f"change {visit.change}, {visit.category or 'not kept'} {visit.similarity:.4f}",
        )
        for visit in page.last_visits
    ]
    return lines
