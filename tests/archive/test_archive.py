from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.archive import indexing
from focuscrawl.archive.archive import Archive, archive_files
from focuscrawl.archive.index import INDEX_FILE
from focuscrawl.archive.indexing import Watch
from focuscrawl.archive.records import ArchiveError
from tests.archive.samples import DAY, MONDAY, http, record, response, revisit, written

URL = "http://a.test/1"
DATES = ["2026-11-17T00:00:00Z", "2026-11-18T00:00:00Z", "2026-11-19T00:00:00Z"]
VERSIONS = [b"<p>one</p>", b"<p>two</p>", b"<p>three</p>"]


_open: list[Archive] = []


@pytest.fixture(autouse=True)
def closed_in_the_end() -> Iterator[None]:
    yield
    while _open:
        _open.pop().close()


def opened(folder: Path, *paths: Path, watch: Watch | None = None) -> Archive:
    _open.append(Archive(paths, folder / "cache", watch))
    return _open[-1]


def version(archive: Archive, at: float, url: str = URL) -> bytes | None:
    found = archive.capture(url, at)
    return None if found is None else found.body


@pytest.fixture
def three(tmp_path: Path) -> Archive:
    """Three captures of one URL, a day apart, the middle one first in the file."""
    records = [response(URL, date, http(body)) for date, body in zip(DATES, VERSIONS, strict=True)]
    path = written(tmp_path / "a.warc.gz", records[1], records[0], records[2])
    return opened(tmp_path, path)


# -- which capture ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "expected"),
    [(-5, 0), (-0.001, 0), (0, 0), (0.999, 0), (1, 1), (1.5, 1), (2, 2), (400, 2)],
)
def test_the_newest_that_is_not_later_else_the_earliest(
    three: Archive, days: float, expected: int
) -> None:
    assert version(three, MONDAY + days * DAY) == VERSIONS[expected]


def test_an_unknown_address_has_no_capture(three: Archive) -> None:
    assert version(three, MONDAY, "http://a.test/2") is None
    assert version(three, MONDAY, "mailto:a@a.test") is None


@pytest.mark.parametrize("url", ["http://A.test:80/1", "http://a.test/1?utm_source=x", URL + "#p"])
def test_every_spelling_of_an_address_finds_it(three: Archive, url: str) -> None:
    assert version(three, MONDAY, url) == VERSIONS[0]


def test_of_two_captures_at_one_moment_the_later_written(tmp_path: Path) -> None:
    path = written(tmp_path / "a.warc", *(response(block=http(body)) for body in VERSIONS))
    assert version(opened(tmp_path, path), MONDAY) == VERSIONS[2]


def test_not_modified_stands_for_what_was_there_before(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.warc",
        response(URL, DATES[0], http(VERSIONS[0])),
        response(URL, DATES[1], http(b"", 304)),
        response(URL, DATES[2], http(VERSIONS[2])),
    )
    archive = opened(tmp_path, path)
    assert version(archive, MONDAY + 1.5 * DAY) == VERSIONS[0]
    assert version(archive, MONDAY + 2.5 * DAY) == VERSIONS[2]


def test_not_modified_alone_is_what_there_is(tmp_path: Path) -> None:
    path = written(tmp_path / "a.warc", response(URL, DATES[1], http(b"", 304, ETag='"a"')))
    found = opened(tmp_path, path).capture(URL, MONDAY)
    assert found is not None
    assert (found.status, found.headers[-1]) == (304, ("ETag", '"a"'))


def test_captures_of_several_files(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / name, response(URL, date, http(body)))
        for name, date, body in zip(("c.warc", "b.warc.gz", "a.warc"), DATES, VERSIONS, strict=True)
    ]
    archive = opened(tmp_path, *paths)
    assert [version(archive, MONDAY + days * DAY) for days in (0, 1, 2)] == VERSIONS
    alone = opened(tmp_path, paths[0])
    assert [version(alone, MONDAY + days * DAY) for days in (0, 1, 2)] == VERSIONS[:1] * 3


@settings(max_examples=20)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(-1, 31))
def test_the_choice_is_that_of_the_plain_rule(tmp_path_factory, days: list[int], now: int) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("rule")
    records = [
        response(URL, f"2026-10-{day + 1:02}T00:00:00Z", http(b"<p>%d</p>" % day)) for day in days
    ]
    start = MONDAY - 47 * DAY
    with opened(folder, written(folder / "a.warc", *records)) as archive:
        earlier = [day for day in days if day <= now]
        expected = max(earlier) if earlier else min(days)
        assert version(archive, start + now * DAY) == b"<p>%d</p>" % expected


# -- revisits ---------------------------------------------------------------------------------


