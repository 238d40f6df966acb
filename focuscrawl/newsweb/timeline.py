"""When an article changes: a schedule drawn from its key, read as far as the clock has come."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

HOUR = 3600
DAY = 24 * HOUR
START = int(datetime(2026, 1, 5, 8, tzinfo=UTC).timestamp())
"""The instant at which every sample web begins; nothing here reads the wall clock."""

# share of articles, mean days between two changes
PACES = ((0.55, 0.0), (0.25, 10.0), (0.15, 2.5), (0.05, 0.35))
KINDS = ("correction", "update", "structure")
KIND_SHARES = (55, 33, 12)
VANISHING = 0.03
MEAN_LIFE_DAYS = 6.0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that truly changed at one moment: a kind of KINDS, or gone or moved."""

    at: int
    kind: str


class Timeline:
    """The events of one article in order. ``liveliness`` is the site's: it divides the waits."""

    def __init__(self, key: str, published: int, liveliness: float) -> None:
        self._rng = Random(f"{key}/timeline")
        self._events: list[Event] = []
        self._times: list[int] = []
        begin = max(published, START)
        self._mean = self._pace() * DAY / liveliness
        self.end = self._draw_end(begin)
        self._next = self._wait(begin)

    def until(self, now: int) -> list[Event]:
        """All changes of content up to now, the end (gone, moved) not among them."""
        while self._next is not None and self._next <= now:
            kind = self._rng.choices(KINDS, KIND_SHARES)[0]
            self._events.append(Event(self._next, kind))
            self._times.append(self._next)
            self._next = self._wait(self._next)
        return self._events[: bisect_right(self._times, now)]

    def _pace(self) -> float:
        shares = [share for share, _ in PACES]
        return self._rng.choices([days for _, days in PACES], shares)[0]

    def _draw_end(self, begin: int) -> Event | None:
        if self._rng.random() >= VANISHING:
            return None
        at = begin + max(HOUR, int(self._rng.expovariate(1 / (MEAN_LIFE_DAYS * DAY))))
        return Event(at, self._rng.choice(("gone", "removed", "moved")))

    def _wait(self, since: int) -> int | None:
        if not self._mean:
            return None
        at = since + max(60, int(self._rng.expovariate(1 / self._mean)))
        return at if self.end is None or at < self.end.at else None


def stamp(at: int) -> str:
    """The moment as sitemaps and the truth write it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
