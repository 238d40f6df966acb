from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from focuscrawl.commands import freshness
from focuscrawl.commands.freshness import Command
from focuscrawl.frontier.picking import RevisitPlan
from focuscrawl.frontier.records import Candidate, Visit
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.revisit.classic import RoundRobin
from focuscrawl.scrapy_options import DEFAULTS

BEGIN = 1_700_000_000.0
DAY = 86_400.0
LIVELY, QUIET = "lively.example", "quiet.example"


class Clock:
    now = BEGIN

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twenty daily visits: five pages changed each time, five never."""
    clock = Clock()
    for phase in range(1, 22):
        plan = RevisitPlan(RoundRobin())
        frontier = SqliteFrontier(
            tmp_path / "frontier.sqlite", "sports", phase=phase, clock=clock, plan=plan
        )
        if phase == 1:
            frontier.add(
                Candidate(f"https://{host}/news/{number}", host)
                for host in (LIVELY, QUIET)
                for number in range(5)
            )
        else:
            frontier.begin_phase(phase, lambda anchor: 0.0)
        for lease in frontier.lease(20):
            changed = phase > 1 and lease.host == LIVELY
            frontier.complete(lease, Visit("kept", kept=True, importance=0.5, changed=changed))
        frontier.close()
        clock.now += DAY
    monkeypatch.setattr(freshness, "time", Namespace(time=lambda: clock.now))
    return tmp_path


def run(folder: Path, *args: str, **options: Any) -> int:
    command = Command()
    command.settings = Settings({**DEFAULTS, "FOCUSCRAWL_DIR": str(folder)})
    command.run(list(args), Namespace(**{"json": False, "by": None} | options))
    return command.exitcode


def test_lively_sites_are_stale_and_quiet_ones_fresh(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(store, "sports", json=True, by="site") == 0
    sports = json.loads(capsys.readouterr().out)["sports"]
    assert (sports["pages"], sports["visits"], sports["wasted"]) == (10, 200, 100)
    parts = {part["name"]: part for part in sports["parts"]}
    assert parts[LIVELY]["fresh"] < 0.2
    assert parts[QUIET]["fresh"] > 0.9
    assert parts[LIVELY]["age"] > 0.5 > parts[QUIET]["age"]
    assert parts[LIVELY]["missed"] > 5 > parts[QUIET]["missed"]
    assert (parts[LIVELY]["wasted"], parts[QUIET]["wasted"]) == (0, 100)
    half, same, twice = sports["outlook"]
    assert half["per_day"] == same["per_day"] / 2 == twice["per_day"] / 4
    assert same["per_day"] == pytest.approx(10, rel=0.06)
    assert 0.3 < half["fresh"] < same["fresh"] < twice["fresh"] < 1


def test_the_table_names_sections_and_what_another_budget_gives(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(store, by="section") == 0
    out = capsys.readouterr().out
    assert f"{LIVELY}/news" in out
    assert "half of them" in out


def test_one_phase_tells_no_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite", "sports")
    frontier.add([Candidate("https://a.example/", "a.example")])
    (lease,) = frontier.lease(1)
    frontier.complete(lease, Visit("kept", kept=True, importance=0.5))
    frontier.close()
    assert run(tmp_path) == 0
    assert "no page was visited twice yet" in capsys.readouterr().out


def _without_pages(folder: Path) -> None:
    frontier = SqliteFrontier(folder / "frontier.sqlite", "sports")
    frontier.add([Candidate("https://a.example/", "a.example")])
    frontier.close()


@pytest.mark.parametrize(
    ("prepare", "args", "message"),
    [
        (lambda folder: None, [], "no frontier there"),
        (_without_pages, [], "sports: no page is kept yet"),
        (_without_pages, ["chess"], "chess: nothing was crawled for it; there are sports"),
    ],
)
def test_errors_say_what_to_do(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    prepare: Callable[[Path], None],
    args: list[str],
    message: str,
) -> None:
    prepare(tmp_path)
    assert run(tmp_path, *args) == 1
    assert message in capsys.readouterr().err


def test_two_categories_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        run(tmp_path, "sports", "chess")
