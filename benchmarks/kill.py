"""Kill -9 in the middle of a crawl, again and again, and count what was lost.

The site is a tree in which every page is linked from its parent alone, so a lost URL loses all
below it. The site counts the fetches. After the last kill the crawl runs to its end; then every
page must have been fetched, hardly any twice, and the stores must be whole.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from _common import Figures, child_environment, finish, options, show
from _static_site import TOPIC_WORDS, RunningSite, Site, running_site

CONCURRENCY = 16
LONGEST_RUN = 600.0
# Where a row may stand once only: file, table, columns.
UNIQUE = (
    ("repository.sqlite", "pages", "url"),
    ("frontier.sqlite", "urls", "category, url"),
)


@dataclass(slots=True)
class Ledger:
    """Fetches by path, and how many pages each kill made be fetched again.

    A second fetch is the fault of the kill that ended the last run in which the page had been
    fetched: a run that is killed while it starts leaves the refetches to the run after it.
    """

    counts: dict[str, int] = field(default_factory=dict)
    last_run: dict[str, int] = field(default_factory=dict)
    refetched: list[int] = field(default_factory=list)

    def close_run(self, counts: Mapping[str, int]) -> None:
        run = len(self.refetched)
        self.refetched.append(0)
        pages = {path: number for path, number in counts.items() if path.startswith("/news/")}
        for path, number in pages.items():
            before = self.counts.get(path, 0)
            if number == before:
                continue
            if before:
                self.refetched[self.last_run[path]] += 1
            self.refetched[run] += number - before - 1
            self.last_run[path] = run
        self.counts = pages


def start_crawl(folder: Path, site: RunningSite) -> subprocess.Popen[bytes]:
    category = folder / "tree.toml"
    words = ", ".join(f'"{word}"' for word in TOPIC_WORDS)
    category.write_text(
        f'words = [{words}]\nseeds = ["{site.first}"]\nthreshold = 0.0001\n', encoding="utf-8"
    )
    settings = {
        "FOCUSCRAWL_DIR": folder / "store",
        "FOCUSCRAWL_BUDGET": 10 * site.site.pages,
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "WARNING",
        "LOG_FILE": folder / "crawl.log",
    }
    command = [sys.executable, "-m", "scrapy", "crawl", "topic"]
    command += ["-a", f"category={category}", "-a", f"seeds={site.first}"]
    command += [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
    environment = {**child_environment(), "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    with (folder / "output.txt").open("ab") as output:
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )


def kill_after(
    crawl: subprocess.Popen[bytes], site: RunningSite, fetches: int, pause: float
) -> bool:
    """Kill once so many more fetches were made, and a moment more; False: it ended before."""
    goal = sum(site.counts().values()) + fetches
    deadline = time.monotonic() + LONGEST_RUN
    while crawl.poll() is None and time.monotonic() < deadline:
        if sum(site.counts().values()) >= goal:
            time.sleep(pause)
            os.kill(crawl.pid, signal.SIGKILL)
            return crawl.wait() == -signal.SIGKILL
        time.sleep(0.01)
    crawl.kill()
    crawl.wait()
    return False


def kill_and_resume(folder: Path, site: RunningSite, kills: int, seed: int) -> tuple[Ledger, int]:
    """Each run gets a random share of what is left, so that no run ends before its kill."""
    rng = random.Random(seed)
    ledger, done = Ledger(), 0
    for number in range(kills):
        left = site.site.pages - len(ledger.counts)
        at_start = number % 5 == 4
        fetches = 0 if at_start else round(left / (kills - number + 1) * rng.uniform(0.5, 1.2))
        pause = rng.uniform(0.5, 1.2) if at_start else rng.uniform(0, 0.05)
        done += kill_after(start_crawl(folder, site), site, fetches, pause)
        ledger.close_run(site.counts())
    crawl = start_crawl(folder, site)
    try:
        crawl.wait(timeout=LONGEST_RUN)
    finally:
        crawl.kill()
        crawl.wait()
    ledger.close_run(site.counts())
    return ledger, done


def integrity(store: Path) -> str:
    """'ok', or what SQLite says of the first file that is not."""
    files = sorted(store.glob("*.sqlite"))
    for path in files:
        with closing(sqlite3.connect(path)) as database:
            (verdict,) = database.execute("PRAGMA integrity_check").fetchone()
        if verdict != "ok":
            return f"{path.name}: {verdict}"
    return "ok" if files else "no store was written"


def duplicate_rows(store: Path) -> int:
    found = 0
    for name, table, columns in UNIQUE:
        with closing(sqlite3.connect(store / name)) as database:
            (number,) = database.execute(
                f"SELECT count(*) FROM (SELECT 1 FROM {table} GROUP BY {columns} "
                "HAVING count(*) > 1)"
            ).fetchone()
        found += number
    return found


def stored_pages(store: Path) -> int:
    with closing(sqlite3.connect(store / "repository.sqlite")) as database:
        (number,) = database.execute("SELECT count(*) FROM pages").fetchone()
    return int(number)


def run(pages: int, kills: int, seed: int = 9) -> Figures:
    layout = Site(pages=pages, size=2_000, fanout=5, extra_links=0)
    with running_site(layout) as site, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        ledger, done = kill_and_resume(folder, site, kills, seed)
        store = folder / "store"
        verdict = integrity(store)
        if verdict == "no store was written":
            output = (folder / "output.txt").read_text(encoding="utf-8", errors="replace")
            raise SystemExit(f"the crawl wrote no store; it said: {output[-600:]}")
        return {
            "lost": pages - len(ledger.counts),
            "not_stored": pages - stored_pages(store),
            "refetched": sum(ledger.refetched),
            "refetch_per_kill_max": max(ledger.refetched),
            "kills": done,
            "duplicate_rows": duplicate_rows(store),
            "integrity": verdict,
            "pages": pages,
            "concurrency": CONCURRENCY,
        }


def main(argv: Sequence[str] | None = None) -> None:
    chosen = options(__doc__ or "", argv)
    figures = run(pages=600, kills=5) if chosen.quick else run(pages=4000, kills=20)
    show("kill -9 and resume", tuple(figures), [tuple(figures.values())])
    finish(figures, chosen.json)
    whole = figures["lost"] == figures["duplicate_rows"] == 0 and figures["integrity"] == "ok"
    if not whole or int(figures["refetch_per_kill_max"] or 0) > CONCURRENCY:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
