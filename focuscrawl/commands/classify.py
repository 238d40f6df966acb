"""``scrapy classify``: which category a text belongs to, without a crawl."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from scrapy import Request, Spider
from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.http import HtmlResponse, Response, TextResponse
from w3lib.url import is_url

from focuscrawl.relevance.classifier import Classifier, Decision
from focuscrawl.relevance.documents import Document, DocumentError, from_body, from_json_line
from focuscrawl.relevance.thresholds import resting_thresholds
from focuscrawl.relevance.vectors import SCHEMES, TopicVectors
from focuscrawl.topics.catalog import load_catalog
from focuscrawl.topics.category import CategoryError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from twisted.python.failure import Failure

HTML_SUFFIXES = {".html", ".htm", ".xhtml"}

FETCH_SETTINGS: dict[str, Any] = {
    "ADDONS": {},
    "DOWNLOADER_MIDDLEWARES": {},
    "EXTENSIONS": {},
    "ITEM_PIPELINES": {},
    "LOG_LEVEL": "CRITICAL",
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "SPIDER_MIDDLEWARES": {},
}
"""Fetching a page to look at it must leave the crawl's frontier and store alone."""


class Command(ScrapyCommand):
    """Classify files, URLs or JSON lines with the shipped categories and any given ones."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "[options] FILE_OR_URL ... | --jsonl < documents.jsonl"

    def short_desc(self) -> str:
        return "Tell which category files, URLs or JSON lines belong to"

    def long_desc(self) -> str:
        return (
            "Classify files and URLs, or with --jsonl one JSON object a line from standard input: "
            "id, and html or text, and the anchor text that led to it if there is one. Each is "
            "answered by id, category, similarity, scores for every category, kept."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="Classification")
        group.add_argument("--jsonl", action="store_true", help="read JSON lines from stdin")
        group.add_argument("--json", action="store_true", help="answer in JSON lines, no table")
        group.add_argument(
            "--scheme", choices=SCHEMES, default=SCHEMES[0], help="term weights (%(default)s)"
        )
        group.add_argument(
            "--category", action="append", default=[], metavar="FILE", help="a topic of your own"
        )

    def run(self, args: list[str], opts: Namespace) -> None:
        if bool(args) == opts.jsonl:
            raise UsageError("give files or URLs, or --jsonl and documents on standard input")
        try:
            catalog = load_catalog(opts.category)
        except CategoryError as error:
            raise UsageError(str(error), print_help=False) from None
        vectors = TopicVectors(catalog.values(), opts.scheme)
        classifier = Classifier(vectors, resting_thresholds(catalog.values()))
        documents = self._from_stdin() if opts.jsonl else self._from_names(args)
        answers = ((doc, classifier.decide(doc.counts, doc.anchor)) for doc in documents)
        if opts.jsonl or opts.json:
            _print_lines(answers)
        else:
            _print_table(answers)

    def _complain(self, message: str) -> None:
        print(message, file=sys.stderr)
        self.exitcode = 1

    def _from_stdin(self) -> Iterator[Document]:
        for number, line in enumerate(sys.stdin.buffer, 1):
            if not line.strip():
                continue
            try:
                yield from_json_line(line)
            except DocumentError as error:
                self._complain(f"line {number}: {error}")

    def _from_names(self, names: list[str]) -> Iterator[Document]:
        fetched = self._fetch([name for name in names if is_url(name)])
        for name in names:
            if name in fetched:
                yield fetched[name]
            elif not is_url(name):
                yield from self._from_file(Path(name))

    def _from_file(self, path: Path) -> Iterator[Document]:
        try:
            body = path.read_bytes()
        except OSError as error:
            self._complain(f"{path}: {error.strerror}; give a file or an http(s) URL")
        else:
            yield from_body(str(path), body, path.suffix.lower() in HTML_SUFFIXES or None)

    def _fetch(self, urls: list[str]) -> dict[str, Document]:
        """The documents at the URLs that answer with text; the others are complained about."""
        fetched: dict[str, Document] = {}
        if urls:
            assert self.settings is not None
            settings = self.settings.copy()
            settings.setdict(FETCH_SETTINGS, priority="cmdline")
            process = AsyncCrawlerProcess(settings)
            process.crawl(FetchSpider, urls=urls, fetched=fetched, complain=self._complain)
            process.start()
        return fetched


class FetchSpider(Spider):
    """Fetches the given URLs once and turns each into a document, or what ``read`` makes of it."""

    name = "classify"
    urls: list[str]
    fetched: dict[str, Any]
    complain: Any
    read: Any = staticmethod(from_body)

    async def start(self) -> AsyncIterator[Request]:
        for url in dict.fromkeys(self.urls):
            yield Request(url, errback=self.failed, cb_kwargs={"name": url}, dont_filter=True)

    async def parse(self, response: Response, name: str) -> None:
        if isinstance(response, TextResponse):
            is_html = isinstance(response, HtmlResponse) or None
            self.fetched[name] = self.read(name, response.text, is_html)
        else:
            self.complain(f"{name}: no text; give the URL of a page")

    async def failed(self, failure: Failure) -> None:
        name = failure.request.cb_kwargs["name"]  # type: ignore[attr-defined]
        reason = " ".join(failure.getErrorMessage().split())
        self.complain(f"{name}: not fetched: {reason}")


def _print_lines(answers: Iterable[tuple[Document, Decision]]) -> None:
    """One JSON object a line, each written as soon as it is known."""
    try:
        for document, decision in answers:
            sys.stdout.write(json.dumps(_answer(document, decision)) + "\n")
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough (`| head`)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answer(document: Document, decision: Decision) -> dict[str, Any]:
    return {
        "id": document.id,
        "category": decision.category,
        "similarity": round(decision.similarity, 6),
        "scores": {name: round(score, 6) for name, score in decision.scores.items()},
        "kept": decision.kept,
    }


def _print_table(answers: Iterable[tuple[Document, Decision]]) -> None:
    table = Table("document", "category", "similarity", "why")
    for document, decision in answers:
        table.add_row(
            Text(str(document.id), overflow="fold"),
            decision.category or "-",
            f"{decision.similarity:.3f}",
            decision.rule,
        )
    if table.row_count:
        Console().print(table)
