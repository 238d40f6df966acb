from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.revisit.pages import Floats, Ints
from focuscrawl.revisit.rhythm import MOST, OWN_AFTER, WEEK, Rhythms

EVERYBODY = np.zeros(1, np.int64)
HOUR_OF_DAY, DAY_OF_WEEK = np.arange(WEEK) % 24, np.arange(WEEK) // 24
IS_DAY, IS_WEEKEND = (HOUR_OF_DAY >= 8) & (HOUR_OF_DAY < 20), DAY_OF_WEEK >= 5
OFFICE = np.where(IS_DAY, 1.8, 0.2) * np.where(IS_WEEKEND, 0.3, 1.28)
OFFICE = OFFICE / OFFICE.mean()
NIGHT_OWL = np.where(IS_DAY, 0.2, 1.8)
NIGHT_OWL = NIGHT_OWL / NIGHT_OWL.mean()


def watched(
    rhythms: Rhythms, rows: Ints, sites: Ints, truth: Floats, rate: float, weeks: int, seed: int = 1
) -> None:
    """Visits at odd hours of pages that change by a rhythm, one for all or one for each;
    ``rate`` is changes per hour."""
    random = np.random.default_rng(seed)
    since = np.zeros(len(rows))
    until = since + random.integers(1, 9, len(rows))
    hourly = np.tile(np.broadcast_to(truth, (len(rows), WEEK)), weeks + 1)
    done = np.cumsum(np.hstack((np.zeros((len(rows), 1)), hourly)), axis=1)
    for day in range(weeks * 7):
        while (until < (day + 1) * 24).any():
            due = until < (day + 1) * 24
            start, end = since[due].astype(int), until[due].astype(int)
            expected = rate * (done[due, end] - done[due, start])
            changed = random.random(due.sum()) < -np.expm1(-expected)
            rhythms.visited(
                rows[due],
                sites[due],
                (since[due], until[due]),
                changed,
                np.full(due.sum(), rate),
            )
            since = np.where(due, until, since)
            until = np.where(due, until + random.integers(1, 9, len(rows)), until)
        rhythms.learn(1.0)


def factors(rhythms: Rhythms, row: int, site: int) -> Floats:
    """How lively each hour of the week is, asked hour by hour."""
    hours = np.arange(WEEK, dtype=np.float64)
    (number,) = rhythms.of(np.array([row]), np.array([site]))
    return rhythms.passed(np.full(WEEK, number), hours, hours + 1)


def office_of_sites(weeks: int, pages: int = 20) -> Rhythms:
    rhythms = Rhythms()
    rows = np.arange(pages)
    watched(rhythms, rows, rows % 2, OFFICE, rate=0.15, weeks=weeks)
    return rhythms


# -- learning --------------------------------------------------------------------------


def test_days_nights_and_weekends_are_learned() -> None:
    """Visits hours apart blur the hours, so that nights stay a little too lively."""
    found = factors(office_of_sites(weeks=20), row=999, site=0)
    means = [
        found[chosen].mean()
        for chosen in (IS_DAY & ~IS_WEEKEND, ~IS_DAY & ~IS_WEEKEND, IS_DAY & IS_WEEKEND)
    ]
    assert means == pytest.approx([2.304, 0.256, 0.54], abs=0.12)
    assert found[~IS_DAY & IS_WEEKEND].mean() == pytest.approx(0.06, abs=0.06)
    assert np.corrcoef(found, OFFICE)[0, 1] > 0.95


def test_a_page_unlike_its_site_slowly_takes_its_own_way() -> None:
    """Lively at night where all others sleep: 20 weeks bring it a third of the way."""
    rhythms = Rhythms()
    truth = np.tile(OFFICE, (20, 1))
    truth[19] = NIGHT_OWL
    watched(rhythms, np.arange(20), np.zeros(20, np.int64), truth, rate=0.15, weeks=20)
    owl, other = factors(rhythms, 19, 0), factors(rhythms, 3, 0)
    assert other[~IS_DAY].mean() < 0.35
    assert owl[~IS_DAY].mean() > 1.7 * other[~IS_DAY].mean()
    assert other[IS_DAY].mean() > 2 * other[~IS_DAY].mean()


def test_few_visits_leave_a_page_with_the_rhythm_of_its_site() -> None:
    rhythms = office_of_sites(weeks=8)
    stranger = np.array([500])
    site = np.zeros(1, np.int64)
    of_site = factors(rhythms, 999, 0)
    for visit in range(OWN_AFTER + 2):  # finds changes at night alone
        since = visit * 24.0
        rhythms.visited(
            stranger, site, (np.array([since]), np.array([since + 4])), np.ones(1, bool), np.ones(1)
        )
    rhythms.learn(0.0)
    own = factors(rhythms, 500, 0)
    assert np.corrcoef(own, of_site)[0, 1] > 0.9
    assert own[:4].mean() / own[IS_DAY].mean() > of_site[:4].mean() / of_site[IS_DAY].mean()


def test_a_site_that_shows_little_takes_after_the_whole() -> None:
    rhythms = office_of_sites(weeks=8)
    unknown = factors(rhythms, 999, site=77)
    assert unknown[IS_DAY & ~IS_WEEKEND].mean() == pytest.approx(
        OFFICE[IS_DAY & ~IS_WEEKEND].mean(), rel=0.25
    )


