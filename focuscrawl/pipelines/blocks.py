"""Third station: how relevant each block is, and the page by its blocks."""

from __future__ import annotations

from focuscrawl.items import PageItem
from focuscrawl.pipelines.base import Station


class BlocksPipeline(Station):
    """The spider cut the page at its headings; here each block is weighed against the topic."""

    def process_item(self, item: PageItem) -> PageItem:
        item.block_relevance = [self.ring.judge.relevance(counts) for counts in item.block_counts]
        item.relevance = sum(item.block_relevance)
        return item
