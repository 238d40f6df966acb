from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from focuscrawl.repository.engine import RepositoryError
from focuscrawl.repository.records import (
    NEW_PAGE,
    NO_CHANGE,
    BlockRow,
    Fetched,
    LinkRow,
    StoredPage,
)
from focuscrawl.repository.store import Repository, body_digest
from focuscrawl.urls import url_id

X, Y = "http://news.example/x", "http://news.example/y"
BODY = b"<h1>Rook takes pawn</h1>" * 20
PAGE = Fetched(
    url=X,
    site="news.example",
    title="Rook takes pawn",
    status=200,
    at=100.0,
    crawl="chess",
    phase=1,
    body=BODY,
    encoding="utf-8",
    digest="text-1",
    category="chess",
    kept=True,
    similarity=0.4,
    scores={"chess": 0.4, "choir": 0.0},
    threshold=0.1,
    rule="kept",
    relevance=0.9,
    anchor="rook",
    words=60,
    change=NEW_PAGE,
    blocks=(BlockRow(0, 0, "", "intro", None, 0.1, 0, 0), BlockRow(1, 1, "R", "R", "", 0.8, 1, 2)),
    links=(LinkRow(url_id(Y), Y, "to y", 1),),
)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    opened = Repository(tmp_path / "deep" / "pages.db")
    yield opened
    opened.close()


def rows(repository: Repository, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(repository.path)) as db:
        return db.execute(query).fetchall()


def test_a_kept_page_is_stored_with_all_that_was_found(repository: Repository) -> None:
    assert repository.page(X) is None
    repository.save(PAGE)
    copy = body_digest(BODY)
    assert repository.page(X) == StoredPage(url_id(X), X, "chess", "text-1", copy, 1, 0, 0.4)
    assert repository.copy(copy)[0] == BODY
    assert rows(repository, "SELECT bytes, encoding, stored FROM copies") == [(480, "utf-8", 100.0)]
    assert rows(repository, "SELECT number, heading, main_text, relevance FROM blocks") == [
        (0, "", None, 0.1),
        (1, "R", "", 0.8),
    ]
    assert rows(repository, "SELECT crawl, phase, at, status, bytes, change FROM visits") == [
        ("chess", 1, 100.0, 200, 480, "new")
    ]


def test_an_unchanged_revisit_counts_and_stores_nothing(repository: Repository) -> None:
    repository.save(PAGE)
    repository.save(replace(PAGE, at=200.0, change=NO_CHANGE, body=b"other adverts", blocks=()))
    page = repository.page(X)
    assert page is not None
    assert (page.visits, page.changes, page.copy) == (2, 0, body_digest(BODY))
    assert rows(repository, "SELECT first_visit, last_visit, last_change FROM pages") == [
        (100.0, 200.0, None)
    ]
    assert rows(repository, "SELECT COUNT(*) FROM copies") == [(1,)]
    assert rows(repository, "SELECT COUNT(*) FROM blocks") == [(2,)]
    assert rows(repository, "SELECT change FROM visits ORDER BY at") == [("new",), ("none",)]


def test_a_changed_revisit_replaces_copy_blocks_and_links(repository: Repository) -> None:
    repository.save(PAGE)
    z = LinkRow(url_id(Y + "z"), Y + "z", "to z", 0)
    after = replace(
        PAGE, at=200.0, change="content", body=b"new", blocks=PAGE.blocks[:1], links=(z,)
    )
    repository.save(after)
    repository.save(replace(after, at=300.0, change=NO_CHANGE))
    page = repository.page(X)
    assert page is not None
    assert (page.visits, page.changes, page.copy) == (3, 1, body_digest(b"new"))
    assert rows(repository, "SELECT last_change FROM pages") == [(200.0,)]
    assert rows(repository, "SELECT text FROM blocks") == [("intro",)]
    assert rows(repository, "SELECT target, anchor FROM links") == [(z.target, "to z")]


def test_equal_bytes_are_stored_once(repository: Repository) -> None:
    repository.save(PAGE)
    repository.save(replace(PAGE, url=Y, at=150.0, digest="text-2"))
    assert rows(repository, "SELECT digest, stored FROM copies") == [(body_digest(BODY), 100.0)]
    assert rows(repository, "SELECT COUNT(*) FROM pages WHERE copy IS NOT NULL") == [(2,)]


def test_an_alias_stores_neither_copy_nor_blocks(repository: Repository) -> None:
    repository.save(PAGE)
    repository.save(replace(PAGE, url=Y, body=b"b", alias_of=url_id(X), links=()))
    page = repository.page(Y)
    assert page is not None
    assert page.copy is None
    assert rows(repository, "SELECT COUNT(*) FROM copies") == [(1,)]
    assert rows(repository, "SELECT DISTINCT page FROM blocks") == [(url_id(X),)]
    assert rows(repository, f"SELECT alias_of FROM pages WHERE url = '{Y}'") == [(url_id(X),)]


def test_a_dropped_page_is_known_but_not_stored(repository: Repository) -> None:
    repository.save(replace(PAGE, kept=False))
    assert repository.page(X) == StoredPage(url_id(X), X, None, "text-1", None, 1, 0, 0.4)
    assert rows(repository, "SELECT COUNT(*) FROM copies") == [(0,)]
    assert rows(repository, "SELECT COUNT(*) FROM blocks") == [(0,)]


