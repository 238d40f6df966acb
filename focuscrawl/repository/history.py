"""How pages change over time: dynamic parts, noisy places of a site, old versions."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, delete, exists, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from focuscrawl.changes.noise import MEMORY, PlaceRecord, noisy
from focuscrawl.changes.verdict import Verdict
from focuscrawl.repository.schema import copies, pages, parts, places, sites, visits
from focuscrawl.structure import Part

DAY = 86_400.0

_new_part = upsert(parts)
_NOTE_PART = _new_part.on_conflict_do_update(
    index_elements=[parts.c.page, parts.c.path],
    set_={
        "text": _new_part.excluded.text,
        "changed": _new_part.excluded.changed,
        "counter": parts.c.counter + 1,
    },
)
_new_place = upsert(places)
_NOTE_PLACE = _new_place.on_conflict_do_update(
    index_elements=[places.c.site, places.c.place],
    set_={
        "changes": places.c.changes + 1,
        "pages": places.c.pages + (places.c.last_page != _new_place.excluded.last_page),
        "last_page": _new_place.excluded.last_page,
    },
)
_NOTE_SITE = upsert(sites).on_conflict_do_update(
    index_elements=[sites.c.site], set_={"comparisons": sites.c.comparisons + 1}
)
_VERSIONS = (
    select(visits.c.id, visits.c.at, visits.c.copy)
    .where(visits.c.page == bindparam("page"), visits.c.copy.is_not(None))
    .order_by(visits.c.at.desc(), visits.c.id.desc())
)


class History:
    """Written inside the repository's transactions."""

    def __init__(self, connection: Connection, keep_copies: int, keep_days: float) -> None:
        self._db = connection
        self._keep_copies = keep_copies
        self._keep_days = keep_days
        self._noise: dict[str, frozenset[str]] = {}

    def parts(self, page: int) -> list[Part]:
        """The parts of the page that were seen to change most often."""
        rows = self._db.execute(
            select(parts.c.path, parts.c.text, parts.c.counter)
            .where(parts.c.page == page)
            .order_by(parts.c.counter.desc())
        ).all()
        return [Part(row.path, row.text) for row in rows if row.counter == rows[0].counter]

    def noise(self, site: str) -> frozenset[str]:
        """The places of the site's pages that change without meaning."""
        known = self._noise.get(site)
        if known is None:
            compared = self._db.execute(
                select(sites.c.comparisons).where(sites.c.site == site)
            ).scalar()
            rows = self._db.execute(select(places).where(places.c.site == site)).all()
            records = [PlaceRecord(row.place, row.changes, row.pages) for row in rows]
            known = self._noise[site] = noisy(records, compared or 0)
        return known

    def note(self, page: int, site: str, verdict: Verdict, at: float) -> None:
        """Remember where a comparison found changes."""
        self._fade(site)
        self._db.execute(_NOTE_SITE, {"site": site, "comparisons": 1})
        if verdict.parts:
            self._db.execute(
                _NOTE_PART,
                [
                    {
                        "page": page,
                        "path": part.path,
                        "text": part.text,
                        "counter": 1,
                        "changed": at,
                    }
                    for part in verdict.parts
                ],
            )
        if verdict.places:
            row = {"site": site, "changes": 1, "pages": 1, "last_page": page}
            self._db.execute(_NOTE_PLACE, [{**row, "place": place} for place in verdict.places])
            self._noise.pop(site, None)

    def _fade(self, site: str) -> None:
        """Halve what is remembered of a site's places once it is long enough ago."""
        compared = self._db.execute(select(sites.c.comparisons).where(sites.c.site == site))
        if (compared.scalar() or 0) >= MEMORY:
            halved = {"comparisons": sites.c.comparisons / 2}
            self._db.execute(update(sites).where(sites.c.site == site).values(halved))
            halved = {"changes": places.c.changes / 2}
            self._db.execute(update(places).where(places.c.site == site).values(halved))

    def prune(self, page: int, now: float, replaced: str | None) -> None:
        """Forget versions that are too many or too old, and copies that nothing names any more."""
        versions = self._db.execute(_VERSIONS, {"page": page}).all()
        oldest = now - self._keep_days * DAY if self._keep_days else float("-inf")
        surplus = [
            row
            for number, row in enumerate(versions)
            if (self._keep_copies and number >= self._keep_copies) or row.at < oldest
        ]
        if surplus:
            ids = [row.id for row in surplus]
            self._db.execute(update(visits).where(visits.c.id.in_(ids)).values(copy=None))
        candidates = {row.copy for row in surplus} | ({replaced} if replaced else set())
        if candidates:
            named = exists().where(pages.c.copy == copies.c.digest)
            kept = exists().where(visits.c.copy == copies.c.digest)
            self._db.execute(delete(copies).where(copies.c.digest.in_(candidates), ~named, ~kept))
