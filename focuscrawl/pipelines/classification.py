"""Second station: which category the page belongs to, and whether it is near enough."""

from __future__ import annotations

from focuscrawl.items import PageItem
from focuscrawl.pipelines.base import Station


class ClassificationPipeline(Station):
    """A page that another category keeps is stored there, but is off topic for this crawl."""

    def process_item(self, item: PageItem) -> PageItem:
        seed = item.lease is not None and item.lease.seed
        decision = self.ring.judge.decide(item.counts, item.anchor_counts, seed=seed)
        if seed:
            self.ring.note_thresholds()
        item.decision = decision
        item.kept = decision.kept
        item.on_topic = decision.kept and decision.category == self.ring.category.name
        item.rule = decision.rule
        self.ring.count("kept" if item.on_topic else "off_topic")
        if decision.category is not None:
            self.ring.count(f"category/{decision.category}")
        return item