def test_pages_without_a_rhythm_are_given_none() -> None:
    rhythms = Rhythms()
    rows = np.arange(20)
    watched(rhythms, rows, rows % 2, np.ones(WEEK), rate=0.15, weeks=8)
    found = factors(rhythms, 999, 0)
    assert found.mean() == pytest.approx(1)
    assert found.min() > 0.6
    assert found.max() < 1.5
    assert found[IS_DAY].mean() == pytest.approx(1, abs=0.1)


def test_old_habits_are_forgotten() -> None:
    rhythms = office_of_sites(weeks=6, pages=10)
    rhythms.learn(600.0)
    watched(rhythms, np.arange(10), np.arange(10) % 2, NIGHT_OWL, rate=0.15, weeks=6)
    found = factors(rhythms, 999, 0)
    assert found[~IS_DAY].mean() > 2 * found[IS_DAY].mean()


def test_visits_that_lie_a_week_apart_or_minutes_tell_nothing() -> None:
    rhythms = Rhythms()
    one = np.zeros(1, np.int64)
    for gap in (WEEK, 5_000, 0.5, 0.0):
        for visit in range(30):
            span = (np.array([visit * 24.0]), np.array([visit * 24.0 + gap]))
            rhythms.visited(one, one, span, np.ones(1, bool), np.ones(1))
    rhythms.learn(1.0)
    assert factors(rhythms, 0, 0) == pytest.approx(np.ones(WEEK))


def test_their_number_is_bounded() -> None:
    rhythms = Rhythms()
    rows = np.arange(2 * MOST)
    for visit in range(OWN_AFTER + 1):
        span = (np.full(len(rows), visit * 5.0), np.full(len(rows), visit * 5.0 + 5))
        rhythms.visited(rows, rows // 3, span, rows % 2 == 0, np.full(len(rows), 0.1))
    rhythms.learn(1.0)
    numbers = rhythms.of(rows, rows // 3)
    assert len(np.unique(numbers)) <= MOST
    assert numbers.max() < MOST
    assert len(np.unique(numbers)) > MOST // 2


def test_rare_visits_give_no_rhythm_of_their_own() -> None:
    rhythms = Rhythms()
    one, site = np.array([4]), np.array([2])
    for visit in range(OWN_AFTER - 1):
        span = (np.array([visit * 5.0]), np.array([visit * 5.0 + 5]))
        rhythms.visited(one, site, span, np.ones(1, bool), np.ones(1))
    assert rhythms.of(one, site) == rhythms.of(np.array([5]), site)
    rhythms.visited(one, site, (np.array([50.0]), np.array([55.0])), np.ones(1, bool), np.ones(1))
    assert rhythms.of(one, site) != rhythms.of(np.array([5]), site)
    assert rhythms.of(np.array([5]), site) != rhythms.of(np.array([5]), np.array([3]))


# -- the time that passed --------------------------------------------------------------

LIVELY = office_of_sites(weeks=2, pages=6)
FACTORS = factors(LIVELY, 999, 0)


def summed_up(since: float, until: float) -> float:
    """Hour by hour, with a part of the first and the last."""
    total, hour = 0.0, int(np.floor(since))
    while hour < until:
        part = min(hour + 1, until) - max(hour, since)
        total += part * FACTORS[hour % WEEK]
        hour += 1
    return total


moments = st.floats(0, 3_000)


@given(moments, st.one_of(st.floats(0, 3), st.floats(0, 200), st.floats(0, 2_000)))
@settings(max_examples=150)
def test_the_time_that_passed_is_the_sum_of_its_hours(since: float, length: float) -> None:
    number = LIVELY.of(np.array([999]), np.array([0]))
    until = since + length
    (found,) = LIVELY.passed(number, np.array([since]), np.array([until]))
    assert found == pytest.approx(summed_up(since, until), abs=1e-6)


@given(moments, moments, moments)
def test_time_passes_in_parts_as_at_once(one: float, two: float, three: float) -> None:
    first, second, third = sorted((one, two, three))
    number = LIVELY.of(np.array([999, 999, 999]), np.array([0, 0, 0]))
    begins, ends = np.array([first, second, first]), np.array([second, third, third])
    early, late, whole = LIVELY.passed(number, begins, ends)
    assert early + late == pytest.approx(whole, abs=1e-6)


@given(moments, moments)
def test_no_time_passes_backwards(one: float, two: float) -> None:
    since, until = max(one, two), min(one, two)
    (found,) = LIVELY.passed(
        LIVELY.of(np.array([999]), np.array([0])), np.array([since]), np.array([until])
    )
    assert found == 0


def test_a_week_is_a_week_for_every_rhythm() -> None:
    for number in range(3):
        numbers = np.full(WEEK, number)
        hours = np.arange(WEEK, dtype=np.float64)
        assert LIVELY.passed(numbers, hours, hours + 5 * WEEK) == pytest.approx(
            np.full(WEEK, 5.0 * WEEK)
        )


def test_before_anything_is_learned_hours_are_hours() -> None:
    found = Rhythms().passed(EVERYBODY, np.array([470_000.25]), np.array([470_777.5]))
    assert found == pytest.approx([777.25])


def test_a_row_that_goes_to_another_page_loses_its_rhythm() -> None:
    rhythms = Rhythms()
    row, site = np.array([7]), np.array([0])
    for number in range(OWN_AFTER):
        since = np.array([24.0 * number])
        rhythms.visited(row, site, (since, since + 5), np.array([True]), np.array([0.1]))
    own, of_site = rhythms.of(row, site), rhythms.of(np.array([8]), site)
    assert own != of_site
    rhythms.forget(row)
    assert rhythms.of(row, site) == of_site
