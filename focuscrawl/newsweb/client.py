"""Start the sample web as a child process and ask it: for the demo, tests and benchmarks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

import focuscrawl
from focuscrawl.newsweb.sites import site_plans

Record = dict[str, Any]
_opener = build_opener(ProxyHandler({}))  # loopback never goes through a proxy


class NewswebError(RuntimeError):
    """The sample web did not start."""


@dataclass(frozen=True, slots=True)
class RunningNewsweb:
    """A sample web that serves; its addresses and what is true of it."""

    sites: dict[str, str]
    truth_url: str
    process: subprocess.Popen[str]

    def truth(self) -> dict[str, Record]:
        """Every page's record by address, at the present moment of the virtual clock."""
        return {record["url"]: record for record in self._ask("/truth")["pages"]}

    def record(self, url: str) -> Record | None:
        """The record of a page under any spelling of its address, traps included."""
        found: Record | None = self._ask("/truth", url=url)["page"]
        return found

    def advance(self, hours: float) -> Record:
        """Move the clock forward; ``changes`` in the answer counts the true changes."""
        return self._ask("/advance", hours=hours)

    def changes(self, since: float = 0) -> list[Record]:
        """The true changes after a moment (seconds since the epoch, as ``clock`` gives it)."""
        rows: list[Record] = self._ask("/changes", since=since)["changes"]
        return rows

    def clock(self) -> int:
        """The virtual time in seconds since the epoch."""
        return int(self._ask("/clock")["now"])

    def log(self) -> Record:
        """What was fetched: counts per site, and every request in order."""
        return self._ask("/log")

    def reset_log(self) -> None:
        """Start the log afresh."""
        self._ask("/reset-log")

    def seeds(self, category: str) -> list[str]:
        """Where a demo crawl starts: all home pages, and one site's section of the category."""
        found = [f"{base}/" for base in self.sites.values()]
        for name, plan in site_plans().items():
            for section in plan.sections:
                if section.topics == {category}:
                    return [*found, self.sites[name] + plan.list.format(slug=section.slug)]
        return found

    def stop(self) -> None:
        """End the child process; doing so twice does no harm."""
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def _ask(self, path: str, **query: object) -> Record:
        with _opener.open(f"{self.truth_url}{path}?{urlencode(query)}", timeout=60) as answer:
            found: Record = json.load(answer)
            return found


@contextmanager
def running_newsweb(
    seed: int = 7, pages: int | None = None, port: int = 0, latency: dict[str, int] | None = None
) -> Iterator[RunningNewsweb]:
    """A child process for the length of a with-block. ``latency`` is in ms per site name."""
    command = [sys.executable, "-m", "focuscrawl.newsweb", "--seed", str(seed), "--port", str(port)]
    if pages is not None:
        command += ["--pages", str(pages)]
    for site, delay in (latency or {}).items():
        command += ["--latency", f"{site}={delay}"]
    pipe = subprocess.PIPE
    child = subprocess.Popen(  # noqa: S603 - our own module
        command, stdin=pipe, stdout=pipe, text=True, env=_environment()
    )
    web = RunningNewsweb({}, "", child)
    try:
        line = child.stdout.readline() if child.stdout else ""
        if not line:
            code = child.wait()
            raise NewswebError(f"the sample web ended with code {code}; see its message above")
        addresses = json.loads(line)
        web = RunningNewsweb(addresses["sites"], addresses["truth"], child)
        yield web
    finally:
        web.stop()


def _environment() -> dict[str, str]:
    """The child must find this package wherever the parent was started."""
    root = str(Path(focuscrawl.__file__).parent.parent)
    known = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, known] if known else [root])}
