"""A static news site on loopback, made once in memory and served by a process of its own.

It answers with bytes that were ready before the first request, so that a benchmark on the same
machine measures the crawler and not the site. It counts every fetch; /-/counts tells them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from _common import HERE, child_environment

COUNTS_PATH = "/-/counts"
SUBJECTS = (
    "the minister of finance|the coach|the hospital board|a software company|the central bank"
    "|police in the capital|the opposition|the striker|researchers|the city council|the court"
    "|the health ministry|an election monitor|the airline|farmers in the north|the regulator"
).split("|")
VERBS = (
    "announced|rejected|defended|postponed|investigated|welcomed|signed|criticised|published"
    "|confirmed|questioned|measured|financed|won|lost|opened"
).split("|")
OBJECTS = (
    "a new budget for schools|the vaccine trial|the transfer of a young player|a market rescue"
    "|the parliamentary inquiry|a network upgrade|the murder trial|the tournament schedule"
    "|a treaty on trade|the data breach|the interest rate|a hospital merger|the coalition deal"
    "|an export ban|the final of the cup|a tax on fuel"
).split("|")
TAILS = (
    "on Monday|after weeks of talks|despite heavy losses|in front of thousands of supporters"
    "|as prices kept rising|before the vote|for the second time this year|without giving details"
    "|in a statement to reporters|while unions called for a strike|under pressure from investors"
    "|following a report by auditors"
).split("|")
# The stems of these words stand on every page: a topic made of them keeps the whole site.
TOPIC_WORDS = ("market", "minister", "trial", "vaccine", "tournament", "network", "budget", "vote")


@dataclass(frozen=True, slots=True)
class Site:
    """Page i has the children fanout·i+1 … fanout·(i+1): a tree, so every page is reachable."""

    pages: int
    size: int
    fanout: int
    extra_links: int
    seed: int = 7

    def path(self, page: int) -> str:
        return f"/news/{page % 7}/article-{page}.html"

    def links(self, page: int) -> list[int]:
        first = page * self.fanout + 1
        children = list(range(first, min(first + self.fanout, self.pages)))
        wanted = self.extra_links + (self.fanout - len(children) if self.extra_links else 0)
        rng = random.Random(self.seed * 1_000_003 + page)
        return children + [rng.randrange(self.pages) for _ in range(wanted)]


def sentence(rng: random.Random) -> str:
    parts = (rng.choice(SUBJECTS), rng.choice(VERBS), rng.choice(OBJECTS), rng.choice(TAILS))
    return " ".join(parts).capitalize() + "."


def render(site: Site, page: int, paragraphs: list[str]) -> bytes:
    rng = random.Random(site.seed * 7_919 + page)
    anchors = [f'<a href="{site.path(to)}">{sentence(rng)}</a>' for to in site.links(page)]
    title = f"{sentence(rng)} Report {page}"
    parts = [
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><header><h1>{title}</h1><p>{' '.join(TOPIC_WORDS)} {page}</p></header><main>"
    ]
    length = len(parts[0]) + sum(map(len, anchors)) + 40 * len(anchors)
    while anchors or length < site.size:
        parts.append(f"<section><h2>{sentence(rng)}</h2>")
        for _ in range(3):
            paragraph = rng.choice(paragraphs) if length < site.size else ""
            link = anchors.pop() if anchors else ""
            parts.append(f'<p class="story">{paragraph} {link}</p>')
            length += len(paragraph) + 30
        parts.append("</section>")
    parts.append("</main><footer><p>All pages of this site are made up.</p></footer></body></html>")
    return "".join(parts).encode()


def answer(body: bytes, kind: str = "text/html; charset=utf-8", status: str = "200 OK") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def responses(site: Site) -> dict[bytes, bytes]:
    rng = random.Random(site.seed)
    paragraphs = [" ".join(sentence(rng) for _ in range(6)) for _ in range(2000)]
    pages = {
        site.path(page).encode(): answer(render(site, page, paragraphs))
        for page in range(site.pages)
    }
    return {**pages, b"/robots.txt": answer(b"User-agent: *\nDisallow: /private/\n", "text/plain")}


class Server(asyncio.Protocol):
    """HTTP/1.1 as far as a crawler needs it: GET, keep-alive, several requests in one packet."""

    missing = answer(b"not here", "text/plain", "404 Not Found")

    def __init__(self, ready: dict[bytes, bytes], counts: Counter[str]) -> None:
        self.ready = ready
        self.counts = counts
        self.rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self.rest = (self.rest + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1]
            if path == COUNTS_PATH.encode():
                body = answer(json.dumps(self.counts).encode(), "application/json")
            else:
                self.counts[path.decode("latin-1")] += 1
                body = self.ready.get(path, self.missing)
            self.transport.write(body)


async def serve(site: Site) -> None:
    ready, counts = responses(site), Counter[str]()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Server(ready, counts), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


@dataclass(frozen=True, slots=True)
class RunningSite:
    base: str
    site: Site

    @property
    def netloc(self) -> str:
        return self.base.removeprefix("http://")

    @property
    def first(self) -> str:
        return self.base + self.site.path(0)

    def counts(self) -> dict[str, int]:
        """Fetches so far by path; robots.txt and unknown paths are counted too."""
        with urllib.request.urlopen(self.base + COUNTS_PATH, timeout=10) as reply:
            counted: dict[str, int] = json.load(reply)
        return counted


@contextmanager
def running_site(site: Site) -> Iterator[RunningSite]:
    numbers = (site.pages, site.size, site.fanout, site.extra_links, site.seed)
    child = subprocess.Popen(
        [sys.executable, str(HERE / "_static_site.py"), *map(str, numbers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=child_environment(),
        text=True,
    )
    try:
        port = child.stdout.readline().strip() if child.stdout else ""
        if not port:
            raise RuntimeError("the static site did not start: see its error above")
        yield RunningSite(f"http://127.0.0.1:{port}", site)
    finally:
        child.communicate(timeout=10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", type=int, nargs=5, help="pages size fanout extra_links seed")
    asyncio.run(serve(Site(*parser.parse_args().numbers)))
