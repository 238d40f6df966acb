"""Pages that were fetched in an earlier phase and may be fetched again in this one.

They rest in the table, in the order of their priorities, under the phase that saw them last
(their turn). A new phase does not touch them: whatever has an earlier turn is available.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from focuscrawl.frontier.hinting import HINT_COLUMNS, Hints, Known
from focuscrawl.frontier.records import Lease

LEASE_COLUMNS = (
    "id, url, host, priority, anchor, level, depth, seed, visits, attempts, changes, found, "
    "etag, modified, parent"
)
_WIDTH = LEASE_COLUMNS.count(",") + 1
_MOST_TURNS = 6
_LOOK_AHEAD = 16
_RESTING = "category = ? AND state = 3 AND revisit = 1"


class Revisits:
    """Reads and skips resting pages, inside the caller's transaction."""

    def __init__(self, db: sqlite3.Connection, category: str, hints: Hints) -> None:
        self._db = db
        self._category = category
        self._hints = hints
        self._turns: list[int] = []
        self._phase = 1

    def begin_phase(self, phase: int) -> None:
        """Find the turns that rest; many old ones become one, or each lease would ask them all."""
        self._phase = phase
        self._turns = self._earlier_turns()
        if len(self._turns) > _MOST_TURNS:
            self._db.execute(
                f"UPDATE urls SET turn = ? WHERE {_RESTING} AND turn < ?",
                (phase - 1, self._category, phase - 1),
            )
            self._turns = self._earlier_turns()

    def _earlier_turns(self) -> list[int]:
        """From one turn to the next in the index: all its rows are never read."""
        turns: list[int] = []
        last = -1
        while True:
            (turn,) = self._db.execute(
                f"SELECT MIN(turn) FROM urls WHERE {_RESTING} AND turn > ? AND turn < ?",
                (self._category, last, self._phase),
            ).fetchone()
            if turn is None:
                return turns
            turns.append(turn)
            last = turn

    def hosts(self) -> Iterator[tuple[str, float]]:
        """Every host with resting pages, and the best priority, again from one to the next."""
        for turn in self._turns:
            host = ""
            while True:
                row = self._db.execute(
                    f"SELECT host, priority FROM urls WHERE {_RESTING} AND turn = ? AND host > ? "
                    "ORDER BY host, priority DESC LIMIT 1",
                    (self._category, turn, host),
                ).fetchone()
                if row is None:
                    break
                host = row[0]
                yield row

    def count(self) -> int:
        """How many pages rest that may be fetched in this phase."""
        if not self._turns:
            return 0
        (number,) = self._db.execute(
            f"SELECT COUNT(*) FROM urls WHERE {_RESTING} AND turn < ?",
            (self._category, self._phase),
        ).fetchone()
        return int(number)

    def best(self, host: str, limit: int) -> list[Lease]:
        """The best resting pages of a host that are due; the others are skipped in this phase."""
        if not self._turns:
            return []
        found: list[Lease] = []
        for turn in self._turns:
            found += self._best_of_turn(host, turn, limit)
        found.sort(key=lambda lease: -lease.priority)
        return found[:limit]

    def _best_of_turn(self, host: str, turn: int, limit: int) -> list[Lease]:
        found: list[Lease] = []
        while len(found) < limit:
            rows = self._db.execute(
                f"SELECT {LEASE_COLUMNS}, {HINT_COLUMNS} FROM urls "
                f"WHERE {_RESTING} AND turn = ? AND host = ? "
                "ORDER BY priority DESC LIMIT ? OFFSET ?",
                (self._category, turn, host, max(limit, _LOOK_AHEAD), len(found)),
            ).fetchall()
            due, skipped = self._sorted_out(host, rows)
            found += due
            self._db.executemany(
                "UPDATE urls SET turn = ?, saved = saved + 1 WHERE id = ?",
                [(self._phase, key) for key in skipped],
            )
            self._hints.saved += len(skipped)
            if not skipped:
                break
        return found

    def _sorted_out(
        self, host: str, rows: list[tuple[object, ...]]
    ) -> tuple[list[Lease], list[int]]:
        due: list[Lease] = []
        skipped: list[int] = []
        for row in rows:
            lease = Lease(*row[:_WIDTH])  # type: ignore[arg-type]
            known = Known(*row[_WIDTH:])  # type: ignore[arg-type]
            is_due, word = self._hints.is_due(lease.id, host, known, self._phase)
            if is_due or lease.seed:
                due.append(lease._replace(said=word))
            else:
                skipped.append(lease.id)
        return due, skipped
