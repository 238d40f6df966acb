from __future__ import annotations

import time
from pathlib import Path

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

from focuscrawl import scrapy_archive
from focuscrawl.archive.records import ArchiveError
from focuscrawl.scrapy_archive import clock_offset, described, open_archive, prepare_archive
from focuscrawl.scrapy_options import DEFAULTS
from tests.archive.samples import DAY, MONDAY, http, record, response, written

NOW = MONDAY + 100 * DAY


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scrapy_archive, "data_path", lambda name: str(tmp_path / name))
    monkeypatch.setattr(time, "time", lambda: NOW)


def settings(**given: object) -> Settings:
    return Settings({**DEFAULTS, **given})


def begins(**given: object) -> float:
    """When a crawl begins by its own clock, in days after Monday."""
    archive = open_archive(settings(**given))
    try:
        return (NOW + clock_offset(settings(**given), archive) - MONDAY) / DAY
    finally:
        if archive is not None:
            archive.close()


# -- the clock ---------------------------------------------------------------------------------


def test_without_any_setting_it_is_the_clock_on_the_wall() -> None:
    assert begins() == 100


@pytest.mark.parametrize(
    ("named", "days"),
    [
        ("2026-11-18", 1),
        ("2026-11-18T12:00", 1.5),
        ("2026-11-18T12:00:00+02:00", 1 + 10 / 24),
        (f"{MONDAY + DAY:.0f}", 1),
        (f"{MONDAY + DAY:.1f}", 1),
        (f" {MONDAY:.0f} ", 0),
        ("2026", -320),
    ],
)
def test_a_crawl_begins_when_it_is_told_to(named: str, days: float) -> None:
    assert begins(FOCUSCRAWL_CLOCK=named) == pytest.approx(days)


def test_an_offset_is_added() -> None:
    assert begins(FOCUSCRAWL_CLOCK_OFFSET=-DAY) == 99


def test_a_replay_begins_after_the_last_capture(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.warc", response(date="2026-11-19T00:00:00Z"), response("http://a.test/2")
    )
    assert begins(FOCUSCRAWL_ARCHIVE=path) == pytest.approx(2 + 1 / DAY)
    assert begins(FOCUSCRAWL_ARCHIVE=path, FOCUSCRAWL_CLOCK="2026-11-18") == 1
    assert begins(FOCUSCRAWL_ARCHIVE=path, FOCUSCRAWL_CLOCK_OFFSET=-DAY) == 99


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"FOCUSCRAWL_CLOCK": "soon"}, "FOCUSCRAWL_CLOCK=soon: no date; write it as"),
        ({"FOCUSCRAWL_CLOCK": "2026", "FOCUSCRAWL_CLOCK_OFFSET": 1}, "both set; give one"),
    ],
)
def test_a_wrong_clock_is_told(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        clock_offset(settings(**given))


# -- the archive --------------------------------------------------------------------------------


def test_no_archive_is_no_error() -> None:
    assert open_archive(settings()) is None
    prepare_archive(settings())


def test_the_index_lies_in_the_data_folder_not_beside_the_archive(tmp_path: Path) -> None:
    path = written(tmp_path / "elsewhere" / "a.warc", response())
    prepare_archive(settings(FOCUSCRAWL_ARCHIVE=path))
    assert (tmp_path / "focuscrawl" / "archives.sqlite").exists()
    assert list(path.parent.iterdir()) == [path]


def test_where_there_is_no_data_folder_it_lies_in_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(name: str) -> str:
        raise NotConfigured

    monkeypatch.setattr(scrapy_archive, "data_path", nowhere)
    path = written(tmp_path / "a.warc", response())
    prepare_archive(settings(FOCUSCRAWL_ARCHIVE=path, FOCUSCRAWL_DIR=tmp_path / "store"))
    assert (tmp_path / "store" / "archives.sqlite").exists()


def test_what_is_replayed_is_told_in_one_line(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.warc",
        response(),
        response(date="2026-11-18T10:00:00Z", block=http(b"x")),
        response(block=b"no head"),
    )
    archive = open_archive(settings(FOCUSCRAWL_ARCHIVE=path))
    assert archive is not None
    assert described(archive, MONDAY) == (
        "Replays an archive of 2 captures from 2026-11-17 00:00:00 to 2026-11-18 10:00:00, "
        "1 records that cannot be read; the clock begins at 2026-11-17 00:00:00 UTC, "
        "nothing is fetched"
    )
    archive.close()


@pytest.mark.parametrize("block", [None, b"no head"])
def test_an_archive_without_answers_is_an_error(tmp_path: Path, block: bytes | None) -> None:
    other = record("warcinfo", b"x: y\r\n") if block is None else response(block=block)
    path = written(tmp_path / "a.warc", other)
    with pytest.raises(ArchiveError, match=r"a\.warc: holds no answer of a web site"):
        open_archive(settings(FOCUSCRAWL_ARCHIVE=path))


def test_stopping_while_it_is_indexed_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.warc", response())

    def stop(*_args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(scrapy_archive, "show_progress", stop)
    with pytest.raises(ArchiveError, match="stopped before the archive was indexed"):
        prepare_archive(settings(FOCUSCRAWL_ARCHIVE=path))
