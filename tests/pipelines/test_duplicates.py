"""Fourth station alone."""

from __future__ import annotations

from typing import Any

from focuscrawl.pipelines.duplicates import DuplicatesPipeline
from focuscrawl.pipelines.repository import RepositoryPipeline

STORY = "<p>goal striker referee stadium goal striker referee stadium and more</p>"


def test_the_first_of_its_text_has_no_twin(page: Any, through: Any) -> None:
    item = through(page(STORY), DuplicatesPipeline)
    assert len(item.digest) == 32
    assert item.twin is None
    assert item.before is None


def test_same_text_elsewhere_is_a_twin(ring: Any, page: Any, through: Any) -> None:
    through(page(STORY), RepositoryPipeline)
    again = f"<nav>Other menu</nav>{STORY.upper()}"
    item = through(page(again, "http://news.test/b"), DuplicatesPipeline)
    assert item.twin.url == "http://news.test/a"
    assert item.rule == "dropped: same text as http://news.test/a"
    assert ring.stat("duplicates") == 1
    assert item.visit().alias_of == "http://news.test/a"
    assert not item.visit().kept


def test_the_same_address_is_an_earlier_visit_and_no_twin(page: Any, through: Any) -> None:
    through(page(STORY), RepositoryPipeline)
    item = through(page(STORY), DuplicatesPipeline)
    assert item.twin is None
    assert item.before.visits == 1
    assert item.before.digest == item.digest


def test_short_texts_are_no_duplicates_of_each_other(page: Any, through: Any) -> None:
    through(page("<p>goal striker</p>"), RepositoryPipeline)
    item = through(page("<p>goal striker</p>", "http://news.test/b"), DuplicatesPipeline)
    assert item.digest == ""
    assert item.twin is None


def test_a_dropped_page_is_not_compared(ring: Any, page: Any, through: Any) -> None:
    text = "<p>tulips bloom early this year in all the gardens here</p>"
    through(page(text), RepositoryPipeline)
    item = through(page(text, "http://news.test/b"), DuplicatesPipeline)
    assert item.twin is None
    assert ring.stat("duplicates") == 0
