"""Sixth station alone."""

from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.pipelines.repository import RepositoryPipeline
from focuscrawl.repository.store import body_digest

STORY = (
    "<title>Match</title><h1>goal striker</h1><p>referee stadium goal striker referee stadium</p>"
    '<h2>More</h2><p><a href="/b">other</a> <a href="/b#x">the longer anchor</a> '
    '<a href="http://away.test/">away</a> <a href="/pic.jpg">picture</a></p>'
)


def test_a_kept_page_is_stored_whole(ring: Any, page: Any, through: Any, rows: Any) -> None:
    item = through(page(STORY), RepositoryPipeline)
    ((url, site, title, category, copy, words, visits),) = rows(
        "SELECT url, site, title, category, copy, words, visits FROM pages"
    )
    assert (url, site, title, category) == ("http://news.test/a", "news.test", "Match", "sport")
    assert copy == body_digest(item.body)
    assert ring.repository.copy(copy)[0] == item.body
    assert (words, visits) == (sum(item.counts.values()), 1)
    assert rows("SELECT number, heading FROM blocks ORDER BY number") == [
        (0, ""),
        (1, "goal striker"),
        (2, "More"),
    ]


def test_links_to_allowed_pages_once_with_the_longest_anchor(
    page: Any, through: Any, rows: Any
) -> None:
    item = through(page(STORY), RepositoryPipeline)
    found = [("http://news.test/b", "the longer anchor", 2)]
    assert [(link.url, link.anchor, link.block) for link in item.links] == found
    assert rows("SELECT target, anchor, block FROM link_list") == found


def test_a_second_visit_adds_a_visit_and_no_page(page: Any, through: Any, rows: Any) -> None:
    through(page(STORY), RepositoryPipeline)
    through(page(STORY.replace("referee", "keeper"), at=200.0), RepositoryPipeline)
    through(page(STORY.replace("referee", "keeper"), at=300.0), RepositoryPipeline)
    assert rows("SELECT visits, changes, first_visit, last_visit, last_change FROM pages") == [
        (3, 1, 100.0, 300.0, 200.0)
    ]
    assert rows("SELECT change FROM visits ORDER BY at") == [("new",), ("content",), ("none",)]
    assert rows("SELECT count(*) FROM copies") == [(2,)]


def test_a_duplicate_is_an_alias_without_content(page: Any, through: Any, rows: Any) -> None:
    through(page(STORY), RepositoryPipeline)
    item = through(page(STORY, "http://news.test/copy"), RepositoryPipeline)
    assert item.links == []
    (alias,) = rows(
        "SELECT original.url, alias.copy FROM pages alias "
        "JOIN pages original ON original.id = alias.alias_of"
    )
    assert alias == ("http://news.test/a", None)
    assert rows("SELECT count(*) FROM copies") == [(1,)]


def test_a_near_miss_is_remembered_until_it_is_kept(page: Any, through: Any, rows: Any) -> None:
    flowers = "tulip rose daisy lily orchid violet poppy iris aster"
    through(page(f"<p>goal {flowers}</p>"), RepositoryPipeline)
    assert rows("SELECT category, phase FROM near_misses") == [("sport", 1)]
    assert rows("SELECT category, copy FROM pages") == [(None, None)]
    through(page(STORY, at=200.0), RepositoryPipeline)
    assert rows("SELECT count(*) FROM near_misses") == [(0,)]


def test_block_relevance_is_stored(page: Any, through: Any, rows: Any) -> None:
    item = through(page(STORY), RepositoryPipeline)
    stored = [relevance for (relevance,) in rows("SELECT relevance FROM blocks ORDER BY number")]
    assert stored == pytest.approx(item.block_relevance)
    ((total,),) = rows("SELECT relevance FROM pages")
    assert total == pytest.approx(sum(stored))
