"""Makes the index of archives: one SQLite table of captures over any number of WARC files.

It is a cache: made from the files, kept as long as their size and time stay the same, and free to
be deleted. A file comes into it as a whole or not at all.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from focuscrawl.archive.reader import read_file
from focuscrawl.archive.records import ArchiveError, Record
from focuscrawl.urls import normalise, url_id

BAD_URL = "bad address"
FORMAT = 1
Watch = Callable[[Path, int, int], None]
"""Told how far the reading of a file is: its path, the bytes done, the bytes in all."""

_BATCH = 1_000
_TABLES = """
DROP TABLE IF EXISTS files;
DROP TABLE IF EXISTS captures;
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    captures INTEGER NOT NULL DEFAULT 0,
    first REAL,
    last REAL,
    skipped TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE captures (
    key INTEGER NOT NULL,
    time REAL NOT NULL,
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    status INTEGER NOT NULL,
    digest TEXT NOT NULL,
    original INTEGER,
    original_time REAL,
    PRIMARY KEY (key, time, file, offset)
) WITHOUT ROWID;
CREATE INDEX digests ON captures (digest) WHERE original IS NULL AND digest <> '';
CREATE INDEX of_file ON captures (file);
"""


class Place(NamedTuple):
    """Where a capture stands: a row of the table. With an ``original`` it is a revisit.

    ``key`` and ``original`` are the numbers of normalised URLs.
    """

    key: int
    time: float
    file: int
    offset: int
    status: int
    digest: str
    original: int | None
    original_time: float | None


_INSERT = f"INSERT INTO captures VALUES ({', '.join('?' * len(Place._fields))})"


class _State(NamedTuple):
    """What tells one version of a file from another."""

    path: str
    size: int
    modified: int


def key_of(url: str) -> int | None:
    """The number of a URL in the index, None where it names no web page."""
    normal = normalise(url)
    return None if normal is None else url_id(normal)


def open_cache(path: Path) -> sqlite3.Connection:
    """The cache's connection; tables of another format are made anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, isolation_level=None, timeout=1)
    try:
        _patiently(db, "PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        if not _is_current(db):
            with _alone(db):
                _make_tables(db)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _make_tables(db: sqlite3.Connection) -> None:
    if not _is_current(db):  # another process may have made them while this one waited
        for statement in filter(str.strip, _TABLES.split(";")):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {FORMAT}")


def _is_current(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA user_version").fetchone() == (FORMAT,))


def file_id(db: sqlite3.Connection, path: Path, watch: Watch | None = None) -> int:
    """The number of a file in the index; it is read if it is new there, or another one now."""
    try:
        found = path.stat()
    except OSError as error:
        raise ArchiveError(f"{path}: cannot be read ({error.strerror})") from None
    state = _State(str(path), found.st_size, found.st_mtime_ns)
    known = _known(db, state)
    if known is None:
        with _alone(db):
            # Another process may have read the file while this one waited.
            known = _known(db, state) or _take_in(db, path, state, watch)
    return known


def _known(db: sqlite3.Connection, state: _State) -> int | None:
    row = db.execute(
        "SELECT id FROM files WHERE path = ? AND size = ? AND modified = ?", state
    ).fetchone()
    return None if row is None else int(row[0])


def _take_in(db: sqlite3.Connection, path: Path, state: _State, watch: Watch | None) -> int:
    same = "(SELECT id FROM files WHERE path = ?)"
    db.execute(f"DELETE FROM captures WHERE file IN {same}", (state.path,))
    db.execute("DELETE FROM files WHERE path = ?", (state.path,))
    number = db.execute(
        "INSERT INTO files (path, size, modified) VALUES (?, ?, ?) RETURNING id", state
    ).fetchone()[0]
    skipped: Counter[str] = Counter()
    rows = _places(path, number, skipped, watch or _nobody, state.size)
    while batch := list(islice(rows, _BATCH)):
        db.executemany(_INSERT, batch)
    db.execute(
        "UPDATE files SET skipped = :skipped, (captures, first, last) = "
        "(SELECT COUNT(*), MIN(time), MAX(time) FROM captures WHERE file = :id) WHERE id = :id",
        {"id": number, "skipped": json.dumps(skipped)},
    )
    return int(number)


def _nobody(path: Path, done: int, size: int) -> None:
    """Watches nothing."""


def _places(
    path: Path, number: int, skipped: Counter[str], watch: Watch, size: int
) -> Iterator[Place]:
    for offset, record in read_file(path, skipped):
        watch(path, offset, size)
        place = place_of(record, number, offset)
        if place is None:
            skipped[BAD_URL] += 1
        else:
            yield place
    watch(path, size, size)


def place_of(record: Record, file: int, offset: int) -> Place | None:
    capture, original = record.capture, record.original
    key = key_of(capture.url)
    if key is None:
        return None
    return Place(
        key,
        capture.time,
        file,
        offset,
        capture.status,
        capture.digest,
        None if original is None else key_of(original.url) or key,
        None if original is None else original.time,
    )


@contextmanager
def _alone(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and nobody else writes meanwhile."""
    _patiently(db, "BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _patiently(db: sqlite3.Connection, statement: str) -> None:
    """Waits for another process as long as it reads a file; Ctrl-C ends the waiting."""
    while True:
        try:
            db.execute(statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
        else:
            return
