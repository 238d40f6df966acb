"""Says on standard error how far the reading of a large archive is."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TaskID

QUIET_SECONDS = 2.0
"""What takes no longer is not worth a word."""
LINE_EVERY = 5.0


class IndexProgress:
    """A bar on a terminal, else a line now and then."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._path: Path | None = None
        self._began = self._said = 0.0
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def __call__(self, path: Path, done: int, size: int) -> None:
        now = time.monotonic()
        if path != self._path:
            self._path, self._began, self._said = path, now, now
        if done >= size:
            self._end()
        elif now - self._began >= QUIET_SECONDS:
            self._show(path, done, size, now)

    def _show(self, path: Path, done: int, size: int, now: float) -> None:
        if not self._console.is_terminal:
            if now - self._said >= LINE_EVERY:
                self._said = now
                print(f"indexing {path.name}: {done / size:.0%}", file=sys.stderr, flush=True)
            return
        if self._bar is None:
            self._bar = Progress(console=self._console, transient=True)
            self._bar.start()
            self._task = self._bar.add_task(f"indexing {path.name}", total=size)
        self._bar.update(self._task, completed=done)

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


show_progress = IndexProgress()
