"""Fifth station: what changed on the page since the last visit, and whether it matters."""

from __future__ import annotations

from focuscrawl.blocks import parse_html
from focuscrawl.changes.detection import changed_text, detect
from focuscrawl.changes.verdict import Verdict
from focuscrawl.items import PageItem
from focuscrawl.pipelines.base import Station
from focuscrawl.repository.records import (
    CONTENT_CHANGE,
    MINOR_CHANGE,
    NEW_PAGE,
    NO_CHANGE,
    NOTHING,
    StoredPage,
)
from focuscrawl.repository.store import body_digest
from focuscrawl.text import counts
from focuscrawl.urls import site_of


class ChangesPipeline(Station):
    """Compares the stored copy with the page; where there is none, the digests of their texts."""

    def process_item(self, item: PageItem) -> PageItem:
        before = item.before
        if before is None:
            item.change = NEW_PAGE
        elif before.copy is None:
            item.change = NO_CHANGE if before.digest == item.digest else CONTENT_CHANGE
        elif body_digest(item.body) == before.copy:
            item.change = NO_CHANGE
        else:
            self._compare(item, before, before.copy)
        self.ring.count(f"change/{item.change}")
        return item

    def _compare(self, item: PageItem, before: StoredPage, copy: str) -> None:
        verdict = self._verdict(item, before, copy)
        item.verdict = verdict
        if verdict.content_changed:
            item.change = CONTENT_CHANGE
            item.change_weight = self._weight(item, verdict)
        else:
            item.change = MINOR_CHANGE if verdict != NOTHING else NO_CHANGE
        for kind in verdict.kinds:
            self.ring.count(f"change/kind/{kind}")

    def _weight(self, item: PageItem, verdict: Verdict) -> float:
        """How near the changed text is to the topic of the page."""
        judge = self.ring.judge
        category = item.decision.category if item.decision else None
        changed = counts(changed_text(verdict))
        return judge.vectors.similarity(category or judge.category.name, changed)

    def _verdict(self, item: PageItem, before: StoredPage, copy: str) -> Verdict:
        history = self.ring.repository.history
        mode = self.ring.settings["FOCUSCRAWL_CHANGES"]
        known = history.parts(before.id) if mode == "parts" else ()
        old = parse_html(*self.ring.repository.copy(copy))
        new = parse_html(item.body, item.encoding)
        return detect(old, new, history.noise(site_of(item.url)), known, mode)
