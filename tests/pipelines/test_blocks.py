"""Third station alone."""

from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.pipelines.blocks import BlocksPipeline


def test_each_block_is_weighed_against_the_crawls_own_topic(page: Any, through: Any) -> None:
    html = "<p>tulips</p><h2>goal striker</h2><h2>vaccine</h2><h2>referee</h2>"
    item = through(page(html), BlocksPipeline)
    assert item.block_relevance == pytest.approx([0, 0.7071068, 0, 0.5])
    assert item.relevance == pytest.approx(1.2071068)


def test_a_page_without_text_has_no_relevance(page: Any, through: Any) -> None:
    item = through(page(""), BlocksPipeline)
    assert item.relevance == 0
    assert len(item.block_relevance) == len(item.outline.blocks)
