from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit.classic import RoundRobin
from focuscrawl.revisit.pages import Flags, Floats, Ints, Known
from focuscrawl.revisit.policy import DAY, HOUR, Pace, Policy, best, rank_within
from focuscrawl.revisit.registry import POLICIES

START = 1_700_000_000.0


class Noting(Policy):
    """Ranks by weight, and writes down what it learns."""

    name = "noting"
    columns: ClassVar = {"told": np.int16}

    def __init__(self, max_age_days: float = float("inf")) -> None:
        super().__init__(max_age_days)
        self.learned: list[tuple[int, bool, float, float]] = []
        self.added: list[int] = []

    def _added(self, rows: Ints, pages: Sequence[Known]) -> None:
        self.added.extend(self.pages.key[rows].tolist())

    def _learn(self, rows: Ints, changed: Flags, at: Floats) -> None:
        self.pages.told[rows] += 1
        before = self.pages.visited[rows].tolist()
        self.learned.extend(
            zip(self.pages.key[rows].tolist(), changed.tolist(), at.tolist(), before, strict=True)
        )

    def _ranked(self, count: int, now: float) -> Ints:
        rows = self.pages.living()
        return best(rows, self.pages.weight[rows].astype(np.float64), count)


def noting(pages: Sequence[Known], max_age_days: float = float("inf")) -> Noting:
    policy = Noting(max_age_days)
    policy.add(pages)
    return policy


# -- what it learns --------------------------------------------------------------------


def test_two_visits_of_a_page_between_two_questions_are_learned_in_order() -> None:
    policy = noting([Known(1, "a.test", visited=100.0), Known(2, "a.test", visited=200.0)])
    policy.visited(1, True, 1_000.0)
    policy.visited(2, False, 1_500.0)
    policy.visited(1, False, 2_000.0)
    policy.visited(1, True, 3_000.0)
    policy.next(1, 4_000.0)
    of_first = [visit for visit in policy.learned if visit[0] == 1]
    assert of_first == [
        (1, True, 1_000.0, 100.0),
        (1, False, 2_000.0, 1_000.0),
        (1, True, 3_000.0, 2_000.0),
    ]
    assert (2, False, 1_500.0, 200.0) in policy.learned
    assert policy.pages.told.tolist() == [3, 1]
    assert policy.pages.visited.tolist() == [3_000, 1_500]


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=30))
def test_whatever_comes_between_two_questions_each_page_learns_its_own_row_of_visits(
    visits: list[tuple[int, bool]],
) -> None:
    policy = noting([Known(key, "a.test") for key in range(4)])
    for number, (key, changed) in enumerate(visits, start=1):
        policy.visited(key, changed, float(number))
    policy.next(1, 1_000.0)
    for key in range(4):
        own = [
            (changed, float(number))
            for number, (of, changed) in enumerate(visits, start=1)
            if of == key
        ]
        assert [visit[1:3] for visit in policy.learned if visit[0] == key] == own
        times = [0.0, *(at for _, at in own)]
        assert [visit[3] for visit in policy.learned if visit[0] == key] == times[:-1]


def test_visits_of_unknown_and_of_dropped_pages_are_passed_over() -> None:
    policy = noting([Known(1, "a.test"), Known(2, "a.test")])
    policy.visited(77, True, 10.0)
    policy.visited(2, True, 20.0)
    policy.drop([2])
    policy.visited(2, False, 30.0)
    assert policy.next(5, 40.0) == [1]
    assert [visit[:3] for visit in policy.learned] == [(2, True, 20.0)]


def test_what_was_seen_before_a_page_is_added_anew_is_learned_before() -> None:
    policy = noting([Known(1, "a.test", visited=5.0)])
    policy.visited(1, True, 10.0)
    policy.add([Known(1, "a.test", visited=20.0)])
    assert policy.learned == [(1, True, 10.0, 5.0)]
    assert policy.added == [1, 1]
    assert len(policy.pages) == 1


# -- what it answers -------------------------------------------------------------------


def test_best_first_and_never_more_than_there_are() -> None:
    policy = noting([Known(1, "a.test", weight=0.2), Known(2, "b.test", weight=0.9)])
    assert policy.next(1, START) == [2]
    assert policy.next(9, START) == [2, 1]
    assert policy.next(0, START) == []
    assert Noting().next(3, START) == []


def test_at_most_so_many_of_a_site() -> None:
    policy = noting(
        [
            Known(1, "a.test", weight=0.9),
            Known(2, "a.test", "news", weight=0.8),
            Known(3, "a.test", weight=0.7),
            Known(4, "b.test", weight=0.2),
            Known(5, "b.test", weight=0.1),
        ]
    )
    assert policy.next(5, START, site_cap=2) == [1, 2, 4, 5]
    assert policy.next(3, START, site_cap=1) == [1, 4]
    assert policy.next(4, START, site_cap=0) == [1, 2, 3, 4]


