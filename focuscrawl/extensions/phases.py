"""Ends a phase: thresholds and terms for the next one, learned from this one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy import Spider, signals

from focuscrawl.scrapy_options import META_LEASE
from focuscrawl.scrapy_ring import Ring

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from focuscrawl.items import PageItem

logger = logging.getLogger(__name__)


class Phases:
    """A crawl that finished ends its phase; one that was stopped is resumed by the next run."""

    def __init__(self, crawler: Crawler) -> None:
        self.ring = Ring.of(crawler)
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        phases = cls(crawler)
        crawler.signals.connect(phases.spider_closed, signals.spider_closed)
        crawler.signals.connect(phases.item_error, signals.item_error)
        crawler.signals.connect(phases.spider_error, signals.spider_error)
        return phases

    def item_error(self, item: PageItem, response: Response, failure: Failure) -> None:
        """A bug in a station must not lose the URL: it is tried again later."""
        lease = getattr(item, "lease", None)
        if lease is not None:
            self._failed(lease, failure)

    def spider_error(self, failure: Failure, response: Response | None) -> None:
        lease = response.meta.get(META_LEASE) if response is not None else None
        if lease is not None:
            self._failed(lease, failure)

    def _failed(self, lease: object, failure: Failure) -> None:
        scheduler = getattr(self.crawler.engine, "scheduler", None)
        if self.ring.is_open and scheduler is not None:
            scheduler.failed(lease, f"failed: {failure.getErrorMessage()}"[:200], for_good=False)
            self.ring.count("failed/error")

    def spider_closed(self, spider: Spider, reason: str) -> None:
        ring = self.ring
        if not ring.is_open:
            return
        finished = reason == "finished"
        ring.count("saved", ring.frontier.hints.saved)
        self._show_weights()
        learned = ring.repository.learned
        if finished:
            limit = ring.settings.getint("FOCUSCRAWL_LEARN_TERMS")
            if limit:
                near = learned.near_miss_counts(ring.category.name, ring.phase.number)
                texts = learned.kept_texts()
                fresh = ring.judge.learn(near, texts, ring.phase.number, limit)
                learned.add_terms(ring.category.name, fresh)
                ring.count("terms_learned", len(fresh))
        thresholds = ring.judge.next_thresholds() if finished else ring.judge.present_thresholds()
        learned.note_phase(
            ring.phase,
            thresholds,
            ring.stat("fetches"),
            ring.stat("kept"),
            ended=reason if finished else None,
        )
        ring.close()

    def _show_weights(self) -> None:
        """What the link scorer made of the crawl's experience, among the stats."""
        assert self.crawler.stats is not None
        weights = self.ring.scoring.weights() if self.ring.scoring else {}
        for feature, weight in weights.items():
            key = f"focuscrawl/weight/{feature.replace(' ', '_')}"
            self.crawler.stats.set_value(key, round(weight, 4))
