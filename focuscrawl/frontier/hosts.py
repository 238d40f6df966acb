"""Which host may be asked now: how many requests it has, its delay, its cap, its wish for rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

LONGEST_WAIT = 120.0
"""A host that wants to be left alone for longer is not waited for: the next run asks again."""


class HostGate:
    """Counts and clocks of all hosts of one crawl."""

    def __init__(
        self,
        per_host: int,
        cap: int,
        delay_of: Callable[[str], float],
        clock: Callable[[], float],
    ) -> None:
        self._per_host = per_host
        self._cap = cap
        self._delay_of = delay_of
        self._clock = clock
        self._asking: dict[int, str] = {}
        self._busy: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()
        self._held: Counter[str] = Counter()
        self._ready_at: dict[str, float] = {}

    def room(self, host: str) -> int:
        """How many more requests for pages the host may get at this moment."""
        return 0 if self._held[host] else self.room_beside(host)

    def room_beside(self, host: str) -> int:
        """The same for what pages wait for: sitemaps, feeds, retries."""
        if self.rests(host) > 0:
            return 0
        limit = 1 if self._delay_of(host) > 0 else self._per_host
        room = limit - self._busy[host]
        return min(room, self._cap - self._asked[host]) if self._cap else room

    def ask(self, key: int, host: str) -> None:
        """A request goes out."""
        self._asking[key] = host
        self._busy[host] += 1

    def ask_first(self, key: int, host: str) -> None:
        """The first request for a page goes out: it counts against cap and delay."""
        self.ask(key, host)
        self._asked[host] += 1
        delay = self._delay_of(host)
        if delay:
            self._ready_at[host] = max(self._ready_at.get(host, 0.0), self._clock() + delay)

    def free(self, key: int) -> None:
        """The request came back, or never went out; saying so twice does no harm."""
        host = self._asking.pop(key, None)
        if host is not None:
            self._busy[host] -= 1

    def hold(self, host: str) -> None:
        """Keep the host's pages back until :meth:`let_go` was called as often."""
        self._held[host] += 1

    def let_go(self, host: str) -> None:
        self._held[host] -= 1

    def rest(self, host: str, seconds: float) -> None:
        """Leave the host alone for a while."""
        self._ready_at[host] = max(self._ready_at.get(host, 0.0), self._clock() + seconds)

    def is_holding(self) -> bool:
        """Whether any host's pages wait for a sitemap or a feed."""
        return any(self._held.values())

    def rests(self, host: str) -> float:
        """Seconds until the host may be asked again."""
        return max(self._ready_at.get(host, 0.0) - self._clock(), 0.0)

    def is_spent(self, host: str) -> bool:
        """Whether the host had all the requests of this run, or wants rest for longer than that."""
        spent = bool(self._cap) and self._asked[host] >= self._cap
        return spent or self.rests(host) > LONGEST_WAIT

    def next_ready(self) -> float | None:
        """Seconds until the first host may be asked again that is worth waiting for."""
        now = self._clock()
        waits = [at - now for at in self._ready_at.values() if now < at <= now + LONGEST_WAIT]
        if len(self._ready_at) > 2 * len(waits) + 100:
            self._ready_at = {host: at for host, at in self._ready_at.items() if at > now}
        return min(waits, default=None)
