"""The frontier's one table, and how a connection to it is set up."""

from __future__ import annotations

import sqlite3
from pathlib import Path

FORMAT = 4
CACHE_KIB = 8 * 1024

_ADDED_IN_2 = (
    "turn INTEGER NOT NULL DEFAULT 0",
    "revisit INTEGER NOT NULL DEFAULT 0",
    "saved INTEGER NOT NULL DEFAULT 0",
    "etag TEXT NOT NULL DEFAULT ''",
    "modified TEXT NOT NULL DEFAULT ''",
    "lastmod REAL",
    "lastmod_seen REAL",
    "change_interval REAL",
    "fresh_until REAL",
    "hint TEXT NOT NULL DEFAULT ''",
)
_ADDED_IN_3 = ("score REAL", "terms TEXT NOT NULL DEFAULT ''")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS urls (
    id INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    state INTEGER NOT NULL,
    priority REAL NOT NULL,
    due REAL,
    owner TEXT,
    anchor TEXT NOT NULL DEFAULT '',
    anchor_similarity REAL NOT NULL DEFAULT 0,
    block REAL NOT NULL DEFAULT 0,
    relevance REAL NOT NULL DEFAULT 0,
    parents INTEGER NOT NULL DEFAULT 0,
    parent TEXT NOT NULL DEFAULT '',
    occurrences INTEGER NOT NULL DEFAULT 1,
    level INTEGER NOT NULL DEFAULT 0,
    depth INTEGER NOT NULL DEFAULT 0,
    seed INTEGER NOT NULL DEFAULT 0,
    found REAL NOT NULL DEFAULT 0,
    visits INTEGER NOT NULL DEFAULT 0,
    visited REAL,
    changes INTEGER NOT NULL DEFAULT 0,
    importance REAL NOT NULL DEFAULT 0,
    kept INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    rule TEXT NOT NULL DEFAULT '',
    alias_of TEXT NOT NULL DEFAULT '',
    {added}
);
CREATE TABLE IF NOT EXISTS trust (
    site TEXT NOT NULL,
    kind TEXT NOT NULL,
    said_changed_was_changed INTEGER NOT NULL,
    said_changed_was_same INTEGER NOT NULL,
    said_same_was_same INTEGER NOT NULL,
    said_same_was_changed INTEGER NOT NULL,
    PRIMARY KEY (site, kind)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (
    category TEXT NOT NULL,
    url TEXT NOT NULL,
    site TEXT NOT NULL,
    kind TEXT NOT NULL,
    depth INTEGER NOT NULL,
    etag TEXT NOT NULL DEFAULT '',
    modified TEXT NOT NULL DEFAULT '',
    pages INTEGER NOT NULL DEFAULT 0,
    problem TEXT NOT NULL DEFAULT '',
    phase INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (category, url)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS crawls (
    category TEXT PRIMARY KEY,
    phase INTEGER NOT NULL,
    ordering TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS history (
    category TEXT NOT NULL,
    id INTEGER NOT NULL,
    at REAL NOT NULL,
    changed INTEGER NOT NULL,
    dated INTEGER
);
CREATE INDEX IF NOT EXISTS history_by_time ON history (category, at);
CREATE INDEX IF NOT EXISTS revisits ON urls (category, turn, host, priority DESC)
    WHERE state = 3 AND revisit = 1;
CREATE INDEX IF NOT EXISTS queue ON urls (category, host, priority DESC) WHERE state = 0;
CREATE INDEX IF NOT EXISTS timers ON urls (category, due) WHERE state IN (1, 2);
"""


class FrontierError(RuntimeError):
    """The frontier file cannot be used; the message says what to do."""


def connect(path: Path) -> sqlite3.Connection:
    """Open (or make) a frontier file that several processes may share."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, isolation_level=None, timeout=60, cached_statements=256)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        _create(connection, path)
    except (sqlite3.DatabaseError, OSError) as error:
        raise FrontierError(
            f"{path}: cannot be opened as a frontier ({error}); "
            "move it away to start afresh, or point FOCUSCRAWL_DIR elsewhere"
        ) from error
    return connection


def _create(connection: sqlite3.Connection, path: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == FORMAT:
        return
    if version > FORMAT:
        raise FrontierError(f"{path}: written by a newer focuscrawl (format {version}); upgrade")
    connection.execute("BEGIN IMMEDIATE")
    if version == 1:
        _upgrade_from_1(connection)
    if version in (1, 2):
        _add_columns(connection, _ADDED_IN_3)
    schema = _SCHEMA.replace("{added}", ",\n    ".join(_ADDED_IN_2 + _ADDED_IN_3))
    for statement in filter(str.strip, schema.split(";")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def _add_columns(connection: sqlite3.Connection, columns: tuple[str, ...]) -> None:
    for column in columns:
        connection.execute(f"ALTER TABLE urls ADD COLUMN {column}")


def _upgrade_from_1(connection: sqlite3.Connection) -> None:
    """Format 1 knew no hints and queued pages for another visit row by row."""
    _add_columns(connection, _ADDED_IN_2)
    connection.execute(
        "UPDATE urls SET revisit = 1 WHERE state = 3 AND (kept OR seed) AND alias_of = ''"
    )
