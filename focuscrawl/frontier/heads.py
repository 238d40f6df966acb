"""The best waiting priority of every host.

Choosing by host first keeps one busy host with a million good URLs from hiding all
others: a host that must rest is passed over at the cost of one heap entry.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator


class Heads:
    """A lazily mended heap of (best priority, host)."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, str]] = []
        self._best: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._best)

    def offer(self, host: str, priority: float) -> None:
        """Say that ``host`` has a waiting URL of this priority."""
        if priority > self._best.get(host, float("-inf")):
            self._best[host] = priority
            heapq.heappush(self._heap, (-priority, host))

    def replace(self, host: str, priority: float | None) -> None:
        """Say what the best waiting priority of ``host`` is now; None: nothing waits."""
        self._best.pop(host, None)
        if priority is not None:
            self.offer(host, priority)

    def best_first(self, is_busy: Callable[[str], bool]) -> Iterator[str]:
        """Hosts that are not busy, best first; the caller calls :meth:`replace` for each."""
        passed: list[tuple[float, str]] = []
        try:
            while self._heap:
                negative, host = heapq.heappop(self._heap)
                if self._best.get(host) != -negative:
                    continue
                if is_busy(host):
                    passed.append((negative, host))
                    continue
                yield host
        finally:
            for entry in passed:
                heapq.heappush(self._heap, entry)

    def next_best(self) -> float | None:
        """The best priority still waiting after the one just yielded, if any."""
        while self._heap and self._best.get(self._heap[0][1]) != -self._heap[0][0]:
            heapq.heappop(self._heap)
        return -self._heap[0][0] if self._heap else None
