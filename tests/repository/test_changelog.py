from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from focuscrawl.changes.verdict import BlockChange, Verdict
from focuscrawl.repository.changelog import (
    PageChange,
    VersionError,
    page_changes,
    page_versions,
    since_time,
    two_versions,
    version_body,
)
from focuscrawl.repository.records import Fetched
from focuscrawl.repository.report import reading
from focuscrawl.repository.store import Repository
from focuscrawl.urls import url_id

URL = "http://a.example/x"
NOW = 1_794_996_000.0  # 2026-11-18T10:00:00Z


def fetched(url: str = URL, **changes: Any) -> Fetched:
    values: dict[str, Any] = {
        "url": url, "site": "a.example", "title": "Cup final", "status": 200, "at": 1000.0,
        "crawl": "sports", "phase": 1, "body": b"one", "encoding": "utf-8",
        "digest": f"{url}{changes}", "category": "sports", "kept": True, "similarity": 0.3,
        "scores": {"sports": 0.3}, "threshold": 0.05, "rule": "kept: near",
        "relevance": 1.0, "anchor": "", "words": 2, "change": "new",
    }  # fmt: skip
    return Fetched(**values | changes)


VERDICT = Verdict(
    textual=True,
    presentation=True,
    blocks=(BlockChange("Cup", ("a",), ("b",)), BlockChange("", (), ())),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "repository.sqlite"
    store = Repository(path, keep_copies=2)
    store.save(fetched())
    store.save(fetched(at=2000.0, change="content", body=b"two", verdict=VERDICT, weight=0.4))
    store.save(fetched(at=3000.0, change="minor", body=b"2.1", verdict=Verdict(textual=True)))
    store.save(fetched(at=4000.0, change="none", body=b"2.1"))
    other = "http://a.example/crime"
    store.save(fetched(other, category="crime", body=b"c"))
    store.save(fetched(other, category="crime", body=b"d", at=2500.0, change="content"))
    off = "http://a.example/off"
    store.save(fetched(off, kept=False))
    store.save(fetched(off, kept=False, at=2600.0, change="content"))
    alias = "http://a.example/alias"
    store.save(fetched(alias, alias_of=url_id(URL)))
    store.save(fetched(alias, alias_of=url_id(URL), at=2700.0, change="content"))
    store.close()
    return path


def at(changes: list[PageChange]) -> list[float]:
    return [change.at for change in changes]


def test_content_changes_of_kept_pages_newest_first(path: Path) -> None:
    with reading(path) as db:
        crime, sports = page_changes(db)
    assert (crime.at, crime.category, crime.kinds, crime.blocks) == (2500.0, "crime", (), ())
    assert sports == PageChange(
        2000.0, URL, "Cup final", "sports", "content",
        ("textual", "presentation"), ("Cup", ""), 0.4, "a.example",
    )  # fmt: skip


def test_chosen_by_category_time_and_number(path: Path) -> None:
    with reading(path) as db:
        assert at(page_changes(db, "sports")) == [2000.0]
        assert at(page_changes(db, minor=True)) == [3000.0, 2500.0, 2000.0]
        assert at(page_changes(db, since=2500.0)) == [2500.0]
        assert at(page_changes(db, limit=1)) == [2500.0]
        assert page_changes(db, "health") == []


def test_versions_are_those_stored_now(path: Path) -> None:
    store = Repository(path, keep_copies=2)
    store.save(fetched(at=5000.0, change="content", body=b"three"))
    store.close()
    with reading(path) as db:
        versions = page_versions(db, URL)
        assert [(each.number, each.at) for each in versions] == [(1, 2000.0), (2, 5000.0)]
        assert [version_body(db, each) for each in versions] == [
            (b"two", "utf-8"),
            (b"three", "utf-8"),
        ]
        assert page_versions(db, "http://a.example/never") == []
        assert page_versions(db, "http://a.example/off") == []


@pytest.mark.parametrize(
    ("older", "newer", "chosen"),
    [
        (None, None, (2, 3)),
        (1, None, (1, 3)),
        (None, 2, (1, 2)),
        (None, -2, (1, 2)),
        (-3, -1, (1, 3)),
        (3, 1, (3, 1)),
    ],
)
def test_two_versions(
    path: Path, older: int | None, newer: int | None, chosen: tuple[int, int]
) -> None:
    store = Repository(path)
    store.save(fetched(at=5000.0, change="content", body=b"three"))
    store.close()
    with reading(path) as db:
        first, second = two_versions(page_versions(db, URL), older, newer)
    assert (first.number, second.number) == chosen


@pytest.mark.parametrize(
    ("older", "newer", "problem"),
    [
        (3, None, "--from 3: stored are versions 1 to 2"),
        (None, 0, "--to 0: stored are versions 1 to 2"),
        (-3, None, "--from -3: "),
        (None, 1, "--to: version 1 has none before it"),
    ],
)
def test_a_version_that_is_not_there(
    path: Path, older: int | None, newer: int | None, problem: str
) -> None:
    with reading(path) as db, pytest.raises(VersionError, match=problem):
        two_versions(page_versions(db, URL), older, newer)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("30m", NOW - 1_800),
        ("12h", NOW - 43_200),
        ("2d", NOW - 172_800),
        (" 1w ", NOW - 604_800),
        ("2026-11-18", NOW - 36_000),
        ("2026-11-18T09:30", NOW - 1_800),
        ("2026-11-18T10:00:00+01:00", NOW - 3_600),
        ("2", None),
        ("2y", None),
        ("-2d", None),
        ("yesterday", None),
        ("2026-13-01", None),
        ("", None),
    ],
)
def test_since(text: str, moment: float | None) -> None:
    assert since_time(text, NOW) == moment
