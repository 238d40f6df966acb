"""A question looks at few pages closely: at those that may be the best."""

from __future__ import annotations

import numpy as np
import pytest

from focuscrawl.revisit.fresh import Fresh
from focuscrawl.revisit.pages import NOBODY, Known

HOUR = 3_600.0
START = 1_700_000_000.0 // 86_400 * 86_400
PAGES, SITES = 3_000, 40


def grown(hours: int = 30) -> tuple[Fresh, float]:
    """A policy that has seen some life: visits, dates that moved, pages that went."""
    random = np.random.default_rng(5)
    rates = np.exp(random.normal(-5, 2, PAGES))
    visited = START - random.random(PAGES) * 400 * HOUR
    weights = random.beta(2, 6, PAGES)
    policy = Fresh()
    policy.add(
        [
            Known(key, f"s{key % SITES}", weight=float(weights[key]), visited=float(visited[key]))
            for key in range(PAGES)
        ]
    )
    policy.has_sitemap("s1", START)
    for hour in range(hours):
        now = START + hour * HOUR
        for site in policy.reads(now):
            policy.has_read(site, random.choice(range(1, PAGES, SITES), 5).tolist(), now)
        for key in policy.next(20, now):
            changed = random.random() < -np.expm1(-rates[key] * (now - visited[key]) / HOUR)
            visited[key] = now
            policy.visited(key, bool(changed), now)
    policy.drop(range(0, PAGES, 7))
    return policy, START + hours * HOUR


@pytest.mark.parametrize("count", [1, 50, 700])
def test_the_best_are_chosen_though_few_are_valued(count: int) -> None:
    policy, now = grown()
    policy._learn_visits()
    bounds = policy._bounds(now)
    chosen = policy.pages.rows(np.array(policy.next(count, now)))
    value, valued = policy.pages.value, policy.pages.valued == int(now)
    living = policy.pages.group != NOBODY
    last = value[chosen].min()
    assert len(chosen) == count
    assert living[chosen].all()
    assert valued[chosen].all()
    assert (np.diff(value[chosen]) <= 0).all()
    assert (value[living & valued] > last).sum() <= count
    assert valued[living & (bounds > last)].all()
    assert not valued[living].all()


def test_no_site_gets_more_than_its_share() -> None:
    policy, now = grown()
    chosen = policy.next(100, now, site_cap=3)
    assert len(set(chosen)) == 100
    assert max(np.bincount([key % SITES for key in chosen])) == 3


def test_a_cap_may_leave_less_than_was_asked_for() -> None:
    policy, now = grown()
    assert len(policy.next(100, now, site_cap=1)) == SITES


def test_the_price_is_that_of_the_last_page_asked_for() -> None:
    """However far the ranking had to go for the sake of the cap."""
    plain, now = grown()
    capped, _ = grown()
    plain.next(100, now)
    capped.next(100, now, site_cap=1)
    assert capped._price == pytest.approx(plain._price, rel=0.01)


def test_two_visits_in_one_second_are_no_error() -> None:
    policy, now = grown(2)
    first = policy.next(10, now)
    for key in first:
        policy.visited(key, False, now)
    assert not set(policy.next(10, now)) & set(first)


def test_beliefs_fit_into_half_floats() -> None:
    """A page that changed at each of very many visits, and then never again."""
    policy = Fresh()
    policy.add([Known(1, "s", visited=START)])
    for hour in range(1, 3_000):
        policy.visited(1, hour < 2_000, START + hour * HOUR)
    policy.next(1, START + 3_000 * HOUR)
    assert np.isfinite(policy.pages.belief).all()
    assert policy.pages.belief.max() == 0


def test_no_fetch_is_worth_more_than_the_time_since_the_last() -> None:
    policy, now = grown()
    policy.next(PAGES, now)
    rows = policy.pages.living()
    hours = (now - policy.pages.visited[rows]) / HOUR
    assert (policy.pages.value[rows] <= policy.pages.weight[rows] * hours + 1e-3).all()


@pytest.mark.parametrize("count", [50, 700])
def test_little_is_lost_against_valuing_all(count: int) -> None:
    few, now = grown()
    every, _ = grown()
    every._learn_visits()
    every.pages.value[:] = np.inf
    best = every.pages.value[every.pages.rows(np.array(every.next(count, now)))].sum()
    chosen = every.pages.value[every.pages.rows(np.array(few.next(count, now)))].sum()
    assert 0.93 * best <= chosen <= best
