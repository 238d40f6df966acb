"""First station: the page's words as stems, block by block."""

from __future__ import annotations

from focuscrawl.items import PageItem
from focuscrawl.pipelines.base import Station
from focuscrawl.reading import Reading
from focuscrawl.text import counts


class StemmingPipeline(Station):
    """The page's vector is the sum of its blocks' vectors and its title's."""

    def process_item(self, item: PageItem) -> PageItem:
        item.reading = Reading(item.outline)
        item.anchor_counts = counts(item.anchor) if item.anchor else {}
        return item
