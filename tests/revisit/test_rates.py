from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit.pages import Flags, Floats, Known, PageTable
from focuscrawl.revisit.rates import (
    MEMORY_DAYS,
    PARENT_WEIGHT,
    POINTS,
    RATES,
    Pools,
    after_visits,
    bias_reduced,
    posteriors,
)

FLAT = np.zeros(POINTS, np.float32)
BELIEF = {"belief": np.dtype((np.float32, POINTS))}


def learned(gaps: Floats, changed: Flags) -> Floats:
    """Beliefs of pages (rows) after the same number of visits each, gaps in hours."""
    beliefs = np.zeros((len(gaps), POINTS))
    for visit in range(gaps.shape[1]):
        hours = gaps[:, visit]
        beliefs = after_visits(beliefs, hours[:, None] * RATES, changed[:, visit], hours)
    return beliefs


def mean_rates(beliefs: Floats) -> Floats:
    return np.asarray(posteriors(beliefs, np.zeros_like(beliefs)) @ RATES)


def visited(rate: float, gaps: Floats, seed: int) -> Flags:
    """What visits of a page that changes by Poisson's law see."""
    return np.asarray(
        np.random.default_rng(seed).random(gaps.shape) < -np.expm1(-rate * gaps), bool
    )


def regular(pages: int, visits: int, hours: float) -> Floats:
    return np.full((pages, visits), hours)


def irregular(pages: int, visits: int, hours: float) -> Floats:
    """From a hundredth of the mean to many times of it."""
    return np.random.default_rng(9).exponential(hours, (pages, visits))


# -- beliefs against known processes ---------------------------------------------------


@pytest.mark.parametrize("gaps_of", [regular, irregular])
@pytest.mark.parametrize(
    ("per_day", "hours_between", "visits"),
    [(0.03, 240.0, 60), (0.4, 24.0, 150), (6.0, 2.0, 300)],
    ids=["slow", "medium", "fast"],
)
def test_the_mean_rate_is_near_the_truth(
    gaps_of: Callable[[int, int, float], Floats], per_day: float, hours_between: float, visits: int
) -> None:
    """Over 200 pages the mean of means is within 12 %, and two of three are not off by half."""
    gaps = gaps_of(200, visits, hours_between)
    found = mean_rates(learned(gaps, visited(per_day / 24, gaps, seed=4))) * 24
    assert found.mean() == pytest.approx(per_day, rel=0.12)
    assert np.mean(np.abs(found / per_day - 1) < 0.5) > 0.67


def test_more_visits_make_surer() -> None:
    gaps = regular(200, 100, 24.0)
    changed = visited(0.4 / 24, gaps, seed=1)

    def error(visits: int) -> float:
        found = mean_rates(learned(gaps[:, :visits], changed[:, :visits])) * 24
        return float(np.sqrt(np.mean(np.log(found / 0.4) ** 2)))

    assert error(100) < 0.5 * error(5)


def test_one_visit_by_hand() -> None:
    (same,) = after_visits(np.zeros((1, POINTS)), 24.0 * RATES[None], np.array([False]), np.ones(1))
    assert same - same[0] == pytest.approx(-24 * (RATES - RATES[0]))
    (other,) = after_visits(np.zeros((1, POINTS)), 24.0 * RATES[None], np.array([True]), np.ones(1))
    likelihood = 1 - np.exp(-24 * RATES)
    assert np.exp(other) == pytest.approx(likelihood / likelihood.max(), abs=1e-9)


def test_changes_over_time_saturate_and_the_grid_does_not() -> None:
    """Visits that always find a change: X/T says one a day, the grid that it is more."""
    visits = 30
    found = mean_rates(learned(regular(1, visits, 24.0), np.ones((1, visits), bool)))[0] * 24
    naive = visits / visits
    assert found > 8 * naive
    assert bias_reduced(visits, visits, 1.0) == pytest.approx(np.log(61))


