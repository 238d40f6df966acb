"""Statements that run for every page, compiled once.

SQLAlchemy looks each statement up in a cache, and builds its parameters anew, on every
execution; on a page's fifty rows that costs more than SQLite takes to write them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, CursorResult, Dialect, Executable


class Compiled:
    """A statement as text and the order of its parameters."""

    def __init__(
        self, statement: Executable, dialect: Dialect, columns: Sequence[str] | None = None
    ) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=columns)  # type: ignore[attr-defined]
        self._text = str(compiled)
        self._names: tuple[str, ...] = tuple(compiled.positiontup or ())

    def run(self, connection: Connection, values: Mapping[str, Any]) -> CursorResult[Any]:
        """Once, with the values by name."""
        return connection.exec_driver_sql(self._text, tuple([values[name] for name in self._names]))

    def first(self, connection: Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row found, if any."""
        row = self.run(connection, values).first()
        return tuple(row) if row is not None else None

    def run_many(self, connection: Connection, rows: Iterable[tuple[Any, ...]]) -> None:
        """Once a row; the rows hold the values in the order of the columns."""
        given = list(rows)
        if given:
            connection.exec_driver_sql(self._text, given)
