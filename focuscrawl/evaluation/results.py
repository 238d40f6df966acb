"""Finished crawls kept on disk, so that an interrupted evaluation goes on where it was."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from focuscrawl import __version__
from focuscrawl.archive.archive import archive_files
from focuscrawl.evaluation.measures import Named, Run
from focuscrawl.evaluation.tables import EvaluationError

KEPT_DAYS = 30
"""Files of finished crawls older than that are dropped when a new one is begun."""
_TUPLES = ("hits", "lengths")
_FIELDS = frozenset(field.name for field in fields(Run))


def identity(archive: Path, tables: Iterable[Path], budget: int) -> str:
    """Changes when the archive, a table, the budget or the code does: then nothing kept holds."""
    digest = blake2b(f"{__version__} {budget}".encode(), digest_size=12)
    try:
        for file in archive_files(archive):
            about = file.stat()
            digest.update(f"{file.resolve()} {about.st_size} {about.st_mtime_ns}".encode())
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise EvaluationError(f"{archive}: {reason}; give a WARC file or a folder") from None
    for table in tables:
        digest.update(table.read_bytes())
    _add_sources(resources.files("focuscrawl"), digest)
    return digest.hexdigest()


def _add_sources(folder: Traversable, digest: blake2b) -> None:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            _add_sources(entry, digest)
        elif entry.name.endswith(".py"):
            digest.update(entry.read_bytes())


class Results:
    """A file of JSON lines, one a crawl; a line that was cut off by the interruption is dropped."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self.runs: dict[Named, Run] = {}
        for run in _read(path):
            self.runs[Named(run.ordering, run.topic, run.round)] = run

    def add(self, run: Run) -> None:
        """On disk when this returns, as far as another process is concerned."""
        self.runs[Named(run.ordering, run.topic, run.round)] = run
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._drop_old()
        with self._path.open("a", encoding="utf-8") as lines:
            lines.write("\n" + json.dumps(asdict(run)))

    def _drop_old(self) -> None:
        """Any change of the code makes what was kept worthless: nobody would ever ask for it."""
        oldest = self._clock() - KEPT_DAYS * 86_400
        for file in self._path.parent.glob(f"*{self._path.suffix}"):
            if file.stat().st_mtime < oldest:
                file.unlink(missing_ok=True)

    def clear(self) -> None:
        self.runs.clear()
        self._path.unlink(missing_ok=True)


def _read(path: Path) -> list[Run]:
    if not path.exists():
        return []
    found = (_run(line) for line in path.read_text("utf-8", errors="replace").splitlines())
    return [run for run in found if run is not None]


def _run(line: str) -> Run | None:
    try:
        values = json.loads(line)
    except ValueError:
        return None
    if not isinstance(values, dict) or values.keys() != _FIELDS:
        return None
    return Run(**{**values, **{name: tuple(values[name]) for name in _TUPLES}})
