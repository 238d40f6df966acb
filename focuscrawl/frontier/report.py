"""What the frontier knows, for people to read: opened read-only, so no crawl is disturbed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from focuscrawl.frontier.adding import KNOWLEDGE_COLUMNS
from focuscrawl.frontier.hinting import HINT_COLUMNS, Known, said
from focuscrawl.frontier.priority import LINK_SCORE, Knowledge, Ordering
from focuscrawl.frontier.records import KnownUrl, State
from focuscrawl.frontier.schema import FORMAT, FrontierError
from focuscrawl.trust import BELIEVED, Record, trust
from focuscrawl.urls import url_id

_OTHER_COLUMNS = (
    "category, state, priority, anchor, parent, parents, occurrences, visited, kept, attempts, "
    "due, rule, alias_of, terms"
)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write, and never makes a file that is not there."""
    if not path.is_file():
        raise FrontierError(
            f"{path}: no frontier there; crawl first (scrapy crawl sports), "
            "or point FOCUSCRAWL_DIR at the store"
        )
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=60)) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version > FORMAT:
                raise FrontierError(
                    f"{path}: written by a newer focuscrawl (format {version}); upgrade"
                )
            if version < FORMAT:
                raise FrontierError(
                    f"{path}: written by an older focuscrawl (format {version}); "
                    "the next crawl brings it up to date"
                )
            yield db
    except sqlite3.DatabaseError as error:
        raise FrontierError(
            f"{path}: cannot be read as a frontier ({error}); point FOCUSCRAWL_DIR at the store"
        ) from error


def known_urls(
    db: sqlite3.Connection,
    url: str,
    categories: Iterable[str],
    ordering: Ordering,
    now: float,
    names: Sequence[str] = (),
) -> list[KnownUrl]:
    """What each of the categories knows of a normalised URL; those that know nothing are left out.

    The categories are asked one by one, because rows are found by URL and category. ``names``
    are those of the terms that a link scorer keeps.
    """
    found = (
        _known_url(db, url, category, ordering, now, names) for category in sorted(set(categories))
    )
    return [known for known in found if known is not None]


def _known_url(
    db: sqlite3.Connection,
    url: str,
    category: str,
    ordering: Ordering,
    now: float,
    names: Sequence[str],
) -> KnownUrl | None:
    row = db.execute(
        f"SELECT {_OTHER_COLUMNS}, {KNOWLEDGE_COLUMNS}, host, {HINT_COLUMNS} FROM urls "
        "WHERE id = ?",
        (url_id(url, category),),
    ).fetchone()
    if row is None:
        return None
    width = _OTHER_COLUMNS.count(",") + 1
    *known, host = row[width : -len(Known._fields)]
    hints = Known(*row[-len(Known._fields) :])
    _, state, stored, anchor, parent, parents, occurrences, visited, kept, *rest = row[:width]
    attempts, due, rule, alias_of, kept_terms = rest
    word = said(hints, now) if visited else None
    trusted = _trust(db, host, word[0]) if word else None
    knowledge = Knowledge(*known)
    if word and trusted and trusted >= BELIEVED and word[1]:
        knowledge = knowledge._replace(hint=trusted)
    terms = _by_name(ordering.terms(knowledge), kept_terms, names)
    return KnownUrl(
        url=url,
        category=category,
        state=State(state),
        priority=sum(terms.values()),
        terms=terms,
        stored_priority=stored,
        ahead=_ahead(db, category, stored) if state == State.QUEUED else None,
        anchor=anchor,
        parent=parent,
        level=knowledge.level,
        depth=knowledge.depth,
        seed=bool(knowledge.seed),
        found=knowledge.found,
        parents=parents,
        occurrences=occurrences,
        visits=knowledge.visits,
        visited=visited,
        changes=knowledge.changes,
        kept=bool(kept),
        importance=knowledge.importance,
        attempts=attempts,
        due=due,
        rule=rule,
        alias_of=alias_of,
        said=word,
        trust=trusted,
    )


def _by_name(terms: dict[str, float], kept: str, names: Sequence[str]) -> dict[str, float]:
    """The link score by its parts, where they were kept and have names."""
    parts = json.loads(kept) if kept else []
    total = sum(parts)
    if LINK_SCORE not in terms or len(parts) != len(names) or not total:
        return terms
    factor = terms[LINK_SCORE] / total
    rest = {name: value for name, value in terms.items() if name != LINK_SCORE}
    return {name: part * factor for name, part in zip(names, parts, strict=True)} | rest


def _trust(db: sqlite3.Connection, site: str, kind: str) -> float:
    row = db.execute(
        "SELECT said_changed_was_changed, said_changed_was_same, said_same_was_same, "
        "said_same_was_changed FROM trust WHERE site = ? AND kind = ?",
        (site, kind),
    ).fetchone()
    return trust(Record(*row) if row else Record())


def _ahead(db: sqlite3.Connection, category: str, priority: float) -> int:
    (count,) = db.execute(
        "SELECT COUNT(*) FROM urls WHERE category = ? AND state = 0 AND priority > ?",
        (category, priority),
    ).fetchone()
    return int(count)


def queue_sizes(db: sqlite3.Connection) -> dict[str, dict[str, int]]:
    """How many URLs each category has in each state, by the state's name."""
    sizes: dict[str, dict[str, int]] = {}
    rows = db.execute("SELECT category, state, COUNT(*) FROM urls GROUP BY category, state")
    for category, state, count in rows:
        empty = {each.name.lower(): 0 for each in State}
        sizes.setdefault(category, empty)[State(state).name.lower()] = count
    return sizes
