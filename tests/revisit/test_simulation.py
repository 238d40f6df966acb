from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.revisit.classic import Oracle, RoundRobin
from focuscrawl.revisit.pages import Known
from focuscrawl.revisit.policy import HOUR, Policy
from focuscrawl.revisit.simulation import Outcome, Simulation
from focuscrawl.revisit.synthetic import Shape, synthetic_world
from focuscrawl.revisit.world import Reports, World

START = 400_000 * HOUR


def web(
    hours: float,
    changes: Sequence[Sequence[float]],
    weights: Sequence[float] = (),
    lives: Mapping[int, tuple[float, float]] | None = None,
    moved: Sequence[tuple[float, int]] = (),
) -> World:
    """Pages with changes at these hours; ``lives`` are hours from and to, ``moved`` are dates."""
    spans = [(lives or {}).get(page, (0.0, hours)) for page in range(len(changes))]
    return World(
        pages=[
            Known(page, "a.test", weight=weights[page] if weights else 1.0)
            for page in range(len(changes))
        ],
        first=np.array([START + begin * HOUR for begin, _ in spans]),
        last=np.array([START + end * HOUR for _, end in spans]),
        changes=np.array([START + at * HOUR for of_page in changes for at in of_page], np.float64),
        ends=np.cumsum([len(of_page) for of_page in changes]),
        sitemaps={
            "a.test": Reports(
                np.array([START + at * HOUR for at, _ in moved]),
                np.array([page for _, page in moved], np.int64),
            )
        }
        if moved
        else {},
    )


class Scripted(Policy):
    """Fetches by a timetable (hour: pages), reads at given hours, and writes down what it hears."""

    name = "scripted"

    def __init__(self, timetable: Mapping[int, Sequence[int]], reads: Iterable[int] = ()) -> None:
        super().__init__()
        self._timetable = timetable
        self._reads = set(reads)
        self.asked: list[tuple[int, int]] = []
        self.heard: list[tuple[object, ...]] = []

    def add(self, pages: Sequence[Known]) -> None:
        self.heard.extend(("add", page.key, hour_of(page.visited)) for page in pages)

    def drop(self, keys: Iterable[int]) -> None:
        self.heard.extend(("drop", key) for key in keys)

    def visited(self, key: int, changed: bool, at: float) -> None:
        self.heard.append(("visited", key, changed, hour_of(at)))

    def has_sitemap(self, site: str, at: float) -> None:
        self.heard.append(("sitemap", site, hour_of(at)))

    def has_read(self, site: str, moved: Iterable[int], at: float) -> None:
        self.heard.append(("read", site, list(moved), hour_of(at)))

    def next(self, count: int, now: float, site_cap: int = 0) -> list[int]:
        hour = int(hour_of(now))
        self.asked.append((hour, count))
        return list(self._timetable.get(hour, ()))[:count]

    def reads(self, now: float) -> list[str]:
        return ["a.test"] if int(hour_of(now)) in self._reads else []

    def told(self, what: str) -> list[tuple[object, ...]]:
        return [words[1:] for words in self.heard if words[0] == what]


def hour_of(at: float) -> float:
    return (at - START) / HOUR


def test_two_pages_and_six_hours_by_hand() -> None:
    """Page 0 changes at 1:30 and 3:15 and is fetched at 0, 2, 4: fresh for 1 + ½ + 1 + ¼ + 1 + 1
    hours. Page 1 changes at 2:30 and is fetched at 1, 3, 5: 1 + 1 + ½ + 1 + 1 + 1. In the middle
    of an hour only the copy of page 0 is ever old, at 3:30 by a quarter of an hour."""
    policy = Scripted({0: [0], 1: [1], 2: [0], 3: [1], 4: [0], 5: [1]})
    world = web(6, [[1.5, 3.25], [2.5]], weights=(1.0, 3.0))
    found = Simulation(world, policy, per_page_and_day=12).run()
    assert found == Outcome(
        freshness=pytest.approx((4.75 + 3 * 5.5) / 24),
        age=pytest.approx(0.25 / 24 / 24),
        change_ratio=0.5,
        caught=1.0,
        wasted=0.5,
        fetches=6,
    )
    assert policy.told("visited") == [
        (0, False, 0),
        (1, False, 1),
        (0, True, 2),
        (1, True, 3),
        (0, True, 4),
        (1, False, 5),
    ]
    assert policy.asked == [(hour, 1) for hour in range(6)]


def test_several_changes_between_two_visits_are_found_once() -> None:
    policy = Scripted({4: [0]})
    found = Simulation(web(8, [[1.0, 2.0, 3.0, 6.5]]), policy, per_page_and_day=24).run()
    assert found.freshness == pytest.approx((1 + 0 + 0 + 0 + 1 + 1 + 0.5 + 0) / 8)
    assert found.age == pytest.approx((0.5 + 1.5 + 2.5 + 0 + 1.0) / 24 / 8)
    assert found.caught == 1 / 4
    assert found.change_ratio == 1
    assert found.wasted == 0


def test_a_change_at_the_moment_of_the_fetch_is_seen_by_it() -> None:
    policy = Scripted({2: [0], 3: [0]})
    Simulation(web(5, [[2.0]]), policy, per_page_and_day=24).run()
    assert policy.told("visited") == [(0, True, 2), (0, False, 3)]


def test_a_budget_under_one_an_hour_is_saved_up() -> None:
    policy = Scripted({})
    Simulation(web(24, [[], []]), policy, per_page_and_day=2).run()
    assert policy.asked == [(hour, 1) for hour in (5, 11, 17, 23)]


