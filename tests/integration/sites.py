"""Small web sites on loopback that note every request, and crawls of them as child processes."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 40.0
TOPIC = "lighthouses"
_WORDS = ("lighthouse", "keeper", "lamp", "harbour", "beacon", "coast", "signal", "rock")
_ISLANDS = ("Arran", "Barra", "Colonsay", "Danna", "Eigg", "Fuday", "Gigha", "Hoy")
_STAT = re.compile(r"'focuscrawl/([\w/]+)': (\d+)")


class Answer(NamedTuple):
    """What a site says to one request."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = {}


class Hit(NamedTuple):
    """One request as the site saw it, at the moment before it was answered."""

    at: float
    path: str
    headers: Mapping[str, str]
    status: int


Says = Answer | Callable[[], Answer]


class Site:
    """Answers by path, which a test may replace between crawls; all else is 404."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.answers: dict[str, Says] = {}
        self.hits: list[Hit] = []

    def url(self, path: str) -> str:
        return self.address + path

    def publish(self, pages: Mapping[str, str | Says], robots: str | Says = "") -> None:
        for path, says in {**pages, "/robots.txt": robots}.items():
            self.answers[path] = Answer(says) if isinstance(says, str) else says

    def answer(self, path: str, headers: Mapping[str, str]) -> Answer:
        """A page with validators is not sent again to one who names them all."""
        says = self.answers.get(path, Answer("no such page", 404))
        found = says() if callable(says) else says
        known = found.headers.get("ETag"), found.headers.get("Last-Modified")
        asked = headers.get("if-none-match"), headers.get("if-modified-since")
        if any(asked) and asked == known:
            found = Answer(status=304)
        self.hits.append(Hit(time.monotonic(), path, headers, found.status))
        return found

    def take_hits(self) -> list[Hit]:
        """The requests since the last call, but for robots.txt."""
        hits, self.hits = self.hits, []
        return [hit for hit in hits if hit.path != "/robots.txt"]


def paths(hits: Iterable[Hit]) -> set[str]:
    return {hit.path for hit in hits}


@contextmanager
def running_site() -> Iterator[Site]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    site = Site(f"http://127.0.0.1:{server.server_address[1]}")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = {name.lower(): value for name, value in self.headers.items()}
            body, status, headers = site.answer(self.path, sent)
            self.send_response(status)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode() if isinstance(body, str) else body)

        def log_message(self, *_: object) -> None:
            """The site keeps a list of its own."""

    server.RequestHandlerClass = Handler
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def running_sites(names: Iterable[str]) -> Iterator[dict[str, Site]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(running_site()) for name in names}


# -- what stands on the sites ---------------------------------------------------------


def story(
    name: str, links: Iterable[str] = (), *, version: int = 0, place: int = 0, head: str = ""
) -> str:
    """A page on the topic with a text of its own; later versions rewrite one of its entries."""
    entries = [
        f"The {word} of {island} stands in entry {number} of the log of {name}, where the keeper "
        "of the lighthouse wrote it down."
        for number, (word, island) in enumerate(zip(_WORDS, _ISLANDS, strict=True))
    ]
    if version:
        entries[place] = f"In edition {version} the keeper tells another story of that night."
    body = "".join(f'<p class="entry-{at}">{entry}</p>' for at, entry in enumerate(entries))
    anchors = "".join(f'<li><a href="{link}">Lighthouse keeper {link}</a></li>' for link in links)
    return (
        f"<!doctype html><html><head><title>Lighthouse {name}</title>{head}</head><body><main>"
        f"<h1>The lighthouse and its keeper: {name}</h1>{body}<ul>{anchors}</ul>"
        "</main></body></html>"
    )


def once(first: Answer, then: Answer) -> Callable[[], Answer]:
    """Says the one thing, and from then on the other."""
    said = iter([first])
    return lambda: next(said, then)


# -- crawls ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A crawl that ended: what it said, and its own statistics."""

    stderr: str
    stats: Mapping[str, int]

    def stat(self, name: str) -> int:
        return self.stats.get(name, 0)


def start(folder: Path, seeds: Iterable[str], **settings: object) -> subprocess.Popen[str]:
    """``scrapy crawl topic`` with a topic in a file, as a user would start it."""
    topic = folder / f"{TOPIC}.toml"
    topic.write_text(f"words = {list(_WORDS)}\nseeds = {json.dumps(list(seeds))}\n", "utf-8")
    given = {"FOCUSCRAWL_DIR": folder / "store", "DOWNLOAD_DELAY": 0, **settings}
    command = [sys.executable, "-m", "scrapy", "crawl", "topic", "-a", f"category={topic}"]
    command += [part for key, value in given.items() for part in ("-s", f"{key}={value}")]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


def outcome(child: subprocess.Popen[str], patience: float = PATIENCE) -> Run:
    """Wait for the end; a crawl that hangs fails its test instead of stopping the suite."""
    try:
        _, err = child.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        child.kill()
        _, err = child.communicate()
        pytest.fail(f"not done after {patience:.0f} s; it said: {err[-2000:]}")
    assert child.returncode == 0, err
    assert "Traceback" not in err, err
    return Run(err, {name: int(number) for name, number in _STAT.findall(err)})


def crawl(
    folder: Path, sites: Iterable[Site], patience: float = PATIENCE, **settings: object
) -> Run:
    """Crawl sites from their home pages to the end."""
    return outcome(start(folder, [site.url("/") for site in sites], **settings), patience)


def ask(folder: Path, store: str, query: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "store" / f"{store}.sqlite")) as database:
        return database.execute(query, values).fetchall()
