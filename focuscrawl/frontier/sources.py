"""The sitemaps and feeds that a crawl has met, to be read again in its next phase."""

from __future__ import annotations

import sqlite3

from focuscrawl.sources import Source


class SourceBook:
    """Each write is a transaction of its own: a source read twice does no harm."""

    def __init__(self, db: sqlite3.Connection, category: str) -> None:
        self._db = db
        self._category = category

    def unread(self, phase: int) -> list[Source]:
        """What was met and is still to be read in this phase."""
        rows = self._db.execute(
            "SELECT url, site, kind, depth, etag, modified FROM sources "
            "WHERE category = ? AND phase < ? ORDER BY site, depth, url",
            (self._category, phase),
        )
        return [Source(*row) for row in rows]

    def was_read(self, url: str, phase: int) -> bool:
        row = self._db.execute(
            "SELECT 1 FROM sources WHERE category = ? AND url = ? AND phase = ?",
            (self._category, url, phase),
        ).fetchone()
        return row is not None

    def add(self, source: Source) -> bool:
        """Remember a source; False: it was known."""
        cursor = self._db.execute(
            "INSERT OR IGNORE INTO sources (category, url, site, kind, depth) "
            "VALUES (?, ?, ?, ?, ?)",
            (self._category, source.url, source.site, source.kind, source.depth),
        )
        return cursor.rowcount > 0

    def note(self, source: Source, phase: int, pages: int | None, problem: str) -> None:
        """What a reading came to; the source brings the validators of the new answer."""
        self._db.execute(
            "UPDATE sources SET etag = ?, modified = ?, pages = coalesce(?, pages), problem = ?, "
            "phase = ? WHERE category = ? AND url = ?",
            (source.etag, source.modified, pages, problem, phase, self._category, source.url),
        )
