"""What every policy keeps to, whatever it thinks of pages."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import ceil
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.revisit.pages import Known
from focuscrawl.revisit.policy import DAY, HOUR, Policy
from focuscrawl.revisit.registry import POLICIES

START = 1_700_000_000.0
HOURS = 120
NAMES = ("fresh round-robin proportional greedy adaptive frequency-greedy ic sitemap nutch").split()
each_policy = pytest.mark.parametrize("name", NAMES)


def pages(count: int, sites: int) -> list[Known]:
    return [
        Known(
            key * 7 + 1,
            f"site{key % sites}.test",
            section="news" if key % 3 else "",
            weight=(key % 10 + 1) / 10,
            visited=START,
            interval=DAY * (key % 4 + 1) if key % 2 else None,
        )
        for key in range(count)
    ]


def lived(policy: Policy, hours: int, per_hour: int, seed: int = 0) -> list[list[int]]:
    """Each hour's keys; whether they changed is left to chance."""
    random = np.random.default_rng(seed)
    answers = []
    for hour in range(1, hours + 1):
        now = START + hour * HOUR
        for site in policy.reads(now):
            policy.has_read(site, [1, 8, 15], now)
        answers.append(policy.next(per_hour, now))
        for key in answers[-1]:
            policy.visited(key, bool(random.random() < 0.3), now)
    return answers


def test_the_registry_has_them_all() -> None:
    assert list(POLICIES) == NAMES
    assert all(policy.name == name for name, policy in POLICIES.items())


@each_policy
def test_as_many_distinct_known_pages_as_asked_for(name: str) -> None:
    policy = POLICIES[name]()
    policy.add(pages(60, 5))
    policy.has_sitemap("site1.test", START)
    known = {page.key for page in pages(60, 5)}
    for keys in lived(policy, hours=24 * 5, per_hour=7):
        assert len(keys) == len(set(keys)) == 7
        assert set(keys) <= known
    for count, found in ((0, 0), (1, 1), (59, 59), (60, 60), (600, 60)):
        keys = policy.next(count, START + 6 * DAY)
        assert len(keys) == len(set(keys)) == found


@each_policy
def test_without_pages_there_is_nothing_to_fetch(name: str) -> None:
    policy = POLICIES[name]()
    assert policy.next(5, START) == []
    policy.add(pages(4, 2))
    policy.drop(page.key for page in pages(4, 2))
    assert policy.next(5, START + HOUR) == []


@each_policy
def test_a_site_has_no_more_than_its_cap(name: str) -> None:
    policy = POLICIES[name]()
    policy.add(pages(60, 5))
    site = {page.key: page.site for page in pages(60, 5)}
    lived(policy, hours=30, per_hour=7)
    keys = policy.next(20, START + 31 * HOUR, site_cap=3)
    assert len(keys) == len(set(keys)) == 15
    assert Counter(site[key] for key in keys) == {f"site{number}.test": 3 for number in range(5)}


@each_policy
def test_a_dropped_page_never_comes_back_and_its_place_is_used_again(name: str) -> None:
    policy = POLICIES[name]()
    policy.add(pages(40, 4))
    lived(policy, hours=5, per_hour=6)
    gone = {page.key for page in pages(40, 4)[::2]}
    policy.drop(gone)
    assert not gone & {key for keys in lived(policy, hours=30, per_hour=6) for key in keys}
    newcomers = [Known(5_000 + key, "new.test", visited=START) for key in range(30)]
    policy.add(newcomers)
    keys = policy.next(50, START + 40 * HOUR)
    assert set(keys) == {page.key for page in newcomers} | (
        {page.key for page in pages(40, 4)} - gone
    )


@each_policy
def test_visits_of_unknown_pages_do_no_harm(name: str) -> None:
    policy = POLICIES[name]()
    policy.visited(99, True, START)
    assert policy.next(3, START) == []
    policy.add(pages(10, 2))
    policy.visited(99, True, START + HOUR)
    policy.visited(1, False, START + HOUR)
    policy.visited(1, True, START + 2 * HOUR)
    policy.has_read("elsewhere.test", [99], START + 2 * HOUR)
    assert sorted(policy.next(10, START + 3 * HOUR)) == [page.key for page in pages(10, 2)]


@each_policy
def test_the_same_questions_get_the_same_answers(name: str) -> None:
    first, second = POLICIES[name](), POLICIES[name]()
    for policy in (first, second):
        policy.add(pages(80, 6))
        policy.has_sitemap("site2.test", START)
    assert lived(first, hours=80, per_hour=5) == lived(second, hours=80, per_hour=5)


class Pattern(NamedTuple):
    """A web and a crawl: ``restless`` pages are always found changed, others by chance."""

    pages: int
    per_hour: int
    max_hours: int
    restless: frozenset[int]
    chance: float
    seed: int


def longest_wait(name: str, pattern: Pattern) -> int:
    random = np.random.default_rng(pattern.seed)
    policy = POLICIES[name](max_age_days=pattern.max_hours / 24)
    known = pages(pattern.pages, 3)
    policy.add(known)
    visits = {page.key: [0] for page in known}
    for hour in range(1, HOURS):
        for key in policy.next(pattern.per_hour, START + hour * HOUR):
            changed = key // 7 in pattern.restless or bool(random.random() < pattern.chance)
            policy.visited(key, changed, START + hour * HOUR)
            visits[key].append(hour)
    return max(
        later - earlier for hours in visits.values() for earlier, later in pairwise([*hours, HOURS])
    )


@settings(max_examples=25, deadline=None)
@given(
    st.builds(
        Pattern,
        pages=st.integers(1, 24),
        per_hour=st.integers(1, 8),
        max_hours=st.integers(1, 40),
        restless=st.frozensets(st.integers(0, 23)),
        chance=st.sampled_from((0.0, 0.2, 1.0)),
        seed=st.integers(0, 99),
    )
)
def test_no_page_is_forgotten_where_there_is_a_maximum_age(pattern: Pattern) -> None:
    """At worst all pages reach it at once; half of the fetches then go to them, oldest first."""
    for_them = max(pattern.per_hour // 2, 1)
    bound = pattern.max_hours + ceil(pattern.pages / for_them) + 1
    for name in NAMES:
        assert longest_wait(name, pattern) <= bound, name
