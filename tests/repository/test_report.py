from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from focuscrawl.relevance.learning import LearnedTerm
from focuscrawl.repository.engine import RepositoryError
from focuscrawl.repository.records import Fetched
from focuscrawl.repository.report import category_report, crawled, page_report, reading, utc
from focuscrawl.repository.store import Repository
from focuscrawl.urls import url_id

URL = "http://a.example/x"
MIRROR = "http://a.example/mirror"


def fetched(url: str, **changes: Any) -> Fetched:
    values: dict[str, Any] = {
        "url": url, "site": "a.example", "title": "Cup final", "status": 200, "at": 1000.0,
        "crawl": "sports", "phase": 1, "body": b"<p>cup</p>", "encoding": "utf-8",
        "digest": "d", "category": "sports", "kept": True, "similarity": 0.3,
        "scores": {"sports": 0.3, "crime": 0.1}, "threshold": 0.05, "rule": "kept: near",
        "relevance": 1.0, "anchor": "", "words": 2, "change": "new",
    }  # fmt: skip
    return Fetched(**values | changes)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "repository.sqlite"
    store = Repository(path)
    phase = store.learned.begin_phase("sports")
    store.save(fetched(URL))
    store.save(fetched(URL, at=2000.0, change="content", digest="e"))
    store.save(fetched(MIRROR, alias_of=url_id(URL)))
    store.save(fetched("http://a.example/off", kept=False, rule="dropped: far"))
    store.learned.add_terms("sports", [LearnedTerm("goalkeep", 0.5, 7, 1)])
    thresholds = {"sports": {"value": 0.06, "source": "3 seed pages", "first": 0.06}}
    store.learned.note_phase(phase, thresholds, 4, 1, ended="finished")
    store.close()
    return path


def test_a_page_and_its_visits(path: Path) -> None:
    with reading(path) as db:
        page, mirror = page_report(db, URL), page_report(db, MIRROR)
        assert page_report(db, "http://a.example/never") is None
    assert page is not None
    assert (page.category, page.similarity, page.rule) == ("sports", 0.3, "kept: near")
    assert page.scores == {"sports": 0.3, "crime": 0.1}
    assert (page.visits, page.changes, page.alias_of) == (2, 1, None)
    assert [(visit.at, visit.change) for visit in page.last_visits] == [
        (2000.0, "content"),
        (1000.0, "new"),
    ]
    assert mirror is not None
    assert mirror.alias_of == URL


def test_a_category(path: Path) -> None:
    with reading(path) as db:
        assert crawled(db) == ["sports"]
        report = category_report(db, "sports")
        empty = category_report(db, "crime")
    assert (report.kept, report.aliases, report.visits, report.changes) == (1, 1, 4, 1)
    assert (report.threshold, report.threshold_source) == (0.06, "3 seed pages")
    (phase,) = report.phases
    assert (phase.number, phase.fetched, phase.harvest, phase.reason) == (1, 4, 0.25, "finished")
    (term,) = report.terms
    assert (term.stem, term.phase, term.count, term.withdrawn) == ("goalkeep", 1, 7, False)
    assert (empty.kept, empty.threshold, empty.phases) == (0, None, ())


def test_one_state_is_seen_while_a_crawl_writes(path: Path) -> None:
    with reading(path) as db:
        assert category_report(db, "sports").kept == 1
        store = Repository(path)
        store.save(fetched("http://a.example/new", digest="f"))
        store.close()
        assert category_report(db, "sports").kept == 1
    with reading(path) as db:
        assert category_report(db, "sports").kept == 2


def test_nothing_can_be_written_and_no_file_is_made(path: Path, tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="readonly"), reading(path) as db:
        db.exec_driver_sql("DELETE FROM pages")
    missing = tmp_path / "none" / "repository.sqlite"
    with pytest.raises(RepositoryError, match="crawl first"), reading(missing):
        pass
    assert not missing.parent.exists()
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(RepositoryError, match="cannot be read"), reading(path) as db:
        crawled(db)


def test_times_are_utc() -> None:
    assert utc(0.0) == "1970-01-01T00:00:00+00:00"
    assert utc(None) is None
