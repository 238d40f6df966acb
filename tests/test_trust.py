from __future__ import annotations

import random
from collections.abc import Callable
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.trust import BELIEVED, KINDS, MEMORY, Record, trust

Says = Callable[[random.Random, bool], bool]
counts = st.integers(0, 400)
records = st.builds(Record, counts, counts, counts, counts)


def always_now(_rng: random.Random, _was: bool) -> bool:
    return True


def never_moves(_rng: random.Random, _was: bool) -> bool:
    return False


def coin(rng: random.Random, _was: bool) -> bool:
    return rng.random() < 0.5


def honest(_rng: random.Random, was: bool) -> bool:
    return was


def nearly_honest(rng: random.Random, was: bool) -> bool:
    """Misses one change in twenty, and gives a false alarm at one page in a hundred."""
    return rng.random() < (0.95 if was else 0.01)


def site(
    seed: int, visits: int, rate: float, says: Says, record: Record | None = None
) -> list[float]:
    """Trust after each visit of a site whose pages change in ``rate`` of the visits."""
    rng = random.Random(seed)
    record = record or Record()
    course = []
    for _ in range(visits):
        was = rng.random() < rate
        record = record.after(said_changed=says(rng, was), was_changed=was)
        course.append(trust(record))
    return course


def first_distrust(course: list[float]) -> int:
    return next((visit for visit, value in enumerate(course, 1) if value < BELIEVED), len(course))


def test_kinds() -> None:
    assert KINDS == ("lastmod", "changefreq", "feed", "headers", "meta")


def test_a_new_site_is_trusted_at_two_thirds() -> None:
    assert trust(Record()) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("said", "was", "expected"),
    [
        (True, True, Record(1, 0, 0, 0)),
        (True, False, Record(0, 1, 0, 0)),
        (False, False, Record(0, 0, 1, 0)),
        (False, True, Record(0, 0, 0, 1)),
    ],
)
def test_every_answer_is_counted_in_its_place(said: bool, was: bool, expected: Record) -> None:
    assert Record().after(said_changed=said, was_changed=was) == expected


def test_one_slip_does_not_cost_the_trust() -> None:
    assert trust(Record(said_changed_was_same=1)) > BELIEVED
    assert trust(Record(said_same_was_changed=1)) > BELIEVED


def test_lastmod_always_now_is_found_out_after_six_wrong_answers() -> None:
    assert trust(Record(said_changed_was_same=6)) == pytest.approx(0.385, abs=0.001)
    assert trust(Record(said_changed_was_changed=2, said_changed_was_same=6)) < BELIEVED


def test_lastmod_that_never_moves_is_found_out_within_twelve_visits() -> None:
    assert trust(Record(said_same_was_same=8, said_same_was_changed=4)) == pytest.approx(
        0.436, abs=0.001
    )
    assert median(first_distrust(site(seed, 60, 0.3, never_moves)) for seed in range(101)) <= 12
    assert max(first_distrust(site(seed, 200, 0.3, never_moves)) for seed in range(101)) < 60


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("liar", [always_now, never_moves, coin])
def test_a_hint_that_knows_nothing_loses_trust_at_any_rate_of_change(
    liar: Says, rate: float
) -> None:
    for seed in range(20):
        assert site(seed, 400, rate, liar)[-1] < BELIEVED


def test_twelve_true_answers_of_both_kinds_earn_more_than_four_fifths() -> None:
    assert trust(Record(said_changed_was_changed=4, said_same_was_same=8)) == pytest.approx(
        0.828, abs=0.001
    )


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.7])
def test_an_honest_sitemap_is_trusted(rate: float) -> None:
    for seed in range(20):
        assert min(site(seed, 1_000, rate, honest)) > 2 / 3
        assert min(site(seed, 1_000, rate, honest)[60:]) > 0.8
        course = site(seed, 1_000, rate, nearly_honest)
        assert min(course) > BELIEVED
        assert sum(course[50:]) / len(course[50:]) > 0.8


def test_a_site_that_begins_to_lie_is_found_out_and_may_come_back() -> None:
    record = Record()
    for visit in range(1_000):
        record = record.after(said_changed=visit % 4 == 0, was_changed=visit % 4 == 0)
    assert trust(record) > 0.9
    assert first_distrust(site(7, 1_000, 0.25, never_moves, record)) < 400
    for visit in range(1_000):
        record = record.after(said_changed=True, was_changed=visit % 4 == 0)
    assert trust(record) < BELIEVED
    for visit in range(1_000):
        record = record.after(said_changed=visit % 4 == 0, was_changed=visit % 4 == 0)
    assert trust(record) > 0.8


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=30), records)
def test_memory_is_bounded(answers: list[tuple[bool, bool]], record: Record) -> None:
    for said, was in answers:
        before = record
        record = before.after(said_changed=said, was_changed=was)
        assert record.answers <= max(before.answers // 2, MEMORY) + 1


@given(records)
def test_trust_rises_with_every_right_answer_and_falls_with_every_wrong_one(record: Record) -> None:
    right_changed, wrong_changed, right_same, wrong_same = (
        record.said_changed_was_changed,
        record.said_changed_was_same,
        record.said_same_was_same,
        record.said_same_was_changed,
    )
    now = trust(record)
    assert 0 < now < 1
    assert trust(Record(right_changed + 1, wrong_changed, right_same, wrong_same)) > now
    assert trust(Record(right_changed, wrong_changed, right_same + 1, wrong_same)) > now
    assert trust(Record(right_changed, wrong_changed + 1, right_same, wrong_same)) < now
    assert trust(Record(right_changed, wrong_changed, right_same, wrong_same + 1)) < now


@given(st.floats(0.05, 0.95), st.floats(0.0, 1.0))
def test_saying_changed_by_lot_never_earns_belief(rate: float, says: float) -> None:
    visits = 10_000
    record = Record(
        round(visits * says * rate),
        round(visits * says * (1 - rate)),
        round(visits * (1 - says) * (1 - rate)),
        round(visits * (1 - says) * rate),
    )
    assert trust(record) < BELIEVED
