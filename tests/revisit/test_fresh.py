from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from focuscrawl.revisit.classic import Oracle, RoundRobin
from focuscrawl.revisit.fresh import MAX_AGE_DAYS, Fresh
from focuscrawl.revisit.pages import Known
from focuscrawl.revisit.policy import DAY, HOUR
from focuscrawl.revisit.simulation import Simulation
from focuscrawl.revisit.synthetic import HINTS, Shape, synthetic_world
from focuscrawl.revisit.world import World

START = 1_700_000_000 // 86_400 * DAY


class Counting(Fresh):
    """Also counts its fetches by page."""

    def __init__(self) -> None:
        super().__init__()
        self.fetches: Counter[int] = Counter()

    def visited(self, key: int, changed: bool, at: float) -> None:
        self.fetches[key] += 1
        super().visited(key, changed, at)


def web(per_day: Sequence[float], weights: Sequence[float] = (), days: int = 40) -> World:
    """Pages that change by Poisson's law, each on a site of its own."""
    random = np.random.default_rng(11)
    changes = [
        START + np.sort(random.random(random.poisson(rate * days))) * days * DAY for rate in per_day
    ]
    return World(
        pages=[
            Known(key, f"{key}.test", weight=weights[key] if weights else 1.0)
            for key in range(len(per_day))
        ],
        first=np.full(len(per_day), START),
        last=np.full(len(per_day), START + days * DAY),
        changes=np.concatenate(changes),
        ends=np.cumsum([len(of_page) for of_page in changes]),
    )


def spent(world: World, budget: float) -> Counter[int]:
    policy = Counting()
    Simulation(world, policy, budget).run()
    return policy.fetches


def watched(policy: Fresh, habits: dict[int, int], days: int = 40) -> float:
    """Visit pages daily; each is found changed every so many days (0: never). The time after."""
    for day in range(1, days + 1):
        for key, period in habits.items():
            policy.visited(key, bool(period) and day % period == 0, START + day * DAY)
    return START + days * DAY


# -- which page is next ----------------------------------------------------------------


def test_the_page_that_changes_is_fetched_before_the_one_that_does_not() -> None:
    policy = Fresh()
    policy.add([Known(1, "a.test", visited=START), Known(2, "b.test", visited=START)])
    now = watched(policy, {1: 0, 2: 2})
    assert policy.next(1, now + DAY) == [2]
    assert policy.next(2, now + DAY) == [2, 1]


def test_a_copy_that_is_old_is_fetched_before_a_new_one() -> None:
    policy = Fresh()
    policy.add([Known(1, "a.test", visited=START), Known(2, "b.test", visited=START)])
    now = watched(policy, {1: 3, 2: 3})
    policy.visited(1, False, now + 2 * DAY)
    assert policy.next(1, now + 3 * DAY) == [2]


def test_where_both_are_alike_weight_decides() -> None:
    policy = Fresh()
    policy.add(
        [
            Known(1, "a.test", weight=0.2, visited=START),
            Known(2, "b.test", weight=0.8, visited=START),
        ]
    )
    now = watched(policy, {1: 3, 2: 3})
    assert policy.next(1, now + DAY) == [2]


def test_heavier_pages_get_more_fetches() -> None:
    light_and_heavy = [0.1, 0.9] * 10
    found = spent(web([0.5] * 20, light_and_heavy), budget=0.4)
    light = sum(found[key] for key in range(0, 20, 2))
    heavy = sum(found[key] for key in range(1, 20, 2))
    assert heavy > 2 * light


def test_pages_too_fast_to_keep_get_less_than_those_of_medium_pace() -> None:
    found = spent(web([0.5] * 15 + [40.0] * 15, days=60), budget=0.5)
    medium = sum(found[key] for key in range(15))
    fast = sum(found[key] for key in range(15, 30))
    assert medium > 3 * fast


def test_pages_that_hardly_change_get_less_than_those_of_medium_pace() -> None:
    found = spent(web([0.5] * 15 + [0.001] * 15, days=60), budget=0.5)
    assert sum(found[key] for key in range(15)) > 2 * sum(found[key] for key in range(15, 30))


def test_within_a_month_all_but_the_lightest_pages_are_looked_at() -> None:
    """Six fetches a page: two that weigh next to nothing were not worth one."""
    world = synthetic_world(Shape(pages=300, sites=10, days=30), 3)
    assert len(spent(world, 0.2)) >= 295


def test_a_new_page_is_explored_soon() -> None:
    policy = Fresh()
    policy.add([Known(key, f"{key}.test", visited=START) for key in range(20)])
    now = watched(policy, dict.fromkeys(range(20), 0))
    policy.add([Known(99, "new.test", visited=now)])
    fetched = []
    for hour in range(1, 4 * 24, 4):
        (key,) = policy.next(1, now + hour * HOUR)
        fetched.append(key)
        policy.visited(key, False, now + hour * HOUR)
    assert 99 in fetched


def test_a_page_is_never_forgotten() -> None:
    policy = Fresh()
    policy.add([Known(1, "a.test", weight=0.01, visited=START)])
    policy.add([Known(key, "b.test", visited=START) for key in range(2, 12)])
    now = watched(policy, {1: 0, **dict.fromkeys(range(2, 12), 2)}, days=60)
    late = now + (MAX_AGE_DAYS + 1) * DAY
    for key in range(2, 12):
        policy.visited(key, True, late - DAY)
    assert policy.next(2, late)[0] == 1


# -- dates -----------------------------------------------------------------------------


