from __future__ import annotations

import gzip
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from warcio.archiveiterator import ArchiveIterator

from focuscrawl.archive.writer import ArchiveWriter
from focuscrawl.extensions.recorder import Recorder
from focuscrawl.frontier.records import Lease
from focuscrawl.scrapy_options import CANNOT_START, DEFAULTS, META_LEASE, META_SOURCE
from focuscrawl.scrapy_ring import Ring
from focuscrawl.sources import Source
from focuscrawl.topics.catalog import Catalog
from focuscrawl.topics.category import parse_category

SPORT = parse_category("sport", 'words = ["goal", "striker"]\nthreshold = 0.3\n', "sport.toml")
URL = "http://user:word@a.test:8080/news;v=1?id=2"
PAGE = b"<html><p>The striker.</p></html>"
LEASE = Lease(
    1, URL, "a.test", 1.0, "The  striker", 0, 3, False, 0, 0, parent="http://a.test:8080/"
)


class Bench:
    """A recorder in a crawl without an engine; its clock stands an hour ahead."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder / "recorded"
        known = {
            **DEFAULTS,
            "FOCUSCRAWL_DIR": str(folder / "store"),
            "FOCUSCRAWL_RECORD": str(self.folder),
            "FOCUSCRAWL_CLOCK_OFFSET": 3600,
        }
        self.crawler: Any = get_crawler(settings_dict={**known, **settings})
        self.recorder = Recorder.from_crawler(self.crawler)
        self.ring = Ring.of(self.crawler)

    def answer(self, request: Request | None = None, **response: Any) -> None:
        request = request or Request(URL)
        answer = Response(request.url, **{"body": PAGE, **response})
        self.crawler.signals.send_catch_log(
            signals.response_downloaded, response=answer, request=request, spider=None
        )

    def records(self) -> list[Any]:
        self.recorder.spider_closed()
        found = []
        for path in sorted(self.folder.glob("*.warc.gz")):
            with path.open("rb") as file:
                for each in ArchiveIterator(file, check_digests="raise"):
                    each.body = each.content_stream().read()
                    found.append(each)
        return [each for each in found if each.rec_type != "warcinfo"]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    made.ring.open(SPORT, Catalog([SPORT]))
    made.recorder.spider_opened()
    yield made
    made.recorder.spider_closed()
    made.ring.close()


# -- what is written ---------------------------------------------------------------------------


def test_an_answer_its_request_and_what_the_crawl_knew(bench: Bench) -> None:
    headers = {"User-Agent": "us", "Authorization": "Basic x", "Cookie": "a=b"}
    bench.answer(
        Request(URL, headers=headers, meta={META_LEASE: LEASE}),
        headers={"Content-Type": "text/html", "Set-Cookie": ["a=1", "b=2"]},
        ip_address="192.0.2.7",
    )
    answer, request, about = bench.records()
    assert answer.body == PAGE
    assert answer.http_headers.statusline == "200 OK"
    assert answer.http_headers.headers == [
        ("Content-Type", "text/html"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("Content-Length", str(len(PAGE))),
    ]
    assert answer.rec_headers["WARC-Target-URI"] == URL
    assert answer.rec_headers["WARC-IP-Address"] == "192.0.2.7"
    assert request.http_headers.protocol == "GET"
    assert request.http_headers.statusline == "/news;v=1?id=2 HTTP/1.1"
    assert request.http_headers.headers == [("Host", "a.test:8080"), ("User-Agent", "us")]
    assert about.body.decode().splitlines() == [
        "category: sport",
        "phase: 1",
        "via: http://a.test:8080/",
        "anchor: The striker",
        "depth: 3",
    ]
    assert bench.ring.stat("record/written") == 1


def test_the_date_is_by_the_clock_of_the_crawl(bench: Bench) -> None:
    bench.ring.now = lambda: 1_794_873_600.5  # type: ignore[method-assign]
    bench.answer()
    assert bench.records()[0].rec_headers["WARC-Date"] == "2026-11-17T00:00:00.500000Z"


def test_a_packed_body_stays_packed_and_says_so(bench: Bench) -> None:
    packed = gzip.compress(PAGE)
    headers = {"Content-Encoding": "gzip", "Content-Length": "7", "Transfer-Encoding": "chunked"}
    bench.answer(body=packed, headers=headers)
    answer = bench.records()[0]
    assert answer.body == PAGE
    assert answer.http_headers.headers == [
        ("Content-Encoding", "gzip"),
        ("Content-Length", str(len(packed))),
    ]


@pytest.mark.parametrize(
    ("status", "line", "length"),
    [
        (301, "301 Moved Permanently", "0"),
        (304, "304 Not Modified", None),
        (404, "404 Not Found", "0"),
        (503, "503 Service Unavailable", "0"),
        (599, "599", "0"),
    ],
)
def test_every_status(bench: Bench, status: int, line: str, length: str | None) -> None:
    bench.answer(status=status, body=b"", headers={"Content-Length": "4711"})
    answer = bench.records()[0]
    assert answer.http_headers.statusline == line
    assert answer.http_headers["Content-Length"] == length


def test_a_redirect_came_by_the_address_before(bench: Bench) -> None:
    meta = {META_LEASE: LEASE, "redirect_urls": ["http://a.test/old", "http://a.test/older"]}
    bench.answer(Request(URL, meta=meta))
    assert b"via: http://a.test/older\r\n" in bench.records()[2].body


def test_robots_and_sitemaps_are_recorded_as_well(bench: Bench) -> None:
    bench.answer(Request("http://a.test/robots.txt"))
    source = Source("http://a.test/map.xml", "a.test", "sitemap", 0)
    bench.answer(Request(source.url, meta={META_SOURCE: source}))
    found = bench.records()
    assert found[2].body == b"category: sport\r\nphase: 1\r\n"
    assert found[5].body == b"category: sport\r\nphase: 1\r\nsource: sitemap\r\n"


def test_a_body_that_came_in_part_is_marked(bench: Bench) -> None:
    bench.answer(flags=["dataloss"])
    assert bench.records()[0].rec_headers["WARC-Truncated"] == "unspecified"


def test_what_the_middlewares_do_later_leaves_no_trace(bench: Bench) -> None:
    request = Request(URL)
    answer = Response(URL, body=gzip.compress(PAGE), headers={"Content-Encoding": "gzip"})
    bench.recorder.response_downloaded(answer, request)
    del answer.headers["Content-Encoding"]
    assert bench.records()[0].body == PAGE


def test_a_line_break_in_a_header_begins_no_other(bench: Bench) -> None:
    bench.answer(headers={"X-Name": "a\r\nSet-Cookie: evil"})
    assert bench.records()[0].http_headers["Set-Cookie"] is None


# -- what is not ---------------------------------------------------------------------------------


def test_only_what_is_got_can_be_replayed(bench: Bench) -> None:
    bench.answer(Request(URL, method="POST", body=b"x"))
    assert bench.records() == []
    assert bench.ring.stat("record/not_get") == 1


def test_before_a_crawl_begins_nothing_is_recorded(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.answer()
    assert bench.records() == []
    assert not bench.folder.exists()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"FOCUSCRAWL_RECORD": ""}, "^$"),
        ({"FOCUSCRAWL_ARCHIVE": "x.warc"}, "nothing that could be"),
    ],
)
def test_it_is_off_unless_asked_for_and_in_a_replay(
    tmp_path: Path, settings: dict[str, str], reason: str
) -> None:
    with pytest.raises(NotConfigured, match=reason):
        Bench(tmp_path, **settings)


# -- files and failures ----------------------------------------------------------------------------


@pytest.mark.parametrize(("megabytes", "files"), [("0.002", 4), ("0", 1), ("1000", 1)])
def test_files_are_rotated_by_size(tmp_path: Path, megabytes: str, files: int) -> None:
    bench = Bench(tmp_path, FOCUSCRAWL_RECORD_MB=megabytes)
    bench.ring.open(SPORT, Catalog([SPORT]))
    for _ in range(8):
        bench.answer()
    assert len(bench.records()) == 24
    assert len(list(bench.folder.iterdir())) == files
    bench.ring.close()


@pytest.mark.parametrize("reason", ["File exists", "Permission denied"])
def test_a_folder_that_cannot_be_used_stops_the_crawl_at_once(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    reason: str,
) -> None:
    if reason == "File exists":
        (tmp_path / "recorded").write_text("a file")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(CloseSpider) as stopped:
        Bench(tmp_path).recorder.spider_opened()
    assert stopped.value.reason == CANNOT_START
    (line,) = [record.message for record in caplog.records if record.levelno == logging.ERROR]
    assert f"recorded: cannot be used ({reason}); name a folder" in line


def test_a_disk_that_fails_ends_the_recording_with_one_line(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench.answer()

    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(ArchiveWriter, "write", full)
        bench.answer()
    bench.answer()
    lines = [record.message for record in caplog.records if record.levelno == logging.ERROR]
    assert len(lines) == 1
    assert "cannot be written (No space left on device)" in lines[0]
    assert (bench.ring.stat("record/written"), bench.ring.stat("record/failed")) == (1, 2)
    assert len(bench.records()) == 3
