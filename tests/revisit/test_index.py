from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from focuscrawl.revisit.index import Outlook, age_gain, freshness_gain, lesson
from focuscrawl.revisit.pages import Floats, Ints
from focuscrawl.revisit.rates import POINTS, RATES
from focuscrawl.revisit.rhythm import WEEK, Rhythms

points = st.integers(0, POINTS - 1)
hours_since = st.one_of(st.floats(0.1, 30), st.floats(0.1, 3_000))


def rhythmic_gain(
    chances: Floats, passed: Floats, numbers: Ints, hour: float, rhythms: Rhythms
) -> Floats:
    return Outlook(rhythms, hour).gain(chances, passed, numbers)


def sure(point: int) -> Floats:
    """A belief in one rate alone."""
    return np.eye(POINTS)[[point]]


def beliefs() -> st.SearchStrategy[Floats]:
    return st.lists(st.floats(0, 1), min_size=POINTS, max_size=POINTS).map(
        lambda parts: (np.array(parts) + 1e-6)[None] / (sum(parts) + POINTS * 1e-6)
    )


def closed_form(rate: float, hours: float) -> float:
    """V = (w / λ) g(λτ) with w = 1 and g(x) = 1 - (1 + x) exp(-x)."""
    x = rate * hours
    return float((-np.expm1(-x) - x * np.exp(-x)) / rate)


def exposure(hours: float) -> Floats:
    return hours * RATES[None]


def expected_age(rate: float, hours: float) -> float:
    """Of a copy made so many hours ago."""
    return hours + float(np.expm1(-rate * hours)) / rate


# -- freshness -------------------------------------------------------------------------


@given(points, hours_since)
def test_freshness_of_a_sure_rate_is_the_closed_form(point: int, hours: float) -> None:
    (found,) = freshness_gain(sure(point), exposure(hours))
    assert found == pytest.approx(closed_form(RATES[point], hours), rel=1e-9)


def test_freshness_by_hand() -> None:
    """One change a day, a day after the visit: 24 (1 - 2/e) hours."""
    day = int(np.flatnonzero(RATES * 24 == 1)[0])
    assert freshness_gain(sure(day), exposure(24.0))[0] == pytest.approx(24 * (1 - 2 / np.e))


@given(beliefs(), hours_since)
def test_freshness_is_the_mean_over_the_belief(belief: Floats, hours: float) -> None:
    expected = sum(
        chance * closed_form(rate, hours) for chance, rate in zip(belief[0], RATES, strict=True)
    )
    assert freshness_gain(belief, exposure(hours))[0] == pytest.approx(expected, rel=1e-9)


@given(beliefs(), hours_since, st.floats(1, 10))
def test_waiting_never_makes_a_fetch_worth_less(
    belief: Floats, hours: float, factor: float
) -> None:
    (before,), (after,) = (
        freshness_gain(belief, exposure(hours)),
        freshness_gain(belief, exposure(hours * factor)),
    )
    assert after >= before * (1 - 1e-9)


@given(points, hours_since, st.floats(0, 1_000))
def test_a_flat_rhythm_gives_the_same(point: int, hours: float, now: float) -> None:
    (found,) = rhythmic_gain(sure(point), np.array([hours]), np.zeros(1, np.int64), now, Rhythms())
    assert found == pytest.approx(closed_form(RATES[point], hours), rel=1e-4, abs=1e-9)


@given(beliefs(), st.lists(hours_since, min_size=1, max_size=4))
def test_a_flat_rhythm_gives_the_same_for_many_pages(belief: Floats, hours: list[float]) -> None:
    passed = np.array(hours)
    chances = np.repeat(belief, len(hours), axis=0)
    found = rhythmic_gain(chances, passed, np.zeros(len(hours), np.int64), 77.0, Rhythms())
    assert found == pytest.approx(freshness_gain(chances, passed[:, None] * RATES), rel=1e-4)


def nights_off() -> Rhythms:
    """Pages that were seen to change between 8 and 20 o'clock alone."""
    rhythms = Rhythms()
    rows = np.arange(100)
    for day in range(28):
        for start in range(0, 24, 4):
            since = np.full(100, day * 24.0 + start)
            changed = np.full(100, 8 <= start < 20)
            rhythms.visited(rows, rows % 2, (since, since + 4), changed, np.full(100, 0.2))
        rhythms.learn(1.0)
    return rhythms


