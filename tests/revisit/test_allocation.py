from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from focuscrawl.revisit.allocation import best_frequencies, freshness
from focuscrawl.revisit.pages import Floats

rates_and_weights = st.lists(
    st.tuples(st.floats(1e-4, 50), st.floats(0.01, 5)), min_size=1, max_size=12
)
budgets = st.floats(1e-3, 1e3)


def columns(pages: list[tuple[float, float]]) -> tuple[Floats, Floats]:
    table = np.array(pages)
    return table[:, 0], table[:, 1]


def reached(rates: Floats, weights: Floats, frequencies: Floats) -> float:
    return float(weights @ freshness(rates, frequencies))


def marginal(rates: Floats, weights: Floats, frequencies: Floats) -> Floats:
    x = rates / frequencies
    return np.asarray(weights / rates * (-np.expm1(-x) - x * np.exp(-x)))


def test_freshness_of_regular_visits() -> None:
    # Daily changes, daily visits: 1 - 1/e; ten visits a change: nearly always fresh.
    found = freshness(np.array([1.0, 1.0, 2.0]), np.array([1.0, 10.0, 0.5]))
    assert found == pytest.approx([0.6321206, 0.9516258, 0.2454211])


def test_freshness_where_nothing_changes_or_nothing_is_visited() -> None:
    found = freshness(np.array([0.0, 0.0, 3.0, 1e-300]), np.array([0.0, 2.0, 0.0, 1e10]))
    assert found.tolist() == [1.0, 1.0, 0.0, 1.0]


def test_freshness_agrees_with_a_simulated_page() -> None:
    random = np.random.default_rng(5)
    changes = np.sort(random.random(20_000) * 10_000)  # two a day
    visits = np.arange(0, 10_000, 0.25)
    following = np.append(changes, np.inf)[np.searchsorted(changes, visits)]
    simulated = np.minimum(following - visits, 0.25).mean() / 0.25
    assert freshness(np.array([2.0]), np.array([4.0]))[0] == pytest.approx(simulated, abs=0.003)


