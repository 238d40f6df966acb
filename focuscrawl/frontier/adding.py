"""How links enter the frontier's table: new ones queued, known ones scored again."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from focuscrawl.frontier.priority import Knowledge, Ordering
from focuscrawl.frontier.records import Added, Candidate, State
from focuscrawl.urls import url_id

FINISHED_CACHE = 50_000
_HITS_HELD = 2_000
_CHUNK = 500

KNOWLEDGE_COLUMNS = (
    "block, CASE WHEN parents THEN relevance / parents ELSE 0.0 END, anchor_similarity, "
    "level, depth, seed, found, visits, importance, changes, score"
)


class _Stored(NamedTuple):
    state: int
    relevance: float
    parents: int
    host: str
    known: Knowledge


class Adder:
    """Turns batches of candidates into rows, inside the caller's transaction.

    Most links of a page lead to pages that were fetched long ago (navigation, boxes).
    Those are answered from a bounded cache of finished URLs, and their occurrences are
    counted in memory and written in bulk.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        category: str,
        ordering: Ordering,
        clock: Callable[[], float],
        offer: Callable[[str, float], None],
    ) -> None:
        self._db = db
        self._category = category
        self._ordering = ordering
        self._clock = clock
        self._offer = offer
        self._finished: OrderedDict[int, None] = OrderedDict()
        self._hits: dict[int, int] = {}

    def add(self, candidates: Iterable[Candidate]) -> Added:
        fresh: dict[int, Candidate] = {}
        known = 0
        for candidate in candidates:
            key = url_id(candidate.url, self._category)
            if key in self._finished:
                self._finished.move_to_end(key)
                self._hit(key)
                known += 1
            elif key not in fresh or candidate.block > fresh[key].block:
                fresh[key] = candidate
        stored = self._stored(list(fresh))
        new = [(key, link) for key, link in fresh.items() if key not in stored]
        self._insert(new)
        rescored = self._rescore(fresh, stored)
        if len(self._hits) > _HITS_HELD:
            self.write_hits()
        return Added(len(new), rescored, known + len(stored) - rescored)

    def write_hits(self) -> None:
        """Bring the occurrences counted in memory into the table."""
        self._db.executemany(
            "UPDATE urls SET occurrences = occurrences + ? WHERE id = ?",
            [(count, key) for key, count in self._hits.items()],
        )
        self._hits.clear()

    def forget_finished(self) -> None:
        """What was finished may be queued again: a new phase has begun."""
        self._finished.clear()

    def _hit(self, key: int) -> None:
        self._hits[key] = self._hits.get(key, 0) + 1

    def _stored(self, keys: Sequence[int]) -> dict[int, _Stored]:
        found: dict[int, _Stored] = {}
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            rows = self._db.execute(
                f"SELECT id, state, relevance, parents, host, {KNOWLEDGE_COLUMNS} "
                f"FROM urls WHERE id IN ({marks})",
                chunk,
            )
            for key, state, relevance, parents, host, *known in rows:
                found[key] = _Stored(state, relevance, parents, host, Knowledge(*known))
        return found

    def _insert(self, new: Sequence[tuple[int, Candidate]]) -> None:
        now = self._clock()
        rows = []
        for number, (key, link) in enumerate(new):
            url, host, anchor, similarity, block, level, depth, seed, parent, score, terms = link
            found = now + number * 1e-6
            priority = self._ordering.priority(
                Knowledge(block, block, similarity, level, depth, seed, found, score=score)
            )
            rows.append(
                (key, self._category, url, host, priority, anchor, similarity)
                + (block, block, parent, level, depth, seed, found, score, terms)
            )
            self._offer(host, priority)
        self._db.executemany(
            "INSERT INTO urls (id, category, url, host, state, priority, anchor, "
            "anchor_similarity, block, relevance, parents, parent, level, depth, seed, found, "
            "score, terms) VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def _rescore(self, fresh: dict[int, Candidate], stored: dict[int, _Stored]) -> int:
        rows = []
        for key, row in stored.items():
            if row.state in (State.DONE, State.FAILED):
                self._remember_finished(key)
                self._hit(key)
                continue
            link = fresh[key]
            after = with_new_parent(row.known, row.relevance, row.parents, link)
            priority = self._ordering.priority(after)
            better_anchor = link.anchor_similarity > row.known.anchor
            rows.append(
                (priority, after.block, link.block, after.anchor, after.level, after.depth)
                + (after.seed, after.score, link.score is not None, link.terms)
                + (better_anchor, link.anchor, key)
            )
            if row.state == State.QUEUED:
                self._offer(row.host, priority)
        self._db.executemany(
            "UPDATE urls SET priority = ?, block = ?, relevance = relevance + ?, "
            "parents = parents + 1, occurrences = occurrences + 1, anchor_similarity = ?, "
            "level = ?, depth = ?, seed = ?, score = ?, "
            "terms = CASE WHEN ? THEN ? ELSE terms END, "
            "anchor = CASE WHEN ? THEN ? ELSE anchor END WHERE id = ?",
            rows,
        )
        return len(rows)

    def _remember_finished(self, key: int) -> None:
        self._finished[key] = None
        if len(self._finished) > FINISHED_CACHE:
            self._finished.popitem(last=False)


def with_new_parent(known: Knowledge, relevance: float, parents: int, link: Candidate) -> Knowledge:
    """What is known of a URL once another page links to it."""
    return known._replace(
        block=max(known.block, link.block),
        parents=(relevance + link.block) / (parents + 1),
        anchor=max(known.anchor, link.anchor_similarity),
        level=min(known.level, link.level),
        depth=min(known.depth, link.depth),
        seed=bool(known.seed or link.seed),
        score=known.score if link.score is None else link.score,
    )