def test_a_revisit_by_address_and_date(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.warc.gz",
        revisit(
            URL,
            DATES[1],
            http(b"", ETag='"new"', Content_Length="9"),
            WARC_Refers_To_Target_URI="http://b.test/",
            WARC_Refers_To_Date=DATES[0],
        ),
        response("http://b.test/", "2026-11-17T00:00:00.4Z", http(VERSIONS[0])),
        response("http://b.test/", DATES[2], http(VERSIONS[2])),
    )
    found = opened(tmp_path, path).capture(URL, MONDAY + DAY)
    assert found is not None
    assert (found.url, found.time, found.status) == (URL, MONDAY + DAY, 200)
    assert found.body == VERSIONS[0]
    assert ("ETag", '"new"') in found.headers


def test_a_revisit_by_digest(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.warc",
        response("http://b.test/", DATES[0], http(VERSIONS[0]), WARC_Payload_Digest="sha1:A"),
        response("http://b.test/", DATES[0], http(VERSIONS[1]), WARC_Payload_Digest="sha1:B"),
    )
    other = written(
        tmp_path / "b.warc", revisit(URL, DATES[1], http(b""), WARC_Payload_Digest="sha1:B")
    )
    assert version(opened(tmp_path, path, other), MONDAY) == VERSIONS[1]


def test_a_revisit_that_only_says_not_modified_has_the_head_of_the_original(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.warc",
        response(URL, DATES[0], http(VERSIONS[0], ETag='"a"')),
        revisit(URL, DATES[1], http(b"", 304), WARC_Refers_To_Date=DATES[0]),
    )
    found = opened(tmp_path, path).capture(URL, MONDAY + DAY)
    assert found is not None
    assert (found.status, found.time, found.body) == (200, MONDAY + DAY, VERSIONS[0])
    assert found.headers[-1] == ("ETag", '"a"')


def test_the_named_capture_is_not_taken_if_its_digest_is_another(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.warc",
        response(URL, DATES[0], http(VERSIONS[0]), WARC_Payload_Digest="sha1:A"),
        response("http://b.test/", DATES[0], http(VERSIONS[1]), WARC_Payload_Digest="sha1:B"),
        revisit(URL, DATES[1], WARC_Refers_To_Date=DATES[0], WARC_Payload_Digest="sha1:B"),
    )
    assert version(opened(tmp_path, path), MONDAY + DAY) == VERSIONS[1]


def test_a_revisit_of_nothing_here_is_counted_and_the_next_capture_taken(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.warc",
        response(URL, DATES[0], http(VERSIONS[0])),
        revisit(URL, DATES[1], WARC_Payload_Digest="sha1:GONE"),
        revisit("http://a.test/2", DATES[1], WARC_Payload_Digest="sha1:GONE"),
    )
    archive = opened(tmp_path, path)
    assert version(archive, MONDAY + DAY) == VERSIONS[0]
    assert version(archive, MONDAY + DAY, "http://a.test/2") is None
    assert archive.skipped == {"revisit of nothing here": 2}


# -- reading it all -----------------------------------------------------------------------------


def test_pages_in_the_order_of_the_files(tmp_path: Path) -> None:
    first = written(
        tmp_path / "b.warc",
        response("http://a.test/2", DATES[2], http(VERSIONS[2])),
        response("http://a.test/3", DATES[0], http(b"", 404)),
        response(block=b"no head"),
    )
    second = written(
        tmp_path / "a.warc.gz",
        record("warcinfo", b""),
        revisit(
            URL, DATES[1], WARC_Refers_To_Target_URI="http://a.test/2", WARC_Refers_To_Date=DATES[2]
        ),
        revisit(URL, DATES[1]),
    )
    archive = opened(tmp_path, first, second)
    found = [(page.url, page.status, page.content_type, page.body) for page in archive.pages()]
    assert found == [
        ("http://a.test/2", 200, "text/html", VERSIONS[2]),
        ("http://a.test/3", 404, "text/html", b""),
        (URL, 200, "text/html", VERSIONS[2]),
    ]
    assert archive.skipped == {"bad HTTP head": 1, "revisit of nothing here": 1}


def test_reading_it_all_needs_no_index(three: Archive, tmp_path: Path) -> None:
    assert [page.body for page in three.pages()] == [VERSIONS[1], VERSIONS[0], VERSIONS[2]]
    assert not (tmp_path / "cache").exists()


# -- the index ----------------------------------------------------------------------------------


