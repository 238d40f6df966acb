"""How the repository's SQLite file is opened, shared and written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import StaticPool

from focuscrawl.repository import schema


class RepositoryError(RuntimeError):
    """The repository cannot be used; the message says what to do."""


def _set_up(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA page_size = 8192")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -16384")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")


def open_connection(path: Path) -> Connection:
    """A connection that writes only inside :func:`transaction`; makes the file and its tables."""
    engine = create_engine(
        f"sqlite:///{path}", poolclass=StaticPool, connect_args={"timeout": 60}
    ).execution_options(isolation_level="AUTOCOMMIT")
    event.listen(engine, "connect", _set_up)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = engine.connect()
        with transaction(connection):
            schema.metadata.create_all(connection)
            connection.exec_driver_sql(schema.LINK_LIST)
    except (DatabaseError, OSError) as error:
        raise RepositoryError(
            f"{path}: cannot be opened as a repository ({error.__cause__ or error}); "
            "move it away to start afresh, or point FOCUSCRAWL_DIR elsewhere"
        ) from error
    return connection


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """All or nothing, and no reader of another process sees a part of it."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")