def proven_site(dates_are_true: bool) -> tuple[Fresh, float]:
    """Sixty pages that were read about and visited daily; a tenth of them change a day."""
    random = np.random.default_rng(5)
    policy = Fresh()
    policy.add([Known(key, "a.test", visited=START) for key in range(60)])
    policy.has_sitemap("a.test", START)
    for day in range(1, 31):
        now = START + day * DAY
        changed = random.random(60) < 0.1
        moved = changed if dates_are_true else random.random(60) < 0.1
        policy.has_read("a.test", np.flatnonzero(moved).tolist(), now)
        policy.next(1, now)
        for key in range(60):
            policy.visited(key, bool(changed[key]), now)
    return policy, now


def test_a_date_that_moved_brings_a_page_up_where_dates_were_true() -> None:
    policy, now = proven_site(dates_are_true=True)
    policy.has_read("a.test", [17, 42], now + DAY)
    assert set(policy.next(2, now + DAY)) == {17, 42}
    moved, other = policy.chances_fresh(policy.pages.rows(np.array([17, 3])), now + DAY)
    assert moved < 0.3
    assert other > 0.9


def test_a_date_says_nothing_where_dates_were_random() -> None:
    policy, now = proven_site(dates_are_true=False)
    rows = policy.pages.rows(np.array([17, 42, 3]))
    policy.has_read("a.test", [17, 42], now + DAY)
    moved_one, moved_two, other = policy.chances_fresh(rows, now + DAY)
    assert moved_one > 0.7
    assert moved_two > 0.7
    assert other > 0.7


def test_silence_of_true_dates_keeps_a_copy_believed() -> None:
    chances = []
    for is_true in (True, False):
        policy, now = proven_site(is_true)
        policy.has_read("a.test", [], now + 3 * DAY)
        rows = policy.pages.rows(np.arange(60))
        chances.append(float(policy.chances_fresh(rows, now + 3 * DAY).mean()))
    assert chances[0] > 0.9 > chances[1]


def test_sitemaps_are_asked_for_and_a_read_puts_it_off() -> None:
    policy = Fresh()
    policy.add([Known(key, "a.test", visited=START) for key in range(50)])
    assert policy.reads(START) == []
    policy.has_sitemap("a.test", START)
    policy.next(5, START + HOUR)
    assert policy.reads(START + 8 * DAY) == ["a.test"]
    policy.has_read("a.test", [1], START + 8 * DAY)
    assert policy.reads(START + 8 * DAY + HOUR / 2) == []


def test_dates_of_unknown_sites_and_pages_are_passed_over() -> None:
    policy = Fresh()
    policy.add([Known(1, "a.test", visited=START)])
    policy.has_read("elsewhere.test", [1, 2], START + HOUR)
    policy.has_read("a.test", [5, 6], START + HOUR)
    assert policy.next(3, START + DAY) == [1]


# -- chances ---------------------------------------------------------------------------


def test_chances_fall_with_time_and_are_true_in_the_mean() -> None:
    policy = Fresh()
    policy.add([Known(key, "a.test", visited=START) for key in range(30)])
    random = np.random.default_rng(4)
    for day in range(1, 61):
        policy.next(1, START + day * DAY)
        for key in range(30):
            policy.visited(key, bool(random.random() < 1 - np.exp(-0.25)), START + day * DAY)
    policy.next(1, START + 60 * DAY)
    rows = np.arange(30)
    means = [float(policy.chances_fresh(rows, START + (60 + day) * DAY).mean()) for day in (1, 3)]
    assert means == pytest.approx([np.exp(-0.25), np.exp(-0.75)], abs=0.06)


def test_a_page_told_of_again_within_the_same_second_does_no_harm() -> None:
    policy = Fresh()
    known = [Known(key, "a.test", visited=START) for key in range(5)]
    policy.add(known)
    for hour in range(1, 6):
        policy.next(2, START + hour * HOUR)
        policy.add(known)
        policy.next(2, START + hour * HOUR)
    assert sorted(policy.next(5, START + 6 * HOUR)) == [0, 1, 2, 3, 4]
    assert np.isfinite(policy.pages.value).all()


# -- the whole -------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "ratio"), [(1, 0.94), (2, 0.95), (3, 0.93)])
def test_freshness_of_a_small_web_against_the_oracle_and_turns(seed: int, ratio: float) -> None:
    world = synthetic_world(Shape(pages=300, sites=10, days=30), seed)
    oracle = Simulation(world, Oracle(world.rates()), 0.2).run().freshness
    turns = Simulation(world, RoundRobin(), 0.2).run().freshness
    fresh = Simulation(world, Fresh(), 0.2).run().freshness
    assert fresh > ratio * oracle
    assert fresh > 1.02 * turns


def test_good_dates_are_of_use() -> None:
    shape = Shape(pages=300, sites=10, days=30, with_sitemaps=1.0, liars=0.0)
    without = synthetic_world(shape, 1)
    hinted = synthetic_world(
        Shape(pages=300, sites=10, days=30, with_sitemaps=1.0, liars=0.0, hints=HINTS["good"]), 1
    )
    alone = Simulation(without, Fresh(), 0.5).run().freshness
    assert Simulation(hinted, Fresh(), 0.5).run().freshness > alone


def test_the_same_web_gives_the_same_answers() -> None:
    world = synthetic_world(Shape(pages=150, sites=8, days=12, hints=HINTS["good"]), 5)
    one, same = (Counting() for _ in range(2))
    assert Simulation(world, one, 0.3).run() == Simulation(world, same, 0.3).run()
    assert one.fetches == same.fetches
