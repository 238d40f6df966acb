"""Live progress of all crawls of this process: one row a category."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from twisted.internet.task import LoopingCall

from focuscrawl.scrapy_ring import Ring

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_LINE_EVERY = 5.0


class Board:
    """The one display of a process; it comes with the first crawl and goes with the last."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._rows: list[Progress] = []
        self._running = 0
        self._live: Live | None = None
        self._loop: AsyncioLoopingCall | LoopingCall | None = None
        self._last_line = 0.0

    def join(self, progress: Progress) -> None:
        self._rows.append(progress)
        self._running += 1
        if self._running == 1:
            if self.console.is_terminal:
                self._live = Live(self.table(), console=self.console, auto_refresh=False)
                self._live.start()
            self._last_line = time.monotonic()
            self._loop = create_looping_call(self.refresh)
            self._loop.start(0.5, now=False)

    def leave(self) -> None:
        self._running -= 1
        if self._running:
            return
        if self._loop is not None:
            self._loop.stop()
        if self._live is not None:
            self._live.update(self.table(), refresh=True)
            self._live.stop()
            self._live = None
        else:
            self.console.print(self.table())
        self._rows.clear()

    def refresh(self) -> None:
        if self._live is not None:
            self._live.update(self.table(), refresh=True)
        elif time.monotonic() - self._last_line >= _LINE_EVERY:
            self._last_line = time.monotonic()
            for row in self._rows:
                name, *figures = row.figures()
                print(f"{name}: " + ", ".join(figures), file=sys.stderr, flush=True)

    def table(self) -> Table:
        table = Table("category", "phase", "fetched", "kept", "harvest", "queue", "pages/s")
        for column in table.columns[1:]:
            column.justify = "right"
        for row in self._rows:
            name, phase, fetched, kept, harvest, queue, speed = row.figures(bare=True)
            table.add_row(name, phase, fetched, kept, harvest, queue, speed)
        return table


BOARD = Board()


class Progress:
    """One crawl's row."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("FOCUSCRAWL_PROGRESS"):
            raise NotConfigured("FOCUSCRAWL_PROGRESS is off")
        self.ring = Ring.of(crawler)
        self._started = time.monotonic()
        self._seconds = 0.1
        self._queue = 0
        self._shown = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        progress = cls(crawler)
        crawler.signals.connect(progress._first, signals.request_reached_downloader)
        crawler.signals.connect(progress._first, signals.response_received)  # in a replay
        crawler.signals.connect(progress._closing, signals.spider_closed)
        crawler.signals.connect(progress._closed, signals.engine_stopped)
        return progress

    def _first(self) -> None:
        if not self._shown and self.ring.is_open:
            self._shown = True
            self._started = time.monotonic()
            BOARD.join(self)

    def _closing(self) -> None:
        """The last look before the ring is closed; this extension stands before Phases."""
        if self._shown:
            self.figures()

    def _closed(self) -> None:
        if self._shown:
            BOARD.leave()

    def figures(self, bare: bool = False) -> tuple[str, ...]:
        """Category, phase, fetched, kept, harvest rate, queue, pages per second."""
        kept = self.ring.stat("kept")
        seen = kept + self.ring.stat("off_topic")
        if self.ring.is_open:
            self._queue = self.ring.frontier.queued
            self._seconds = max(time.monotonic() - self._started, 0.1)
        values = (
            self.ring.category.name,
            str(self.ring.phase.number),
            str(seen),
            str(kept),
            f"{kept / seen:.0%}" if seen else "-",
            str(self._queue),
            f"{seen / self._seconds:.1f}",
        )
        if bare:
            return values
        labels = ("", "phase ", "fetched ", "kept ", "harvest ", "queue ", "pages/s ")
        return tuple(label + value for label, value in zip(labels, values, strict=True))
