"""Fourth station: whether the same text is already stored under another address."""

from __future__ import annotations

from focuscrawl.duplicates import prose, text_digest
from focuscrawl.items import PageItem
from focuscrawl.pipelines.base import Station


class DuplicatesPipeline(Station):
    """A duplicate is recorded as an alias; it is neither stored nor harvested again."""

    def process_item(self, item: PageItem) -> PageItem:
        item.digest = text_digest(prose(item.outline.main_text()))
        item.before = self.ring.repository.page(item.url)
        if item.kept and item.digest:
            item.twin = self.ring.repository.twin(item.digest, item.url)
        if item.twin is not None:
            item.rule = f"dropped: same text as {item.twin.url}"
            self.ring.count("duplicates")
        return item
