"""Scores that new knowledge makes stale: of anchors with learned words, of pages with new hints."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from focuscrawl.frontier.adding import KNOWLEDGE_COLUMNS
from focuscrawl.frontier.hinting import Hints
from focuscrawl.frontier.priority import Knowledge, Ordering
from focuscrawl.frontier.records import LinkScore
from focuscrawl.trust import BELIEVED

_CHUNK = 500
_SET = "UPDATE urls SET priority = ?, anchor_similarity = ? WHERE id = ?"


class Rescorer:
    """Rewrites priorities inside the caller's transaction."""

    def __init__(
        self, db: sqlite3.Connection, category: str, ordering: Ordering, hints: Hints
    ) -> None:
        self._db = db
        self._category = category
        self._ordering = ordering
        self._hints = hints

    def register(self, phase: int) -> None:
        """Say which ordering made the priorities of a crawl that is new."""
        self._db.execute(
            "INSERT OR IGNORE INTO crawls VALUES (?, ?, ?)", (self._category, phase, self._name)
        )

    @property
    def _name(self) -> str:
        return type(self._ordering).__qualname__

    def begin_phase(
        self, phase: int, similarity: Callable[[str], float], stems: Sequence[str]
    ) -> int:
        """Score anew what waits and whose anchor holds a learned stem; all, by a new ordering."""
        row = self._db.execute(
            "SELECT ordering FROM crawls WHERE category = ?", (self._category,)
        ).fetchone()
        self._db.execute(
            "INSERT OR REPLACE INTO crawls VALUES (?, ?, ?)", (self._category, phase, self._name)
        )
        if row is None or row[0] != self._name:
            return self._rescore("state IN (0, 3)", (), similarity)
        if not stems:
            return 0
        # A Porter stem is the beginning of its words, but for a last letter that may differ.
        patterns = [f"%{stem[:-1] if len(stem) > 3 else stem}%" for stem in stems]
        holds = " OR ".join("anchor LIKE ?" for _ in patterns)
        return self._rescore(f"state = 0 AND ({holds})", patterns, similarity)

    def _rescore(
        self, where: str, values: Sequence[str], similarity: Callable[[str], float]
    ) -> int:
        rows = []
        for key, anchor, *known in self._db.execute(
            f"SELECT id, anchor, {KNOWLEDGE_COLUMNS} FROM urls WHERE category = ? AND {where}",
            (self._category, *values),
        ):
            knowledge = Knowledge(*known)._replace(anchor=similarity(anchor) if anchor else 0.0)
            rows.append((self._ordering.priority(knowledge), knowledge.anchor, key))
        self._db.executemany(_SET, rows)
        return len(rows)

    def take_scores(self, scores: Sequence[LinkScore]) -> list[tuple[str, float]]:
        """Give queued URLs new scores; hosts and new priorities."""
        by_id = {score.id: score for score in scores}
        rows = []
        moved = []
        for key, host, *known in self._rows(list(by_id), "state = 0"):
            _, score, terms = by_id[key]
            priority = self._ordering.priority(Knowledge(*known)._replace(score=score))
            rows.append((priority, score, terms, key))
            moved.append((host, priority))
        self._db.executemany(
            "UPDATE urls SET priority = ?, score = ?, terms = ? WHERE id = ?", rows
        )
        return moved

    def _rows(self, keys: Sequence[int], where: str) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            yield from self._db.execute(
                f"SELECT id, host, {KNOWLEDGE_COLUMNS} FROM urls WHERE id IN ({marks}) AND {where}",
                chunk,
            ).fetchall()

    def raise_hinted(self, keys: Sequence[int], kind: str) -> list[tuple[str, float]]:
        """Raise pages that a hint calls changed, by the trust in it; hosts and new priorities."""
        raised = []
        rows = []
        for key, host, *known in self._rows(keys, "state IN (0, 3)"):
            trusted = self._hints.trust(host, kind)
            hint = trusted if trusted >= BELIEVED else 0.0
            knowledge = Knowledge(*known)._replace(hint=hint)
            priority = self._ordering.priority(knowledge)
            rows.append((priority, knowledge.anchor, key))
            raised.append((host, priority))
        self._db.executemany(_SET, rows)
        return raised
