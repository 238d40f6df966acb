from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import UsageError

from focuscrawl.commands.classify import Command
from focuscrawl.relevance.thresholds import DEFAULT_THRESHOLD

CRIME = "<title>Murder</title><p>Police arrest a suspect</p>"
START = """
import sys
from scrapy.cmdline import execute
from scrapy.settings import Settings
settings = Settings({"COMMANDS_MODULE": "focuscrawl.commands", "TELNETCONSOLE_ENABLED": False})
execute(["scrapy", "classify", *sys.argv[1:]], settings=settings)
"""


def run(*args: str, **options: Any) -> int:
    command = Command()
    defaults = {"jsonl": False, "json": False, "scheme": "weighted", "category": []}
    command.run(list(args), Namespace(**defaults | options))
    return command.exitcode


def feed(monkeypatch: pytest.MonkeyPatch, *lines: object) -> None:
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n".join(raw))))


def child(project_root: Path, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The command as a user starts it, in its own process."""
    return subprocess.run(
        [sys.executable, "-c", START, *args],
        cwd=project_root, input=stdin, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_json_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(
        monkeypatch,
        {"id": 1, "text": "tennis cup final"},
        {"id": "b", "html": CRIME, "anchor": "murder trial"},
        {"id": "c", "text": "the of and"},
    )
    assert run(jsonl=True) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(a["id"], a["category"], a["kept"]) for a in answers] == [
        (1, "sports", True),
        ("b", "crime", True),
        ("c", None, False),
    ]
    for answer in answers:
        assert list(answer) == ["id", "category", "similarity", "scores", "kept"]
        assert list(answer["scores"]) == [
            "business", "crime", "health", "politics", "sports", "technology",
        ]  # fmt: skip
        assert answer["similarity"] == max(answer["scores"].values())


def test_a_bad_line_is_named_and_the_others_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(
        monkeypatch, {"id": 1, "text": "tennis"}, b"oops", b"", {"text": "x"}, {"id": 2, "text": ""}
    )
    assert run(jsonl=True) == 1
    shown = capsys.readouterr()
    assert [json.loads(line)["id"] for line in shown.out.splitlines()] == [1, 2]
    assert [line.partition(":")[0] for line in shown.err.splitlines()] == ["line 2", "line 4"]


def test_unit_weights_are_the_documents(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, {"id": 1, "text": "tennis"})
    run(jsonl=True, scheme="unit")
    assert json.loads(capsys.readouterr().out)["similarity"] == 0.140028


def test_an_answer_does_not_wait_for_the_next_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lines() -> Iterator[bytes]:
        yield b'{"id": 1, "text": "golf"}\n'
        assert '"id": 1' in capsys.readouterr().out
        yield b'{"id": 2, "text": "golf"}\n'

    monkeypatch.setattr(sys, "stdin", Namespace(buffer=lines()))
    assert run(jsonl=True) == 0


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, note = tmp_path / "[b]page.html", tmp_path / "note.txt"
    page.write_text(CRIME, encoding="utf-8")
    note.write_text("The senate vote", encoding="utf-8")
    assert run(str(page), str(note), str(tmp_path / "none.txt"), json=True) == 1
    shown = capsys.readouterr()
    answers = [json.loads(line) for line in shown.out.splitlines()]
    assert [(a["id"], a["category"]) for a in answers] == [
        (str(page), "crime"),
        (str(note), "politics"),
    ]
    assert shown.err == (
        f"{tmp_path / 'none.txt'}: No such file or directory; give a file or an http(s) URL\n"
    )


def test_a_table_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    Path("[b]page.html").write_text(CRIME, encoding="utf-8")
    assert run("[b]page.html") == 0
    out = capsys.readouterr().out
    assert "[b]page.html" in out
    assert "kept: crime" in out
    assert f"≥ threshold {DEFAULT_THRESHOLD:.3f}" in out


def test_a_topic_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topic, note = tmp_path / "ocean.toml", tmp_path / "note.txt"
    topic.write_text('words = ["coral", "reef"]', encoding="utf-8")
    note.write_text("Coral reefs bleach", encoding="utf-8")
    run(str(note), json=True, category=[str(topic)])
    assert json.loads(capsys.readouterr().out)["category"] == "ocean"


@pytest.mark.parametrize(
    ("args", "options", "problem"),
    [
        ([], {}, "give files or URLs"),
        (["a.html"], {"jsonl": True}, "give files or URLs"),
        (["a.html"], {"category": ["nowhere.toml"]}, r"nowhere\.toml: No such file"),
    ],
)
def test_wrong_use(args: list[str], options: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        run(*args, **options)


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path == "/crime.html"
        body = CRIME.encode() if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Keeps the test's output clean."""


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_urls_are_fetched_and_failures_named(site: str, project_root: Path) -> None:
    done = child(project_root, "--json", f"{site}/crime.html", f"{site}/none.html")
    answer = json.loads(done.stdout)
    assert (answer["id"], answer["category"]) == (f"{site}/crime.html", "crime")
    assert done.stderr.startswith(f"{site}/none.html: not fetched: ")
    assert len(done.stderr.splitlines()) == 1
    assert done.returncode == 1


def test_the_command_line(project_root: Path) -> None:
    done = child(project_root, "--jsonl", "--scheme", "unit", stdin='{"id": 1, "text": "golf"}\n')
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["category"] == "sports"
