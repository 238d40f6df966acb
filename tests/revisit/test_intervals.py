from __future__ import annotations

import pytest

from focuscrawl.revisit.intervals import Nutch, Sitemap
from focuscrawl.revisit.pages import Known
from focuscrawl.revisit.policy import DAY, HOUR

START = 1_700_000_000.0


def declared(**intervals: float | None) -> Sitemap:
    policy = Sitemap()
    policy.add(
        [
            Known(int(name[1:]), "a.test", visited=START, interval=interval)
            for name, interval in intervals.items()
        ]
    )
    return policy


def test_the_most_exceeded_interval_is_first_and_an_undeclared_one_is_a_week() -> None:
    policy = declared(p1=30 * DAY, p2=None, p3=DAY, p4=6 * DAY, p5=8 * DAY)
    assert policy.next(5, START + 9 * DAY) == [3, 4, 2, 5, 1]


def test_always_is_an_hour() -> None:
    policy = declared(p1=HOUR, p2=0.0, p3=2 * HOUR)
    assert policy.next(3, START + DAY) == [1, 2, 3]


def test_moved_dates_go_before_all_until_the_page_is_visited() -> None:
    policy = declared(p1=HOUR, p2=365 * DAY, p3=DAY)
    policy.has_read("a.test", [2, 99], START + DAY)
    assert policy.next(3, START + DAY) == [2, 1, 3]
    policy.visited(2, True, START + DAY)
    assert policy.next(3, START + 2 * DAY) == [1, 3, 2]


def test_a_date_that_moves_after_the_visit_counts() -> None:
    policy = declared(p1=HOUR, p2=365 * DAY)
    policy.visited(2, True, START + HOUR)
    policy.has_read("a.test", [2], START + 2 * HOUR)
    assert policy.next(1, START + 3 * HOUR) == [2]


def test_each_sitemap_is_read_once_a_day() -> None:
    policy = declared(p1=DAY)
    policy.has_sitemap("a.test", START)
    policy.has_sitemap("b.test", START + HOUR)
    assert policy.reads(START + 23 * HOUR) == []
    assert policy.reads(START + 24 * HOUR) == ["a.test"]
    policy.has_sitemap("a.test", START + 24 * HOUR)
    assert policy.reads(START + 25 * HOUR) == ["a.test", "b.test"]
    policy.has_read("a.test", [], START + 25 * HOUR)
    assert policy.reads(START + 48 * HOUR) == ["b.test"]


def interval_after(outcomes: list[tuple[float, bool]]) -> tuple[float, float]:
    """The interval after visits at those days, and the days until the next, both in days."""
    policy = Nutch()
    policy.add([Known(1, "a.test", visited=START)])
    for day, changed in outcomes:
        policy.visited(1, changed, START + day * DAY)
    policy.next(1, START + 10_000 * DAY)
    due = (float(policy.pages.due[0]) - START) / DAY
    return float(policy.pages.interval[0]) / DAY, due


def test_intervals_grow_by_two_fifths_and_shrink_by_a_fifth() -> None:
    assert interval_after([]) == pytest.approx((1.0, 1.0))
    assert interval_after([(1, True)]) == pytest.approx((0.8, 1.8))
    assert interval_after([(1, True), (1.8, True)]) == pytest.approx((0.64, 2.44))
    assert interval_after([(1, True), (1.8, False)]) == pytest.approx((1.12, 2.68))


def test_the_interval_counts_from_before_the_visit_if_nothing_changed_for_long() -> None:
    """Nothing for 1 day: 1.4 days from 0.7; nothing for 5 days: 5 days from 3.5."""
    assert interval_after([(1, False)]) == pytest.approx((1.4, 0.7 + 1.4))
    assert interval_after([(5, False)]) == pytest.approx((5.0, 3.5 + 5.0))


def test_intervals_stay_between_an_hour_and_a_year() -> None:
    often = [(1 + visit / 100, True) for visit in range(40)]
    assert interval_after(often)[0] == pytest.approx(1 / 24)
    assert interval_after([(400, False)])[0] == pytest.approx(365)


def test_the_longest_due_page_is_first_and_the_budget_is_spent_on_those_due_next() -> None:
    policy = Nutch()
    policy.add([Known(key, "a.test", visited=START) for key in (1, 2, 3)])
    policy.visited(1, True, START + 2 * DAY)
    policy.visited(2, False, START + 2 * DAY)
    assert policy.next(3, START + 2 * DAY) == [3, 1, 2]


def test_a_page_that_is_made_known_again_keeps_its_interval() -> None:
    policy = Nutch()
    policy.add([Known(1, "a.test", visited=START)])
    policy.visited(1, True, START + DAY)
    policy.add([Known(1, "a.test", weight=0.5, visited=START + DAY)])
    assert float(policy.pages.interval[0]) == pytest.approx(0.8 * DAY)
