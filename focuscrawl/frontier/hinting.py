"""Hints about known URLs: kept beside them, believed as far as their site has earned it.

A page that a trusted hint calls unchanged is left out of the phase, and the fetch is saved;
a few of them are fetched all the same, because a hint that is never checked cannot be caught
lying.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from focuscrawl.frontier.records import Said
from focuscrawl.trust import BELIEVED, Record, trust
from focuscrawl.urls import url_id

AUDITS = 4
"""Pages per site and phase that are fetched though a hint says "same"."""
AUDIT_SHARE = 20
"""Beyond those, one page in so many."""
DATED = frozenset(("lastmod", "feed"))
"""Kinds of hints that set a date against a date."""
_CHUNK = 500


class UrlHint(NamedTuple):
    """What a sitemap or a feed says of one URL."""

    url: str
    lastmod: float | None = None
    interval: float | None = None


class Known(NamedTuple):
    """The hints that stand beside a URL that was fetched before."""

    visited: float | None
    lastmod: float | None
    lastmod_seen: float | None
    interval: float | None
    fresh_until: float | None
    kind: str


HINT_COLUMNS = "visited, lastmod, lastmod_seen, change_interval, fresh_until, hint"


def said(known: Known, now: float) -> Said:
    """The hint that speaks about the page, and whether it says "changed".

    A date is set against the date that stood there at the last visit, where there was one:
    the site's clock and ours need not agree.
    """
    seen = known.visited if known.lastmod_seen is None else known.lastmod_seen
    if known.lastmod is not None and seen is not None:
        return known.kind or "lastmod", known.lastmod > seen
    if known.fresh_until is not None and known.fresh_until > now:
        return "headers", False
    if known.interval is not None and known.visited is not None:
        return "changefreq", known.visited + known.interval <= now
    return None


class Hints:
    """The hints of one category's URLs, and the trust of all sites."""

    def __init__(
        self,
        db: sqlite3.Connection,
        category: str,
        clock: Callable[[], float],
        are_believed: bool = True,
    ) -> None:
        self._db = db
        self._category = category
        self._clock = clock
        self._are_believed = are_believed
        self._audited: dict[str, set[int]] = {}
        self._records: dict[tuple[str, str], Record] = {}
        self.saved = 0

    def begin_phase(self) -> None:
        """What other processes learned is read anew; audits start from zero."""
        self._records.clear()
        self._audited.clear()

    def trust(self, site: str, kind: str) -> float:
        return trust(self._record(site, kind))

    def is_due(self, key: int, host: str, known: Known, phase: int) -> tuple[bool, Said]:
        """Whether the page is to be fetched, and what the hint said of it."""
        word = said(known, self._clock()) if self._are_believed else None
        if word is None:
            return True, None
        kind, changed = word
        if changed or self.trust(host, kind) < BELIEVED:
            return True, word
        return self._is_audited(key, host) or (key ^ phase) % AUDIT_SHARE == 0, word

    def _is_audited(self, key: int, host: str) -> bool:
        audited = self._audited.setdefault(host, set())
        if key not in audited and len(audited) < AUDITS:
            audited.add(key)
        return key in audited

    def check(self, host: str, word: Said, was_changed: bool) -> None:
        """A visit showed whether the hint was right."""
        if word is None:
            return
        kind, changed = word
        after = self._record(host, kind).after(said_changed=changed, was_changed=was_changed)
        self._records[host, kind] = after
        self._db.execute(
            "INSERT OR REPLACE INTO trust VALUES (?, ?, ?, ?, ?, ?)",
            (
                host,
                kind,
                after.said_changed_was_changed,
                after.said_changed_was_same,
                after.said_same_was_same,
                after.said_same_was_changed,
            ),
        )

    def note(self, hints: Sequence[UrlHint], kind: str) -> tuple[list[UrlHint], list[int]]:
        """Write hints beside known URLs; returns those of unknown ones, and the ids that moved."""
        by_id = {url_id(hint.url, self._category): hint for hint in hints}
        known = self._seen(list(by_id))
        moved = [
            key
            for key, (lastmod, visits) in known.items()
            if visits and (by_id[key].lastmod or 0.0) > (lastmod or 0.0)
        ]
        self._db.executemany(
            "UPDATE urls SET lastmod = coalesce(?, lastmod), "
            "change_interval = coalesce(?, change_interval), hint = ? WHERE id = ?",
            [(by_id[key].lastmod, by_id[key].interval, kind, key) for key in known],
        )
        return [hint for key, hint in by_id.items() if key not in known], moved

    def _seen(self, keys: Sequence[int]) -> dict[int, tuple[float | None, int]]:
        found: dict[int, tuple[float | None, int]] = {}
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            for key, lastmod, visits in self._db.execute(
                f"SELECT id, lastmod, visits FROM urls WHERE id IN ({marks})", chunk
            ):
                found[key] = (lastmod, visits)
        return found

    def _record(self, site: str, kind: str) -> Record:
        record = self._records.get((site, kind))
        if record is None:
            row = self._db.execute(
                "SELECT said_changed_was_changed, said_changed_was_same, said_same_was_same, "
                "said_same_was_changed FROM trust WHERE site = ? AND kind = ?",
                (site, kind),
            ).fetchone()
            record = self._records[site, kind] = Record(*row) if row else Record()
        return record