def test_never_more_fetches_at_once_than_pages() -> None:
    policy = Scripted({})
    Simulation(web(3, [[], []]), policy, per_page_and_day=480).run()
    assert policy.asked == [(0, 2), (1, 2), (2, 2)]


def test_a_web_in_which_nothing_happens() -> None:
    found = Simulation(web(48, [[], [], []]), RoundRobin(), per_page_and_day=1).run()
    assert found == Outcome(
        freshness=1.0, age=0.0, change_ratio=0.0, caught=0.0, wasted=1.0, fetches=6
    )


def test_pages_come_and_go() -> None:
    """Page 1 is known from 1:30 to 4:00, that is in the hours 2 and 3, with its copy of 1:30."""
    world = web(6, [[], [1.75], []], lives={1: (1.5, 4.0), 2: (2.0, 6.0)})
    policy = Scripted({3: [1]})
    found = Simulation(world, policy, per_page_and_day=8).run()
    assert policy.told("add") == [(0, 0), (1, 1.5), (2, 2)]
    assert policy.told("drop") == [(1,)]
    assert policy.told("visited") == [(1, True, 3)]
    # Hours: six of page 0, two of page 1 (the first is stale), four of page 2.
    assert found.freshness == pytest.approx(11 / 12)
    assert found.age == pytest.approx(0.75 / 24 / 12)


def test_hours_in_which_no_page_is_known_do_not_count() -> None:
    world = web(9, [[], []], lives={0: (0.0, 2.0), 1: (6.0, 9.0)})
    policy = Scripted({})
    found = Simulation(world, policy, per_page_and_day=24).run()
    assert [hour for hour, _ in policy.asked] == [0, 1, 6, 7, 8]
    assert found.freshness == 1


def test_reading_a_sitemap_costs_a_fetch_and_tells_what_moved_since() -> None:
    world = web(
        6, [[1.5], [2.5]], moved=[(0.5, 1), (1.5, 0), (1.6, 0), (3.0, 1), (4.5, 0), (5.5, 1)]
    )
    policy = Scripted({hour: [0] for hour in range(6)}, reads=(2, 3, 5))
    found = Simulation(world, policy, per_page_and_day=12).run()
    assert policy.told("sitemap") == [("a.test", 0)]
    assert policy.told("read") == [
        ("a.test", [0, 1], 2),
        ("a.test", [1], 3),
        ("a.test", [0], 5),
    ]
    assert policy.asked == [(0, 1), (1, 1), (4, 1)]
    assert found.fetches == 6
    assert found.change_ratio == pytest.approx(1 / 3)
    assert found.wasted == pytest.approx(5 / 6)


def test_a_sitemap_is_not_read_without_a_fetch_to_spend() -> None:
    world = web(6, [[1.5], [2.5]], moved=[(1.5, 0)])
    policy = Scripted({}, reads=range(6))
    Simulation(world, policy, per_page_and_day=4).run()
    assert [words[-1] for words in policy.told("read")] == [2, 5]


def test_days_are_called_out() -> None:
    days: list[int] = []
    Simulation(web(73, [[]]), RoundRobin(), per_page_and_day=1).run(days.append)
    assert days == [1, 2, 3]


def test_a_fetch_an_hour_for_every_page_keeps_all_but_the_hour_itself() -> None:
    world = web(10, [[0.5, 3.5], [7.25]])
    found = Simulation(world, RoundRobin(), per_page_and_day=24).run()
    assert found.freshness == pytest.approx(1 - (0.5 + 0.5 + 0.75) / 20)
    assert found.caught == 1
    assert found.fetches == 20


def test_the_oracle_is_better_than_turns() -> None:
    world = synthetic_world(Shape(pages=300, sites=10, days=30), 3)
    turns = Simulation(world, RoundRobin(), 0.2).run()
    oracle = Simulation(world, Oracle(world.rates()), 0.2).run()
    assert oracle.freshness > turns.freshness * 1.05
    assert oracle.fetches == pytest.approx(turns.fetches, abs=1)


page_changes = st.lists(
    st.lists(st.floats(0.01, 29.9), max_size=6).map(sorted), min_size=1, max_size=4
)


@settings(max_examples=60)
@given(page_changes, st.floats(0.5, 30), st.data())
def test_against_a_slow_and_simple_count(
    changes: list[list[float]], budget: float, data: st.DataObject
) -> None:
    """Every fetch and every hour of every page, one at a time."""
    hours = 30
    timetable = {
        hour: data.draw(st.lists(st.integers(0, len(changes) - 1), max_size=3, unique=True))
        for hour in range(hours)
    }
    policy = Scripted(timetable)
    found = Simulation(web(hours, changes), policy, budget).run()
    visits = policy.told("visited")
    fresh = aged = 0.0
    for page, own in enumerate(changes):
        for hour in range(hours):
            last = max((at for key, _, at in visits if key == page and at <= hour), default=0.0)
            missed = min((change for change in own if change > last), default=np.inf)
            fresh += min(max(missed - hour, 0.0), 1.0)
            aged += max(hour + 0.5 - missed, 0.0) / 24
    possible = hours * len(changes)
    assert found.freshness == pytest.approx(fresh / possible, abs=1e-6)
    assert found.age == pytest.approx(aged / possible, abs=1e-6)
    assert found.fetches == len(visits)
    assert found.caught <= 1
