"""How the repository's SQLite file is opened, shared and written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event, inspect
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import StaticPool
from sqlalchemy.schema import CreateColumn

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
            _add_missing_columns(connection)
            schema.metadata.create_all(connection)
            connection.exec_driver_sql(schema.LINK_LIST)
    except (DatabaseError, OSError) as error:
        raise RepositoryError(
            f"{path}: cannot be opened as a repository ({error.__cause__ or error}); "
            "move it away to start afresh, or point FOCUSCRAWL_DIR elsewhere"
        ) from error
    return connection


def _add_missing_columns(connection: Connection) -> None:
    """A store of an older release gets the columns that came later; nothing in it is lost."""
    found = inspect(connection)
    tables = set(found.get_table_names())
    for table in schema.metadata.tables.values():
        if table.name not in tables:
            continue
        known = {column["name"] for column in found.get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                ddl = CreateColumn(column).compile(dialect=connection.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {ddl}")
        for index in table.indexes:
            index.create(connection, checkfirst=True)


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
