from __future__ import annotations

import numpy as np

from focuscrawl.revisit.classic import Importance, Oracle, RoundRobin
from focuscrawl.revisit.pages import Known
from focuscrawl.revisit.policy import DAY, HOUR, Policy

START = 1_700_000_000.0


def visited(policy: Policy, keys: list[int], at: float, changed: frozenset[int]) -> list[int]:
    for key in keys:
        policy.visited(key, key in changed, at)
    return keys


def test_round_robin_takes_whoever_waited_longest() -> None:
    policy = RoundRobin()
    policy.add([Known(key, "a.test", visited=START + key) for key in (3, 1, 2)])
    assert policy.next(2, START + HOUR) == [1, 2]
    visited(policy, [1, 2], START + HOUR, frozenset())
    assert policy.next(3, START + 2 * HOUR) == [3, 1, 2]


def test_the_oracle_leaves_pages_that_change_too_fast_to_keep() -> None:
    policy = Oracle(np.array([0.01, 1.0, 500.0]))
    policy.add([Known(key, "a.test", visited=START) for key in range(3)])
    assert policy.next(3, START + DAY) == [1, 0, 2]


def important() -> Importance:
    policy = Importance()
    weights = {1: 0.9, 2: 0.5, 3: 0.4, 4: 0.1}
    policy.add([Known(key, "a.test", weight=w, visited=START) for key, w in weights.items()])
    return policy


def test_pages_seen_to_change_go_first_by_importance_and_changes() -> None:
    policy = important()
    assert policy.next(4, START + HOUR) == [1, 2, 3, 4]
    visited(policy, [1, 2, 3, 4], START + HOUR, frozenset({3, 4}))
    assert policy.next(4, START + 2 * HOUR) == [3, 4, 1, 2]
    visited(policy, [3, 4, 1, 2], START + 2 * HOUR, frozenset({4}))
    assert policy.next(4, START + 3 * HOUR) == [4, 3, 1, 2]


def test_within_a_day_no_page_comes_twice_and_each_day_begins_at_the_top() -> None:
    policy = important()
    nothing: frozenset[int] = frozenset()
    for key in (1, 2, 3):
        now = START + key * HOUR
        assert visited(policy, policy.next(1, now), now, frozenset({3})) == [key]
    next_day = START + HOUR + DAY
    assert visited(policy, policy.next(2, next_day), next_day, nothing) == [3, 1]
    assert visited(policy, policy.next(1, next_day + HOUR), next_day + HOUR, nothing) == [2]
    assert policy.next(1, next_day + 2 * HOUR) == [4]


def test_when_all_came_the_next_round_begins_within_the_day() -> None:
    policy = important()
    for hour in (1, 2, 3):
        now = START + hour * HOUR
        keys = visited(policy, policy.next(3, now), now, frozenset())
        assert keys == {1: [1, 2, 3], 2: [4, 1, 2], 3: [1, 2, 3]}[hour]
