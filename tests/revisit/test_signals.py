from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit.rates import RATES
from focuscrawl.revisit.signals import Signals

SITE = np.zeros(1, np.int64)


def visits(
    signals: Signals, precision: float, recall: float, count: int, by_time: float = 0.5
) -> None:
    """Visits of pages that change by Poisson's law, with dates of a quality."""
    random = np.random.default_rng(2)
    changes = random.poisson(by_time, count)
    told = random.binomial(changes, recall)
    false_ones = random.poisson(by_time * recall * (1 - precision) / precision, count)
    moved = ((told + false_ones) > 0).astype(np.float64)
    for start in range(0, count, 20):
        part = slice(start, start + 20)
        sites = np.zeros(len(moved[part]), np.int64)
        signals.visited(sites, moved[part], np.full(len(sites), by_time), changes[part] > 0)


def announced(reads: int = 0, share_moved: float = 0.05) -> Signals:
    signals = Signals()
    signals.announce(0, 0.0)
    for read in range(reads):
        signals.has_read(0, share_moved, 24.0 * (read + 1))
    return signals


# -- what dates are worth --------------------------------------------------------------


def test_good_dates_are_believed() -> None:
    signals = announced(reads=5)
    visits(signals, precision=0.95, recall=0.9, count=2_000)
    assert signals.usable(SITE).tolist() == [True]
    assert signals.proven(SITE).tolist() == [True]
    assert signals.worth(SITE)[0] > 1.8
    assert signals.missed(SITE)[0] == pytest.approx(0.1, abs=0.06)


def test_dates_that_miss_half_of_the_changes() -> None:
    signals = announced(reads=5)
    visits(signals, precision=0.95, recall=0.5, count=4_000)
    assert signals.missed(SITE)[0] == pytest.approx(0.5, abs=0.1)
    assert signals.worth(SITE)[0] > 1


def test_dates_that_are_wrong_nine_times_in_ten_are_not_used() -> None:
    signals = announced(reads=5)
    visits(signals, precision=0.05, recall=0.1, count=4_000, by_time=0.1)
    assert signals.worth(SITE)[0] < 0.35
    assert signals.usable(SITE).tolist() == [False]


def test_better_dates_are_worth_more() -> None:
    worths = []
    for precision in (0.2, 0.5, 0.9):
        signals = announced(reads=5)
        visits(signals, precision, recall=0.7, count=3_000)
        worths.append(float(signals.worth(SITE)[0]))
    assert worths == sorted(worths)


def test_a_sitemap_that_always_moves_everything_is_not_used() -> None:
    signals = announced(reads=4, share_moved=1.0)
    assert signals.usable(SITE).tolist() == [False]
    for read in range(6):
        signals.has_read(0, 0.1, 200.0 + read)
    assert signals.usable(SITE).tolist() == [True]


def test_one_full_read_is_no_lie_yet() -> None:
    assert announced(reads=1, share_moved=1.0).usable(SITE).tolist() == [True]


def test_the_silence_of_a_sitemap_that_never_moved_is_not_believed() -> None:
    signals = announced(reads=30, share_moved=0.0)
    random = np.random.default_rng(6)
    signals.visited(
        np.zeros(500, np.int64), np.zeros(500), np.full(500, 0.5), random.random(500) < 0.01
    )
    assert signals.proven(SITE).tolist() == [False]
    assert signals.missed(SITE).tolist() == [1.0]
    exposure = signals.exposure(SITE, np.array([24.0]), np.zeros(1))
    assert exposure[0] == pytest.approx(24 * RATES)


def test_exposure_is_what_dates_miss_and_what_they_say() -> None:
    signals = announced(reads=5)
    visits(signals, precision=0.9, recall=0.8, count=1_000)
    worth, missed = float(signals.worth(SITE)[0]), float(signals.missed(SITE)[0])
    two = np.zeros(2, np.int64)
    quiet, moved = signals.exposure(two, np.array([48.0, 48.0]), np.array([0.0, 2.0]))
    assert quiet == pytest.approx(missed * 48 * RATES)
    assert moved == pytest.approx(missed * 48 * RATES + 2 * worth)


