from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.revisit.pages import Ints
from focuscrawl.revisit.synthetic import HINTS, Quality, Shape, synthetic_world
from focuscrawl.revisit.world import Reports, World

DAY = 86_400.0


def sizes(world: World) -> list[int]:
    sites = [page.site for page in world.pages]
    return sorted((sites.count(site) for site in set(sites)), reverse=True)


def events(world: World) -> set[tuple[float, int]]:
    owners = np.repeat(np.arange(len(world)), world.counts())
    return set(zip(world.changes.tolist(), owners.tolist(), strict=True))


def told(reports: Reports) -> list[tuple[float, int]]:
    return list(zip(reports.times.tolist(), reports.pages.tolist(), strict=True))


def pages_of(world: World, site: str) -> Ints:
    return np.array([page.key for page in world.pages if page.site == site])


def test_the_same_seed_gives_the_same_web() -> None:
    shape = Shape(pages=200, sites=10, days=20, hints=Quality(0.9, 0.9))
    one, same, other = (synthetic_world(shape, seed) for seed in (7, 7, 8))
    assert one.pages == same.pages
    assert one.changes.tolist() == same.changes.tolist()
    assert one.ends.tolist() == same.ends.tolist()
    assert one.sitemaps.keys() == same.sitemaps.keys()
    assert all(told(reports) == told(same.sitemaps[site]) for site, reports in one.sitemaps.items())
    assert one.changes.tolist() != other.changes.tolist()


def test_hints_leave_the_changes_as_they_are() -> None:
    plain, hinted = (
        synthetic_world(Shape(pages=100, sites=5, days=10, hints=HINTS[name]), 3)
        for name in ("none", "good")
    )
    assert plain.changes.tolist() == hinted.changes.tolist()
    assert plain.weights.tolist() == hinted.weights.tolist()
    assert dict(plain.sitemaps) == {}
    assert {page.interval for page in plain.pages} == {None}


def test_sizes_of_sites_follow_zipf() -> None:
    found = sizes(synthetic_world(Shape(pages=10_000, sites=100, days=1), 1))
    assert len(found) == 100
    assert sum(found) == 10_000
    harmonic = sum(1 / rank for rank in range(1, 101))
    for rank in (1, 2, 5, 10, 30):
        assert found[rank - 1] == pytest.approx(1 + 9_900 / harmonic / rank, rel=0.2)
    assert min(found) >= 1


def test_rates_are_log_normal_about_the_parameter() -> None:
    """Slow rates cannot be counted, so the web is a lively one for long."""
    shape = Shape(pages=3_000, sites=300, days=100, log_rate=0.7, spread=0.8, spread_of_sites=0.5)
    world = synthetic_world(shape, 2)
    logs = np.log(world.rates())
    assert logs.mean() == pytest.approx(0.7, abs=0.12)
    assert logs.std() == pytest.approx(0.8, abs=0.1)
    big = [pages_of(world, f"site{number}.test") for number in range(30)]
    assert np.mean([logs[pages].std() for pages in big]) == pytest.approx(
        np.sqrt(0.8**2 - 0.5**2), abs=0.06
    )


def test_the_default_web_has_its_mean_number_of_changes() -> None:
    """Half of the pages change less than once in 16 days; none more than 64 times a day."""
    world = synthetic_world(Shape(pages=5_000, sites=200), 4)
    assert np.median(world.counts()) == pytest.approx(90 * np.exp(-2.8), rel=0.35)
    assert world.rates().max() < 64 * 1.1


def test_changes_are_spread_evenly_over_the_days() -> None:
    world = synthetic_world(Shape(pages=500, sites=10, days=10), 5)
    share = (world.changes - world.first[0]) / (10 * DAY)
    assert np.histogram(share, 10, (0, 1))[0] == pytest.approx(
        np.full(10, len(share) / 10), rel=0.1
    )
    for page in range(500):
        start = world.ends[page - 1] if page else 0
        own = world.changes[start : world.ends[page]]
        assert (np.diff(own) >= 0).all()


@pytest.mark.parametrize("quality", [Quality(0.9, 0.9), Quality(0.2, 0.5), Quality(1.0, 0.3)])
def test_dates_have_the_precision_and_recall_asked_for(quality: Quality) -> None:
    shape = Shape(pages=600, sites=12, days=60, hints=quality, with_sitemaps=1.0, liars=0.0)
    world = synthetic_world(shape, 6)
    assert len(world.sitemaps) == 12
    true = events(world)
    dated = [event for reports in world.sitemaps.values() for event in told(reports)]
    right = [event for event in dated if event in true]
    assert len(right) / len(dated) == pytest.approx(quality.precision, abs=0.03)
    assert len(right) / len(true) == pytest.approx(quality.recall, abs=0.03)


def test_a_sitemap_speaks_of_its_own_pages_in_order_of_time() -> None:
    shape = Shape(pages=300, sites=10, days=20, hints=HINTS["good"], liars=0.4)
    world = synthetic_world(shape, 9)
    assert len(world.sitemaps) == 5
    for site, reports in world.sitemaps.items():
        assert set(reports.pages.tolist()) <= set(pages_of(world, site).tolist())
        assert (np.diff(reports.times) >= 0).all()


def test_liars_date_everything_or_nothing() -> None:
    shape = Shape(pages=200, sites=20, days=3, hints=HINTS["good"], with_sitemaps=1.0, liars=1.0)
    world = synthetic_world(shape, 1)
    always, never = 0, 0
    for site, reports in world.sitemaps.items():
        if len(reports.times):
            always += 1
            assert len(reports.times) == len(pages_of(world, site)) * 3 * 24
        else:
            never += 1
    assert always + never == 20
    assert min(always, never) >= 5


def test_declared_intervals_are_classes_near_the_truth_on_honest_sites() -> None:
    shape = Shape(
        pages=500,
        sites=5,
        days=60,
        log_rate=0.0,
        spread=1.0,
        spread_of_sites=0.5,
        hints=HINTS["good"],
        with_sitemaps=1.0,
        liars=0.0,
    )
    world = synthetic_world(shape, 1)
    declared = np.array([page.interval or 0.0 for page in world.pages]) / DAY
    assert set(np.round(declared * 24).tolist()) <= {1, 24, 168, 720, 8_760}
    assert np.mean(np.abs(np.log(declared * world.rates())) < np.log(6)) > 0.9


@settings(max_examples=30)
@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 5), st.sampled_from(sorted(HINTS)))
def test_any_shape_is_a_web(pages: int, sites: int, days: int, hints: str) -> None:
    world = synthetic_world(Shape(pages=pages, sites=sites, days=days, hints=HINTS[hints]), 1)
    assert len(world) == len(world.ends) == pages
    assert world.ends[-1] == len(world.changes)
    assert (world.weights > 0).all()
    assert ((world.changes >= world.first[0]) & (world.changes <= world.last[0])).all()
    assert len(sizes(world)) == min(pages, sites)
