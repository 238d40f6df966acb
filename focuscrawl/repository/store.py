"""The repository of pages: one transaction per visit, nothing stored twice."""

from __future__ import annotations

import zlib
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam, case, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from focuscrawl.repository.engine import open_connection, transaction
from focuscrawl.repository.learned import Learned
from focuscrawl.repository.records import Fetched, StoredPage
from focuscrawl.repository.schema import (
    addresses,
    blocks,
    copies,
    links,
    near_misses,
    pages,
    visits,
)
from focuscrawl.urls import url_id

NO_CHANGE = "none"
NEW_PAGE = "new"
_QUICK_COMPRESSION = 1

_PAGE_COLUMNS = (
    pages.c.id,
    pages.c.url,
    pages.c.category,
    pages.c.digest,
    pages.c.copy,
    pages.c.visits,
    pages.c.changes,
)
_FIND_PAGE = select(*_PAGE_COLUMNS).where(pages.c.id == bindparam("key"))
_FIND_TEXT = (
    select(*_PAGE_COLUMNS)
    .where(pages.c.digest == bindparam("text"), pages.c.alias_of.is_(None))
    .where(pages.c.id != bindparam("key"), pages.c.category.is_not(None))
    .order_by(pages.c.first_visit)
    .limit(1)
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
        "copy": func.coalesce(_new_page.excluded.copy, pages.c.copy),
        "last_change": func.coalesce(_new_page.excluded.last_change, pages.c.last_change),
        "visits": pages.c.visits + 1,
        "changes": pages.c.changes + case((_new_page.excluded.last_change.is_(None), 0), else_=1),
    },
)
_SAVE_COPY = upsert(copies).on_conflict_do_nothing()
_SAVE_ADDRESS = upsert(addresses).on_conflict_do_nothing()
_SAVE_LINK = upsert(links).on_conflict_do_nothing()
_SAVE_VISIT = insert(visits)
_SAVE_BLOCK = insert(blocks)
_SAVE_NEAR_MISS = upsert(near_misses)
_SAVE_NEAR_MISS = _SAVE_NEAR_MISS.on_conflict_do_update(
    index_elements=[near_misses.c.page],
    set_={name: _SAVE_NEAR_MISS.excluded[name] for name in ("category", "phase", "counts")},
)
_DROP_BLOCKS = delete(blocks).where(blocks.c.page == bindparam("key"))
_DROP_LINKS = delete(links).where(links.c.source == bindparam("key"))
_DROP_NEAR_MISS = delete(near_misses).where(near_misses.c.page == bindparam("key"))
_LINKS_OF = select(links.c.target).where(links.c.source == bindparam("key"))


def body_digest(body: bytes) -> str:
    """The name under which the bytes of a page are stored."""
    return blake2b(body, digest_size=16).hexdigest()


class Repository:
    """Pages by URL, copies by content."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db = open_connection(self.path)
        self.learned = Learned(self._db)

    def page(self, url: str) -> StoredPage | None:
        """What earlier visits to the URL left."""
        row = self._db.execute(_FIND_PAGE, {"key": url_id(url)}).first()
        return StoredPage(*row) if row else None

    def twin(self, digest: str, url: str) -> StoredPage | None:
        """The kept page at another URL whose text has this digest."""
        row = self._db.execute(_FIND_TEXT, {"text": digest, "key": url_id(url)}).first()
        return StoredPage(*row) if row else None

    def link_targets(self, page: int) -> set[int]:
        """The ids of all addresses that the page linked to when last stored."""
        return set(self._db.execute(_LINKS_OF, {"key": page}).scalars())

    def body(self, copy: str) -> bytes:
        """The bytes of a stored copy."""
        packed = self._db.execute(select(copies.c.body).where(copies.c.digest == copy)).scalar_one()
        return zlib.decompress(packed)

    def save(self, visit: Fetched) -> None:
        """Record a visit; keep copy, blocks and links of a page that belongs to a corpus."""
        key = url_id(visit.url)
        stores_content = visit.kept and visit.alias_of is None
        copy = body_digest(visit.body) if stores_content and visit.change != NO_CHANGE else None
        with transaction(self._db):
            if copy is not None:
                self._save_copy(copy, visit)
            self._db.execute(_SAVE_PAGE, _page_row(key, copy, visit))
            self._db.execute(_SAVE_VISIT, _visit_row(key, visit))
            if copy is not None:
                self._replace_blocks(key, visit)
            if visit.links:
                self._replace_links(key, visit)
            self._save_near_miss(key, visit)

    def _save_copy(self, digest: str, visit: Fetched) -> None:
        self._db.execute(
            _SAVE_COPY,
            {
                "digest": digest,
                "body": zlib.compress(visit.body, _QUICK_COMPRESSION),
                "encoding": visit.encoding,
                "bytes": len(visit.body),
                "stored": visit.at,
            },
        )

    def _replace_blocks(self, key: int, visit: Fetched) -> None:
        if visit.change != NEW_PAGE:
            self._db.execute(_DROP_BLOCKS, {"key": key})
        if visit.blocks:
            self._db.execute(_SAVE_BLOCK, [{"page": key, **row._asdict()} for row in visit.blocks])

    def _replace_links(self, key: int, visit: Fetched) -> None:
        if visit.change != NEW_PAGE:
            self._db.execute(_DROP_LINKS, {"key": key})
        self._db.execute(_SAVE_ADDRESS, [{"id": row.target, "url": row.url} for row in visit.links])
        self._db.execute(
            _SAVE_LINK,
            [
                {"source": key, "target": row.target, "anchor": row.anchor, "block": row.block}
                for row in visit.links
            ],
        )

    def _save_near_miss(self, key: int, visit: Fetched) -> None:
        if visit.near_miss is not None:
            row = {"page": key, "category": visit.category, "phase": visit.phase}
            self._db.execute(_SAVE_NEAR_MISS, {**row, "counts": dict(visit.near_miss)})
        elif visit.kept and visit.change != NEW_PAGE:
            self._db.execute(_DROP_NEAR_MISS, {"key": key})

    def close(self) -> None:
        self._db.close()
        self._db.engine.dispose()


def _page_row(key: int, copy: str | None, visit: Fetched) -> dict[str, Any]:
    changed = visit.change not in (NO_CHANGE, NEW_PAGE)
    return {
        "id": key,
        "url": visit.url,
        "site": visit.site,
        "title": visit.title,
        "category": visit.category if visit.kept else None,
        "similarity": visit.similarity,
        "scores": dict(visit.scores),
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
        "changes": 0,
    }


def _visit_row(key: int, visit: Fetched) -> dict[str, Any]:
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
    }
