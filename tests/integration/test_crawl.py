"""Whole crawls of the sample web, each a child process as a user would start it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.newsweb.client import RunningNewsweb, running_newsweb

ROOT = Path(__file__).resolve().parents[2]
SPIDERS = ["business", "crime", "health", "politics", "sports", "technology", "topic"]
BUDGET = 120
PRECISION_FLOOR = 0.75
PATIENCE = 40.0


def start(*arguments: str, **settings: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "scrapy", *arguments]
    command += [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


def outcome(child: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait for the end; a crawl that hangs fails its test instead of stopping the suite."""
    try:
        out, err = child.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        _, err = child.communicate()
        pytest.fail(f"not done after {PATIENCE:.0f} s; it said: {err[-2000:]}")
    return subprocess.CompletedProcess(child.args, child.returncode, out, err)


def start_crawl(
    web: RunningNewsweb, folder: Path, category: str, *arguments: str, **settings: object
) -> subprocess.Popen[str]:
    given = {"FOCUSCRAWL_DIR": folder, "DOWNLOAD_DELAY": 0, "FOCUSCRAWL_BUDGET": BUDGET}
    seeds = ",".join(web.seeds(category))
    return start("crawl", category, "-a", f"seeds={seeds}", *arguments, **{**given, **settings})


def ask(folder: Path, store: str, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / f"{store}.sqlite")) as database:
        return database.execute(query).fetchall()


def pages_fetched(web: RunningNewsweb) -> list[str]:
    """Addresses in the order of the site's log, without robots.txt."""
    found = web.log()["fetched"]
    return [web.sites[site] + target for site, target, _ in found if target != "/robots.txt"]


@dataclass(frozen=True)
class Crawl:
    """What is left of a crawl that ended."""

    folder: Path
    run: subprocess.CompletedProcess[str]
    fetched: list[str]
    disallowed: int

    def kept(self, category: str = "sports") -> set[str]:
        query = f"SELECT url FROM pages WHERE category = '{category}' AND alias_of IS NULL"
        return {url for (url,) in ask(self.folder, "repository", query)}


def crawl(
    web: RunningNewsweb, folder: Path, category: str, *arguments: str, **settings: object
) -> Crawl:
    web.reset_log()
    run = outcome(start_crawl(web, folder, category, *arguments, **settings))
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr
    disallowed = sum(row["disallowed"] for row in web.log()["sites"].values())
    return Crawl(folder, run, pages_fetched(web), disallowed)


@pytest.fixture(scope="module")
def web() -> Iterator[RunningNewsweb]:
    with running_newsweb(pages=300) as running:
        yield running


