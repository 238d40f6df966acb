from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from focuscrawl.commands.status import Command
from focuscrawl.frontier.records import Candidate
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.relevance.learning import LearnedTerm
from focuscrawl.relevance.thresholds import DEFAULT_THRESHOLD
from focuscrawl.repository.records import Fetched
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
    command.run(list(args), Namespace(**{"json": False, "withdraw": None} | options))
    return command.exitcode


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for category in ("crime", "sports"):
        frontier = SqliteFrontier(tmp_path / "frontier.sqlite", category)
        frontier.add([Candidate(URL, "a.example"), Candidate(f"{URL}y", "a.example")])
        frontier.close()
    repository = Repository(tmp_path / "repository.sqlite")
    learned = repository.learned
    learned.begin_phase("crime")
    phase = learned.begin_phase("sports")
    repository.save(fetched(URL))
    learned.add_terms("sports", [LearnedTerm("goalkeep", 0.5, 7, 1), LearnedTerm("var", 0.4, 5, 1)])
    thresholds = {"sports": {"value": 0.06, "source": "3 seed pages", "first": 0.06}}
    learned.note_phase(phase, thresholds, 4, 1, ended="finished")
    repository.close()
    return tmp_path


def status(store: Path, capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    assert run(store, *args, json=True) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_every_category(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = status(store, capsys)
    assert found["store"] == str(store)
    assert found["files"]["repository.sqlite"] == (store / "repository.sqlite").stat().st_size
    assert list(found["categories"]) == ["crime", "sports"]
    sports, crime = found["categories"]["sports"], found["categories"]["crime"]
    assert (sports["kept"], sports["aliases"], sports["visits"]) == (1, 0, 1)
    assert sports["queue"] == {"queued": 2, "leased": 0, "waiting": 0, "done": 0, "failed": 0}
    assert (sports["threshold"], sports["threshold_source"]) == (0.06, "3 seed pages")
    assert (crime["threshold"], crime["threshold_source"]) == (DEFAULT_THRESHOLD, "default")
    assert [phase["harvest"] for phase in sports["phases"]] == [0.25]
    assert [phase["ended"] for phase in crime["phases"]] == [None]


def test_one_category_in_words(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, "sports") == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0].startswith(f"store {store}: frontier.sqlite ")
    assert "crime" not in lines
    assert "pages 1 kept, 0 aliases" in lines
    assert "threshold 0.0600 (3 seed pages)" in lines
    assert "learned goalkeep (phase 1, count 7), var (phase 1, count 5)" in lines
    assert any(line.startswith("phase 1 4 fetched, 1 kept, harvest 25%") for line in lines)


def test_withdrawn_terms_are_out_of_force(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(store, withdraw="sports:var") == 0
    assert capsys.readouterr().out == "sports: withdrawn for good: var\n"
    terms = status(store, capsys, "sports")["categories"]["sports"]["terms"]
    assert {term["stem"]: term["withdrawn"] for term in terms} == {"goalkeep": False, "var": True}
    repository = Repository(store / "repository.sqlite")
    assert repository.learned.terms() == {"sports": {"goalkeep": 0.5}}
    repository.close()


@pytest.mark.parametrize(
    ("args", "options", "problem"),
    [
        (["health"], {}, "category 'health' is not in the store; stored: crime, sports"),
        ([], {"withdraw": "sports"}, "give CATEGORY:stem"),
        ([], {"withdraw": "sports:var,vra"}, "sports has not learned vra; learned are: goalkeep"),
    ],
)
def test_one_line_for_what_is_not_there(
    store: Path,
    capsys: pytest.CaptureFixture[str],
    args: list[str],
    options: dict[str, Any],
    problem: str,
) -> None:
    assert run(store, *args, **options) == 1
    error = capsys.readouterr().err
    assert problem in error
    assert len(error.splitlines()) == 1
    terms = status(store, capsys)["categories"]["sports"]["terms"]
    assert not any(term["withdrawn"] for term in terms)


@pytest.mark.parametrize("options", [{}, {"withdraw": "sports:var"}])
def test_no_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: dict[str, Any]
) -> None:
    assert run(tmp_path / "none", **options) == 1
    assert "crawl first" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one category"):
        run(tmp_path, "a", "b")