def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read for the index from now on."""
    read: list[str] = []
    original = indexing.read_file

    def noted(path: Path, skipped: object) -> object:
        read.append(path.name)
        return original(path, skipped)  # type: ignore[arg-type]

    monkeypatch.setattr(indexing, "read_file", noted)
    return read


def test_a_file_is_read_once(
    three: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = readings(monkeypatch)
    for _ in range(3):
        with opened(tmp_path, tmp_path / "a.warc.gz") as archive:
            assert version(archive, MONDAY) == VERSIONS[0]
    assert read == ["a.warc.gz"]


def test_a_file_that_changed_is_read_again(three: Archive, tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    assert version(three, MONDAY) == VERSIONS[0]
    three.close()
    written(path, response(URL, DATES[0], http(b"<p>another</p>")))
    again = opened(tmp_path, path)
    assert version(again, MONDAY) == b"<p>another</p>"
    span = again.index.span()
    assert span is not None
    assert (span.captures, span.first, span.last) == (1, MONDAY, MONDAY)


def test_the_time_of_the_file_counts_as_well_as_its_size(
    three: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert version(three, MONDAY) == VERSIONS[0]
    read = readings(monkeypatch)
    os.utime(tmp_path / "a.warc.gz", (1, 1))
    assert version(opened(tmp_path, tmp_path / "a.warc.gz"), MONDAY) == VERSIONS[0]
    assert read == ["a.warc.gz"]


def test_a_file_comes_into_the_index_as_a_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.warc", *(response(f"http://a.test/{n}") for n in range(50)))
    monkeypatch.setattr(indexing, "_BATCH", 10)

    def stopped(path: Path, done: int, size: int) -> None:
        if done > size / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened(tmp_path, path, watch=stopped).capture(URL, MONDAY)
    with closing(sqlite3.connect(tmp_path / "cache" / INDEX_FILE)) as db:
        assert db.execute(
            "SELECT (SELECT count(*) FROM captures), count(*) FROM files"
        ).fetchall() == [(0, 0)]
    span = opened(tmp_path, path).index.span()
    assert span is not None
    assert span.captures == 50


def test_a_record_that_is_no_longer_there_is_counted(three: Archive, tmp_path: Path) -> None:
    assert version(three, MONDAY) == VERSIONS[0]
    written(tmp_path / "a.warc.gz", *(response("http://a.test/9") for _ in range(3)))
    assert version(three, MONDAY) is None
    assert three.skipped == {"no longer there": 3}


def test_what_cannot_be_read_is_remembered(tmp_path: Path) -> None:
    path = written(tmp_path / "a.warc", response(), response(block=b"x"), response("http://"))
    for _ in range(2):
        with opened(tmp_path, path) as archive:
            assert archive.index.skipped() == {"bad HTTP head": 1, "bad address": 1}


def test_an_index_of_another_format_is_made_anew(three: Archive, tmp_path: Path) -> None:
    assert version(three, MONDAY) == VERSIONS[0]
    three.close()
    with closing(sqlite3.connect(tmp_path / "cache" / INDEX_FILE)) as db:
        db.execute("PRAGMA user_version = 99")
    assert version(opened(tmp_path, tmp_path / "a.warc.gz"), MONDAY) == VERSIONS[0]


def test_a_broken_index_is_named_with_the_remedy(tmp_path: Path, three: Archive) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / INDEX_FILE).write_bytes(b"no database" * 100)
    with pytest.raises(ArchiveError, match=rf"{INDEX_FILE}: the index .*delete it"):
        three.capture(URL, MONDAY)


def test_the_watch_is_told_how_far_the_reading_is(tmp_path: Path) -> None:
    path = written(tmp_path / "a.warc", *(response(f"http://a.test/{n}") for n in range(5)))
    told: list[tuple[Path, int, int]] = []
    opened(tmp_path, path, watch=lambda *said: told.append(said)).capture(URL, MONDAY)
    size = path.stat().st_size
    assert [done for _, done, _ in told] == [size * number // 5 for number in range(6)]
    assert {(said[0], said[2]) for said in told} == {(path.resolve(), size)}


# -- what a user names --------------------------------------------------------------------------


def test_a_folder_stands_for_its_warc_files(tmp_path: Path) -> None:
    for name in ("b.warc", "a.warc.gz", "c.txt", "d.gz", "e.warc.gz.part"):
        (tmp_path / name).touch()
    assert [path.name for path in archive_files(tmp_path)] == ["a.warc.gz", "b.warc"]
    assert archive_files(tmp_path / "b.warc") == [tmp_path / "b.warc"]


def test_a_folder_without_archives_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"no \*\.warc or \*\.warc\.gz"):
        archive_files(tmp_path)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"nothing\.warc: cannot be read"):
        opened(tmp_path, tmp_path / "nothing.warc").capture(URL, MONDAY)
