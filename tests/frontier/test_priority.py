from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.priority import (
    LEVEL_FACTOR,
    ORDERINGS,
    SEED_BONUS,
    BreadthFirst,
    Focused,
    Knowledge,
    Ordering,
    url_score,
)

SHARE = st.floats(0, 1)
KNOWN = st.builds(
    Knowledge,
    block=SHARE,
    parents=SHARE,
    anchor=SHARE,
    level=st.integers(0, 5),
    depth=st.integers(0, 50),
    seed=st.booleans(),
    found=st.floats(0, 2e9),
    hint=SHARE,
    visits=st.integers(0, 100),
    importance=SHARE,
    changes=st.integers(0, 99),
)


def test_score_is_half_the_block_and_half_the_mean_of_the_parents() -> None:
    assert url_score(0.8, 0.4) == pytest.approx(0.6)
    assert url_score(0.8, 0.4, mu=0.25) == pytest.approx(0.5)


def test_a_new_url_stands_by_its_score_and_its_anchor() -> None:
    known = Knowledge(block=0.8, parents=0.4, anchor=0.2)
    assert Focused().terms(known) == pytest.approx({"block": 0.2, "parents": 0.1, "anchor": 0.1})
    assert Focused().priority(known) == pytest.approx(0.4)


@pytest.mark.parametrize(("level", "priority"), [(0, 0.4), (1, 0.24), (2, 0.144), (3, 0.0864)])
def test_a_tunnel_lowers_by_a_factor_per_level(level: int, priority: float) -> None:
    known = Knowledge(block=0.8, parents=0.4, anchor=0.2, level=level)
    assert LEVEL_FACTOR == 0.6
    assert Focused().priority(known) == pytest.approx(priority)


@pytest.mark.parametrize(
    ("visits", "changes", "priority"),
    [(1, 0, 0.4), (3, 2, 0.6), (3, 0, 0.2), (11, 10, 0.8 * 11 / 12)],
)
def test_a_visited_page_stands_by_importance_and_dynamicity(
    visits: int, changes: int, priority: float
) -> None:
    known = Knowledge(block=1, parents=1, anchor=1, visits=visits, changes=changes, importance=0.8)
    assert Focused().priority(known) == pytest.approx(priority)


@given(st.sampled_from([each() for each in ORDERINGS.values()]), KNOWN)
def test_the_terms_sum_to_the_priority(ordering: Ordering, known: Knowledge) -> None:
    assert sum(ordering.terms(known).values()) == pytest.approx(ordering.priority(known))


@given(KNOWN, KNOWN)
def test_seeds_come_first(one: Knowledge, other: Knowledge) -> None:
    seed = one._replace(seed=True, visits=0, changes=0)
    new = other._replace(seed=False, visits=0, changes=0)
    assert Focused().priority(seed) >= SEED_BONUS > Focused().priority(new)


def test_breadth_first_goes_by_depth_then_by_time() -> None:
    early, late = Knowledge(depth=1, found=1.7e9), Knowledge(depth=1, found=1.7e9 + 1)
    deep = Knowledge(depth=2, found=0)
    ranked = sorted([deep, late, early], key=BreadthFirst().priority, reverse=True)
    assert ranked == [early, late, deep]
