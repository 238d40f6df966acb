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

from focuscrawl.changes.verdict import BlockChange, Verdict
from focuscrawl.commands import changes as module
from focuscrawl.commands.changes import Command
from focuscrawl.repository.records import Fetched
from focuscrawl.repository.store import Repository
from focuscrawl.scrapy_options import DEFAULTS

URL = "http://a.example/x"
NOW = 1_794_996_000.0  # 2026-11-18T10:00:00Z
HOUR = 3_600.0


def fetched(url: str, **changes: Any) -> Fetched:
    values: dict[str, Any] = {
        "url": url, "site": "a.example", "title": "Cup final", "status": 200, "at": NOW - 99 * HOUR,
        "crawl": "sports", "phase": 1, "body": f"{changes}".encode(), "encoding": "utf-8",
        "digest": f"{url}{changes}", "category": "sports", "kept": True, "similarity": 0.3,
        "scores": {"sports": 0.3}, "threshold": 0.05, "rule": "kept: near",
        "relevance": 1.0, "anchor": "", "words": 2, "change": "new",
    }  # fmt: skip
    return Fetched(**values | changes)


def run(folder: Path, *args: str, **options: Any) -> int:
    command = Command()
    command.settings = Settings({**DEFAULTS, "FOCUSCRAWL_DIR": str(folder)})
    values = {"since": None, "limit": 50, "all": False, "json": False} | options
    command.run(list(args), Namespace(**values))
    return command.exitcode


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module.time, "time", lambda: NOW)
    store = Repository(tmp_path / "repository.sqlite")
    store.learned.begin_phase("sports")
    store.learned.begin_phase("crime")
    blocks = (BlockChange("Final — 2:1", ("a",), ("b",)), BlockChange("", (), ("c",)))
    verdict = Verdict(textual=True, blocks=blocks)
    store.save(fetched(URL))
    store.save(
        fetched(URL, at=NOW - 30 * HOUR, change="content", verdict=verdict, weight=0.25,
                title="Cup \x1b[31mfinal")
    )  # fmt: skip
    store.save(fetched("http://a.example/y", title=""))
    store.save(
        fetched("http://a.example/y", at=NOW - HOUR, change="minor", title="",
                verdict=Verdict(presentation=True))
    )  # fmt: skip
    store.save(fetched("http://a.example/z", category="crime"))
    store.save(fetched("http://a.example/z", category="crime", at=NOW - 2 * HOUR, change="content"))
    store.close()
    return tmp_path


def test_in_words(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.splitlines() == [
        "2026-11-18T08:00:00+00:00  content  crime  weight 0.0000",
        "  http://a.example/z",
        "  Cup final",
        "",
        "2026-11-17T04:00:00+00:00  content (textual)  sports  weight 0.2500",
        f"  {URL}",
        "  Cup \ufffd[31mfinal",
        "  - Final — 2:1",
        "  - (before the first heading)",
    ]


def test_as_json(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, "sports", json=True, all=True) == 0
    minor, content = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (minor["change"], minor["kinds"], minor["blocks"]) == ("minor", ["presentation"], [])
    assert content == {
        "at": "2026-11-17T04:00:00+00:00", "url": URL, "title": "Cup \x1b[31mfinal",
        "category": "sports", "change": "content", "kinds": ["textual"],
        "blocks": ["Final — 2:1", ""], "weight": 0.25, "site": "a.example",
    }  # fmt: skip


def test_since_and_limit(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, since="1d", json=True) == 0
    assert [json.loads(line)["category"] for line in capsys.readouterr().out.splitlines()] == [
        "crime"
    ]
    assert run(store, limit=1, json=True) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 1
    assert shown.err == "there are more than 1; show them with --limit\n"
    assert run(store, limit=0, json=True) == 0
    shown = capsys.readouterr()
    assert (len(shown.out.splitlines()), shown.err) == (2, "")


def test_nothing_changed(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, since="30m") == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "no change found\n")


@pytest.mark.parametrize(
    ("args", "options", "problem"),
    [
        (["health"], {}, "category 'health' is not in the store; stored: crime, sports"),
        ([], {"since": "2 days"}, "--since 2 days: give 30m, 12h, 2d, 1w, 2026-11-18 or"),
    ],
)
def test_one_line_for_what_cannot_be_answered(
    store: Path,
    capsys: pytest.CaptureFixture[str],
    args: list[str],
    options: dict[str, Any],
    problem: str,
) -> None:
    assert run(store, *args, **options) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(problem)
    assert len(shown.err.splitlines()) == 1


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "none") == 1
    assert "crawl first" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one category"):
        run(tmp_path, "a", "b")
    with pytest.raises(UsageError, match="--limit"):
        run(tmp_path, limit=-1)


def test_the_command_line(store: Path, project_root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "changes", "--json", "--since", "2026-11-18", "--all",
         "--limit", "7", "-s", f"FOCUSCRAWL_DIR={store}"],
        cwd=project_root, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(line)["change"] for line in done.stdout.splitlines()] == ["minor", "content"]
