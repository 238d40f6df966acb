"""Arrays kept on disk between runs: written whole or not at all, and never believed unchecked."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
_DIGEST = 16

log = logging.getLogger(__name__)


class ArrayCache:
    """Named arrays in a folder, or nowhere when no folder is given.

    A file begins with the digest of the rest: one that is cut short or altered is made again.
    ``counts`` says how often that happened (``damaged``), beside ``hit``, ``made``, ``unwritten``.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.counts: Counter[str] = Counter()

    def get(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The arrays of that name, from the folder if they are there, else made and kept."""
        stored = self._load(name)
        if stored is not None:
            self.counts["hit"] += 1
            return stored
        arrays = make()
        self.counts["made"] += 1
        self._store(name, arrays)
        return arrays

    def _load(self, name: str) -> Arrays | None:
        if self.folder is None:
            return None
        path = self.folder / name
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            log.warning("%s cannot be read (%s): made again", path, error.strerror)
            self.counts["damaged"] += 1
            return None
        body = memoryview(content)[_DIGEST:]
        if content[:_DIGEST] != blake2b(body, digest_size=_DIGEST).digest():
            log.warning("%s is damaged: made again", path)
            self.counts["damaged"] += 1
            return None
        with np.load(BytesIO(body), allow_pickle=False) as arrays:
            return dict(arrays)

    def _store(self, name: str, arrays: Arrays) -> None:
        if self.folder is None:
            return
        body = BytesIO()
        np.savez(body, allow_pickle=False, **arrays)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write_whole(
                self.folder / name, blake2b(body.getbuffer(), digest_size=_DIGEST).digest(), body
            )
        except OSError as error:
            log.warning("%s is not kept (%s): free or allow the folder", name, error.strerror)
            self.counts["unwritten"] += 1


def _write_whole(path: Path, digest: bytes, body: BytesIO) -> None:
    """Into a file beside it, then renamed: a reader sees the old file or the new one."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(digest)
            file.write(body.getbuffer())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
