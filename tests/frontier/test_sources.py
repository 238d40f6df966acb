from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.frontier.schema import connect
from focuscrawl.frontier.sources import SourceBook
from focuscrawl.sources import Source

SITEMAP = Source("http://a.example/sitemap.xml", "a.example", "sitemap")
NEWS = Source("http://a.example/news.xml", "a.example", "sitemap", depth=1)
FEED = Source("http://a.example/rss", "a.example", "feed")
OTHER = Source("http://b.example/sitemap.xml", "b.example", "sitemap")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(tmp_path / "frontier.db")) as connection:
        yield connection


@pytest.fixture
def book(db: sqlite3.Connection) -> SourceBook:
    return SourceBook(db, "chess")


def test_a_source_is_added_once(book: SourceBook) -> None:
    assert book.add(SITEMAP)
    assert not book.add(SITEMAP)
    assert not book.add(SITEMAP._replace(depth=3))
    assert book.unread(1) == [SITEMAP]


def test_what_is_unread_comes_by_site_and_the_nearest_first(book: SourceBook) -> None:
    for source in (OTHER, NEWS, FEED, SITEMAP):
        book.add(source)
    assert book.unread(1) == [FEED, SITEMAP, NEWS, OTHER]


def test_what_was_read_is_unread_in_the_next_phase(book: SourceBook) -> None:
    book.add(SITEMAP)
    assert not book.was_read(SITEMAP.url, 1)
    book.note(SITEMAP, 1, 20, "")
    assert book.was_read(SITEMAP.url, 1)
    assert book.unread(1) == []
    assert not book.was_read(SITEMAP.url, 2)
    assert book.unread(2) == [SITEMAP]
    assert not book.was_read(FEED.url, 1)


def test_the_validators_of_the_last_answer_are_kept(book: SourceBook) -> None:
    book.add(SITEMAP)
    answered = SITEMAP._replace(etag='"v1"', modified="Sun, 06 Nov 1994 08:49:37 GMT")
    book.note(answered, 1, 20, "")
    assert book.unread(2) == [answered]
    book.add(SITEMAP)
    assert book.unread(2) == [answered]
    book.note(SITEMAP, 2, 20, "")
    assert book.unread(3) == [SITEMAP]


def test_an_answer_without_pages_leaves_their_number_and_takes_the_problem_away(
    book: SourceBook, db: sqlite3.Connection
) -> None:
    query = "SELECT pages, problem, phase FROM sources"
    book.add(SITEMAP)
    book.note(SITEMAP, 1, 20, "gzip cut short")
    assert db.execute(query).fetchall() == [(20, "gzip cut short", 1)]
    book.note(SITEMAP, 2, None, "")
    assert db.execute(query).fetchall() == [(20, "", 2)]


def test_categories_have_books_of_their_own(book: SourceBook, db: sqlite3.Connection) -> None:
    other = SourceBook(db, "choir")
    book.add(SITEMAP)
    assert other.unread(1) == []
    assert other.add(SITEMAP)
    other.note(SITEMAP._replace(etag='"v2"'), 1, 5, "")
    assert book.unread(1) == [SITEMAP]
    assert not book.was_read(SITEMAP.url, 1)


def test_the_book_survives_closing(tmp_path: Path) -> None:
    for phase in (1, 2):
        with closing(connect(tmp_path / "frontier.db")) as db:
            book = SourceBook(db, "chess")
            assert book.add(FEED) == (phase == 1)
            assert book.unread(phase) == [FEED]
            book.note(FEED, phase, 3, "")
