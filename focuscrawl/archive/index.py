"""Which captures of a URL there are, and which of them is the one of a moment."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from focuscrawl.archive.indexing import Place, Watch, file_id, open_cache
from focuscrawl.archive.records import ArchiveError

INDEX_FILE = "archives.sqlite"
_SAME_MOMENT = 1.0
"""Dates of revisits are cut to the second more often than those they name."""
_COLUMNS = ", ".join(Place._fields)


class Span(NamedTuple):
    """What a set of files holds: how many captures, from when to when."""

    captures: int
    first: float
    last: float


class Index:
    """The captures of some files; those of other files in the same cache are not seen."""

    def __init__(self, paths: Sequence[Path], cache_dir: Path, watch: Watch | None = None) -> None:
        cache = cache_dir / INDEX_FILE
        with ExitStack() as on_failure:
            try:
                self._db = on_failure.enter_context(closing(open_cache(cache)))
                self.files = {file_id(self._db, path.resolve(), watch): path for path in paths}
            except (sqlite3.Error, OSError) as error:
                raise ArchiveError(
                    f"{cache}: the index of archives cannot be used ({error}); "
                    "delete it, it is made anew, or make its folder writable"
                ) from error
            on_failure.pop_all()

    def candidates(self, key: int, at: float) -> Iterator[Place]:
        """The captures of a URL, the one to be taken at a time first.

        That is the newest not after it; then the later ones, the earliest first. An answer
        that only said "not modified" comes last: what it confirmed is among the others.
        """
        full = "(status <> 304 OR original IS NOT NULL)"
        newest = "ORDER BY time DESC, file DESC, offset DESC"
        yield from self._places(f"key = ? AND time <= ? AND {full} {newest}", key, at)
        yield from self._places(f"key = ? AND time > ? AND {full} ORDER BY time", key, at)
        yield from self._places(f"key = ? AND NOT {full} {newest}", key)

    def originals(self, revisit: Place) -> Iterator[Place]:
        """The captures that a revisit may stand for, the likeliest first."""
        moment = revisit.original_time
        if moment is not None:
            named = self._places(
                "key = ? AND time BETWEEN ? AND ? AND original IS NULL AND status <> 304",
                revisit.original,
                moment - _SAME_MOMENT,
                moment + _SAME_MOMENT,
            )
            for place in sorted(named, key=lambda place: abs(place.time - moment)):
                if not (place.digest and revisit.digest) or place.digest == revisit.digest:
                    yield place
        if revisit.digest:
            yield from self._places(
                "digest = ? AND digest <> '' AND original IS NULL", revisit.digest
            )

    def _places(self, condition: str, *values: object) -> Iterator[Place]:
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM captures WHERE {condition}", values)
        return (place for place in map(Place._make, rows) if place.file in self.files)

    def span(self) -> Span | None:
        """None where there is no capture at all."""
        rows = [row for row in self._rows_of_files() if row[1]]
        if not rows:
            return None
        return Span(
            sum(row[1] for row in rows), min(row[2] for row in rows), max(row[3] for row in rows)
        )

    def skipped(self) -> Counter[str]:
        """How many records were left out, by reason."""
        total: Counter[str] = Counter()
        for row in self._rows_of_files():
            total.update(json.loads(row[4]))
        return total

    def _rows_of_files(self) -> list[tuple[int, int, float, float, str]]:
        rows = self._db.execute("SELECT id, captures, first, last, skipped FROM files")
        return [row for row in rows if row[0] in self.files]

    def close(self) -> None:
        self._db.close()
