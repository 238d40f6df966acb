from __future__ import annotations

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
from scrapy.cmdline import execute
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from focuscrawl.commands import topic
from focuscrawl.commands.topic import Command, parse_seeds
from focuscrawl.semantics.dictionary import WordNetError, find_dictionary
from focuscrawl.semantics.wordnet import WordNet
from focuscrawl.topics.building import BuildingError
from focuscrawl.topics.catalog import load_category

REEF = (
    "<title>Reef</title><p>Coral bleaching spreads over the reef. Polyps lose their algae, and "
    "divers at the atoll count bleached polyps.</p><a href=/lagoon.html>Coral lagoon</a>"
)
LAGOON = (
    "<title>Lagoon</title><p>Behind the reef, algae feed polyps of coral; bleaching is rare. "
    "Divers survey the atoll and its coral.</p><a href=/reef.html>Coral reef</a>"
)


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return WordNet(find_dictionary(nltk_folders=()), tmp_path_factory.mktemp("wordnet"))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wordnet: WordNet) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(topic.WordNet, "find", lambda cache: wordnet)
    return tmp_path


@pytest.fixture
def reef(here: Path) -> str:
    (here / "reef.html").write_text(REEF, encoding="utf-8")
    (here / "lagoon.html").write_text(LAGOON, encoding="utf-8")
    return "reef.html,lagoon.html"


def run(*args: str, **options: Any) -> int:
    command = Command()
    command.settings = Settings({"FOCUSCRAWL_WEIGHTS": "weighted", "FOCUSCRAWL_THRESHOLD": "split"})
    defaults = {
        "words": "coral reef", "seeds": "", "output": None, "terms": 60, "force": False,
        "json": False,
    }  # fmt: skip
    command.run(list(args), Namespace(**defaults | options))
    return command.exitcode


