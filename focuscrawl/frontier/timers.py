"""URLs that wait for a time: leases that run out, failures that come back, hosts that rest."""

from __future__ import annotations

import sqlite3

from focuscrawl.frontier.owners import Owner

ASKED_FOR_REST = "rule IN ('failed: status 429', 'failed: status 503')"


class Timers:
    """Of one category; what writes does so inside the caller's transaction."""

    def __init__(self, db: sqlite3.Connection, category: str) -> None:
        self._db = db
        self._category = category

    def has_due(self, now: float) -> bool:
        due = self._db.execute(
            "SELECT 1 FROM urls WHERE category = ? AND state IN (1, 2) AND due <= ? LIMIT 1",
            (self._category, now),
        ).fetchone()
        return due is not None

    def wake(self, now: float) -> list[tuple[str, float]]:
        """Queue what has waited long enough; the hosts and priorities."""
        return self._db.execute(
            "UPDATE urls SET state = 0, due = NULL, owner = NULL "
            "WHERE category = ? AND state IN (1, 2) AND due <= ? RETURNING host, priority",
            (self._category, now),
        ).fetchall()

    def wake_failed(self, now: float) -> None:
        """A new phase tries anew what failed, but for hosts that asked for rest."""
        self._db.execute(
            "UPDATE urls SET state = 0, due = NULL "
            "WHERE category = ? AND state IN (1, 2) AND state = 2 "
            f"AND NOT (due > ? AND {ASKED_FOR_REST})",
            (self._category, now),
        )

    def free_the_dead(self, owner: Owner) -> None:
        """Queue again what processes had leased that are gone."""
        owners = self._db.execute(
            "SELECT DISTINCT owner FROM urls WHERE category = ? AND state IN (1, 2) "
            "AND owner IS NOT NULL",
            (self._category,),
        ).fetchall()
        for (name,) in owners:
            if owner.is_dead(name):
                self._db.execute(
                    "UPDATE urls SET state = 0, due = NULL, owner = NULL "
                    "WHERE category = ? AND state IN (1, 2) AND owner = ?",
                    (self._category, name),
                )

    def resting_hosts(self, now: float) -> list[tuple[str, float]]:
        """The hosts that asked an earlier run for rest, and the seconds still left."""
        rows = self._db.execute(
            "SELECT host, MAX(due) FROM urls WHERE category = ? AND state IN (1, 2) "
            f"AND state = 2 AND due > ? AND {ASKED_FOR_REST} GROUP BY host",
            (self._category, now),
        )
        return [(host, due - now) for host, due in rows]