def test_pages_past_the_maximum_age_come_first_but_take_half_at_most() -> None:
    late = [Known(key, "a.test", weight=0.1, visited=START + key * DAY) for key in range(4)]
    young = [Known(key, "a.test", weight=0.9, visited=START + 20 * DAY) for key in (10, 11, 12, 13)]
    policy = noting([*late, *young], max_age_days=10)
    assert policy.next(4, START + 21 * DAY) == [0, 1, 10, 11]
    assert policy.next(1, START + 21 * DAY) == [0]
    assert policy.next(2, START + 10 * DAY) == [10, 11]


def test_no_page_is_named_twice() -> None:
    policy = noting([Known(key, "a.test", weight=0.5) for key in range(6)], max_age_days=1)
    assert sorted(policy.next(6, START)) == list(range(6))


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(1, 8), st.integers(0, 40)),
        min_size=1,
        max_size=20,
    ),
    st.integers(1, 25),
    st.integers(0, 4),
    st.sampled_from([5.0, 20.0, float("inf")]),
)
def test_answers_keep_their_bounds(
    pages: list[tuple[str, int, int]], count: int, cap: int, max_age: float
) -> None:
    policy = noting(
        [
            Known(key, site, weight=weight / 8, visited=START + day * DAY)
            for key, (site, weight, day) in enumerate(pages)
        ],
        max_age_days=max_age,
    )
    answer = policy.next(count, START + 41 * DAY, site_cap=cap)
    assert len(set(answer)) == len(answer) <= count
    taken = [pages[key][0] for key in answer]
    possible = {site: len([page for page in pages if page[0] == site]) for site in "abc"}
    most = {site: min(number, cap) if cap else number for site, number in possible.items()}
    assert all(taken.count(site) <= most[site] for site in "abc")
    assert len(answer) == min(count, sum(most.values()))


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_every_policy_takes_whatever_it_is_told(name: str) -> None:
    policy = POLICIES[name]()
    assert policy.name == name
    assert policy.next(3, START) == []
    assert policy.reads(START) == []
    policy.has_read("nowhere.test", [1, 2], START)
    policy.has_sitemap("a.test", START)
    policy.add([Known(key, "a.test", visited=START) for key in (-5, 0, 2**63 - 1)])
    policy.visited(0, True, START + HOUR)
    policy.visited(123, True, START + HOUR)
    assert set(policy.next(5, START + 2 * HOUR)) == {-5, 0, 2**63 - 1}
    policy.has_read("a.test", [0, 999], START + 3 * HOUR)
    policy.drop([0, 0, 42])
    assert set(policy.next(5, START + 4 * HOUR)) == {-5, 2**63 - 1}


def test_round_robin_takes_every_page_in_turn() -> None:
    policy = RoundRobin()
    policy.add([Known(key, "a.test", visited=START) for key in range(6)])
    turns = []
    for hour in range(1, 6):
        chosen = policy.next(2, START + hour * HOUR)
        turns.append(chosen)
        for key in chosen:
            policy.visited(key, True, START + hour * HOUR)
    assert turns == [[0, 1], [2, 3], [4, 5], [0, 1], [2, 3]]


# -- pace ------------------------------------------------------------------------------


def test_pace_of_a_steady_crawl() -> None:
    pace = Pace()
    for hour in range(24 * 60):
        pace.asked(5, hour * HOUR)
    assert pace.per_day == pytest.approx(120, rel=0.01)


def test_pace_follows_a_new_budget_within_weeks() -> None:
    pace = Pace()
    for hour in range(24 * 30):
        pace.asked(5, hour * HOUR)
    for hour in range(24 * 30, 24 * 37):
        pace.asked(50, hour * HOUR)
    assert 120 + 0.55 * 1_080 < pace.per_day < 120 + 0.7 * 1_080
    for hour in range(24 * 37, 24 * 65):
        pace.asked(50, hour * HOUR)
    assert pace.per_day == pytest.approx(1_200, rel=0.03)


def test_pace_before_anything_is_known_and_when_the_clock_goes_back() -> None:
    pace = Pace()
    assert pace.per_day == 0
    pace.asked(3, START)
    assert pace.per_day == pytest.approx(72)
    pace.asked(3, START - DAY)
    assert pace.per_day == pytest.approx(144)


# -- best and rank_within --------------------------------------------------------------


@given(
    st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, float("inf")]), max_size=40),
    st.integers(0, 45),
)
def test_best_is_a_stable_sort_cut_off(values: list[float], count: int) -> None:
    rows = np.arange(100, 100 + len(values))
    expected = sorted(range(len(values)), key=lambda place: (-values[place], place))[:count]
    assert best(rows, np.array(values), count).tolist() == [100 + place for place in expected]


@given(st.lists(st.floats(-1e9, 1e9), max_size=60), st.integers(0, 60))
def test_best_of_any_values(values: list[float], count: int) -> None:
    rows = np.arange(len(values))
    expected = sorted(range(len(values)), key=lambda place: -values[place])[:count]
    assert best(rows, np.array(values), count).tolist() == expected


@given(st.lists(st.integers(-2, 5), max_size=40))
def test_rank_within_counts_those_before_of_the_same_group(groups: list[int]) -> None:
    expected = [groups[:place].count(group) for place, group in enumerate(groups)]
    assert rank_within(np.array(groups, np.int64)).tolist() == expected
