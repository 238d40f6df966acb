"""Fifth station: whether the page changed since the last visit."""

from __future__ import annotations

from focuscrawl.items import PageItem
from focuscrawl.pipelines.base import Station
from focuscrawl.repository.store import NEW_PAGE, NO_CHANGE


class ChangesPipeline(Station):
    """Compares the digests of the main text of this visit and the last."""

    def process_item(self, item: PageItem) -> PageItem:
        if item.before is None:
            item.change = NEW_PAGE
        elif item.before.digest == item.digest:
            item.change = NO_CHANGE
        else:
            item.change = "text"
        self.ring.count(f"change/{item.change}")
        return item