def test_the_twin_is_the_oldest_kept_page_elsewhere(repository: Repository) -> None:
    dropped = replace(PAGE, url=X + "0", at=10.0, kept=False)
    alias = replace(PAGE, url=X + "1", at=20.0, alias_of=url_id(X))
    for page in (PAGE, dropped, alias):
        repository.save(page)
    twin = repository.twin("text-1", Y)
    assert twin is not None
    assert twin.url == X
    assert repository.twin("text-1", X) is None
    assert repository.twin("other text", Y) is None


def test_a_text_that_another_process_stored_first_becomes_an_alias(repository: Repository) -> None:
    assert repository.save(PAGE) is None
    twin = repository.save(replace(PAGE, url=Y, body=b"same words, other bytes"))
    assert twin is not None
    assert twin.url == X
    assert rows(repository, "SELECT COUNT(*) FROM copies") == [(1,)]
    assert rows(repository, "SELECT DISTINCT source FROM links") == [(url_id(X),)]
    assert rows(repository, f"SELECT alias_of FROM pages WHERE url = '{Y}'") == [(url_id(X),)]


def test_a_page_that_another_process_stored_first_is_a_revisit(repository: Repository) -> None:
    repository.save(PAGE)
    repository.save(replace(PAGE, at=101.0))
    page = repository.page(X)
    assert page is not None
    assert page.visits == 2
    assert rows(repository, "SELECT COUNT(*) FROM blocks") == [(2,)]


def test_a_page_that_is_kept_only_later_is_stored_then(repository: Repository) -> None:
    repository.save(replace(PAGE, kept=False))
    assert rows(repository, "SELECT COUNT(*) FROM copies") == [(0,)]
    repository.save(replace(PAGE, at=200.0, change=NO_CHANGE))
    assert rows(repository, "SELECT COUNT(*) FROM copies") == [(1,)]
    assert rows(repository, "SELECT COUNT(*) FROM blocks") == [(2,)]


def test_near_misses_are_summed_by_category_and_phase(repository: Repository) -> None:
    miss = replace(PAGE, kept=False, near_miss={"gambit": 2, "club": 1})
    repository.save(miss)
    repository.save(replace(miss, url=Y, near_miss={"gambit": 3}))
    repository.save(replace(miss, url=Y + "p", phase=2, near_miss={"gambit": 50}))
    repository.save(replace(miss, url=Y + "c", category="choir", near_miss={"gambit": 70}))
    assert repository.learned.near_miss_counts("chess", 1) == {"gambit": 5, "club": 1}


def test_kept_texts_are_those_of_the_newest_pages_of_each_category(repository: Repository) -> None:
    for number, category in enumerate(("chess", "chess", "choir")):
        blocks = (BlockRow(0, 0, "", f"text {number}", None, 0.1, 0, 0), PAGE.blocks[1])
        page = replace(PAGE, url=f"{X}{number}", digest=f"d{number}", category=category)
        repository.save(replace(page, at=100.0 + number, blocks=blocks))
    repository.save(replace(PAGE, url=Y, kept=False, digest="d9"))
    texts = repository.learned.kept_texts(per_category=1)
    assert sorted((name, text.strip()) for name, text in texts) == [
        ("chess", "text 1"),
        ("choir", "text 2"),
    ]


def test_a_page_counts_as_one_near_miss_and_as_none_once_kept(repository: Repository) -> None:
    miss = replace(PAGE, kept=False, near_miss={"gambit": 2})
    repository.save(miss)
    repository.save(replace(miss, at=200.0, change="content", near_miss={"gambit": 4}))
    assert repository.learned.near_miss_counts("chess", 1) == {"gambit": 4}
    repository.save(replace(PAGE, at=300.0, change="content"))
    assert repository.learned.near_miss_counts("chess", 1) == {}


def test_the_list_of_links_reads_as_addresses(repository: Repository) -> None:
    repository.save(PAGE)
    repository.save(replace(PAGE, url=X + "2", digest="text-2"))
    assert sorted(rows(repository, "SELECT * FROM link_list")) == [
        (X, Y, "to y", 1),
        (X + "2", Y, "to y", 1),
    ]
    assert rows(repository, "SELECT url FROM addresses") == [(Y,)]


def test_a_visit_is_saved_whole_or_not_at_all(repository: Repository) -> None:
    twice = (PAGE.blocks[0], PAGE.blocks[0])
    with pytest.raises(IntegrityError):
        repository.save(replace(PAGE, blocks=twice))
    assert repository.page(X) is None
    assert rows(repository, "SELECT COUNT(*) FROM copies") == [(0,)]
    repository.save(PAGE)


def test_all_survives_closing(tmp_path: Path) -> None:
    for _ in range(2):
        repository = Repository(tmp_path / "pages.db")
        repository.save(PAGE)
        repository.close()
    repository = Repository(tmp_path / "pages.db")
    page = repository.page(X)
    repository.close()
    assert page is not None
    assert page.visits == 2


def test_a_file_that_is_no_repository(tmp_path: Path) -> None:
    path = tmp_path / "pages.db"
    path.write_bytes(b"this is no database " * 100)
    with pytest.raises(RepositoryError) as caught:
        Repository(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: cannot be opened as a repository (")
    assert "move it away" in message
    assert "\n" not in message
