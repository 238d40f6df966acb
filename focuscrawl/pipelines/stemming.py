"""First station: the page's words as stems, block by block."""

from __future__ import annotations

from focuscrawl.items import PageItem
from focuscrawl.pipelines.base import Station
from focuscrawl.text import counts


class StemmingPipeline(Station):
    """The page's vector is the sum of its blocks' vectors and its title's."""

    def process_item(self, item: PageItem) -> PageItem:
        item.block_counts = [counts(block.text) for block in item.outline.blocks]
        total = counts(item.outline.title)
        get = total.get
        for block in item.block_counts:
            for stem, number in block.items():
                total[stem] = get(stem, 0) + number
        item.counts = total
        item.anchor_counts = counts(item.anchor) if item.anchor else {}
        return item
