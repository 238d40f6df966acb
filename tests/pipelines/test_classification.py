"""Second station alone."""

from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.pipelines.classification import ClassificationPipeline


def test_cosine_over_the_threshold_is_kept(ring: Any, page: Any, through: Any) -> None:
    item = through(page("<p>goal striker</p>"), ClassificationPipeline)
    assert item.decision.category == "sport"
    assert item.decision.similarity == pytest.approx(2 / (2**0.5 * 4**0.5))
    assert item.kept
    assert item.on_topic
    assert item.rule.startswith("kept: sport 0.707")
    assert (ring.stat("kept"), ring.stat("off_topic"), ring.stat("category/sport")) == (1, 0, 1)


def test_another_categorys_page_is_kept_but_off_topic(ring: Any, page: Any, through: Any) -> None:
    item = through(page("<p>vaccine nurse</p>"), ClassificationPipeline)
    assert (item.kept, item.on_topic) == (True, False)
    assert (ring.stat("kept"), ring.stat("off_topic"), ring.stat("category/health")) == (0, 1, 1)


def test_anchor_counts_for_half(page: Any, lease: Any, through: Any) -> None:
    leased = lease("http://news.test/a", anchor="goal")
    item = through(page("<p>goal striker</p>", lease=leased), ClassificationPipeline)
    assert item.decision.similarity == pytest.approx((0.7071068 + 0.5) / 2)


def test_a_page_without_any_term_belongs_nowhere(ring: Any, page: Any, through: Any) -> None:
    item = through(page("<p>tulips bloom</p>"), ClassificationPipeline)
    assert item.decision.category is None
    assert not item.kept
    assert ring.stat("off_topic") == 1


def test_under_the_threshold_is_dropped(page: Any, through: Any) -> None:
    words = "tulip rose daisy lily orchid violet poppy iris aster"
    item = through(page(f"<p>goal {words}</p>"), ClassificationPipeline)
    assert item.decision.category == "sport"
    assert item.decision.similarity == pytest.approx(1 / (10**0.5 * 2))
    assert not item.kept
    assert item.rule.startswith("dropped: sport")