def test_visits_that_were_to_find_a_change_anyway_teach_nothing() -> None:
    signals = announced(reads=3)
    before = signals.worth(SITE)[0], signals.missed(SITE)[0]
    many = np.zeros(100, np.int64)
    signals.visited(many, np.full(100, 5.0), np.full(100, 50.0), np.zeros(100, bool))
    assert (signals.worth(SITE)[0], signals.missed(SITE)[0]) == before
    assert signals.proven(SITE).tolist() == [False]


def test_sites_are_learned_one_by_one_and_unknown_ones_have_nothing() -> None:
    signals = announced(reads=5)
    visits(signals, precision=0.9, recall=0.9, count=500)
    both = np.array([0, 9])
    assert signals.has(both).tolist() == [True, False]
    assert signals.usable(both).tolist() == [True, False]
    assert signals.proven(both).tolist() == [True, False]
    assert signals.worth(both)[1] == 1
    assert signals.missed(both)[1] == 1
    signals.announce(4, 0.0)
    assert signals.sites().tolist() == [0, 4]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 255), st.floats(0, 1e4), st.booleans()),
        max_size=40,
    )
)
def test_whatever_visits_show_qualities_stay_within_bounds(
    seen: list[tuple[int, int, float, bool]],
) -> None:
    signals = Signals()
    for site in range(3):
        signals.has_read(site, 0.1, 5.0)
    for site, moved, by_time, changed in seen:
        signals.visited(
            np.array([site]), np.array([float(moved)]), np.array([by_time]), np.array([changed])
        )
    sites = np.arange(4)
    assert np.isfinite(signals.worth(sites)).all()
    assert (signals.worth(sites) > 0).all()
    assert ((signals.missed(sites) > 0) & (signals.missed(sites) <= 1)).all()


# -- when sitemaps are read ------------------------------------------------------------


def first_due(signals: Signals, fetches_per_hour: float, since: float = 0.0) -> float:
    """Hours after which the sitemap is to be read, to the quarter of an hour."""
    for quarter in range(1, 4 * 24 * 7 * 10):
        if len(signals.due(since + quarter / 4, np.array([fetches_per_hour]))):
            return quarter / 4
    raise AssertionError("never read")


@pytest.mark.parametrize(
    ("fetches_per_hour", "hours"),
    [(0.0, 168.0), (0.01, 168.0), (0.5, 20.0), (5.0, 2.0), (1e6, 1.0)],
)
def test_reads_take_a_tenth_of_a_sites_fetches_between_an_hour_and_a_week(
    fetches_per_hour: float, hours: float
) -> None:
    assert first_due(announced(), fetches_per_hour) == hours
    assert first_due(announced(reads=2), fetches_per_hour, since=48.0) == hours


@pytest.mark.parametrize(("fetches_per_hour", "hours"), [(0.5, 160.0), (1e6, 8.0), (0.0, 1_344.0)])
def test_those_that_say_nothing_are_read_eight_times_rarer(
    fetches_per_hour: float, hours: float
) -> None:
    liar = announced(reads=4, share_moved=1.0)
    assert first_due(liar, fetches_per_hour, since=96.0) == hours


def test_a_read_starts_the_clock_anew_and_tells_the_gap() -> None:
    signals = announced()
    assert signals.has_read(0, 0.1, 30.0) == 30.0
    assert signals.has_read(0, 0.1, 42.0) == 12.0
    assert signals.due(43.0, np.array([0.5])).tolist() == []
    signals.announce(0, 100.0)
    assert signals.due(62.0, np.array([0.5])).tolist() == [0]
    assert Signals().has_read(3, 0.1, 30.0) == 0.0
