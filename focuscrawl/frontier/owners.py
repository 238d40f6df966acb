"""Who holds a lease, and whether that process still lives.

A killed process cannot say so. Each one holds a lock on a small file that the
system lets go of the moment the process is gone, so the next one to start can tell
the dead from the living without waiting for leases to run out.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # no such locks on this system: leases run out by time alone
    fcntl = None  # type: ignore[assignment]


def _try_lock(handle: IO[bytes]) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class Owner:
    """This process's name among the lease holders of one frontier file."""

    def __init__(self, frontier: Path) -> None:
        self._folder = frontier.with_name(frontier.name + "-owners")
        self._folder.mkdir(parents=True, exist_ok=True)
        self.name = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        self._path = self._folder / self.name
        self._handle = self._path.open("wb")
        _try_lock(self._handle)

    def is_dead(self, name: str) -> bool:
        """Whether the owner of that name is gone: it left no file, or a file nobody locks."""
        if name == self.name:
            return False
        try:
            with (self._folder / name).open("rb+") as handle:
                return _try_lock(handle)
        except FileNotFoundError:
            return True

    def bury(self, name: str) -> None:
        """Forget a dead owner, once its leases are free again."""
        with contextlib.suppress(FileNotFoundError):
            (self._folder / name).unlink()

    def close(self) -> None:
        self._handle.close()
        self.bury(self.name)
