"""Last station: the page's links, scored by what the others found out, close the ring."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from scrapy.exceptions import DropItem

from focuscrawl.extensions.webhook import content_changed
from focuscrawl.frontier.records import Harvest
from focuscrawl.items import Article, PageItem
from focuscrawl.linking import candidates
from focuscrawl.pipelines.base import Station

if TYPE_CHECKING:
    from focuscrawl.scheduler import FrontierScheduler


class LinksPipeline(Station):
    """Hands visit and links to the frontier in one step; only kept pages go on to feeds."""

    def process_item(self, item: PageItem) -> Article:
        if item.lease is not None:
            all_changes = self.ring.settings["FOCUSCRAWL_DYNAMICITY"] == "all"
            visit = item.visit(all_changes)
            self._scheduler().settle(item.lease, visit, self._harvest(item))
        if item.kept and item.twin is None and item.change_weight > 0:
            self.ring.crawler.signals.send_catch_log(content_changed, item=item)
        if not item.on_topic or item.twin is not None:
            raise DropItem(item.rule)
        return item.article()

    def _scheduler(self) -> FrontierScheduler:
        engine = self.ring.crawler.engine
        assert engine is not None
        return cast("FrontierScheduler", engine.scheduler)

    def _harvest(self, item: PageItem) -> Harvest:
        """Candidates by the page's links, and new scores of those that wait already."""
        settings, lease, scoring = self.ring.settings, item.lease, self.ring.scoring
        assert lease is not None
        if item.outline.links_cut:
            self.ring.count("dropped/links_over_cap", item.outline.links_cut)
        scores = scoring.fetched(item) if scoring else {}
        if lease.depth >= settings.getint("FOCUSCRAWL_MAX_DEPTH"):
            self.ring.count("dropped/too_deep", len(item.links))
            return Harvest((), list(scores.values()))
        found, beyond_tunnel = candidates(
            item.links,
            parent=item.url,
            relevance=item.block_relevance,
            on_topic=item.on_topic or lease.seed,
            level=lease.level,
            depth=lease.depth + 1,
            max_level=settings.getint("FOCUSCRAWL_MAX_LEVEL"),
            is_relevant=self.ring.judge.is_relevant,
            anchor_similarity=self.ring.judge.anchor_similarity,
            scores=scores,
        )
        self.ring.count("dropped/beyond_tunnel", beyond_tunnel)
        own = {link.target for link in item.links}
        return Harvest(found, [score for target, score in scores.items() if target not in own])
