"""Leases taken ahead, so that the table is asked for a batch and not for every request."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

from focuscrawl.frontier.hosts import HostGate
from focuscrawl.frontier.records import Lease


class LeaseBuffer:
    """First in, first out, past those whose host must wait."""

    def __init__(self, hosts: HostGate) -> None:
        self._hosts = hosts
        self._leases: deque[Lease] = deque()
        self._of_host: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._leases)

    def extend(self, leases: Sequence[Lease]) -> None:
        self._leases.extend(leases)
        self._of_host.update(lease.host for lease in leases)

    def next_ready(self) -> Lease | None:
        """The first lease whose host may be asked now."""
        for _ in range(len(self._leases)):
            lease = self._leases.popleft()
            if self._hosts.room(lease.host) > 0:
                self._of_host[lease.host] -= 1
                return lease
            self._leases.append(lease)
        return None

    def unspoken_room(self, host: str) -> int:
        """The room of a host that no lease in the buffer is going to take."""
        return self._hosts.room(host) - self._of_host[host]

    def take_out(self, host: str) -> list[Lease]:
        """All leases of a host, which are then no longer held."""
        found = [lease for lease in self._leases if lease.host == host]
        if found:
            self._leases = deque(lease for lease in self._leases if lease.host != host)
            self._of_host[host] = 0
        return found

    def take_all(self) -> list[Lease]:
        found = list(self._leases)
        self._leases.clear()
        self._of_host.clear()
        return found
