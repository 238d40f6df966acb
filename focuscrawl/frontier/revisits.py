"""Pages that were fetched in an earlier phase and may be fetched again in this one.

They rest in the table, in the order of their priorities, under the phase that saw them last
(their turn). A new phase does not touch them: whatever has an earlier turn is available, all of it
or what a revisit policy picks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from focuscrawl.frontier.hinting import HINT_COLUMNS, Hints, Known
from focuscrawl.frontier.memory import RESTING
from focuscrawl.frontier.picking import DUE_BONUS, Picks
from focuscrawl.frontier.records import Lease

LEASE_COLUMNS = (
    "id, url, host, priority, anchor, level, depth, seed, visits, attempts, changes, found, "
    "etag, modified, parent"
)
_WIDTH = LEASE_COLUMNS.count(",") + 1
_MOST_TURNS = 6
_LOOK_AHEAD = 16


class Revisits:
    """Reads and skips resting pages, inside the caller's transaction."""

    def __init__(
        self, db: sqlite3.Connection, category: str, hints: Hints, picks: Picks | None = None
    ) -> None:
        self._db = db
        self._picks = picks
        self._category = category
        self._hints = hints
        self._turns: list[int] = []
        self._phase = 1

    def begin_phase(self, phase: int) -> None:
        """Find the turns that rest; many old ones become one, or each lease would ask them all."""
        self._phase = phase
        if self._picks is not None:
            self._picks.begin_phase(phase)
            return
        self._turns = self._earlier_turns()
        if len(self._turns) > _MOST_TURNS:
            self._db.execute(
                f"UPDATE urls SET turn = ? WHERE {RESTING} AND turn < ?",
                (phase - 1, self._category, phase - 1),
            )
            self._turns = self._earlier_turns()

    def _earlier_turns(self) -> list[int]:
        """From one turn to the next in the index: all its rows are never read."""
        turns: list[int] = []
        last = -1
        while True:
            (turn,) = self._db.execute(
                f"SELECT MIN(turn) FROM urls WHERE {RESTING} AND turn > ? AND turn < ?",
                (self._category, last, self._phase),
            ).fetchone()
            if turn is None:
                return turns
            turns.append(turn)
            last = turn

    def hosts(self) -> Iterator[tuple[str, float]]:
        """Every host with resting pages, and the best priority, again from one to the next."""
        if self._picks is not None:
            yield from self._picks.hosts()
        for turn in self._turns:
            host = ""
            while True:
                row = self._db.execute(
                    f"SELECT host, priority FROM urls WHERE {RESTING} AND turn = ? AND host > ? "
                    "ORDER BY host, priority DESC LIMIT 1",
                    (self._category, turn, host),
                ).fetchone()
                if row is None:
                    break
                host = row[0]
                yield row

    def count(self) -> int:
        """How many pages rest that may be fetched in this phase."""
        if self._picks is not None:
            return len(self._picks)
        if not self._turns:
            return 0
        (number,) = self._db.execute(
            f"SELECT COUNT(*) FROM urls WHERE {RESTING} AND turn < ?",
            (self._category, self._phase),
        ).fetchone()
        return int(number)

    def best(self, host: str, limit: int) -> list[Lease]:
        """The best resting pages of a host that are due; the others are skipped in this phase."""
        if self._picks is not None:
            return self._best_picked(self._picks, host, limit)
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
                f"WHERE {RESTING} AND turn = ? AND host = ? "
                "ORDER BY priority DESC LIMIT ? OFFSET ?",
                (self._category, turn, host, max(limit, _LOOK_AHEAD), len(found)),
            ).fetchall()
            due, skipped = self._sorted_out(host, rows)
            found += due
            self._skip(skipped)
            if not skipped:
                break
        return found

    def _best_picked(self, picks: Picks, host: str, limit: int) -> list[Lease]:
        """What rests no more is in other hands, or was fetched as another page's target."""
        found: list[Lease] = []
        while len(found) < limit:
            keys = picks.best(host, max(limit, _LOOK_AHEAD))
            marks = ",".join("?" * len(keys))
            rows = self._db.execute(
                f"SELECT {LEASE_COLUMNS}, {HINT_COLUMNS} FROM urls "
                f"WHERE {RESTING} AND turn < ? AND id IN ({marks}) ORDER BY priority DESC",
                (self._category, self._phase, *keys),
            ).fetchall()
            found, skipped = self._sorted_out(host, rows)
            self._skip(skipped)
            gone = {*keys} - {lease.id for lease in found}
            for key in gone:
                picks.done(key)
            if not gone:
                break
        return [lease._replace(priority=lease.priority + DUE_BONUS) for lease in found[:limit]]

    def _skip(self, keys: list[int]) -> None:
        """A trusted hint calls these pages unchanged."""
        self._db.executemany(
            "UPDATE urls SET turn = ?, saved = saved + 1 WHERE id = ?",
            [(self._phase, key) for key in keys],
        )
        self._hints.saved += len(keys)

    def pick(self) -> bool:
        """Let the policy choose, unless it was asked already (see :meth:`ask_again`)."""
        if self._picks is None or self._picks.is_asked:
            return False
        self._picks.pick()
        return True

    def ask_again(self) -> None:
        """Nothing is left: when all picks were taken, the policy is asked for more."""
        if self._picks is not None and not len(self._picks):
            self._picks.is_asked = False

    def taken(self, lease: Lease) -> None:
        if self._picks is not None:
            self._picks.done(lease.id)

    def visited(self, lease: Lease, changed: bool) -> None:
        if self._picks is not None and lease.visits:
            self._picks.visited(lease.id, changed)

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
