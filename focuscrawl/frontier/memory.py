"""From the frontier's table to a revisit policy: the pages that rest, and their past visits."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from urllib.parse import urlsplit

from focuscrawl.frontier.hinting import DATED
from focuscrawl.hints import STATIC_SECONDS
from focuscrawl.revisit.pages import Known
from focuscrawl.revisit.policy import DAY, Past, Policy

MEMORY_DAYS = 365.0
"""Visits longer ago teach nothing any more."""
RESTING = "category = ? AND state = 3 AND revisit = 1"
_KINDS = ", ".join(f"'{kind}'" for kind in sorted(DATED))
_MOVED = f"lastmod IS NOT NULL AND hint IN ({_KINDS}) AND lastmod > coalesce(lastmod_seen, visited)"


def teach(policy: Policy, db: sqlite3.Connection, category: str, now: float) -> None:
    """Let a policy know all that the category knows of its pages, up to now."""
    policy.add(list(_resting(db, category, now)))
    policy.remember(past_visits(db, category, 0.0, now))
    for site, moved in _dated(db, category).items():
        policy.has_sitemap(site, now)
        policy.has_read(site, moved, now, complete=False)


def forget_old(db: sqlite3.Connection, category: str, now: float) -> None:
    db.execute(
        "DELETE FROM history WHERE category = ? AND at < ?", (category, now - MEMORY_DAYS * DAY)
    )


def weight(importance: float, visits: int, changes: int) -> float:
    """What a page's freshness is worth: its similarity to the topic, more if its topical part is
    seen to change."""
    dynamicity = (changes + 1) / (max(visits - 1, 0) + 2)
    return max(importance, 0.01) * (1 + dynamicity) / 1.5


def section(url: str) -> str:
    """The first folder of a page's path."""
    folders = urlsplit(url).path.strip("/").split("/")[:-1]
    return folders[0] if folders else ""


def _resting(db: sqlite3.Connection, category: str, now: float) -> Iterator[Known]:
    """Each page with the time of the oldest visit that is remembered."""
    first = dict(
        db.execute("SELECT id, MIN(at) FROM history WHERE category = ? GROUP BY id", (category,))
    )
    rows = db.execute(
        "SELECT id, url, host, importance, visits, changes, visited, change_interval "
        f"FROM urls WHERE {RESTING}",
        (category,),
    )
    for key, url, host, importance, visits, changes, visited, interval in rows:
        yield Known(
            key,
            host,
            section(url),
            weight(importance, visits, changes),
            first.get(key, visited if visited is not None else now),
            None if interval is None else min(interval, STATIC_SECONDS),
        )


def past_visits(
    db: sqlite3.Connection, category: str, since: float, until: float
) -> Iterator[Past]:
    """Visits but for each page's first, which there is nothing to compare with."""
    met: set[int] = set()
    rows = db.execute(
        "SELECT history.id, host, at, changed, dated FROM history "
        "JOIN urls ON urls.id = history.id WHERE history.category = ? AND at <= ? ORDER BY at",
        (category, until),
    )
    for key, host, at, changed, dated in rows:
        if key in met and at >= since:
            yield Past(key, host, at, bool(changed), None if dated is None else bool(dated))
        met.add(key)


def _dated(db: sqlite3.Connection, category: str) -> dict[str, list[int]]:
    """By site with dates: the pages whose dates moved since their last visit."""
    sites: dict[str, list[int]] = {}
    rows = db.execute(
        f"SELECT host, id, {_MOVED} FROM urls WHERE {RESTING} AND lastmod IS NOT NULL "
        f"AND hint IN ({_KINDS})",
        (category,),
    )
    for host, key, moved in rows:
        sites.setdefault(host, []).extend([key] if moved else [])
    return sites
