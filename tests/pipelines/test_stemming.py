"""First station alone."""

from __future__ import annotations

from typing import Any

from focuscrawl.pipelines.stemming import StemmingPipeline


def test_counts_stems_of_title_and_blocks(page: Any, through: Any) -> None:
    html = "<title>Goals</title><h1>Goal</h1><p>The goal of the strikers</p><h2>Nurses</h2>"
    item = through(page(html), StemmingPipeline)
    assert [counts.get("goal", 0) for counts in item.block_counts] == [0, 2, 0]
    assert item.counts == {"goal": 3, "striker": 1, "nurs": 1}


def test_blocks_stay_as_they_are_when_the_page_is_summed(page: Any, through: Any) -> None:
    item = through(page("<h1>goal</h1><h2>goal goal</h2>"), StemmingPipeline)
    assert item.block_counts == [{}, {"goal": 1}, {"goal": 2}]


def test_anchor_comes_from_the_lease(page: Any, lease: Any, through: Any) -> None:
    leased = lease("http://news.test/a", anchor="Two goals in the stadium")
    item = through(page("<p>x</p>", lease=leased), StemmingPipeline)
    assert item.anchor_counts["goal"] == item.anchor_counts["stadium"] == 1
    assert through(page("<p>x</p>"), StemmingPipeline).anchor_counts == {}


def test_an_empty_page_has_no_counts(page: Any, through: Any) -> None:
    assert through(page(""), StemmingPipeline).counts == {}