@pytest.mark.parametrize("per_day", [0.2, 1.0, 2.5])
def test_the_bias_reduced_rate_is_near_the_truth_where_changes_over_time_is_not(
    per_day: float,
) -> None:
    gaps = regular(400, 60, 24.0)
    changes = visited(per_day / 24, gaps, seed=8).sum(axis=1)
    naive = changes / 60
    reduced = np.array([bias_reduced(60, int(count), 1.0) for count in changes])
    assert (reduced > naive).mean() > 0.99
    assert naive.mean() == pytest.approx(1 - np.exp(-per_day), rel=0.05)
    assert reduced.mean() == pytest.approx(per_day, rel=0.05)


@given(st.integers(1, 200), st.floats(0.1, 100))
def test_the_bias_reduced_rate_grows_with_the_changes(visits: int, interval: float) -> None:
    found = [bias_reduced(visits, changes, interval) for changes in range(visits + 1)]
    assert found[0] == 0
    assert found == sorted(found)
    assert np.isfinite(found[-1])


def test_evidence_fades() -> None:
    belief = np.array([np.linspace(-5, 0, POINTS)])
    nothing_new = after_visits(
        belief, np.zeros((1, POINTS)), np.array([False]), np.array([24 * MEMORY_DAYS])
    )
    assert nothing_new[0, 0] == pytest.approx(-5 / np.e)


def test_a_page_that_takes_other_habits_is_believed_after_a_while() -> None:
    daily = regular(1, 100, 24.0)
    changed = np.ones((1, 100), bool)
    changed[:, 40:] = False
    assert mean_rates(learned(daily[:, :40], changed[:, :40]))[0] * 24 > 4
    assert mean_rates(learned(daily, changed))[0] * 24 < 1


visit_lists = st.lists(st.tuples(st.floats(0, 5_000), st.booleans()), max_size=30)


@given(visit_lists)
def test_whatever_is_seen_chances_are_chances(visits: list[tuple[float, bool]]) -> None:
    belief = np.zeros((1, POINTS))
    for hours, changed in visits:
        belief = after_visits(belief, hours * RATES[None], np.array([changed]), np.array([hours]))
    chances = posteriors(belief.astype(np.float32), FLAT[None])
    assert np.isfinite(chances).all()
    assert chances.sum() == pytest.approx(1)
    assert (chances >= 0).all()


@given(visit_lists, st.floats(1, 500))
def test_a_change_never_lowers_the_rate_and_its_absence_never_raises_it(
    visits: list[tuple[float, bool]], hours: float
) -> None:
    belief = np.zeros((1, POINTS))
    for gap, changed in visits:
        belief = after_visits(belief, gap * RATES[None], np.array([changed]), np.zeros(1))
    before = mean_rates(belief)[0]
    exposure = hours * RATES[None]
    faster = mean_rates(after_visits(belief, exposure, np.array([True]), np.zeros(1)))[0]
    slower = mean_rates(after_visits(belief, exposure, np.array([False]), np.zeros(1)))[0]
    assert faster >= before * (1 - 1e-9)
    assert slower <= before * (1 + 1e-9)


# -- pools -----------------------------------------------------------------------------


def table_of(*groups: tuple[str, str, int, float]) -> PageTable:
    """Pages of groups (site, section, pages, changes per day) that were watched for long."""
    pages = PageTable(BELIEF)
    key = 0
    for site, section, count, per_day in groups:
        rows = pages.add([Known(key + number, site, section) for number in range(count)])
        key += count
        if per_day:
            distance = np.log2(RATES * 24 / per_day)
            pages.belief[rows] = -4 * distance**2
    return pages


def newcomer(pages: PageTable, pools: Pools, site: str, section: str = "") -> float:
    """Changes per day that a page without a history is given."""
    (row,) = pages.add([Known(10**9 + len(pages), site, section)])
    pages.belief[row] = 0
    return float(mean_rate(pages, pools, row))


def mean_rate(pages: PageTable, pools: Pools, row: int) -> float:
    rows = np.array([row])
    return float((posteriors(pages.belief[rows], pools.log_prior(rows)) @ RATES)[0]) * 24


def swept(pages: PageTable) -> Pools:
    pools = Pools(pages)
    for day in range(4):
        assert pools.sweep(24.0 * day)
    return pools


