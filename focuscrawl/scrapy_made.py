"""Requests that others made: retries, redirects, sitemaps, a user's own. They wait in memory."""

from __future__ import annotations

import heapq
from enum import Enum, auto
from itertools import count

from scrapy import Request

from focuscrawl.frontier.hosts import LONGEST_WAIT, HostGate
from focuscrawl.frontier.records import Lease
from focuscrawl.scrapy_options import META_LEASE, META_SOURCE
from focuscrawl.sources import Source
from focuscrawl.urls import url_id

_Entry = tuple[int, int, Request]


class Turn(Enum):
    """What is to be done with a request now."""

    GO = auto()
    WAIT = auto()
    LEFT_OUT = auto()
    """A sitemap or a feed that this run cannot ask for any more."""
    GIVEN_BACK = auto()
    """A page whose host wants to be left alone for longer than this run waits."""


class MadeRequests:
    """In the order of their priorities, as far as their hosts may be asked."""

    def __init__(self, hosts: HostGate) -> None:
        self._hosts = hosts
        self._heap: list[_Entry] = []
        self._order = count()

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, request: Request) -> None:
        heapq.heappush(self._heap, (-request.priority, next(self._order), request))

    def next(self, *, has_budget: bool) -> tuple[Turn, Request] | None:
        """The first request that need not wait, and what its turn is; it is no longer held."""
        if not self._heap:
            return None
        turn = self._turn(self._heap[0][2], has_budget)
        if turn is not Turn.WAIT:
            return turn, self._asked(turn, heapq.heappop(self._heap)[2])
        for entry in sorted(self._heap)[1:]:
            turn = self._turn(entry[2], has_budget)
            if turn is not Turn.WAIT:
                self._heap.remove(entry)
                heapq.heapify(self._heap)
                return turn, self._asked(turn, entry[2])
        return None

    def _turn(self, request: Request, has_budget: bool) -> Turn:
        host = request.meta.get("download_slot", "")
        if META_SOURCE in request.meta:
            if self._hosts.is_spent(host) or not has_budget:
                return Turn.LEFT_OUT
            return Turn.GO if self._hosts.room_beside(host) > 0 else Turn.WAIT
        if META_LEASE not in request.meta:
            return Turn.GO
        rest = self._hosts.rests(host)
        if rest > LONGEST_WAIT:
            return Turn.GIVEN_BACK
        return Turn.WAIT if rest else Turn.GO

    def _asked(self, turn: Turn, request: Request) -> Request:
        if turn is Turn.GO:
            host = request.meta.get("download_slot", "")
            lease: Lease | None = request.meta.get(META_LEASE)
            source: Source | None = request.meta.get(META_SOURCE)
            if lease is not None:
                self._hosts.ask(lease.id, host)
            elif source is not None:
                self._hosts.ask_first(url_id(source.url), host)
        return request