@pytest.fixture(scope="module")
def focused(web: RunningNewsweb, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    folder = tmp_path_factory.mktemp("focused")
    return crawl(web, folder / "store", "sports", "-o", str(folder / "out.jsonl"))


# -- one crawl ------------------------------------------------------------------------


def test_the_budget_is_respected(focused: Crawl) -> None:
    assert f"'focuscrawl/fetches': {BUDGET}," in focused.run.stderr
    assert BUDGET - 15 <= len(focused.fetched) <= BUDGET


def test_what_was_learned_stands_among_the_stats(focused: Crawl) -> None:
    learned = {"anchor", "best_parent", "siblings"}
    assert all(f"'focuscrawl/weight/{feature}': " in focused.run.stderr for feature in learned)


def test_no_page_is_fetched_twice(focused: Crawl) -> None:
    assert max(Counter(focused.fetched).values()) == 1


def test_disallowed_paths_are_never_fetched(focused: Crawl, web: RunningNewsweb) -> None:
    assert focused.disallowed == 0
    forbidden = {url for url, record in web.truth().items() if record["disallowed"]}
    assert forbidden
    assert not forbidden & set(focused.fetched)
    rules = ask(focused.folder, "frontier", "SELECT rule FROM urls WHERE state = 4")
    assert any("robots.txt" in rule for (rule,) in rules)


def test_what_is_kept_is_of_the_category(focused: Crawl, web: RunningNewsweb) -> None:
    truth = web.truth()
    kept = focused.kept()
    assert len(kept) >= 30
    right = sum(truth.get(url, {}).get("category") == "sports" for url in kept)
    assert right / len(kept) >= PRECISION_FLOOR


def test_the_feed_has_the_kept_pages(focused: Crawl) -> None:
    lines = (focused.folder.parent / "out.jsonl").read_text(encoding="utf-8").splitlines()
    articles = [json.loads(line) for line in lines]
    assert {article["url"] for article in articles} == focused.kept()
    assert len(articles) == len(focused.kept())
    assert {article["category"] for article in articles} == {"sports"}
    assert all(article["title"] and article["text"] for article in articles)


def test_harvest_is_twice_that_of_breadth_first(
    focused: Crawl, web: RunningNewsweb, tmp_path: Path
) -> None:
    plain = crawl(web, tmp_path, "sports", FOCUSCRAWL_ORDERING="breadth-first")
    assert len(plain.fetched) >= BUDGET - 15
    assert len(focused.kept()) >= 2 * len(plain.kept()) > 0


def test_a_second_run_is_phase_2_and_revisits_the_seeds(
    focused: Crawl, web: RunningNewsweb
) -> None:
    again = crawl(web, focused.folder, "sports", FOCUSCRAWL_BUDGET=30)
    assert set(web.seeds("sports")) <= set(again.fetched)
    phases = ask(
        focused.folder, "repository", "SELECT number, reason, fetched FROM phases ORDER BY number"
    )
    assert phases == [(1, "finished", BUDGET), (2, "finished", 30)]
    (visits,) = ask(
        focused.folder,
        "repository",
        f"SELECT min(visits) FROM pages WHERE url = '{web.seeds('sports')[0]}'",
    )
    assert visits == (2,)


# -- stop, resume, duplicates ---------------------------------------------------------


@pytest.fixture(scope="module")
def resumed(web: RunningNewsweb, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """A crawl stopped once by Ctrl-C while pages were under way, then run to its end."""
    folder = tmp_path_factory.mktemp("resumed")
    web.reset_log()
    child = start_crawl(web, folder, "sports", FOCUSCRAWL_BUDGET=600)
    deadline = time.monotonic() + PATIENCE
    while len(pages_fetched(web)) < 60 and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    stopped = outcome(child)
    assert "Traceback" not in stopped.stderr
    assert "'finish_reason': 'shutdown'" in stopped.stderr
    before = len(pages_fetched(web))
    assert 60 <= before < 400
    (phase,) = ask(folder, "repository", "SELECT number, ended FROM phases")
    assert phase == (1, None)
    assert ask(folder, "frontier", "SELECT count(*) FROM urls WHERE state = 1") == [(0,)]
    run = outcome(start_crawl(web, folder, "sports", FOCUSCRAWL_BUDGET=250))
    assert len(pages_fetched(web)) > before
    return Crawl(folder, run, pages_fetched(web), 0)


def test_after_ctrl_c_nothing_is_fetched_again(resumed: Crawl) -> None:
    twice = {url: number for url, number in Counter(resumed.fetched).items() if number > 1}
    assert twice == {}


def test_after_ctrl_c_the_phase_goes_on(resumed: Crawl) -> None:
    phases = ask(resumed.folder, "repository", "SELECT number, reason FROM phases")
    assert phases == [(1, "finished")]


def test_every_page_fetched_is_stored(resumed: Crawl) -> None:
    done = ask(
        resumed.folder,
        "frontier",
        "SELECT url FROM urls WHERE state = 3 AND rule NOT LIKE '%redirected%'",
    )
    stored = ask(resumed.folder, "repository", "SELECT url FROM pages")
    assert set(done) == set(stored)


def test_duplicates_are_recorded_as_aliases(resumed: Crawl, web: RunningNewsweb) -> None:
    aliases = ask(
        resumed.folder,
        "repository",
        "SELECT alias.url, original.url, alias.copy FROM pages alias "
        "JOIN pages original ON original.id = alias.alias_of",
    )
    assert aliases
    assert all(copy is None for _, _, copy in aliases)
    right = 0
    for url, original, _ in aliases:
        records = web.record(url), web.record(original)
        assert records[0] is not None
        assert records[1] is not None
        same_story = records[0]["canonical"] == records[1]["canonical"]
        right += same_story or {record["kind"] for record in records} == {"static"}
    assert right == len(aliases)


# -- two at once -------------------------------------------------------------------------


def test_two_categories_share_a_store(web: RunningNewsweb, tmp_path: Path) -> None:
    names = ("health", "politics")
    children = [start_crawl(web, tmp_path, name, FOCUSCRAWL_BUDGET=80) for name in names]
    runs = [outcome(child) for child in children]
    for name, run in zip(names, runs, strict=True):
        assert run.returncode == 0
        assert "Traceback" not in run.stderr
        assert "database is locked" not in run.stderr
        assert "'focuscrawl/fetches': 80," in run.stderr, name
    twice = "SELECT url FROM pages GROUP BY url HAVING count(*) > 1"
    assert ask(tmp_path, "repository", twice) == []
    text = (
        "SELECT digest FROM pages WHERE copy IS NOT NULL AND alias_of IS NULL AND digest <> '' "
        "AND category IS NOT NULL GROUP BY digest HAVING count(*) > 1"
    )
    assert ask(tmp_path, "repository", text) == []
    assert ask(tmp_path, "repository", "SELECT crawl, count(*) FROM phases GROUP BY crawl") == [
        ("health", 1),
        ("politics", 1),
    ]
    visits = dict(ask(tmp_path, "repository", "SELECT crawl, count(*) FROM visits GROUP BY crawl"))
    assert all(65 <= visits[name] <= 80 for name in names)


# -- what the user types -----------------------------------------------------------------


def test_scrapy_list_and_check(tmp_path: Path) -> None:
    children = [start("list", FOCUSCRAWL_DIR=tmp_path), start("check", FOCUSCRAWL_DIR=tmp_path)]
    listed, checked = map(outcome, children)
    assert listed.stdout.split() == SPIDERS
    assert checked.returncode == 0, checked.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_topic_of_four_lines(web: RunningNewsweb, tmp_path: Path) -> None:
    """It keeps pages that are nearer to the shipped category sports: a topic stands alone."""
    topic = tmp_path / "contests.toml"
    topic.write_text(
        'title = "Contests"\n'
        'words = ["match", "goal", "coach", "season", "race", "victory", "title"]\n'
        f"seeds = {json.dumps(web.seeds('sports'))}\n",
        encoding="utf-8",
    )
    store = tmp_path / "store"
    settings = {"FOCUSCRAWL_DIR": store, "DOWNLOAD_DELAY": 0, "FOCUSCRAWL_BUDGET": 60}
    run = outcome(start("crawl", "topic", "-a", f"category={topic}", **settings))
    assert run.returncode == 0
    assert "Traceback" not in run.stderr
    kept = ask(store, "repository", "SELECT url FROM pages WHERE category = 'contests'")
    about = Counter((web.record(url) or {}).get("category") for (url,) in kept)
    assert about["sports"] >= 5
    assert about["sports"] >= PRECISION_FLOOR * about.total(), about
    assert ask(store, "repository", "SELECT crawl, number FROM phases") == [("contests", 1)]


@pytest.mark.parametrize(
    ("text", "named"),
    [("wurds = ['goal']\n", "wurds"), (None, "No such file")],
    ids=["key", "file"],
)
def test_a_wrong_category_file_gives_one_clear_line(
    tmp_path: Path, text: str | None, named: str
) -> None:
    topic = tmp_path / "wrong.toml"
    if text is not None:
        topic.write_text(text, encoding="utf-8")
    settings = {"FOCUSCRAWL_DIR": tmp_path / "store"}
    run = outcome(start("crawl", "topic", "-a", f"category={topic}", **settings))
    said = [line for line in run.stderr.splitlines() if "wrong.toml" in line and named in line]
    assert len(said) == 1
    assert "Traceback" not in run.stderr
    assert run.returncode != 0
    assert not os.path.lexists(tmp_path / "store")


def test_a_broken_store_is_named_and_left_as_it_was(tmp_path: Path) -> None:
    broken = tmp_path / "repository.sqlite"
    broken.write_bytes(b"no database" * 100)
    run = outcome(start("crawl", "sports", FOCUSCRAWL_DIR=tmp_path))
    said = [line for line in run.stderr.splitlines() if "cannot be opened as a repository" in line]
    assert len(said) == 1
    assert "Traceback" not in run.stderr
    assert run.returncode == 1
    assert broken.read_bytes() == b"no database" * 100


def test_an_unknown_ordering_is_named_with_those_there_are(tmp_path: Path) -> None:
    settings = {"FOCUSCRAWL_DIR": tmp_path, "FOCUSCRAWL_ORDERING": "nope"}
    run = outcome(start("crawl", "sports", **settings))
    assert "use one of focused, breadth-first" in run.stderr
    assert "Traceback" not in run.stderr
    assert run.returncode == 1
