from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from focuscrawl.revisit.pages import Known
from focuscrawl.revisit.policy import DAY, HOUR
from focuscrawl.revisit.sampling import (
    Adaptive,
    FrequencyGreedy,
    Greedy,
    Proportional,
    Sampling,
    Tally,
)

START = 1_700_000_000.0 // DAY * DAY
Changes = Callable[[int], bool]


def web(policy: Sampling, sizes: list[int]) -> Sampling:
    """Pages of site n have the keys n·1000, n·1000 + 1, …"""
    policy.add(
        [
            Known(site * 1_000 + page, f"site{site}.test", visited=START - DAY)
            for site, size in enumerate(sizes)
            for page in range(size)
        ]
    )
    return policy


def a_day(policy: Sampling, day: int, per_hour: int, changed: Changes) -> Counter[int]:
    """How many pages of each site were fetched."""
    fetched: list[int] = []
    for hour in range(24):
        now = START + day * DAY + hour * HOUR
        keys = policy.next(per_hour, now)
        for key in keys:
            policy.visited(key, changed(key), now)
        fetched += keys
    assert len(set(fetched)) == len(fetched), "no page twice a day"
    return Counter(key // 1_000 for key in fetched)


def seven_or_four_of_ten(key: int) -> bool:
    return key % 10 < (7 if key < 1_000 else 4)


def test_proportional_gives_each_site_its_share_after_equal_samples() -> None:
    """240 fetches a day of 1,000 pages: about 24 sampled of each, the rest as 7 to 4."""
    policy = web(Proportional(), [500, 500])
    fetched = a_day(policy, 0, 10, seven_or_four_of_ten)
    assert sum(fetched.values()) == 240
    assert fetched[0] / 240 == pytest.approx(0.6, abs=0.04)


def test_greedy_fetches_the_livelier_site_alone_after_the_samples() -> None:
    policy = web(Greedy(), [500, 500])
    assert a_day(policy, 0, 10, seven_or_four_of_ten) == {0: 240 - 24, 1: 24}


def test_greedy_goes_on_with_the_next_site_when_one_is_through() -> None:
    policy = web(Greedy(), [60, 500, 500])
    fetched = a_day(policy, 0, 10, lambda key: key < 1_000 or (key < 2_000 and key % 2 == 0))
    assert fetched[0] == 60
    assert fetched[1] > 150
    assert fetched[2] == 16


def test_within_a_site_the_pages_that_waited_longest_are_first() -> None:
    policy = Greedy()
    known = [Known(key, "a.test", visited=START - 1_000 + key) for key in range(400)]
    policy.add([*known, *(Known(1_000 + key, "b.test", visited=START - DAY) for key in range(400))])
    fetched: list[int] = []
    for hour in range(24):
        for key in policy.next(10, START + hour * HOUR):
            policy.visited(key, key < 1_000, START + hour * HOUR)
            fetched.append(key)
    sample, others = fetched[:48], fetched[48:]
    assert sum(key < 1_000 for key in sample) == 24
    assert others == sorted(set(range(400)) - set(sample))[: 240 - 48]


def test_samples_shrink_to_what_the_formula_asks_for() -> None:
    """After a day rates are known to lie far apart: √(250·0.24·1.25 / (6·(1 − 0.25))) = 4.1."""
    policy = web(Greedy(), [250, 250, 250, 250])
    assert sorted(a_day(policy, 0, 10, lambda key: key < 1_000).values())[:3] == [12, 12, 12]
    policy.next(10, START + DAY)
    assert policy.pages.sampled.sum() == 4 * 5


def test_sites_take_turns_where_there_is_no_page_for_each() -> None:
    """48 fetches a day: samples of 9 sites a day, so that 30 sites have their turn in 4 days."""
    policy = web(Greedy(), [40] * 30)
    groups = []
    for day in range(4):
        a_day(policy, day, 2, lambda key: True)
        groups.append(policy._group.tolist())
    assert [len(group) for group in groups] == [9, 9, 9, 9]
    assert {site for group in groups for site in group} == set(range(30))


def test_adaptive_samples_on_until_it_is_sure() -> None:
    """Two clear sites and two alike: the clear ones are settled with fewer samples."""
    shares = {0: 10, 1: 0, 2: 5, 3: 4}
    policy = web(Adaptive(), [100, 100, 100, 100])
    fetched = a_day(policy, 0, 8, lambda key: key % 10 < shares[key // 1_000])
    assert fetched[0] == 100
    assert fetched[1] < fetched[3] + fetched[2]
    assert fetched[1] <= 12


def test_a_page_of_a_sample_speaks_with_its_last_five_visits() -> None:
    policy = web(FrequencyGreedy(), [1])
    rows = policy.pages.rows(np.array([0]))
    outcomes = [True, False, True, True, False, False, False, False, False]
    rates = [float(policy._rate_of_each(rows, np.array([changed]))[0]) for changed in outcomes]
    assert rates == pytest.approx([1, 1 / 2, 2 / 3, 3 / 4, 3 / 5, 2 / 5, 2 / 5, 1 / 5, 0])


def test_frequency_greedy_samples_lively_sites_more() -> None:
    policy = web(FrequencyGreedy(), [300, 300, 300])
    a_day(policy, 0, 10, lambda key: key >= 2_000)
    policy.next(10, START + DAY)
    sampled = policy.pages.sites(np.flatnonzero(policy.pages.sampled))
    assert np.bincount(sampled).tolist() == [2, 2, 48]


def test_a_sample_that_does_not_come_in_is_not_waited_for() -> None:
    policy = web(Greedy(), [50, 50])
    drawn = policy.next(4, START)
    assert policy.next(4, START + 11 * HOUR) == drawn
    assert policy.next(4, START + 12 * HOUR) == [0, 1, 2, 3] != drawn


def test_the_tally_keeps_what_was_found_before() -> None:
    tally = Tally()
    tally.reach(2)
    tally.add(np.array([0, 0, 1]), np.array([1.0, 0.0, 1.0]))
    assert tally.rates().tolist() == [0.5, 1.0]
    tally.close()
    tally.reach(3)
    tally.add(np.array([0]), np.array([0.0]))
    assert tally.rates().tolist() == [0.0, 1.0, 0.0]
