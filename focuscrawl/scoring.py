"""The link scorer of one crawl: what it is shown of a page, and how its answers are stored."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.frontier.records import LinkScore
from focuscrawl.items import PageItem
from focuscrawl.orderings.base import LinkScorer, LinkView, PageView, Scored
from focuscrawl.orderings.predictor import Predictor
from focuscrawl.orderings.views import view_of
from focuscrawl.urls import url_id


class Scoring:
    """Turns stations' items into what orderings see, and scores into rows of the frontier.

    ``unit`` is what a score of 1 is worth among the priorities of known pages. Scores that know
    no bounds, such as counts, have none: they are pressed between -1 and 1, in the same order.
    ``reads_parts`` says that the scorer wants title, headings and so on each for itself.
    """

    def __init__(
        self, scorer: LinkScorer, category: str, unit: float | None, reads_parts: bool
    ) -> None:
        self.scorer = scorer
        self._category = category
        self._unit = unit
        self._reads_parts = reads_parts

    def fetched(self, item: PageItem) -> dict[int, LinkScore]:
        """Scores by target, of the page's own links and of others that it bears on."""
        keys = [url_id(link.url, self._category) for link in item.links]
        targets = dict(zip(keys, (link.target for link in item.links), strict=True))
        found = self.scorer.fetched(self._view(item, keys))
        return {targets.get(key, key): self._row(key, scored) for key, scored in found.items()}

    def weights(self) -> dict[str, float]:
        """What each feature counts by now, for an ordering that learns it; else nothing."""
        if not isinstance(self.scorer, Predictor):
            return {}
        return dict(zip(self.scorer.names, self.scorer.weights.tolist(), strict=True))

    def _row(self, key: int, scored: Scored) -> LinkScore:
        unit = 1 / (1 + abs(scored.score)) if self._unit is None else self._unit
        terms = ", ".join([f"{term * unit:.5f}" for term in scored.terms])
        return LinkScore(key, scored.score * unit, terms and f"[{terms}]")

    def _view(self, item: PageItem, keys: Sequence[int]) -> PageView:
        contexts = item.reading.contexts()
        key = url_id(item.url, self._category)
        view = view_of(key, item.outline, item.reading, parts=self._reads_parts)
        view.links = [
            LinkView(target, link.anchor, contexts[link.place], link.block)
            for target, link in zip(keys, item.links, strict=True)
        ]
        lease = item.lease
        view.depth = lease.depth if lease else 0
        view.example = bool(lease and lease.seed and item.on_topic)
        return view
