from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from focuscrawl.frontier.hinting import UrlHint
from focuscrawl.frontier.priority import BreadthFirst, Focused
from focuscrawl.frontier.records import Candidate, State, Visit
from focuscrawl.frontier.report import known_urls, queue_sizes, reading
from focuscrawl.frontier.schema import FrontierError
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.trust import Record, trust

HOST = "a.example"
URL = f"http://{HOST}/x"
BEST = f"http://{HOST}/best"


def fill(path: Path) -> SqliteFrontier:
    frontier = SqliteFrontier(path, "sports", clock=lambda: 1000.0)
    parents = [
        Candidate(URL, HOST, "cup", 0.4, 0.2, level=1, depth=2, parent=f"http://{HOST}/p"),
        Candidate(BEST, HOST, "final", 0.9, 0.9),
    ]
    frontier.add(parents)
    frontier.add([Candidate(URL, HOST, "more", 0.1, 0.6, level=1, depth=3)])
    return frontier


def test_terms_sum_to_the_priority_and_the_place_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite"
    fill(path).close()
    with reading(path) as db:
        (known,) = known_urls(db, URL, ["crime", "sports"], Focused(), 1000.0)
    assert (known.category, known.state, known.ahead) == ("sports", State.QUEUED, 1)
    assert known.terms == pytest.approx({"block": 0.09, "parents": 0.06, "anchor": 0.12})
    assert known.priority == pytest.approx(0.27)
    assert known.stored_priority == pytest.approx(0.27)
    assert (known.parent, known.anchor) == (f"http://{HOST}/p", "cup")
    assert (known.level, known.depth, known.parents, known.occurrences) == (1, 2, 2, 2)


def test_another_ordering_does_not_hide_the_stored_number(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite"
    fill(path).close()
    with reading(path) as db:
        (known,) = known_urls(db, URL, ["sports"], BreadthFirst(), 1000.0)
    assert known.priority == pytest.approx(-2, abs=1e-6)
    assert known.stored_priority == pytest.approx(0.27)


def test_queue_sizes_while_a_crawl_holds_the_file(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite"
    frontier = fill(path)
    (lease,) = frontier.lease(1)
    with reading(path) as db:
        assert queue_sizes(db)["sports"]["leased"] == 1
        frontier.complete(lease, Visit("kept", kept=True, importance=0.5))
        assert queue_sizes(db) == {
            "sports": {"queued": 1, "leased": 0, "waiting": 0, "done": 1, "failed": 0}
        }
        (known,) = known_urls(db, BEST, ["sports"], Focused(), 1000.0)
    frontier.close()
    assert (known.state, known.kept, known.visits, known.visited) == (State.DONE, True, 1, 1000.0)
    assert known.priority == pytest.approx(0.25)
    assert known.ahead is None


def test_nothing_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite"
    fill(path).close()
    with pytest.raises(FrontierError, match="readonly"), reading(path) as db:
        db.execute("DELETE FROM urls")


def test_a_missing_a_foreign_and_a_newer_file(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite"
    with pytest.raises(FrontierError, match="no frontier there; crawl first"), reading(path):
        pass
    assert not path.exists()
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(FrontierError, match="cannot be read as a frontier"), reading(path):
        pass
    newer = tmp_path / "newer.sqlite"
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(FrontierError, match="newer focuscrawl"), reading(newer):
        pass


def test_a_hint_that_says_changed_stands_among_the_terms_with_its_trust(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite"
    frontier = fill(path)
    (lease,) = frontier.lease(1)
    frontier.complete(lease, Visit("kept", kept=True, importance=0.5))
    frontier.note_hints([UrlHint(BEST, lastmod=2000.0)], "lastmod")
    frontier.close()
    with reading(path) as db:
        (known,) = known_urls(db, BEST, ["sports"], Focused(), 3000.0)
    assert known.said == ("lastmod", True)
    assert known.trust == pytest.approx(trust(Record()))
    assert known.terms["hint"] == pytest.approx(0.5 * trust(Record()) / 2)
