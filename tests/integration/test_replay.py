"""Two phases of the sample web, recorded and then replayed when nobody serves it any longer."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.archive.archive import Archive, archive_files
from focuscrawl.newsweb.client import RunningNewsweb, running_newsweb

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0
HOURS = 24
GUARD = """
import socket
def refuse(self, address, *more):
    with open({log!r}, "a") as log:
        log.write(f"{{address}}\\n")
    raise OSError("a replay tried to reach somebody")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = lambda *asked: refuse(None, asked)
"""


@dataclass(frozen=True)
class Recorded:
    """Where the recording lies, what the crawl had stored after each phase, and when it ended."""

    folder: Path
    seeds: str
    stored: list[list[tuple[Any, ...]]]
    fetched: list[list[str]]
    ended: list[float]
    bodies: list[dict[str, bytes]]


def start(folder: Path, store: Path, seeds: str, **settings: object) -> subprocess.Popen[str]:
    """A crawl in a project of its own; one page at a time, so that two crawls can be compared."""
    given = {"FOCUSCRAWL_DIR": store, "CONCURRENT_REQUESTS": 1, "FOCUSCRAWL_BUDGET": 80, **settings}
    command = [sys.executable, "-m", "scrapy", "crawl", "sports", "-a", f"seeds={seeds}"]
    command += [part for key, value in given.items() for part in ("-s", f"{key}={value}")]
    path = os.pathsep.join([str(folder / "guard"), str(ROOT)])
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        stdout=pipe,
        stderr=pipe,
        text=True,
    )


def ended(child: subprocess.Popen[str]) -> dict[str, int]:
    """The crawl's own stats; one that hangs fails its test instead of stopping the suite."""
    try:
        _, said = child.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        _, said = child.communicate()
    assert child.returncode == 0, said[-3000:]
    assert "Traceback" not in said
    return {key: int(value) for key, value in re.findall(r"'focuscrawl/(\S+)': (\d+)", said)}


def ask(store: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(store / "repository.sqlite")) as db:
        return db.execute(query).fetchall()


def stored(store: Path) -> list[tuple[Any, ...]]:
    return ask(store, "SELECT url, category, digest, visits FROM pages ORDER BY url")


def fetched(store: Path, phase: int) -> list[str]:
    query = (
        "SELECT url FROM visits JOIN pages ON pages.id = visits.page "
        f"WHERE phase = {phase} ORDER BY visits.id"
    )
    return [url for (url,) in ask(store, query)]


def record_phase(web: RunningNewsweb, folder: Path, seeds: str) -> None:
    offset = f"{web.clock() - time.time():.3f}"
    settings = {"FOCUSCRAWL_RECORD": folder / "recorded", "FOCUSCRAWL_CLOCK_OFFSET": offset}
    child = start(folder, folder / "store", seeds, DOWNLOAD_DELAY=0, **settings)
    assert ended(child)["record/written"] > 60


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    found = Recorded(folder, "", [], [], [], [])
    with running_newsweb(pages=300) as web:
        found = Recorded(folder, ",".join(web.seeds("sports")), [], [], [], [])
        for phase in (1, 2):
            record_phase(web, folder, found.seeds)
            found.stored.append(stored(folder / "store"))
            found.fetched.append(fetched(folder / "store", phase))
            with Archive(archive_files(folder / "recorded"), folder / "cache", None) as archive:
                span = archive.index.span()
                assert span is not None
                found.ended.append(span.last + 1)
                pages = {page.url: page.body for page in archive.pages() if page.status == 200}
                found.bodies.append(pages)
            web.advance(HOURS)
    (folder / "guard").mkdir()
    guard = GUARD.format(log=str(folder / "connections"))
    (folder / "guard" / "sitecustomize.py").write_text(guard)
    return found


