"""What becomes of a leased URL once its fetch is over."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from focuscrawl.frontier.hinting import DATED, Hints
from focuscrawl.frontier.priority import Knowledge, Ordering
from focuscrawl.frontier.records import Lease, Visit
from focuscrawl.urls import site_of, url_id

_DONE = (
    "UPDATE urls SET state = 3, due = NULL, owner = NULL, attempts = 0, turn = ?, priority = ?, "
    "revisit = ?, visits = visits + 1, visited = ?, importance = ?, kept = ?, "
    "changes = changes + ?, rule = ?, alias_of = ?, etag = ?, modified = ?, fresh_until = ?, "
    "change_interval = coalesce(?, change_interval), "
    "lastmod_seen = coalesce(lastmod, lastmod_seen) WHERE id = ?"
)


class Outcomes:
    """Written inside the caller's transaction.

    A page that is to be fetched again gets its place among the next phase's visits here, so
    that a new phase has nothing to sort.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        category: str,
        ordering: Ordering,
        hints: Hints,
        clock: Callable[[], float],
    ) -> None:
        self._db = db
        self._category = category
        self._ordering = ordering
        self._hints = hints
        self._clock = clock

    def record(self, lease: Lease, visit: Visit, phase: int) -> None:
        """A page came."""
        if lease.visits:
            self._hints.check(lease.host, lease.said, visit.changed)
        final = visit.final_url
        if final and final != lease.url:
            self._record_redirect(lease, visit, final, phase)
        else:
            self._done(lease, visit, lease.id, phase)

    def _record_redirect(self, lease: Lease, visit: Visit, final: str, phase: int) -> None:
        key = url_id(final, self._category)
        self._db.execute(
            "INSERT OR IGNORE INTO urls (id, category, url, host, state, priority, parent, "
            "level, depth, found) VALUES (?, ?, ?, ?, 3, 0, ?, ?, ?, ?)",
            (key, self._category, final, site_of(final), lease.url, lease.level, lease.depth)
            + (self._clock(),),
        )
        self._done(lease, visit, key, phase)
        redirect = Visit("redirected", kept=lease.seed, alias_of=final)
        self._done(lease, redirect, lease.id, phase)

    def _done(self, lease: Lease, visit: Visit, key: int, phase: int) -> None:
        now = self._clock()
        seed = lease.seed and key == lease.id
        changes = lease.changes + visit.changed
        known = Knowledge(
            depth=lease.depth,
            seed=seed,
            found=lease.found,
            visits=lease.visits + 1,
            importance=visit.importance,
            changes=changes,
        )
        comes_back = (visit.kept or seed) and not visit.alias_of
        if comes_back:
            self._remember(lease, visit, key, now)
        hints = visit.hints
        self._db.execute(
            _DONE,
            (phase, self._ordering.priority(known), comes_back, now, visit.importance, visit.kept)
            + (visit.changed, visit.rule, visit.alias_of or "", hints.etag or "")
            + (hints.last_modified or "", hints.fresh_until, hints.interval, key),
        )

    def _remember(self, lease: Lease, visit: Visit, key: int, now: float) -> None:
        """What revisit policies learn from: every visit, and what a sitemap had said before."""
        dated = lease.said[1] if lease.said and lease.said[0] in DATED else None
        self._db.execute(
            "INSERT INTO history VALUES (?, ?, ?, ?, ?)",
            (self._category, key, now, visit.changed, dated),
        )

    def put(
        self, lease: Lease, state: int, due: float | None, rule: str, is_failure: bool = True
    ) -> None:
        """No page came: give up, or come back at a time."""
        self._db.execute(
            "UPDATE urls SET state = ?, due = ?, owner = NULL, attempts = attempts + ?, "
            "rule = ? WHERE id = ?",
            (state, due, is_failure, rule, lease.id),
        )
