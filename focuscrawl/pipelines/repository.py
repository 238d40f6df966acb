"""Sixth station: what is known of the page goes into the store."""

from __future__ import annotations

from focuscrawl.items import PageItem
from focuscrawl.judge import near_miss_counts
from focuscrawl.linking import harvest
from focuscrawl.pipelines.base import Station
from focuscrawl.repository.records import BlockRow, Fetched
from focuscrawl.urls import site_of


class RepositoryPipeline(Station):
    """The page is stored before the frontier hears of it: a crash between costs one fetch."""

    def process_item(self, item: PageItem) -> PageItem:
        decision = item.decision
        assert decision is not None
        if item.twin is None:
            item.links = harvest(item.outline, item.url, self.ring.allowed)
        near_miss = None
        if decision.category is not None and not decision.kept:
            near_miss = near_miss_counts(item.counts)
        twin = self.ring.repository.save(
            Fetched(
                url=item.url,
                site=site_of(item.url),
                title=item.outline.title,
                status=item.status,
                at=item.fetched_at,
                crawl=self.ring.category.name,
                phase=self.ring.phase.number,
                body=item.body,
                encoding=item.encoding,
                digest=item.digest,
                category=decision.category,
                kept=item.kept,
                similarity=decision.similarity,
                scores=decision.scores,
                threshold=decision.threshold,
                rule=item.rule,
                relevance=item.relevance,
                anchor=item.anchor,
                words=sum(item.counts.values()),
                change=item.change,
                alias_of=item.twin.id if item.twin else None,
                blocks=_block_rows(item) if item.kept and item.twin is None else (),
                links=item.links,
                near_miss=near_miss,
                verdict=item.verdict,
                weight=item.change_weight,
            )
        )
        if twin is not None:
            item.twin, item.links = twin, []
            item.rule = f"dropped: same text as {twin.url}"
        return item


def _block_rows(item: PageItem) -> list[BlockRow]:
    return [
        BlockRow(
            block.index,
            block.level,
            block.heading,
            block.text,
            None if block.main_text == block.text else block.main_text,
            relevance,
            block.tables,
            block.images,
        )
        for block, relevance in zip(item.outline.blocks, item.block_relevance, strict=True)
    ]
