"""Incremental phases on the sample web: what hints save, and what they miss.

After a first phase the store is copied. From then on two crawls see the same web at the same
moments: one believes sitemaps, feeds and headers as far as they have earned it, the other
fetches every page of its corpus again. Only visits to pages that were known before are counted;
a sitemap that is read counts as a fetch, an answer "not modified" as none.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from _common import (
    ROOT,
    ChildFailed,
    Figures,
    child_environment,
    finish,
    measured_child,
    options,
    ratio,
    show,
)

sys.path.insert(0, str(ROOT))

from focuscrawl.newsweb.client import RunningNewsweb, running_newsweb

CATEGORY = "sports"
KNOWN_PAGES = 1_000_000
WITHOUT_HINTS: dict[str, object] = {"FOCUSCRAWL_HINTS": False}
TRUE_KINDS = frozenset(("correction", "update", "structure", "roll"))
_SOURCES = re.compile(r"'focuscrawl/sources/(read|bytes|not_modified)': (\d+)")


@dataclass(slots=True)
class Arm:
    """One crawl over the phases: its store, and what it cost and found."""

    store: Path
    settings: dict[str, object]
    revisits: int = 0
    full: int = 0
    bytes: int = 0
    sources: int = 0
    true: int = 0
    found: int = 0
    useful: int = 0
    kept_known: set[str] = field(default_factory=set)

    def crawl(self, web: RunningNewsweb, budget: int) -> None:
        said = run_crawl(web, self.store, budget, self.settings)
        counted = {name: int(number) for name, number in _SOURCES.findall(said)}
        self.sources += counted.get("read", 0)
        self.bytes += counted.get("bytes", 0)

    def judge(self, phase: int, changed: set[str]) -> None:
        """Set the phase's visits against the pages that truly changed since the last phase."""
        visited = rows(
            self.store,
            "SELECT pages.url, visits.status, visits.bytes, visits.change FROM visits "
            "JOIN pages ON pages.id = visits.page "
            "WHERE visits.phase = ? AND visits.change <> 'new'",
            phase,
        )
        again = [row for row in visited if row[0] in self.kept_known]
        self.revisits += len(again)
        self.full += sum(status == 200 for _, status, _, _ in again)
        self.bytes += sum(size for _, _, size, _ in again)
        due = changed & self.kept_known
        self.true += len(due)
        self.found += len({url for url, _, _, change in again if change == "content"} & due)
        self.useful += sum(url in due for url, status, _, _ in again if status == 200)

    def remember(self) -> None:
        found = rows(
            self.store,
            "SELECT url FROM pages WHERE category = ? AND alias_of IS NULL",
            CATEGORY,
        )
        self.kept_known = {url for (url,) in found}


def run_crawl(web: RunningNewsweb, store: Path, budget: int, given: dict[str, object]) -> str:
    settings = {
        "FOCUSCRAWL_DIR": store,
        "FOCUSCRAWL_BUDGET": budget,
        "FOCUSCRAWL_PROGRESS": False,
        "FOCUSCRAWL_CLOCK_OFFSET": f"{web.clock() - time.time():.0f}",
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "HTTPPROXY_ENABLED": False,
        **given,
    }
    command = [sys.executable, "-m", "scrapy", "crawl", CATEGORY]
    command += ["-a", f"seeds={','.join(web.seeds(CATEGORY))}"]
    command += [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
    environment = {**child_environment(), "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChildFailed(f"crawl of {CATEGORY}: {done.stderr[-400:]}")
    return done.stderr


def rows(store: Path, query: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store / "repository.sqlite")) as database:
        return database.execute(query, values).fetchall()


def compare(phases: int, hours: float, budget: int) -> tuple[Arm, Arm]:
    with running_newsweb() as web, tempfile.TemporaryDirectory() as folder:
        plain = Arm(Path(folder) / "plain", WITHOUT_HINTS)
        plain.crawl(web, budget)
        hinted = Arm(Path(folder) / "hints", {})
        shutil.copytree(plain.store, hinted.store)
        later_phases(web, (hinted, plain), phases, hours, 3 * budget)
    return hinted, plain


def dynamicity(phases: int, hours: float, budget: int) -> tuple[Arm, Arm]:
    """With fetches for a part of the known pages: which changes should raise a page?"""
    with running_newsweb() as web, tempfile.TemporaryDirectory() as folder:
        arms = [
            Arm(Path(folder) / name, {**WITHOUT_HINTS, "FOCUSCRAWL_DYNAMICITY": name})
            for name in ("content", "all")
        ]
        for arm in arms:
            arm.crawl(web, 3 * budget)
        later_phases(web, arms, phases, hours, budget)
    return arms[0], arms[1]


def later_phases(
    web: RunningNewsweb, arms: Sequence[Arm], phases: int, hours: float, budget: int
) -> None:
    for phase in range(2, phases + 1):
        since = web.clock()
        web.advance(hours)
        changed = {row["url"] for row in web.changes(since) if row["kind"] in TRUE_KINDS}
        for arm in arms:
            arm.remember()
            arm.crawl(web, budget)
            arm.judge(phase, changed)


def row(name: str, arm: Arm) -> Sequence[float | int | str]:
    return (
        name,
        arm.revisits,
        arm.full,
        arm.sources,
        arm.bytes,
        arm.true,
        arm.found / max(arm.true, 1),
        arm.useful / max(arm.full, 1),
    )


def main(argv: Sequence[str] | None = None) -> None:
    chosen = options(__doc__ or "", argv)
    hinted, plain = compare(3, 6, 150) if chosen.quick else compare(8, 6, 300)
    columns = ("crawl", "revisits", "full", "sitemaps", "bytes", "true changes", "found", "useful")
    show("Phases 6 hours apart", columns, [row("hints", hinted), row("none", plain)])
    million = measured_child("_phases_child.py", str(KNOWN_PAGES), timeout=300)
    figures: Figures = {
        "changes_found": hinted.found / max(hinted.true, 1),
        "useful_fetches": hinted.useful / max(hinted.full, 1),
        "fetches_saved": 1 - (hinted.full + hinted.sources) / max(plain.full, 1),
        "bytes_saved": 1 - hinted.bytes / max(plain.bytes, 1),
        "reorder_s_1m": million["reorder"],
        "pagerank_ratio": ratio(million["pagerank"], million["reorder"]),
        "changes_found_without_hints": plain.found / max(plain.true, 1),
        "useful_fetches_without_hints": plain.useful / max(plain.full, 1),
        "pagerank_s_1m": million["pagerank"],
        "phases": 3 if chosen.quick else 8,
    }
    if not chosen.quick:
        topical, every = dynamicity(7, 6, 120)
        title = "Fetches for a part of the known pages: changes that raise a page"
        show(title, columns, [row("of the content", topical), row("all", every)])
        figures["tight_found_content"] = topical.found / max(topical.true, 1)
        figures["tight_found_all"] = every.found / max(every.true, 1)
    finish(figures, chosen.json)


if __name__ == "__main__":
    main()
