from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit.quotas import (
    best_sample_size,
    confidence_interval,
    frequency_samples,
    greedy_quotas,
    proportional_quotas,
    sample_size,
    threshold,
)

RATES, SIZES = np.array([0.7, 0.4]), np.array([100, 100])


def test_two_sites_of_which_seven_and_four_of_ten_samples_changed() -> None:
    """100 fetches, 20 of them for samples: 48 changed pages in proportion, 56 by greed."""
    proportional = proportional_quotas(RATES, 80, SIZES)
    assert proportional.tolist() == [51, 29]
    assert np.round(proportional * RATES).sum() == 48
    greedy = greedy_quotas(RATES, 80, SIZES)
    assert greedy.tolist() == [80, 0]
    assert np.round(greedy * RATES).sum() == 56


def test_what_one_site_cannot_take_goes_to_the_others() -> None:
    sizes = np.array([10, 100, 100])
    rates = np.array([0.8, 0.1, 0.1])
    assert proportional_quotas(rates, 80, sizes).tolist() == [10, 35, 35]
    assert greedy_quotas(rates, 80, sizes).tolist() == [10, 70, 0]


def test_sites_without_change_get_what_is_left() -> None:
    rates = np.array([0.5, 0.0, 0.0])
    sizes = np.array([10, 20, 60])
    assert proportional_quotas(rates, 8, sizes).tolist() == [8, 0, 0]
    assert proportional_quotas(rates, 50, sizes).tolist() == [10, 10, 30]
    assert proportional_quotas(np.zeros(3), 9, sizes).tolist() == [1, 2, 6]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 50)), min_size=1, max_size=20),
    st.floats(0, 500),
)
def test_quotas_spend_the_budget_and_never_exceed_a_site(
    sites: list[tuple[float, int]], budget: float
) -> None:
    rates = np.array([rate for rate, _ in sites])
    sizes = np.array([size for _, size in sites])
    for share_out in (proportional_quotas, greedy_quotas):
        quotas = share_out(rates, budget, sizes)
        assert (quotas >= 0).all()
        assert (quotas <= sizes).all()
        assert quotas.sum() == pytest.approx(min(budget, sizes.sum()), abs=0.5 + 1e-6)


def test_the_threshold_is_the_rate_that_the_budget_reaches() -> None:
    rates, sizes = np.array([0.1, 0.9, 0.5]), np.array([50, 30, 20])
    assert threshold(rates, 30, sizes) == 0.9
    assert threshold(rates, 31, sizes) == 0.5
    assert threshold(rates, 1_000, sizes) == 0.1


def test_confidence_intervals_by_wilson() -> None:
    low, high = confidence_interval(np.array([7.0, 0.0, 10.0]), np.array([10, 10, 10]), 0.95)
    assert low == pytest.approx([0.3968, 0.0, 0.7225], abs=1e-4)
    assert high == pytest.approx([0.8922, 0.2775, 1.0], abs=1e-4)


def test_without_a_sample_the_share_may_be_any() -> None:
    low, high = confidence_interval(np.zeros(1), np.zeros(1, int), 0.9)
    assert low == pytest.approx([0.0])
    assert high == pytest.approx([1.0])


def test_the_sample_size_by_the_formula() -> None:
    """√(100·0.25·1 / (6·(0.875 − 0.5))): rates spread evenly, fetches for a quarter."""
    assert sample_size(100, 0.25, 1.0, 0.875, 0.5) == pytest.approx(3.3333, abs=1e-4)
    assert sample_size(400, 0.25, 1.0, 0.875, 0.5) == pytest.approx(6.6667, abs=1e-4)
    assert sample_size(100, 1.0, 1.0, 0.5, 0.5) == inf


def test_the_sample_size_of_known_sites() -> None:
    """Twelve sites of 100 pages, fetches for two and a half: three rates lie near the third's."""
    rates, sizes = 0.08 * np.arange(12), np.full(12, 100)
    assert threshold(rates, 250, sizes) == pytest.approx(0.72)
    expected = sample_size(100, 250 / 1_200, 3 / 12 / 0.2, 0.84, 0.44)
    assert best_sample_size(rates, 250, sizes) == pytest.approx(expected)
    assert best_sample_size(np.full(12, 0.25), 250, sizes) == inf


def test_lively_sites_have_larger_samples_and_quiet_ones_a_few() -> None:
    rates = np.array([0.6, 0.3, 0.1, 0.0])
    assert frequency_samples(rates, 100, np.full(4, 200)).tolist() == [60, 30, 10, 5]
    assert frequency_samples(rates, 100, np.array([20, 30, 200, 2])).tolist() == [20, 30, 10, 2]
    assert frequency_samples(rates, 10, np.full(4, 200)).tolist() == [6, 3, 1, 1]
    assert frequency_samples(np.r_[0.5, np.zeros(49)], 100, np.full(50, 9)).sum() == 9 + 49