def test_a_fetch_before_a_quiet_night_is_worth_more_than_one_before_a_lively_day() -> None:
    """With as many lively hours behind: the copy of the evening stays fresh all night."""
    rhythms = nights_off()
    number = rhythms.of(np.array([999]), np.array([0]))
    point = int(np.flatnonzero(RATES * 24 == 4)[0])
    at = {
        hour: float(rhythmic_gain(sure(point), np.array([6.0]), number, WEEK + hour, rhythms)[0])
        for hour in (6.0, 20.0)
    }
    assert at[20.0] > 1.5 * at[6.0]


def brute_rhythmic(rhythms: Rhythms, number: int, rate: float, passed: float, now: int) -> float:
    """Walk ahead in small steps until as many lively hours lie ahead as behind."""
    step, ahead, hours, fresh = 0.01, 0.0, 0.0, 0.0
    pace = rhythms.passed(np.full(WEEK, number), np.arange(float(WEEK)), np.arange(float(WEEK)) + 1)
    while ahead < passed:
        fresh += step * np.exp(-rate * ahead)
        ahead += step * pace[int(now + hours) % WEEK]
        hours += step
    return float(fresh - hours * np.exp(-rate * passed))


@pytest.mark.parametrize("now", [0, 9, 19, 100])
@pytest.mark.parametrize("passed", [0.6, 5.0, 30.0])
def test_a_rhythm_against_small_steps(now: int, passed: float) -> None:
    rhythms = nights_off()
    (number,) = rhythms.of(np.array([999]), np.array([0]))
    for point in (6, 10, 12):
        (found,) = rhythmic_gain(
            sure(point), np.array([passed]), np.array([number]), float(now), rhythms
        )
        expected = brute_rhythmic(rhythms, int(number), RATES[point], passed, now)
        assert found == pytest.approx(expected, rel=0.06, abs=0.02)


# -- age -------------------------------------------------------------------------------


@given(points, hours_since)
def test_age_against_numerical_integration(point: int, hours: float) -> None:
    """What age is now above what it was on the way here, summed up over the way."""
    rate = RATES[point]
    now = expected_age(rate, hours)
    expected, _ = quad(lambda at: now - expected_age(rate, at), 0, hours, epsrel=1e-10, limit=500)
    (found,) = age_gain(sure(point), exposure(hours), np.array([hours]))
    assert found == pytest.approx(expected, rel=5e-3, abs=1e-9)


@given(beliefs(), hours_since)
def test_age_is_never_more_than_that_of_a_page_that_changed_at_once(
    belief: Floats, hours: float
) -> None:
    (found,) = age_gain(belief, exposure(hours), np.array([hours]))
    assert 0 <= found <= hours**2 / 2 * (1 + 1e-9)


def test_dates_that_moved_add_no_more_age_than_time_passed() -> None:
    (found,) = age_gain(sure(0), exposure(2.0) + 50.0, np.array([2.0]))
    assert found == pytest.approx(2.0)


# -- lessons ---------------------------------------------------------------------------


@given(beliefs(), hours_since, st.floats(0, 100))
def test_a_lesson_is_never_worth_less_than_nothing(
    belief: Floats, hours: float, price: float
) -> None:
    (found,) = lesson(belief, exposure(hours), np.array([price]))
    assert found >= -1e-12
    assert found <= 1


@given(points, hours_since, st.floats(0, 100))
def test_who_is_sure_learns_nothing(point: int, hours: float, price: float) -> None:
    (found,) = lesson(sure(point), exposure(hours), np.array([price]))
    assert found == pytest.approx(0, abs=1e-12)


def test_a_lesson_is_worth_something_where_plans_differ() -> None:
    """Slow enough to keep, or too fast to be worth it: one visit after a week tells which."""
    torn = (sure(3) + sure(14)) / 2
    (found,) = lesson(torn, exposure(168.0), np.array([5.0]))
    assert found > 0.001
    (at_once,) = lesson(torn, exposure(0.0), np.array([5.0]))
    assert at_once == pytest.approx(0, abs=1e-12)
