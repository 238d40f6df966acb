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

from focuscrawl.commands.export import Command
from focuscrawl.repository.records import BlockRow, Fetched
from focuscrawl.repository.store import Repository
from focuscrawl.scrapy_options import DEFAULTS

URL = "http://a.example/x"


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
    command.run(list(args), Namespace(**{"output": None} | options))
    return command.exitcode


@pytest.fixture
def store(tmp_path: Path) -> Path:
    repository = Repository(tmp_path / "repository.sqlite")
    block = BlockRow(0, 1, "Cup", "The cup final", None, 0.5, 0, 0)
    repository.save(fetched(URL, blocks=(block,)))
    repository.save(fetched("http://a.example/c", category="crime"))
    repository.close()
    return tmp_path


def test_to_a_file(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "sports.jsonl"
    assert run(store, "sports", output=str(target)) == 0
    (line,) = target.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["text"] == "The cup final"
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", f"{target}: 1 pages\n")


def test_all_to_stdout(store: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(store, "all") == 0
    rows = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert sorted(row["category"] for row in rows) == ["crime", "sports"]


@pytest.mark.parametrize(
    ("category", "output", "problem"),
    [
        ("sport", None, "category 'sport' is not in the store; give one of crime, sports, all"),
        ("sports", "pages.xml", "pages.xml: the format is not known"),
        ("sports", "none/pages.csv", "none/pages.csv: cannot be written"),
    ],
)
def test_one_line_for_what_cannot_be(
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    category: str,
    output: str | None,
    problem: str,
) -> None:
    monkeypatch.chdir(store)
    assert run(store, category, output=output) == 1
    error = capsys.readouterr().err
    assert error.startswith(problem)
    assert len(error.splitlines()) == 1


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "none", "sports") == 1
    assert "no repository there; crawl first" in capsys.readouterr().err


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one category"):
        run(tmp_path)


def test_the_command_line(store: Path, project_root: Path) -> None:
    target = store / "all.csv"
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "export", "all", "-o", str(target)]
        + ["-s", f"FOCUSCRAWL_DIR={store}"],
        cwd=project_root, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, f"{target}: 2 pages\n")
    assert target.read_text(encoding="utf-8").startswith("url,title,category,similarity,text,")