def test_from_local_pages(reef: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("new", "coral", seeds=reef) == 0
    shown = capsys.readouterr()
    rows = [[cell.strip() for cell in row.split("│")[1:4]] for row in shown.out.splitlines()]
    assert ["coral", "1.00", "one of the words; in 2 of 2 seed pages, 5 times"] in rows
    assert ["polyps", "0.58", "in 2 of 2 seed pages, 3 times; rare in common English"] in rows
    assert any(row[:1] == ["atoll"] and row[2].startswith("kind of coral reef (WordNet); in 2")
               for row in rows)  # fmt: skip
    assert "written: coral.toml" in shown.out
    assert "put URLs of pages of the topic under seeds" in shown.out
    category = load_category("coral.toml")
    assert (category.seeds, category.threshold) == ((), 0.14)
    assert category.terms["polyp"] < category.terms["coral"] == 1.0


def test_json_without_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("new", "shots", words="vaccinate", json=True, terms=3) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [each["term"] for each in answer.pop("terms")] == ["vaccinate", "immunise", "immunize"]
    assert answer == {
        "name": "shots", "file": "shots.toml", "title": "Shots", "seeds": [], "unread": [],
        "domains": [], "threshold": None, "threshold_from": None,
    }  # fmt: skip
    assert load_category("shots.toml").threshold is None


def test_without_wordnet_the_pages_speak(
    reef: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(cache: Path) -> WordNet:
        raise WordNetError("WordNet is not installed: install it")

    monkeypatch.setattr(topic.WordNet, "find", missing)
    assert run("new", "coral", seeds=reef) == 1
    assert capsys.readouterr().err == "WordNet is not installed: install it\n"
    assert "polyp" in load_category("coral.toml").terms


def test_an_existing_file_stays_unless_forced(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "coral.toml").write_text("mine", encoding="utf-8")
    assert run("new", "coral") == 1
    assert capsys.readouterr().err == (
        "coral.toml: is there already; give another NAME or -o, or --force\n"
    )
    assert (here / "coral.toml").read_text("utf-8") == "mine"
    assert run("new", "coral", force=True) == 0
    assert load_category("coral.toml").title == "Coral"


def test_output_may_be_a_folder(here: Path) -> None:
    (here / "topics").mkdir()
    assert run("new", "coral", output="topics") == 0
    assert load_category("topics/coral.toml").name == "coral"


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("Big Reef", {}, "topic new: name: 'Big Reef' is no category name"),
        ("coral", {"words": ""}, "--words: '' holds no word"),
        ("coral", {"words": "the of"}, "--words: 'the of' holds no word"),
        ("coral", {"terms": 0}, "--terms: 0 is too few"),
        ("coral", {"seeds": "nowhere"}, "--seeds: 'nowhere' is neither an http(s) URL nor a file"),
        ("coral", {"output": "reef.toml"}, "-o reef.toml: a category is called as its file"),
        ("coral", {"output": "gone/coral.toml"}, "gone/coral.toml: No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    name: str, options: dict[str, Any], problem: str, here: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert run("new", name, **options) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith(problem)
    assert len(shown.err.splitlines()) == 1
    assert list(here.iterdir()) == []


def test_a_page_without_words_is_left_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "empty.html").write_text("<script>1</script>", encoding="utf-8")
    assert run("new", "coral", seeds="empty.html") == 1
    assert capsys.readouterr().err == "empty.html: no words on it; left out\n"
    assert load_category("coral.toml").threshold is None


@pytest.mark.parametrize("args", [[], ["old", "coral"], ["new"], ["new", "a", "b"]])
def test_wrong_use(args: list[str]) -> None:
    with pytest.raises(UsageError):
        run(*args)


def test_seeds_in_all_forms(reef: str, here: Path) -> None:
    (here / "my seeds.txt").write_text("# mine\nhttp://a.example\n\nhttp://b.example/x\n", "utf-8")
    assert parse_seeds("my seeds.txt").urls == ["http://a.example/", "http://b.example/x"]
    mixed = parse_seeds("http://a.example/, reef.html http://a.example/")
    assert (mixed.urls, mixed.files) == (["http://a.example/"], [Path("reef.html")])
    (here / "bad.txt").write_text("http://a.example\nb.example\n", "utf-8")
    with pytest.raises(BuildingError, match=r"bad\.txt: line 2: 'b\.example' is no http\(s\) URL"):
        parse_seeds("bad.txt")


class Pages(BaseHTTPRequestHandler):
    texts = {"/reef.html": REEF, "/lagoon.html": LAGOON}  # noqa: RUF012

    def do_GET(self) -> None:
        body = self.texts.get(self.path, "").encode()
        self.send_response(200 if body else 404)
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


def scrapy(project_root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """The command as a user starts it, in its own process."""
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *args],
        cwd=project_root, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_from_urls_to_a_crawl(site: str, here: Path, project_root: Path) -> None:
    seeds = f"{site}/reef.html, {site}/none.html"
    done = scrapy(
        project_root, "topic", "new", "coral", "--words", "coral, reef", "--seeds", seeds,
        "-o", str(here), "--json",
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(f"{site}/none.html: not fetched: ")
    assert len(done.stderr.splitlines()) == 1
    answer = json.loads(done.stdout)
    assert answer["unread"] == [f"{site}/none.html"]
    assert answer["domains"] == [site.removeprefix("http://")]
    assert answer["threshold_from"].endswith("of 1 seed pages")
    assert {"polyps", "bleached"} <= {each["term"] for each in answer["terms"]}

    crawled = scrapy(
        project_root, "crawl", "topic", "-a", f"category={here / 'coral.toml'}",
        "-s", f"FOCUSCRAWL_DIR={here / 'store'}", "-s", "DOWNLOAD_DELAY=0",
    )  # fmt: skip
    assert crawled.returncode == 0, crawled.stderr
    assert "'focuscrawl/kept': 2" in crawled.stderr


def test_alone_the_command_explains_itself(
    project_root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project_root)
    with pytest.raises(SystemExit, match="2"):
        execute(["scrapy", "topic"])
    shown = capsys.readouterr().out
    assert "scrapy topic new NAME" in shown
    assert "--seeds" in shown
