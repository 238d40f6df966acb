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

from focuscrawl.commands.diff import Command
from focuscrawl.repository.records import Fetched
from focuscrawl.repository.store import Repository
from focuscrawl.scrapy_options import DEFAULTS
from focuscrawl.urls import url_id

URL = "http://a.example/x"
ONCE = "http://a.example/once"
PAGE = (
    "<html><body><nav>Home {box}</nav><h1>Cup final</h1><p>Intro that stays.</p>"
    "<h2>Report</h2><p>a b c d e f g h i j k Harbour {verb} the cup on a wet Sunday k j i h g f e"
    "</p></body></html>"
)


def fetched(url: str = URL, **changes: Any) -> Fetched:
    values: dict[str, Any] = {
        "url": url, "site": "a.example", "title": "Cup final", "status": 200, "at": 1000.0,
        "crawl": "sports", "phase": 1, "body": b"", "encoding": "utf-8",
        "digest": f"{url}{changes}", "category": "sports", "kept": True, "similarity": 0.3,
        "scores": {"sports": 0.3}, "threshold": 0.05, "rule": "kept: near",
        "relevance": 1.0, "anchor": "", "words": 2, "change": "new",
    }  # fmt: skip
    return Fetched(**values | changes)


def page(verb: str, box: str = "") -> bytes:
    return PAGE.format(verb=verb, box=box).encode()


def run(folder: Path, *args: str, **options: Any) -> int:
    command = Command()
    command.settings = Settings({**DEFAULTS, "FOCUSCRAWL_DIR": str(folder)})
    values = {"older": None, "newer": None, "json": False} | options
    command.run(list(args), Namespace(**values))
    return command.exitcode


@pytest.fixture
def store(tmp_path: Path) -> Path:
    store = Repository(tmp_path / "repository.sqlite")
    store.save(fetched(body=page("won")))
    store.save(fetched(at=2000.0, change="content", body=page("lost")))
    store.save(fetched(at=3000.0, change="content", body=page("\x1b[7m took")))
    store.save(fetched(at=4000.0, change="content", body=page("\x1b[7m took", box="today")))
    store.save(fetched(ONCE, body=b"<p>once</p>"))
    store.save(fetched("http://a.example/off", kept=False))
    store.save(fetched("http://a.example/alias", alias_of=url_id(ONCE)))
    store.close()
    return tmp_path


def test_in_brackets_where_there_are_no_colours(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(store, f"{URL}#top", older=1, newer=2) == 0
    assert capsys.readouterr().out.splitlines() == [
        URL,
        "version 1 of 1970-01-01T00:16:40+00:00",
        "version 2 of 1970-01-01T00:33:20+00:00",
        "",
        "Report",
        "… e f g h i j k Harbour [-won-] {+lost+} the cup on a wet Sunday k j …",
    ]


def test_in_colour(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert run(store, URL, older=1, newer=2) == 0
    shown = capsys.readouterr().out
    assert "\x1b[9;31mwon\x1b[0m \x1b[32mlost\x1b[0m" in shown
    assert "[-" not in shown


def test_a_page_cannot_steer_the_terminal(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, URL, older=2, newer=3) == 0
    shown = capsys.readouterr().out
    assert "{+\ufffd[7m took+}" in shown
    assert "\x1b" not in shown


def test_as_json_the_diff_is_whole(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, URL, older=-3, newer=1, json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["from"] == {"version": 2, "at": "1970-01-01T00:33:20+00:00"}
    assert found["to"] == {"version": 1, "at": "1970-01-01T00:16:40+00:00"}
    assert found["url"] == URL
    (block,) = found["blocks"]
    assert block["heading"] == "Report"
    assert block["diff"] == [
        ["equal", "## Report a b c d e f g h i j k Harbour"],
        ["removed", "lost"],
        ["added", "won"],
        ["equal", "the cup on a wet Sunday k j i h g f e"],
    ]


def test_the_last_two_and_the_same_words(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, URL) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:9] for line in lines[1:3]] == ["version 3", "version 4"]
    assert lines[-1] == "the main text has the same words in both"


@pytest.mark.parametrize(
    ("url", "options", "problem"),
    [
        (ONCE, {}, f"{ONCE}: one version is stored, of 1970-01-01T00:16:40+00:00"),
        ("http://a.example/never", {}, "http://a.example/never: not in the store"),
        ("http://a.example/off", {}, "http://a.example/off: no version is stored; no category"),
        ("http://a.example/alias", {}, "http://a.example/alias: no version is stored; it has the"),
        ("mailto:someone", {}, "mailto:someone: no http(s) URL"),
        (URL, {"older": 9}, "--from 9: stored are versions 1 to 4; -1 is the newest"),
    ],
)
def test_one_line_for_what_cannot_be_compared(
    store: Path,
    capsys: pytest.CaptureFixture[str],
    url: str,
    options: dict[str, Any],
    problem: str,
) -> None:
    assert run(store, url, **options) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(problem)
    assert len(shown.err.splitlines()) == 1


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "none", URL) == 1
    assert "crawl first" in capsys.readouterr().err


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one URL"):
        run(tmp_path)


def test_the_command_line(store: Path, project_root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "diff", "--from", "-4", "--to", "-3",
         "-s", f"FOCUSCRAWL_DIR={store}", URL],
        cwd=project_root, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "[-won-] {+lost+}" in done.stdout
