"""What travels through the item pipelines, and what comes out for feeds."""

from __future__ import annotations

from dataclasses import dataclass, field

from focuscrawl.blocks import PageOutline
from focuscrawl.changes.verdict import Verdict
from focuscrawl.frontier.records import NO_HINTS, Lease, Visit
from focuscrawl.hints import PageHints
from focuscrawl.reading import NOT_READ, Counts, Reading
from focuscrawl.relevance.classifier import Decision
from focuscrawl.repository.records import CONTENT_CHANGE, NOTHING, LinkRow, StoredPage


@dataclass(slots=True)
class PageItem:
    """A fetched page on its way round the ring; each station fills in its part."""

    url: str
    status: int
    body: bytes
    encoding: str
    outline: PageOutline
    fetched_at: float
    lease: Lease | None = None
    hints: PageHints = NO_HINTS
    # stemming
    reading: Reading = NOT_READ
    anchor_counts: Counts = field(default_factory=dict)
    # classification
    decision: Decision | None = None
    kept: bool = False
    on_topic: bool = False
    rule: str = ""
    # blocks
    block_relevance: list[float] = field(default_factory=list)
    relevance: float = 0.0
    # duplicates
    digest: str = ""
    before: StoredPage | None = None
    twin: StoredPage | None = None
    # changes
    change: str = ""
    change_weight: float = 0.0
    verdict: Verdict = NOTHING
    # links, found before the page is stored and handed in after
    links: list[LinkRow] = field(default_factory=list)

    @property
    def counts(self) -> Counts:
        return self.reading.text

    @property
    def block_counts(self) -> list[Counts]:
        return self.reading.blocks

    @property
    def anchor(self) -> str:
        return self.lease.anchor if self.lease else ""

    def visit(self, all_changes: bool = False) -> Visit:
        """What the frontier is told of this fetch; a change counts if it is of the content.

        With ``all_changes``, one of any text or of the page's build counts too.
        """
        assert self.decision is not None
        altered = self.verdict.structural or self.verdict.textual
        return Visit(
            rule=self.rule,
            kept=self.on_topic and self.twin is None,
            importance=self.decision.similarity,
            changed=self.change == CONTENT_CHANGE or (all_changes and altered),
            hints=self.hints,
            final_url=self.url,
            alias_of=self.twin.url if self.twin else None,
        )

    def article(self) -> Article:
        """What feeds and exports get."""
        assert self.decision is not None
        return Article(
            url=self.url,
            title=self.outline.title,
            category=self.decision.category or "",
            similarity=round(self.decision.similarity, 6),
            scores={name: round(score, 6) for name, score in self.decision.scores.items()},
            text=self.outline.main_text(),
            change=self.change,
            fetched_at=self.fetched_at,
        )


@dataclass(slots=True)
class Article:
    """A kept page, as users of Scrapy's feeds see it."""

    url: str
    title: str
    category: str
    similarity: float
    scores: dict[str, float]
    text: str
    change: str
    fetched_at: float
