from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit import comparison
from focuscrawl.revisit.classic import RoundRobin
from focuscrawl.revisit.comparison import (
    ORACLE,
    Budget,
    ComparisonError,
    Job,
    Result,
    as_json,
    budget_of,
    chosen,
    jobs_of,
    read_worlds,
    results_of,
    rows_of,
)
from focuscrawl.revisit.registry import POLICIES
from focuscrawl.revisit.simulation import Outcome
from focuscrawl.revisit.synthetic import Shape, synthetic_world
from focuscrawl.revisit.world import World

HEADING = "page\tsite\tfirst\tlast\tobservations\tchanges\n"
HOUR = 3_600


@pytest.fixture(scope="module")
def world() -> World:
    return synthetic_world(Shape(pages=40, sites=4, days=4, log_rate=0.0, spread=2.5), 1)


@pytest.mark.parametrize(
    ("text", "per_page_and_day"),
    [("5%", 0.05), (" 100% ", 1.0), ("4/page", 4.0), ("0.5/page", 0.5), ("12.5%", 0.125)],
)
def test_budgets(text: str, per_page_and_day: float) -> None:
    assert budget_of(text) == Budget(text.strip(), pytest.approx(per_page_and_day))


@pytest.mark.parametrize("text", ["", "5", "%", "/page", "five%", "0%", "-1/page", "nan%", "inf%"])
def test_what_is_no_budget_is_told_with_what_would_be(text: str) -> None:
    with pytest.raises(ComparisonError, match=r"--budgets: .* as 5%, .* as 4/page"):
        budget_of(text)


@given(st.text(max_size=12))
def test_a_budget_is_above_nothing_or_an_error(text: str) -> None:
    with suppress(ComparisonError):
        assert 0 < budget_of(text).per_page_and_day < float("inf")


def test_policies_by_name() -> None:
    assert chosen(["round-robin", " fresh", "round-robin", "oracle"]) == ["round-robin", "fresh"]
    with pytest.raises(ComparisonError, match=r"'crab' is no policy; known are .*round-robin"):
        chosen(["fresh", "crab"])


def test_every_budget_has_its_oracle() -> None:
    few, many = Budget("5%", 0.05), Budget("1/page", 1.0)
    wanted = [(ORACLE, few), ("fresh", few), (ORACLE, many), ("fresh", many)]
    assert jobs_of(["fresh"], [few, many]) == wanted


def result(policy: str, budget: Budget, freshness: float) -> Result:
    return Result(Job(policy, budget), Outcome(freshness, 2.0, 0.3, 0.25, 0.7, 100), 1.5)


def test_rows_are_measured_by_the_oracle_of_their_budget() -> None:
    few, many = Budget("5%", 0.05), Budget("20%", 0.2)
    results = [
        result(ORACLE, few, 0.5),
        result("fresh", few, 0.4),
        result(ORACLE, many, 0.8),
        result("fresh", many, 0.88),
    ]
    rows = rows_of(results)
    assert [row.figures.ratio for row in rows] == pytest.approx([1, 0.8, 1, 1.1])
    assert as_json(rows)["fresh"] == {
        "5%": {
            "freshness": 0.4, "ratio": 0.8, "age": 2.0, "change_ratio": 0.3, "caught": 0.25,
            "wasted": 0.7,
        },
        "20%": {
            "freshness": 0.88, "ratio": 1.1, "age": 2.0, "change_ratio": 0.3, "caught": 0.25,
            "wasted": 0.7,
        },
    }  # fmt: skip


def test_two_processes_find_the_same_as_one(world: World) -> None:
    jobs = jobs_of(["fresh", "round-robin"], [budget_of("50%")])
    alone = [found.outcome for found in results_of(world, jobs, 1)]
    together = {found.job: found.outcome for found in results_of(world, jobs, 2)}
    assert [together[job] for job in jobs] == alone


class Ended(RoundRobin):
    """As if the system had taken the process away."""

    name = "ended"

    def reads(self, now: float) -> list[str]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []


def test_a_lost_process_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES, "ended", Ended)
    jobs = jobs_of(["ended"], [budget_of("50%")])
    with pytest.raises(ComparisonError, match=r"ended from outside.*--jobs 1"):
        list(results_of(world, jobs, 2))


def test_who_stops_listening_leaves_no_process_behind(world: World) -> None:
    jobs = jobs_of(["fresh", "round-robin"], [budget_of(f"{share}%") for share in range(20, 50)])
    results: Iterator[Result] = results_of(world, jobs, 2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert not comparison.multiprocessing.active_children()


def test_several_files_are_one_web(tmp_path: Path) -> None:
    paths = []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.tsv"
        path.write_text(HEADING + f"{name}.test/x\t{name}.test\t0\t86400\t9\t100 200\n")
        paths.append(path)
    world = read_worlds(paths)
    assert [page.site for page in world.pages] == ["a.test", "b.test"]
    assert world.counts().tolist() == [2, 2]


def test_wrong_files(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    with pytest.raises(ComparisonError, match=r"a\.tsv: cannot be read"):
        read_worlds([path])
    path.write_text(HEADING + f"x\tx\t{HOUR // 2}\t{HOUR * 3 // 2}\t9\t\n")
    with pytest.raises(ComparisonError, match=r"a\.tsv: no page is known for a whole hour"):
        read_worlds([path])
    path.write_text(HEADING + f"x\tx\t{HOUR // 2}\t{HOUR * 2}\t9\t\n")
    assert len(read_worlds([path])) == 1