def test_a_page_without_history_takes_after_its_section_then_its_site_then_the_web() -> None:
    pages = table_of(
        ("a.test", "news", 400, 8.0), ("a.test", "", 400, 1 / 8), ("b.test", "", 800, 1 / 256)
    )
    pools = swept(pages)
    section = newcomer(pages, pools, "a.test", "news")
    of_site = newcomer(pages, pools, "a.test", "new section")
    other = newcomer(pages, pools, "b.test")
    web = newcomer(pages, pools, "c.test")
    assert section == pytest.approx(8, rel=0.1)
    assert of_site == pytest.approx(4.07, rel=0.1)
    assert other == pytest.approx((PARENT_WEIGHT * 2.03 + 800 / 256) / 810, rel=0.1)
    assert web == pytest.approx(2.03, rel=0.1)


def test_a_new_site_takes_after_the_web_before_and_after_the_next_sweep() -> None:
    pages = table_of(("a.test", "", 500, 1 / 64))
    pools = swept(pages)
    before = newcomer(pages, pools, "b.test")
    pools.sweep(24.0 * 9)
    (row,) = pages.rows(np.array([10**9 + 500]))
    assert before < 0.1
    assert mean_rate(pages, pools, int(row)) == pytest.approx(before, rel=0.05)


def test_nothing_is_known_before_the_first_sweep() -> None:
    pages = table_of(("a.test", "", 3, 1.0))
    prior = Pools(pages).log_prior(np.arange(3))
    assert np.exp(prior) == pytest.approx(np.full((3, POINTS), 1 / POINTS))


def test_few_pages_of_a_site_weigh_little_against_the_web() -> None:
    """As many pages as the web weighs: half of the site's own, half of the web's."""
    pages = table_of(("a.test", "", 2_000, 1 / 64), ("b.test", "", int(PARENT_WEIGHT), 8.0))
    pools = swept(pages)
    chances = np.exp(pools.log_prior(pages.rows(np.array([2_000])))[0])
    assert chances[RATES * 24 > 1].sum() == pytest.approx(0.5, abs=0.05)


def test_priors_are_chances() -> None:
    pages = table_of(("a.test", "x", 20, 1.0), ("a.test", "", 3, 0.0), ("b.test", "", 1, 9.0))
    pools = swept(pages)
    sums = np.exp(pools.log_prior(pages.living())).sum(axis=1)
    assert sums == pytest.approx(np.ones(24), abs=1e-4)


@pytest.mark.parametrize("hours", [1.0, 5.0, 0.25])
def test_a_sweep_in_parts_gives_the_same_as_at_once(hours: float) -> None:
    groups = [("a.test", "x", 61, 2.0), ("a.test", "", 50, 0.1), ("b.test", "", 80, 30.0)]
    at_once, in_parts = table_of(*groups), table_of(*groups)
    for pages in (at_once, in_parts):
        pages.drop(np.array([5, 77], np.int64))
    whole, parts = Pools(at_once), Pools(in_parts)
    assert whole.sweep(0.0)
    assert parts.sweep(0.0)
    assert whole.sweep(24.0)
    hour, rounds = 0.0, 0
    while not rounds:
        hour += hours
        rounds += parts.sweep(hour)
        assert hour < 100
    assert hour >= 24
    rows = at_once.living()
    assert parts.log_prior(rows) == pytest.approx(whole.log_prior(rows), abs=1e-4)


def test_a_question_every_second_goes_over_the_pages_once_a_day() -> None:
    pages = table_of(("a.test", "", 40, 1.0))
    pools = Pools(pages)
    ends = [second / 3_600 for second in range(0, 3 * 86_400, 20) if pools.sweep(second / 3_600)]
    assert ends == pytest.approx([0, 24, 48], abs=0.5)


def test_a_sweep_of_nothing() -> None:
    pools = Pools(PageTable(BELIEF))
    assert pools.sweep(0.0)
    assert pools.log_prior(np.zeros(0, np.int64)).shape == (0, POINTS)


def test_a_round_takes_a_day_however_few_pages_there_are() -> None:
    pages = PageTable(BELIEF)
    pages.add([Known(key, "a.example") for key in range(30)])
    pools = Pools(pages)
    rounds = sum(pools.sweep(float(hour)) for hour in range(24 * 10 + 1))
    assert rounds == pytest.approx(11, abs=1)
