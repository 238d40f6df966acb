"""What the repository holds, for people to read: opened read-only, so no crawl is disturbed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, case, create_engine, func, select, union
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

from focuscrawl.repository.engine import RepositoryError
from focuscrawl.repository.records import CONTENT_CHANGE
from focuscrawl.repository.schema import pages, phases, terms, visits
from focuscrawl.urls import url_id

LAST_VISITS = 5


def utc(at: float | None) -> str | None:
    """A stored time as people and other programs read it: ISO 8601, UTC."""
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """A connection that cannot write and sees one state of the store, however long it reads."""
    if not path.is_file():
        raise RepositoryError(
            f"{path}: no repository there; crawl first (scrapy crawl sports), "
            "or point FOCUSCRAWL_DIR at the store"
        )
    uri = f"{path.absolute().as_uri()}?mode=ro"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(uri, uri=True, timeout=60, isolation_level=None)

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            yield connection
    except (DatabaseError, sqlite3.DatabaseError) as error:
        if "no such column" in str(error):
            raise RepositoryError(
                f"{path}: written by an older focuscrawl; the next crawl brings it up to date"
            ) from error
        raise RepositoryError(
            f"{path}: cannot be read as a repository ({error.__cause__ or error}); "
            "point FOCUSCRAWL_DIR at the store"
        ) from error


@dataclass(frozen=True, slots=True)
class PageVisit:
    """One visit to a page."""

    at: float
    crawl: str
    phase: int
    status: int
    change: str
    category: str | None
    similarity: float


@dataclass(frozen=True, slots=True)
class PageReport:
    """All that the repository knows of one page; ``last_visits`` newest first."""

    url: str
    title: str
    category: str | None
    similarity: float
    scores: dict[str, float]
    threshold: float
    rule: str
    alias_of: str | None
    first_visit: float
    last_visit: float
    last_change: float | None
    visits: int
    changes: int
    last_visits: tuple[PageVisit, ...]


@dataclass(frozen=True, slots=True)
class PhaseReport:
    """One phase of a crawl; ``harvest`` is the share of fetched pages that were kept."""

    number: int
    started: float
    ended: float | None
    reason: str | None
    fetched: int
    kept: int
    harvest: float | None


@dataclass(frozen=True, slots=True)
class TermReport:
    """A term that a crawl learned."""

    stem: str
    weight: float
    count: int
    phase: int
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class CategoryReport:
    """What is stored of one category; no threshold until a phase has written one down."""

    category: str
    kept: int
    aliases: int
    visits: int
    changes: int
    threshold: float | None
    threshold_source: str | None
    phases: tuple[PhaseReport, ...]
    terms: tuple[TermReport, ...]


def page_report(db: Connection, url: str) -> PageReport | None:
    """The page at a normalised URL, with its newest visits."""
    original = pages.alias("original")
    row = db.execute(
        select(pages, original.c.url.label("original"))
        .outerjoin(original, original.c.id == pages.c.alias_of)
        .where(pages.c.id == url_id(url))
    ).first()
    if row is None:
        return None
    return PageReport(
        url=row.url,
        title=row.title,
        category=row.category,
        similarity=row.similarity,
        scores=row.scores,
        threshold=row.threshold,
        rule=row.rule,
        alias_of=row.original,
        first_visit=row.first_visit,
        last_visit=row.last_visit,
        last_change=row.last_change,
        visits=row.visits,
        changes=row.changes,
        last_visits=_last_visits(db, row.id),
    )


def _last_visits(db: Connection, page: int) -> tuple[PageVisit, ...]:
    names = ("at", "crawl", "phase", "status", "change", "category", "similarity")
    rows = db.execute(
        select(*(visits.c[name] for name in names))
        .where(visits.c.page == page)
        .order_by(visits.c.id.desc())
        .limit(LAST_VISITS)
    )
    return tuple(PageVisit(*row) for row in rows)


def crawled(db: Connection) -> list[str]:
    """The categories that crawls were started for, or that have pages or terms in the store."""
    named = union(
        select(phases.c.crawl),
        select(pages.c.category).where(pages.c.category.is_not(None)),
        select(terms.c.category),
    )
    return sorted(db.execute(named).scalars())


def category_report(db: Connection, category: str) -> CategoryReport:
    """What is stored of the category, and what its crawls have learned."""
    own = select(func.count()).where(pages.c.category == category, pages.c.alias_of.is_(None))
    original = pages.alias("original")
    aliases = (
        select(func.count())
        .select_from(pages.join(original, original.c.id == pages.c.alias_of))
        .where(original.c.category == category)
    )
    has_changed = case((visits.c.change == CONTENT_CHANGE, 1), else_=0)
    made, changed = db.execute(
        select(func.count(), func.coalesce(func.sum(has_changed), 0)).where(
            visits.c.crawl == category
        )
    ).one()
    run = db.execute(select(phases).where(phases.c.crawl == category).order_by(phases.c.number))
    rows = run.all()
    threshold = rows[-1].thresholds.get(category, {}) if rows else {}
    return CategoryReport(
        category=category,
        kept=db.execute(own).scalar_one(),
        aliases=db.execute(aliases).scalar_one(),
        visits=made,
        changes=changed,
        threshold=threshold.get("value"),
        threshold_source=threshold.get("source"),
        phases=tuple(_phase(row) for row in rows),
        terms=_terms(db, category),
    )


def _phase(row: Any) -> PhaseReport:
    harvest = row.kept / row.fetched if row.fetched else None
    return PhaseReport(
        row.number, row.started, row.ended, row.reason, row.fetched, row.kept, harvest
    )


def _terms(db: Connection, category: str) -> tuple[TermReport, ...]:
    columns = (terms.c.stem, terms.c.weight, terms.c.count, terms.c.phase, terms.c.withdrawn)
    rows = db.execute(
        select(*columns)
        .where(terms.c.category == category)
        .order_by(terms.c.phase, terms.c.count.desc(), terms.c.stem)
    )
    return tuple(TermReport(*row) for row in rows)