def test_two_pages_against_a_fine_grid() -> None:
    rates, weights = np.array([0.2, 3.0]), np.array([1.0, 1.0])
    shares = np.linspace(0, 2, 200_001)
    values = freshness(np.full(len(shares), 0.2), shares) + freshness(
        np.full(len(shares), 3.0), 2 - shares
    )
    found = best_frequencies(rates, weights, 2.0)
    assert found[0] == pytest.approx(shares[values.argmax()], abs=2e-4)
    assert reached(rates, weights, found) == pytest.approx(values.max(), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_five_pages_against_a_general_optimiser(seed: int) -> None:
    random = np.random.default_rng(seed)
    rates, weights = np.exp(random.normal(-1, 1.5, 5)), random.beta(2, 6, 5)
    budget = float(random.choice([0.5, 2.0, 10.0]))
    best = minimize(
        lambda found: -reached(rates, weights, np.maximum(found, 1e-12)),
        np.full(5, budget / 5),
        bounds=[(0, budget)] * 5,
        constraints={"type": "eq", "fun": lambda found: found.sum() - budget},
        method="SLSQP",
        options={"maxiter": 1_000, "ftol": 1e-12},
    )
    found = best_frequencies(rates, weights, budget)
    assert reached(rates, weights, found) >= -best.fun - 1e-7
    assert reached(rates, weights, found) == pytest.approx(-best.fun, rel=1e-4)


def test_a_page_too_fast_for_its_weight_is_left_alone() -> None:
    found = best_frequencies(np.array([0.5, 1.0, 40.0]), np.ones(3), 1.0)
    assert found[2] == 0
    assert found[0] > 0
    assert found[1] > 0
    heavy = best_frequencies(np.array([0.5, 1.0, 40.0]), np.array([1.0, 1.0, 200.0]), 1.0)
    assert heavy[2] > 0.9


def test_the_medium_page_gets_more_than_the_slow_and_the_fast() -> None:
    slow, medium, fast = best_frequencies(np.array([0.01, 1.0, 20.0]), np.ones(3), 1.5)
    assert medium > slow > fast


@pytest.mark.parametrize("budget", [1e-9, 1e-3, 0.02, 1.0, 1e4, 1e12])
def test_budgets_of_any_size(budget: float) -> None:
    rates, weights = np.array([1e-5, 0.3, 0.3, 9.0]), np.array([0.1, 0.4, 0.8, 1.0])
    found = best_frequencies(rates, weights, budget)
    assert found.sum() == pytest.approx(budget, rel=1e-9)
    assert (found >= 0).all()


def test_nothing_to_do() -> None:
    some = np.array([1.0, 2.0])
    assert best_frequencies(some, np.ones(2), 0.0).tolist() == [0, 0]
    assert best_frequencies(np.zeros(2), np.ones(2), 3.0).tolist() == [0, 0]
    assert best_frequencies(some, np.zeros(2), 3.0).tolist() == [0, 0]
    assert best_frequencies(np.zeros(0), np.zeros(0), 3.0).tolist() == []


def test_pages_that_never_change_cost_nothing() -> None:
    found = best_frequencies(np.array([0.0, 1.0, 1.0]), np.array([5.0, 1.0, 0.0]), 3.0)
    assert found == pytest.approx([0, 3, 0])


def test_a_hundred_thousand_pages_of_six_orders_of_magnitude() -> None:
    random = np.random.default_rng(1)
    rates, weights = np.exp(random.normal(-2.8, 3.77, 100_000)), random.beta(2, 6, 100_000)
    found = best_frequencies(rates, weights, 20_000.0)
    assert found.sum() == pytest.approx(20_000, rel=1e-9)
    visited = found > 0
    level = marginal(rates[visited], weights[visited], found[visited])
    assert level.min() == pytest.approx(level.max(), rel=1e-9)
    assert (weights[~visited] / rates[~visited] <= level[0] * (1 + 1e-9)).all()
    assert reached(rates, weights, found) / weights.sum() == pytest.approx(0.722, abs=0.002)


@given(rates_and_weights, budgets)
def test_the_sum_is_the_budget_and_one_more_visit_is_worth_the_same_everywhere(
    pages: list[tuple[float, float]], budget: float
) -> None:
    rates, weights = columns(pages)
    found = best_frequencies(rates, weights, budget)
    assert found.sum() == pytest.approx(budget, rel=1e-9)
    assert (found >= 0).all()
    visited = found > 0
    level = marginal(rates[visited], weights[visited], found[visited])
    assert level.min() == pytest.approx(level.max(), rel=1e-6, abs=1e-12)
    assert (weights[~visited] / rates[~visited] <= level.max() * (1 + 1e-6)).all()


@given(rates_and_weights, budgets, st.floats(1, 100))
def test_more_budget_never_hurts(
    pages: list[tuple[float, float]], budget: float, factor: float
) -> None:
    rates, weights = columns(pages)
    little = reached(rates, weights, best_frequencies(rates, weights, budget))
    much = reached(rates, weights, best_frequencies(rates, weights, budget * factor))
    assert much >= little * (1 - 1e-9)


@given(rates_and_weights, budgets, st.integers(0, 2**32 - 1))
def test_no_other_allocation_is_better(
    pages: list[tuple[float, float]], budget: float, seed: int
) -> None:
    rates, weights = columns(pages)
    best = reached(rates, weights, best_frequencies(rates, weights, budget))
    shares = np.random.default_rng(seed).dirichlet(np.full(len(rates), 0.5))
    assert best >= reached(rates, weights, shares * budget) - 1e-9
    assert best >= reached(rates, weights, np.full(len(rates), budget / len(rates))) - 1e-9


@settings(max_examples=200)
@given(st.lists(st.floats(1e-4, 50), min_size=1, max_size=12), budgets)
def test_uniform_beats_proportional(rates: list[float], budget: float) -> None:
    """Cho and Garcia-Molina: for pages of equal weight, whatever their rates."""
    of_page = np.array(rates)
    uniform = freshness(of_page, np.full(len(of_page), budget / len(of_page)))
    proportional = freshness(of_page, budget * of_page / of_page.sum())
    assert uniform.sum() >= proportional.sum() * (1 - 1e-9)


@given(rates_and_weights, budgets, st.floats(0.01, 100))
def test_the_unit_of_weights_does_not_matter(
    pages: list[tuple[float, float]], budget: float, unit: float
) -> None:
    rates, weights = columns(pages)
    found = best_frequencies(rates, weights, budget)
    scaled = best_frequencies(rates, weights * unit, budget)
    assert reached(rates, weights, scaled) == pytest.approx(
        reached(rates, weights, found), rel=1e-9
    )
