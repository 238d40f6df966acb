from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.priority import (
    LEVEL_FACTOR,
    ORDERINGS,
    BreadthFirst,
    DynamicThenStatic,
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
    score=st.none() | st.floats(-2, 4),
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
    assert Focused().priority(seed) > Focused().priority(new)


def test_breadth_first_goes_by_depth_then_by_time() -> None:
    early, late = Knowledge(depth=1, found=1.7e9), Knowledge(depth=1, found=1.7e9 + 1)
    deep = Knowledge(depth=2, found=0)
    ranked = sorted([deep, late, early], key=BreadthFirst().priority, reverse=True)
    assert ranked == [early, late, deep]


# -- hints ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("trust", "priority"), [(0.0, 0.4), (0.5, 0.6), (2 / 3, 2 / 3), (1, 0.8)])
def test_a_hint_of_a_change_raises_by_the_trust_in_it(trust: float, priority: float) -> None:
    known = Knowledge(visits=1, importance=0.8, hint=trust)
    assert Focused().priority(known) == pytest.approx(priority)
    terms = Focused().terms(known)
    assert terms.get("hint", 0.0) == pytest.approx(0.8 * trust / 2)
    assert terms["importance"] == pytest.approx(0.4)


def test_a_hint_says_nothing_of_a_page_that_was_never_fetched() -> None:
    known = Knowledge(block=0.8, parents=0.4, anchor=0.2)
    assert Focused().terms(known._replace(hint=1.0)) == Focused().terms(known)


@given(KNOWN, SHARE)
def test_no_hint_lowers_a_page(known: Knowledge, more: float) -> None:
    hinted = known._replace(hint=min(known.hint + more, 1.0))
    assert Focused().priority(hinted) >= Focused().priority(known) - 1e-12


@given(KNOWN)
def test_a_page_of_no_importance_is_not_raised_by_hints(known: Knowledge) -> None:
    trivial = known._replace(visits=2, importance=0.0, seed=False)
    assert Focused().priority(trivial) == 0.0


# -- the documents' ordering ----------------------------------------------------------------


def test_ic_of_a_page_that_changed_and_of_one_that_did_not() -> None:
    changed = Knowledge(visits=5, importance=0.3, changes=2)
    assert DynamicThenStatic().terms(changed) == pytest.approx(
        {"IS": 0.3, "ID": 2.0, "dynamic frontier": 1e6}
    )
    still = changed._replace(changes=0)
    assert DynamicThenStatic().terms(still) == pytest.approx({"IS": 0.3, "ID": 0.0})


def test_pages_that_changed_come_first_by_ic_and_all_others_by_is() -> None:
    lively = Knowledge(visits=9, importance=0.1, changes=3)
    changed = Knowledge(visits=9, importance=0.9, changes=1)
    less = Knowledge(visits=9, importance=0.2, changes=1)
    promising = Knowledge(block=0.9, parents=0.9, anchor=0.9)
    still = Knowledge(visits=9, importance=0.8)
    tunnelled = Knowledge(block=0.9, parents=0.9, anchor=0.9, level=1)
    poor = Knowledge(visits=9, importance=0.3)
    right = [lively, changed, less, promising, still, tunnelled, poor]
    shuffled = [poor, less, promising, lively, tunnelled, still, changed]
    assert sorted(shuffled, key=DynamicThenStatic().priority, reverse=True) == right


def test_a_new_url_stands_by_its_similarity_alone() -> None:
    known = Knowledge(block=0.8, parents=0.4, anchor=0.2, level=2)
    assert DynamicThenStatic().terms(known) == pytest.approx({"IS": 0.4 * 0.36})


@given(KNOWN, KNOWN)
def test_whatever_changed_goes_before_whatever_did_not(one: Knowledge, other: Knowledge) -> None:
    dynamic = one._replace(visits=max(one.visits, 1), changes=max(one.changes, 1))
    static = other._replace(changes=0, seed=False)
    assert DynamicThenStatic().priority(dynamic) > DynamicThenStatic().priority(static)


@given(KNOWN, KNOWN)
def test_seeds_go_before_both_frontiers(one: Knowledge, other: Knowledge) -> None:
    seed, page = one._replace(seed=True), other._replace(seed=False)
    assert DynamicThenStatic().priority(seed) > DynamicThenStatic().priority(page)
