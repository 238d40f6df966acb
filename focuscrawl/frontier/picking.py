"""Which of the pages that rest are fetched in this phase: a revisit policy's choice.

The policy gets to know the pages when the first of them is wanted, that is, after sitemaps were
read; it is asked for a part of the run's fetches, and for more when nothing else is left.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import NamedTuple

from focuscrawl.frontier.memory import RESTING, forget_old, teach
from focuscrawl.revisit.policy import Policy

DUE_BONUS = 5.0
"""Added to the priority of a page whose turn it is: after seeds, before new pages."""
_CHUNK = 500


class RevisitPlan(NamedTuple):
    """A policy, how many pages it is asked for at once (0: all), and of a host at most (0: all)."""

    policy: Policy
    at_once: int = 0
    host_cap: int = 0


class Picks:
    """The choice of one phase, by host; inside the caller's transaction."""

    def __init__(
        self,
        db: sqlite3.Connection,
        category: str,
        plan: RevisitPlan,
        clock: Callable[[], float],
    ) -> None:
        self._db = db
        self._category = category
        self._plan = plan
        self._clock = clock
        self._is_taught = False
        self._forget()

    def begin_phase(self, phase: int) -> None:
        self._phase = phase
        self._forget()
        forget_old(self._db, self._category, self._clock())

    def _forget(self) -> None:
        self._picked: set[int] = set()
        self._hosts: dict[int, str] = {}
        self._waiting: dict[str, dict[int, float]] = {}
        self.is_asked = False

    def __len__(self) -> int:
        return len(self._hosts)

    def hosts(self) -> Iterator[tuple[str, float]]:
        """Every host with picks, and the best priority among them."""
        for host, waiting in self._waiting.items():
            yield host, max(waiting.values()) + DUE_BONUS

    def best(self, host: str, limit: int) -> list[int]:
        waiting = self._waiting.get(host, {})
        return sorted(waiting, key=lambda key: -waiting[key])[:limit]

    def done(self, key: int) -> None:
        """The page is being fetched, or needs no fetch in this phase."""
        host = self._hosts.pop(key, None)
        if host is not None:
            del self._waiting[host][key]
            if not self._waiting[host]:
                del self._waiting[host]

    def visited(self, key: int, changed: bool) -> None:
        if self._is_taught:
            self._plan.policy.visited(key, changed, self._clock())

    def pick(self) -> None:
        """Ask the policy for as many more as are wanted at once; seeds always go with the first."""
        self.is_asked = True
        policy, at_once, host_cap = self._plan
        if not self._is_taught:
            self._is_taught = True
            teach(policy, self._db, self._category, self._clock())
        wanted = at_once or len(policy.pages)
        chosen = policy.next(len(self._picked) + wanted, self._clock(), host_cap)
        if not self._picked:
            chosen = list(dict.fromkeys([*self._seeds(), *chosen]))
        new = [key for key in chosen if key not in self._picked][:wanted]
        self._picked.update(new)
        for key, host, priority in self._still_resting(new):
            self._hosts[key] = host
            self._waiting.setdefault(host, {})[key] = priority

    def _seeds(self) -> list[int]:
        rows = self._db.execute(
            f"SELECT id FROM urls WHERE {RESTING} AND seed = 1", (self._category,)
        )
        return [key for (key,) in rows]

    def _still_resting(self, keys: list[int]) -> Iterator[tuple[int, str, float]]:
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            yield from self._db.execute(
                "SELECT id, host, priority FROM urls "
                f"WHERE {RESTING} AND turn < ? AND id IN ({marks})",
                (self._category, self._phase, *chunk),
            ).fetchall()
