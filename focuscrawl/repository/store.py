"""The repository of pages: one transaction per visit, nothing stored twice."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, literal_column, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from focuscrawl.changes.verdict import KINDS
from focuscrawl.repository.engine import open_connection, transaction
from focuscrawl.repository.history import History
from focuscrawl.repository.learned import Learned
from focuscrawl.repository.records import (
    CONTENT_CHANGE,
    MINOR_CHANGE,
    NO_CHANGE,
    NOTHING,
    Fetched,
    StoredPage,
)
from focuscrawl.repository.schema import (
    addresses,
    blocks,
    copies,
    links,
    near_misses,
    pages,
    visits,
)
from focuscrawl.repository.statements import Compiled
from focuscrawl.urls import site_of, url_id

_QUICK_COMPRESSION = 1

_PAGE_COLUMNS = (
    pages.c.id,
    pages.c.url,
    pages.c.category,
    pages.c.digest,
    pages.c.copy,
    pages.c.visits,
    pages.c.changes,
    pages.c.similarity,
)
_FIND_PAGE = select(*_PAGE_COLUMNS).where(pages.c.id == bindparam("key"))
_FIND_TEXT = (
    select(*_PAGE_COLUMNS)
    .where(pages.c.digest == bindparam("text"), pages.c.alias_of.is_(None))
    .where(pages.c.id != bindparam("key"), pages.c.category.is_not(None))
    .order_by(pages.c.first_visit)
)
_new_page = upsert(pages)
_SAVE_PAGE = _new_page.on_conflict_do_update(
    index_elements=[pages.c.id],
    set_={
        **{
            column.name: _new_page.excluded[column.name]
            for column in pages.columns
            if column.name not in ("id", "url", "site", "first_visit", "visits", "changes")
        },
        **{kind: pages.c[kind] + _new_page.excluded[kind] for kind in KINDS},
        "copy": func.coalesce(_new_page.excluded.copy, pages.c.copy),
        "last_change": func.coalesce(_new_page.excluded.last_change, pages.c.last_change),
        "visits": pages.c.visits + literal_column("1"),
        "changes": pages.c.changes + _new_page.excluded.changes,
    },
)
_new_near_miss = upsert(near_misses)
_SAVE_NEAR_MISS = _new_near_miss.on_conflict_do_update(
    index_elements=[near_misses.c.page],
    set_={name: _new_near_miss.excluded[name] for name in ("category", "phase", "counts")},
)
_VISIT_COLUMNS = [column.name for column in visits.columns if column.name != "id"]


def body_digest(body: bytes) -> str:
    """The name under which the bytes of a page are stored."""
    return blake2b(body, digest_size=16).hexdigest()


class Repository:
    """Pages by URL, copies by content."""

    def __init__(self, path: str | Path, keep_copies: int = 0, keep_days: float = 0) -> None:
        self.path = Path(path)
        self._db = open_connection(self.path)
        self.learned = Learned(self._db)
        self.history = History(self._db, keep_copies, keep_days)
        dialect = self._db.dialect
        self._find_page = Compiled(_FIND_PAGE, dialect)
        self._find_text = Compiled(_FIND_TEXT, dialect)
        self._save_page = Compiled(_SAVE_PAGE, dialect)
        self._save_visit = Compiled(insert(visits), dialect, _VISIT_COLUMNS)
        self._save_copy = Compiled(upsert(copies).on_conflict_do_nothing(), dialect)
        self._save_block = Compiled(insert(blocks), dialect)
        self._save_address = Compiled(upsert(addresses).on_conflict_do_nothing(), dialect)
        self._save_link = Compiled(upsert(links).on_conflict_do_nothing(), dialect)
        self._save_near_miss = Compiled(_SAVE_NEAR_MISS, dialect)

    def page(self, url: str) -> StoredPage | None:
        """What earlier visits to the URL left."""
        row = self._find_page.first(self._db, {"key": url_id(url)})
        return StoredPage(*row) if row else None

    def twin(self, digest: str, url: str) -> StoredPage | None:
        """The kept page at another URL whose text has this digest."""
        row = self._find_text.first(self._db, {"text": digest, "key": url_id(url)})
        return StoredPage(*row) if row else None

    def copy(self, digest: str) -> tuple[bytes, str]:
        """The bytes of a stored copy, and their encoding."""
        row = self._db.execute(
            select(copies.c.body, copies.c.encoding).where(copies.c.digest == digest)
        ).one()
        return zlib.decompress(row.body), row.encoding

    def note_unchanged(
        self, url: str, at: float, status: int, crawl: str, phase: int
    ) -> StoredPage | None:
        """A visit that was answered without a page, because the stored one still holds."""
        page = self.page(url)
        if page is None:
            return None
        with transaction(self._db):
            self._db.execute(
                update(pages)
                .where(pages.c.id == page.id)
                .values(visits=pages.c.visits + 1, last_visit=at)
            )
            self._db.execute(
                insert(visits).values(
                    page=page.id,
                    crawl=crawl,
                    phase=phase,
                    at=at,
                    status=status,
                    bytes=0,
                    change=NO_CHANGE,
                    digest=page.digest,
                    category=page.category,
                    similarity=page.similarity,
                )
            )
            if page.copy is not None:
                self.history.note(page.id, site_of(url), NOTHING, at)
        return page

    def save(self, visit: Fetched) -> StoredPage | None:
        """Record a visit; keep copy, blocks and links of a page that belongs to a corpus.

        Another process may have stored the same text under another address since this one
        looked: then the page becomes an alias of that one, which is returned.
        """
        with transaction(self._db):
            twin = None
            if visit.kept and visit.digest and visit.alias_of is None:
                twin = self.twin(visit.digest, visit.url)
                if twin is not None:
                    visit = replace(visit, alias_of=twin.id, links=())
            self._save(url_id(visit.url), visit)
        return twin

    def _save(self, key: int, visit: Fetched) -> None:
        before = self.page(visit.url)
        copy = None
        if visit.kept and visit.alias_of is None and _is_news(visit, before):
            copy = body_digest(visit.body)
            packed = zlib.compress(visit.body, _QUICK_COMPRESSION)
            row = (copy, packed, visit.encoding, len(visit.body), visit.at)
            self._save_copy.run_many(self._db, [row])
        self._save_page.run(self._db, _page_row(key, copy, visit))
        self._save_visit.run(self._db, _visit_row(key, copy, visit))
        if before is not None:
            self._make_room(key, visit, before, copy)
        if copy is not None:
            self._save_block.run_many(self._db, [(key, *block) for block in visit.blocks])
        if visit.links:
            self._save_address.run_many(self._db, [(row.target, row.url) for row in visit.links])
            self._save_link.run_many(
                self._db, [(key, row.target, row.anchor, row.block) for row in visit.links]
            )
        if visit.near_miss is not None:
            counted = json.dumps(visit.near_miss)
            self._save_near_miss.run_many(self._db, [(key, visit.category, visit.phase, counted)])

    def _make_room(self, key: int, visit: Fetched, before: StoredPage, copy: str | None) -> None:
        """For what this visit puts in the place of what an earlier one left."""
        if copy is not None:
            self._db.execute(delete(blocks).where(blocks.c.page == key))
        if visit.links:
            self._db.execute(delete(links).where(links.c.source == key))
        if visit.kept:
            self._db.execute(delete(near_misses).where(near_misses.c.page == key))
        if before.copy is not None:
            self.history.note(key, visit.site, visit.verdict, visit.at)
        if copy is not None:
            self.history.prune(key, visit.at, before.copy)

    def close(self) -> None:
        self._db.close()
        self._db.engine.dispose()


def _is_news(visit: Fetched, before: StoredPage | None) -> bool:
    return before is None or before.copy is None or visit.change != NO_CHANGE


def _page_row(key: int, copy: str | None, visit: Fetched) -> dict[str, Any]:
    changed = visit.change == CONTENT_CHANGE
    return {
        "id": key,
        "url": visit.url,
        "site": visit.site,
        "title": visit.title,
        "category": visit.category if visit.kept else None,
        "similarity": visit.similarity,
        "scores": json.dumps(visit.scores),
        "threshold": visit.threshold,
        "rule": visit.rule,
        "relevance": visit.relevance,
        "anchor": visit.anchor,
        "digest": visit.digest,
        "copy": copy,
        "alias_of": visit.alias_of,
        "words": visit.words,
        "first_visit": visit.at,
        "last_visit": visit.at,
        "last_change": visit.at if changed else None,
        "visits": 1,
        "changes": int(changed),
        **{kind: int(getattr(visit.verdict, kind)) for kind in KINDS},
    }


def _visit_row(key: int, copy: str | None, visit: Fetched) -> dict[str, Any]:
    return {
        "page": key,
        "crawl": visit.crawl,
        "phase": visit.phase,
        "at": visit.at,
        "status": visit.status,
        "bytes": len(visit.body),
        "change": visit.change,
        "digest": visit.digest,
        "category": visit.category if visit.kept else None,
        "similarity": visit.similarity,
        "kinds": ",".join(visit.verdict.kinds),
        "weight": visit.weight,
        "blocks": json.dumps([block.heading for block in visit.verdict.blocks]),
        "copy": copy if visit.change != MINOR_CHANGE else None,
    }
