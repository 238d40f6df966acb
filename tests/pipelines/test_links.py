"""Last station alone."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.exceptions import DropItem

from focuscrawl.items import Article
from focuscrawl.pipelines.links import LinksPipeline
from focuscrawl.pipelines.repository import RepositoryPipeline

STORY = (
    "<title>Match</title><h1>goal striker</h1><p>referee stadium goal striker referee stadium "
    '<a href="/b">goal</a></p><h2>Flowers</h2><p><a href="/c">tulips</a></p>'
)
FLOWERS = '<h1>tulips bloom</h1><p><a href="/b">goal</a></p>'


@pytest.fixture
def finish(ring: Any, through: Any) -> Any:
    def run(item: Any) -> Article:
        through(item, RepositoryPipeline)
        return LinksPipeline.from_crawler(ring.crawler).process_item(item)

    return run


def queued(ring: Any) -> dict[str, tuple[int, int]]:
    rows = ring.frontier._db.execute("SELECT url, level, depth FROM urls WHERE state = 0")
    return {url: (level, depth) for url, level, depth in rows}


def test_a_kept_page_goes_on_as_an_article(page: Any, lease: Any, finish: Any) -> None:
    article = finish(page(STORY, lease=lease("http://news.test/a")))
    assert (article.url, article.title, article.category) == (
        "http://news.test/a",
        "Match",
        "sport",
    )
    assert article.change == "new"
    assert "referee stadium" in article.text
    assert article.similarity == pytest.approx(article.scores["sport"])


def test_visit_and_links_reach_the_frontier(ring: Any, page: Any, lease: Any, finish: Any) -> None:
    finish(page(STORY, lease=lease("http://news.test/a", depth=4)))
    assert queued(ring) == {"http://news.test/b": (0, 5), "http://news.test/c": (1, 5)}
    assert ring.frontier.is_finished("http://news.test/a")
    assert ring.stat("links/new") == 2
    assert [taken.url for taken in ring.frontier.lease(2)] == [
        "http://news.test/b",
        "http://news.test/c",
    ]


def test_an_irrelevant_page_leads_one_level_deeper(
    ring: Any, page: Any, lease: Any, finish: Any
) -> None:
    with pytest.raises(DropItem, match="dropped: sport"):
        finish(page(FLOWERS, lease=lease("http://news.test/a", level=1)))
    assert queued(ring) == {"http://news.test/b": (2, 1)}


def test_a_tunnel_ends(ring: Any, page: Any, lease: Any, finish: Any) -> None:
    with pytest.raises(DropItem):
        finish(page(FLOWERS, lease=lease("http://news.test/a", level=3)))
    assert queued(ring) == {}
    assert ring.stat("dropped/beyond_tunnel") == 1


def test_a_seed_leads_on_even_if_irrelevant(ring: Any, page: Any, lease: Any, finish: Any) -> None:
    with pytest.raises(DropItem):
        finish(page(FLOWERS, lease=lease("http://news.test/a", seed=True)))
    assert queued(ring)["http://news.test/b"][0] <= 1


def test_nothing_is_followed_beyond_the_depth(
    ring: Any, page: Any, lease: Any, finish: Any
) -> None:
    finish(page(STORY, lease=lease("http://news.test/a", depth=20)))
    assert queued(ring) == {}
    assert ring.stat("dropped/too_deep") == 2


def test_a_duplicate_is_settled_as_alias_and_dropped(
    ring: Any, page: Any, lease: Any, finish: Any
) -> None:
    finish(page(STORY))
    with pytest.raises(DropItem, match=r"same text as http://news.test/a"):
        finish(page(STORY, "http://news.test/z", lease("http://news.test/z")))
    rows = ring.frontier._db.execute("SELECT url, alias_of FROM urls WHERE state = 3").fetchall()
    assert rows == [("http://news.test/z", "http://news.test/a")]
    assert queued(ring) == {}


def test_another_categorys_page_is_dropped_here(page: Any, lease: Any, finish: Any) -> None:
    with pytest.raises(DropItem, match="kept: health"):
        finish(page("<p>vaccine nurse</p>", lease=lease("http://news.test/a")))
