from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from focuscrawl.commands.explain import Command
from focuscrawl.frontier.records import Candidate, Visit
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.repository.records import Fetched
from focuscrawl.repository.store import Repository
from focuscrawl.scrapy_options import DEFAULTS

URL = "http://a.example/x"
HOST = "a.example"


def fetched(url: str, **changes: Any) -> Fetched:
    values: dict[str, Any] = {
        "url": url, "site": "a.example", "title": "Cup final", "status": 200, "at": 1000.0,
        "crawl": "sports", "phase": 1, "body": url.encode(), "encoding": "utf-8",
        "digest": url, "category": "sports", "kept": True, "similarity": 0.3,
        "scores": {"crime": 0.1, "sports": 0.3}, "threshold": 0.05, "rule": "kept: near",
        "relevance": 1.0, "anchor": "", "words": 2, "change": "new",
    }  # fmt: skip
    return Fetched(**values | changes)


def run(folder: Path, *args: str, **options: Any) -> int:
    command = Command()
    command.settings = Settings({**DEFAULTS, "FOCUSCRAWL_DIR": str(folder)})
    command.run(list(args), Namespace(**{"json": False} | options))
    return command.exitcode


@pytest.fixture
def store(tmp_path: Path) -> Path:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite", "sports", clock=lambda: 1000.0)
    frontier.add([Candidate("http://a.example/", HOST, seed=True)])
    (seed,) = frontier.lease(1)
    links = [
        Candidate(URL, HOST, "cup", 0.4, 0.2, level=1, depth=1, parent=seed.url),
        Candidate("http://a.example/late", HOST, "late", 0.3, 0.2, depth=1, parent=seed.url),
        Candidate("http://a.example/gone", HOST, "gone", 0.2, 0.2, depth=1, parent=seed.url),
        Candidate("http://a.example/low", HOST, "low", 0.0, 0.01, depth=1, parent=seed.url),
    ]
    frontier.complete(seed, Visit("kept: near", kept=True, importance=0.5), links)
    late, gone = frontier.lease(2)
    frontier.retry_later(late, 60, "failed: status 503")
    frontier.give_up(gone, "failed: status 404")
    frontier.close()
    repository = Repository(tmp_path / "repository.sqlite")
    repository.learned.begin_phase("sports")
    repository.save(fetched("http://a.example/"))
    repository.close()
    return tmp_path


def explain(store: Path, url: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run(store, url, json=True) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_queued_url(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = explain(store, "http://A.example:80/x?utm_source=mail#top", capsys)
    assert (found["url"], found["page"]) == (URL, None)
    (queue,) = found["queues"]
    assert (queue["category"], queue["state"], queue["parent"]) == (
        "sports",
        "queued",
        "http://a.example/",
    )
    assert queue["terms"] == pytest.approx({"block": 0.03, "parents": 0.03, "anchor": 0.12})
    assert sum(queue["terms"].values()) == queue["priority"] == pytest.approx(0.18)
    assert (queue["ahead"], queue["next"]) == (0, "queued, about 0 before it")


@pytest.mark.parametrize(
    ("path", "state", "when"),
    [
        ("", "done", "when a phase picks it"),
        ("late", "waiting", "tried again at 1970-01-01T00:17:40+00:00"),
        ("gone", "failed", "never: given up"),
        ("low", "queued", "queued, about 1 before it"),
    ],
)
def test_when_it_is_next(
    store: Path, capsys: pytest.CaptureFixture[str], path: str, state: str, when: str
) -> None:
    (queue,) = explain(store, f"http://a.example/{path}", capsys)["queues"]
    assert (queue["state"], queue["next"]) == (state, when)


def test_a_stored_page_in_words(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, "http://a.example/") == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "http://a.example/"
    assert "queue of sports: done" in lines
    assert "found on a seed" in lines
    assert "priority 10.2500 = importance 0.2500 + dynamicity 0.0000 + seed 10.0000" in lines
    assert "scores sports 0.3000, crime 0.1000" in lines
    assert "rule kept: near" in lines
    assert (
        "visited 1970-01-01T00:16:40+00:00 by sports, phase 1: status 200, change new, "
        "sports 0.3000" in lines
    )


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://a.example/never", "http://a.example/never: in no queue"),
        ("mailto:someone", "mailto:someone: no http(s) URL"),
    ],
)
def test_one_line_for_what_is_not_known(
    store: Path, capsys: pytest.CaptureFixture[str], url: str, problem: str
) -> None:
    assert run(store, url) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(problem)
    assert len(shown.err.splitlines()) == 1


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "none", URL) == 1
    error = capsys.readouterr().err
    assert "no frontier there; crawl first" in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "none").exists()


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one URL"):
        run(tmp_path)


def test_the_command_line(store: Path, project_root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "explain", "--json", "-s", f"FOCUSCRAWL_DIR={store}", URL],
        cwd=project_root, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["url"] == URL
