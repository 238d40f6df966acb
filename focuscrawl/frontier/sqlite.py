"""The frontier of one category in a SQLite file.

All URLs live on disk; memory holds one number per host and a bounded cache. Every
public call is one short transaction, so several processes may share the file, and a
killed one leaves no half-written page behind.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from focuscrawl.frontier.adding import Adder
from focuscrawl.frontier.heads import Heads
from focuscrawl.frontier.hinting import Hints, UrlHint
from focuscrawl.frontier.outcomes import Outcomes
from focuscrawl.frontier.owners import Owner
from focuscrawl.frontier.picking import Picks, RevisitPlan
from focuscrawl.frontier.priority import Focused, Ordering
from focuscrawl.frontier.records import Added, Candidate, Lease, LinkScore, Visit
from focuscrawl.frontier.rescoring import Rescorer
from focuscrawl.frontier.revisits import LEASE_COLUMNS, Revisits
from focuscrawl.frontier.schema import connect
from focuscrawl.frontier.sources import SourceBook
from focuscrawl.frontier.timers import Timers
from focuscrawl.urls import url_id

LEASE_SECONDS = 900.0
_WAKE_SECONDS = 1.0
_BATCH = 2_000
_AT_ONCE = 16
"""Rows read of one host at a time: another one mostly has the next best."""


def _unlimited(_host: str) -> int:
    return _BATCH


class SqliteFrontier:
    """Add, lease, complete: the three things that happen to a URL."""

    def __init__(
        self,
        path: str | Path,
        category: str,
        *,
        phase: int = 1,
        ordering: Ordering | None = None,
        clock: Callable[[], float] = time.time,
        lease_seconds: float = LEASE_SECONDS,
        believe_hints: bool = True,
        plan: RevisitPlan | None = None,
    ) -> None:
        self.path = Path(path)
        self.category = category
        self.ordering = ordering or Focused()
        self._clock = clock
        self._lease_seconds = lease_seconds
        self._db = connect(self.path)
        self._owner = Owner(self.path)
        self._timers = Timers(self._db, category)
        self._heads = Heads()
        self._adder = Adder(self._db, category, self.ordering, clock, self._heads.offer)
        self.hints = Hints(self._db, category, clock, believe_hints)
        self._outcomes = Outcomes(self._db, category, self.ordering, self.hints, clock)
        picks = Picks(self._db, category, plan, clock) if plan else None
        self._revisits = Revisits(self._db, category, self.hints, picks)
        self._rescorer = Rescorer(self._db, category, self.ordering, self.hints)
        self.sources = SourceBook(self._db, category)
        self._next_wake = 0.0
        self.queued = 0
        self.phase = phase
        with self._transaction():
            self._rescorer.register(phase)
            self._revisits.begin_phase(phase)
        self.refresh()

    def refresh(self) -> None:
        """Read the queue's state anew: free the leases of dead processes, find waiting hosts."""
        self._next_wake = 0.0
        self._revisits.ask_again()
        with self._transaction():
            self._timers.free_the_dead(self._owner)
            self.queued = 0
            rows = self._db.execute(
                "SELECT host, COUNT(*), MAX(priority) FROM urls "
                "WHERE category = ? AND state = 0 GROUP BY host",
                (self.category,),
            )
            for host, count, priority in rows:
                self.queued += count
                self._heads.offer(host, priority)
            self._offer_revisits()

    def _offer_revisits(self) -> None:
        self.queued += self._revisits.count()
        for host, priority in self._revisits.hosts():
            self._heads.offer(host, priority)

    def add(self, candidates: Iterable[Candidate]) -> Added:
        """Queue new URLs; score known ones again by what a new parent says."""
        new = rescored = known = 0
        stream = iter(candidates)
        while batch := list(islice(stream, _BATCH)):
            with self._transaction():
                added = self._adder.add(batch)
            new, rescored, known = (
                new + added.new,
                rescored + added.rescored,
                known + added.known,
            )
        self.queued += new
        return Added(new, rescored, known)

    def lease(self, count: int, room: Callable[[str], int] = _unlimited) -> list[Lease]:
        """Up to ``count`` of the best URLs, best first, of hosts that have room now.

        ``room`` says how many URLs a host may take. Among those hosts the order is
        exactly that of the priorities.
        """
        self._wake()
        if count < 1:
            return []
        self._pick()
        taken: list[Lease] = []
        used: dict[str, int] = {}
        with self._transaction():
            for host in self._heads.best_first(lambda name: room(name) <= used.get(name, 0)):
                limit = min(count - len(taken), room(host) - used.get(host, 0), _AT_ONCE)
                rows = self._lease_from(host, limit)
                used[host] = used.get(host, 0) + len(rows)
                taken += rows
                if len(taken) >= count:
                    break
        self.queued = max(self.queued - len(taken), 0)
        return taken

    def _pick(self) -> None:
        """Known pages join the queue when the first page is wanted, and not before."""
        if self._revisits.pick():
            self._offer_revisits()

    def _lease_from(self, host: str, limit: int) -> list[Lease]:
        rows = [
            Lease(*row)
            for row in self._db.execute(
                f"SELECT {LEASE_COLUMNS} FROM urls "
                "WHERE category = ? AND host = ? AND state = 0 ORDER BY priority DESC LIMIT ?",
                (self.category, host, limit + 1),
            )
        ]
        again = self._revisits.best(host, limit + 1)
        if again:
            rows = sorted([*rows, *again], key=lambda lease: -lease.priority)
        rival = self._heads.next_best()
        chosen = [row for row in rows[:limit] if rival is None or row.priority >= rival]
        for row in chosen:
            self._revisits.taken(row)
        self._heads.replace(host, rows[len(chosen)].priority if len(chosen) < len(rows) else None)
        until = self._clock() + self._lease_seconds
        self._db.executemany(
            "UPDATE urls SET state = 1, due = ?, owner = ? WHERE id = ?",
            [(until, self._owner.name, row.id) for row in chosen],
        )
        return chosen

    def complete(
        self,
        lease: Lease,
        visit: Visit,
        links: Sequence[Candidate] = (),
        scores: Sequence[LinkScore] = (),
    ) -> Added:
        """Record a visit, hand in the page's links, score others anew: all of it or nothing."""
        with self._transaction():
            self._outcomes.record(lease, visit, self.phase)
            self._revisits.visited(lease, visit.changed)
            added = self._adder.add(links)
            for host, priority in self._rescorer.take_scores(scores):
                self._heads.offer(host, priority)
        self.queued += added.new
        return added

    def give_up(self, lease: Lease, rule: str) -> None:
        """The URL is not to be tried again in this phase."""
        self._put(lease, 4, None, rule)

    def retry_later(
        self, lease: Lease, seconds: float, rule: str, *, is_failure: bool = True
    ) -> None:
        """The URL comes back after ``seconds``: it failed for now, or its host wants rest."""
        self._put(lease, 2, self._clock() + seconds, rule, is_failure)

    def resting_hosts(self) -> list[tuple[str, float]]:
        """The hosts that asked an earlier run for rest, and the seconds still left."""
        return self._timers.resting_hosts(self._clock())

    def _put(
        self, lease: Lease, state: int, due: float | None, rule: str, is_failure: bool = True
    ) -> None:
        with self._transaction():
            self._outcomes.put(lease, state, due, rule, is_failure)

    def release(self, leases: Iterable[Lease]) -> None:
        """Give back leases that were not used: a clean stop loses and repeats nothing."""
        given = list(leases)
        with self._transaction():
            self._db.executemany(
                "UPDATE urls SET state = 0, due = NULL, owner = NULL WHERE id = ? AND state = 1",
                [(lease.id,) for lease in given],
            )
        for lease in given:
            self._heads.offer(lease.host, lease.priority)
        self.queued += len(given)

    def is_finished(self, url: str) -> bool:
        """Whether the URL was already fetched, or given up, in this phase."""
        row = self._db.execute(
            "SELECT 1 FROM urls WHERE id = ? "
            "AND (state = 4 OR state = 3 AND (revisit = 0 OR turn >= ?))",
            (url_id(url, self.category), self.phase),
        ).fetchone()
        return row is not None

    def begin_phase(
        self, phase: int, similarity: Callable[[str], float], stems: Sequence[str] = ()
    ) -> int:
        """Let what was fetched before be fetched again, and score anew what is judged otherwise.

        ``similarity`` judges an anchor text by what the last phase taught, and ``stems`` are
        what it taught: anchors without them have kept their similarity. Returns how many were
        scored anew.
        """
        self.phase = phase
        with self._transaction():
            self._adder.forget_finished()
            self.hints.begin_phase()
            self._timers.wake_failed(self._clock())
            self._revisits.begin_phase(phase)
            scored = self._rescorer.begin_phase(phase, similarity, stems)
        self.refresh()
        return scored

    def note_hints(self, hints: Sequence[UrlHint], kind: str) -> list[UrlHint]:
        """What a sitemap or a feed says of its URLs; returns what it says of unknown ones."""
        with self._transaction():
            unknown, moved = self.hints.note(hints, kind)
            for host, priority in self._rescorer.raise_hinted(moved, kind):
                self._heads.offer(host, priority)
        return unknown

    def close(self) -> None:
        with self._transaction():
            self._adder.write_hits()
        self._db.close()
        self._owner.close()

    def _wake(self) -> None:
        """Queue what has waited long enough: failed URLs, and leases that ran out."""
        now = self._clock()
        if now < self._next_wake and len(self._heads):
            return
        self._next_wake = now + _WAKE_SECONDS
        if not self._timers.has_due(now):
            return
        with self._transaction():
            woken = self._timers.wake(now)
        self.queued += len(woken)
        for host, priority in woken:
            self._heads.offer(host, priority)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