def replay(recorded: Recorded, store: str, **settings: object) -> subprocess.Popen[str]:
    """With the delays that a crawl of the live web has, in which it would take a minute."""
    return start(
        recorded.folder,
        recorded.folder / store,
        recorded.seeds,
        FOCUSCRAWL_ARCHIVE=recorded.folder / "recorded",
        DOWNLOAD_DELAY=30,
        **settings,
    )


@pytest.fixture(scope="module")
def replayed(recorded: Recorded) -> list[dict[str, int]]:
    """Both phases again into one store, and the second alone into another."""
    first = replay(recorded, "again", FOCUSCRAWL_CLOCK=recorded.ended[0])
    alone = replay(recorded, "alone")
    stats = [ended(first)]
    assert stored(recorded.folder / "again") == recorded.stored[0]
    second = replay(recorded, "again", FOCUSCRAWL_CLOCK=recorded.ended[1])
    return [*stats, ended(second), ended(alone)]


def test_a_replay_fetches_and_keeps_the_same_pages(
    recorded: Recorded, replayed: list[dict[str, int]]
) -> None:
    again = recorded.folder / "again"
    for phase in (1, 2):
        assert len(recorded.fetched[phase - 1]) > 60
        assert fetched(again, phase) == recorded.fetched[phase - 1]
    assert stored(again) == recorded.stored[1]
    assert [stats["fetches"] for stats in replayed] == [80, 80, 80]
    assert [stats.get("archive/missing", 0) for stats in replayed[:2]] == [0, 0]


def test_a_replay_sees_the_versions_of_its_time(recorded: Recorded) -> None:
    changed = {
        url for url, body in recorded.bodies[1].items() if recorded.bodies[0].get(url, body) != body
    }
    assert len(changed & set(recorded.seeds.split(","))) >= 5
    with Archive(
        archive_files(recorded.folder / "recorded"), recorded.folder / "cache", None
    ) as archive:
        for url in changed:
            for phase in (0, 1):
                found = archive.capture(url, recorded.ended[phase])
                assert found is not None
                assert found.body == recorded.bodies[phase][url]


def test_a_replay_of_the_second_time_alone_has_its_pages(
    recorded: Recorded, replayed: list[dict[str, int]]
) -> None:
    """Pages that were not sent again then are those of the first time."""
    query = "SELECT url, digest FROM pages WHERE alias_of IS NULL"
    alone = dict(ask(recorded.folder / "alone", query))
    both = dict(ask(recorded.folder / "again", query))
    first = {url: digest for url, _, digest, _ in recorded.stored[0]}
    seen_twice = [url for url in alone if url in both and url in first]
    assert len(seen_twice) > 40
    assert all(alone[url] == both[url] for url in seen_twice)
    assert any(alone[url] != first[url] for url in seen_twice)


def test_what_was_known_is_not_sent_again(replayed: list[dict[str, int]]) -> None:
    assert replayed[0].get("archive/not_modified", 0) == 0
    assert replayed[1]["not_modified"] > 5
    unchanged = replayed[1]["not_modified"] + replayed[1].get("sources/not_modified", 0)
    assert replayed[1]["archive/not_modified"] == unchanged


def test_nobody_was_asked(recorded: Recorded, replayed: list[dict[str, int]]) -> None:
    log = recorded.folder / "connections"
    assert not log.exists()
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    env = {**os.environ, "PYTHONPATH": str(recorded.folder / "guard")}
    refused = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, check=False
    )
    assert b"a replay tried to reach somebody" in refused.stderr
    assert log.exists()


def test_an_archive_that_is_not_there_is_told_in_one_line(
    recorded: Recorded, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    child = start(recorded.folder, store, recorded.seeds, FOCUSCRAWL_ARCHIVE="nothing.warc")
    _, said = child.communicate(timeout=PATIENCE)
    told = "nothing.warc: cannot be read (No such file"
    assert len([line for line in said.splitlines() if told in line]) == 1
    assert "Traceback" not in said
    assert child.returncode != 0
    assert not store.exists()
