"""What changed on stored pages, and the versions of a page that are still there to be read."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from focuscrawl.dates import parse_date
from focuscrawl.repository.records import CONTENT_CHANGE, MINOR_CHANGE
from focuscrawl.repository.schema import copies, pages, visits
from focuscrawl.urls import url_id

SINCE_FORMS = "30m, 12h, 2d, 1w, 2026-11-18 or 2026-11-18T09:30 (UTC)"
_AGE = re.compile(r"([0-9]{1,6})([mhdw])")
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


class VersionError(ValueError):
    """A version that is not stored was asked for; the message says which are."""


@dataclass(frozen=True, slots=True)
class PageChange:
    """A visit that found a page changed; ``blocks`` are the headings of what changed."""

    at: float
    url: str
    title: str
    category: str
    change: str
    kinds: tuple[str, ...]
    blocks: tuple[str, ...]
    weight: float
    site: str


@dataclass(frozen=True, slots=True)
class Version:
    """A stored version of a page, by its number in the order of time."""

    number: int
    at: float
    copy: str


def since_time(text: str, now: float) -> float | None:
    """The moment that an age or a date names; None where it names none."""
    age = _AGE.fullmatch(text.strip())
    if age is not None:
        return now - int(age[1]) * _SECONDS[age[2]]
    return parse_date(text)


def page_changes(
    db: Connection,
    category: str | None = None,
    since: float | None = None,
    limit: int | None = None,
    *,
    minor: bool = False,
) -> list[PageChange]:
    """Changes of pages that a corpus kept at that visit, newest first; an alias has none."""
    shown = (CONTENT_CHANGE, MINOR_CHANGE) if minor else (CONTENT_CHANGE,)
    query = (
        select(
            visits.c.at, pages.c.url, pages.c.title, visits.c.category, visits.c.change,
            visits.c.kinds, visits.c.blocks, visits.c.weight, pages.c.site,
        )
        .join(pages, pages.c.id == visits.c.page)
        .where(visits.c.change.in_(shown), pages.c.alias_of.is_(None))
        .order_by(visits.c.at.desc(), visits.c.id.desc())
        .limit(limit)
    )  # fmt: skip
    if category is None:
        query = query.where(visits.c.category.is_not(None))
    else:
        query = query.where(visits.c.category == category)
    if since is not None:
        query = query.where(visits.c.at >= since)
    return [
        PageChange(
            at=row.at,
            url=row.url,
            title=row.title,
            category=row.category,
            change=row.change,
            kinds=tuple(row.kinds.split(",")) if row.kinds else (),
            blocks=tuple(row.blocks),
            weight=row.weight,
            site=row.site,
        )
        for row in db.execute(query)
    ]


def page_versions(db: Connection, url: str) -> list[Version]:
    """The versions of the page at a normalised URL that are stored now, oldest first."""
    rows = db.execute(
        select(visits.c.at, visits.c.copy)
        .join(copies, copies.c.digest == visits.c.copy)
        .where(visits.c.page == url_id(url))
        .order_by(visits.c.at, visits.c.id)
    )
    return [Version(number, row.at, row.copy) for number, row in enumerate(rows, 1)]


def version_body(db: Connection, version: Version) -> tuple[bytes, str]:
    """The bytes of a version as they were served, and their encoding."""
    row = db.execute(
        select(copies.c.body, copies.c.encoding).where(copies.c.digest == version.copy)
    ).one()
    return zlib.decompress(row.body), row.encoding


def two_versions(
    versions: Sequence[Version], older: int | None, newer: int | None
) -> tuple[Version, Version]:
    """Two versions by number, negative ones counted from the newest.

    Where only one is named, the other is the newest, or the one before it.
    """
    second = _version(versions, "--to", -1 if newer is None else newer)
    if older is None and second.number == 1:
        raise VersionError("--to: version 1 has none before it; say with --from what it replaces")
    first = _version(versions, "--from", second.number - 1 if older is None else older)
    return first, second


def _version(versions: Sequence[Version], option: str, number: int) -> Version:
    place = number - 1 if number > 0 else len(versions) + number
    if number == 0 or not 0 <= place < len(versions):
        raise VersionError(
            f"{option} {number}: stored are versions 1 to {len(versions)}; -1 is the newest"
        )
    return versions[place]
