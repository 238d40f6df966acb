from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import brotli
import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from focuscrawl import scrapy_archive
from focuscrawl.engine_hooks import delay_of
from focuscrawl.extensions.webhook import Webhook
from focuscrawl.middlewares.replay import Replay
from focuscrawl.scrapy_options import DEFAULTS
from focuscrawl.scrapy_ring import Ring
from focuscrawl.settings import DOWNLOADER_MIDDLEWARES
from focuscrawl.topics.catalog import Catalog
from focuscrawl.topics.category import parse_category
from tests.archive.samples import DAY, HTML, MONDAY, http, response, written

SPORT = parse_category("sport", 'words = ["goal", "striker"]\nthreshold = 0.3\n', "sport.toml")
URL = "http://a.test/1"
TUESDAY = "2026-11-18T00:00:00Z"


class Bench:
    """The middleware over an archive of the given records."""

    def __init__(self, folder: Path, *records: bytes, **settings: Any) -> None:
        archive = written(folder / "a.warc.gz", *records)
        known = {
            **DEFAULTS,
            "FOCUSCRAWL_DIR": str(folder / "store"),
            "FOCUSCRAWL_ARCHIVE": str(archive),
            "FOCUSCRAWL_CLOCK": str(MONDAY + 2 * DAY),
            "DOWNLOAD_MAXSIZE": 100_000,
            **settings,
        }
        self.crawler: Any = get_crawler(settings_dict=known)
        self.replay = Replay.from_crawler(self.crawler)
        self.ring = Ring.of(self.crawler)

    def begin(self) -> Bench:
        self.ring.open(SPORT, Catalog([SPORT]))
        return self

    def ask(self, url: str = URL, method: str = "GET", **headers: str) -> Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.replay.process_request(Request(url, method=method, headers=named))

    def stats(self) -> dict[str, int]:
        prefix = "focuscrawl/archive/"
        found = self.crawler.stats.get_stats().items()
        return {key.removeprefix(prefix): n for key, n in found if key.startswith(prefix)}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of a test is not to be found in the project's folder."""
    monkeypatch.setattr(scrapy_archive, "data_path", lambda name: str(tmp_path / name))


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Any]:
    made: list[Bench] = []

    def make_bench(*records: bytes, **settings: Any) -> Bench:
        made.append(Bench(tmp_path, *records, **settings).begin())
        return made[-1]

    yield make_bench
    for bench in made:
        bench.ring.close()


# -- answers ------------------------------------------------------------------------------


def test_a_page_is_answered_as_it_was(make: Any) -> None:
    block = http(HTML, Content_Type="text/html; charset=utf-8", X_Name="a")
    bench = make(response(URL, block=block))
    answer = bench.ask()
    assert isinstance(answer, HtmlResponse)
    assert (answer.url, answer.status, answer.body, answer.encoding) == (URL, 200, HTML, "utf-8")
    assert answer.headers["X-Name"] == b"a"
    assert bench.stats() == {"answered": 1}


@pytest.mark.parametrize(
    ("coding", "payload"),
    [("gzip", gzip.compress(HTML)), ("br", brotli.compress(HTML)), ("gzip", HTML)],
    ids=["gzip", "br", "only said to be packed"],
)
def test_bodies_are_unpacked_and_the_headers_agree(make: Any, coding: str, payload: bytes) -> None:
    block = http(payload, Content_Encoding=coding, Content_Length=str(len(payload)))
    answer = make(response(URL, block=block)).ask()
    assert answer.body == HTML
    assert "Content-Encoding" not in answer.headers
    assert "Content-Length" not in answer.headers


def test_chunks_are_gone(make: Any) -> None:
    block = http(b"6\r\n<html>\r\n0\r\n\r\n", Transfer_Encoding="chunked")
    answer = make(response(URL, block=block)).ask()
    assert answer.body == b"<html>"
    assert "Transfer-Encoding" not in answer.headers


def test_a_redirect_stays_a_redirect(make: Any) -> None:
    block = b"HTTP/1.1 301 Moved\r\nLocation: /caf\xc3\xa9\r\n\r\n"
    answer = make(response(URL, block=block)).ask()
    assert answer.status == 301
    assert answer.headers["Location"] == b"/caf\xc3\xa9"


def test_what_is_not_there_is_not_found_and_counted(make: Any) -> None:
    bench = make(response(URL))
    assert [bench.ask(url).status for url in ("http://a.test/2", "http://a.test/robots.txt")] == [
        404,
        404,
    ]
    assert bench.stats() == {"missing": 2}


def test_only_get_is_answered(make: Any) -> None:
    assert make(response(URL)).ask(method="POST").status == 404


def test_the_clock_of_the_crawl_decides(make: Any) -> None:
    records = (response(URL), response(URL, TUESDAY, http(b"<p>new</p>")))
    early = make(*records, FOCUSCRAWL_CLOCK="2026-11-17T12:00")
    assert early.ask().body == HTML
    assert make(*records, FOCUSCRAWL_CLOCK="2026-11-18").ask().body == b"<p>new</p>"


def test_a_page_that_is_too_large_is_refused_as_in_a_crawl(make: Any) -> None:
    block = http(gzip.compress(b"0" * 100_001), Content_Encoding="gzip")
    bench = make(response(URL, block=block))
    with pytest.raises(IgnoreRequest, match="DOWNLOAD_MAXSIZE"):
        bench.ask()
    assert bench.stats()["too_large"] == 1


def test_what_cannot_be_read_is_in_the_stats(make: Any) -> None:
    bench = make(response(URL), response(block=b"no head"), b"garbage")
    bench.ask()
    (bench.ring.archive._paths[0]).write_bytes(b"")
    bench.ask()
    bench.replay.spider_closed()
    assert bench.stats() == {
        "answered": 1,
        "missing": 1,
        "skipped/bad_HTTP_head": 1,
        "skipped/garbage": 1,
        "skipped/no_longer_there": 1,
    }


# -- conditional requests ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("captured", "sent", "status"),
    [
        ({"ETag": '"a"'}, {"If_None_Match": '"a"'}, 304),
        ({"ETag": '"a"'}, {"If_None_Match": 'W/"a"'}, 304),
        ({"ETag": 'W/"a"'}, {"If_None_Match": '"a"'}, 304),
        ({"ETag": '"a"'}, {"If_None_Match": '"b"'}, 200),
        ({"ETag": '"a"'}, {}, 200),
        ({"Last_Modified": "Mon"}, {"If_Modified_Since": "Mon"}, 304),
        ({"Last_Modified": "Mon"}, {"If_Modified_Since": "Tue"}, 200),
        ({"Last_Modified": "Mon"}, {"If_None_Match": '"a"'}, 200),
        (
            {"ETag": '"a"', "Last_Modified": "Mon"},
            {"If_None_Match": '"b"', "If_Modified_Since": "Mon"},
            200,
        ),
        ({}, {"If_None_Match": '"sha1:ABC"'}, 304),
        ({}, {"If_None_Match": '"sha1:XYZ"'}, 200),
    ],
)
def test_what_the_asker_has_is_not_sent_again(
    make: Any, captured: dict[str, str], sent: dict[str, str], status: int
) -> None:
    bench = make(response(URL, block=http(HTML, **captured), WARC_Payload_Digest="sha1:ABC"))
    answer = bench.ask(**sent)
    assert (answer.status, answer.body) == (status, HTML if status == 200 else b"")
    assert bench.stats() == {"not_modified" if status == 304 else "answered": 1}


def test_the_digest_names_a_version_that_the_site_did_not_name(make: Any) -> None:
    plain = make(response(URL, WARC_Payload_Digest="sha1:ABC"))
    assert plain.ask().headers["ETag"] == b'"sha1:ABC"'
    block = http(HTML, Last_Modified="Mon")
    assert (
        "ETag" not in make(response(URL, block=block, WARC_Payload_Digest="sha1:ABC")).ask().headers
    )


def test_another_status_is_never_unmodified(make: Any) -> None:
    bench = make(response(URL, block=http(HTML, 404, ETag='"a"')))
    assert bench.ask(If_None_Match='"a"').status == 404


def test_where_only_not_modified_was_recorded(make: Any) -> None:
    bench = make(response(URL, block=http(b"", 304, ETag='"a"')))
    assert bench.ask(If_None_Match='"a"').status == 304
    assert bench.ask().status == 404


def test_a_shell_is_answered_too(tmp_path: Path) -> None:
    bench = Bench(tmp_path, response(URL))
    assert [bench.ask().body, bench.ask("http://a.test/2").status] == [HTML, 404]
    assert not (tmp_path / "store").exists()
    assert bench.ring.archive is not None
    bench.ring.archive.close()


# -- its place, and what it stops ---------------------------------------------------------------


def test_it_is_off_without_an_archive() -> None:
    with pytest.raises(NotConfigured):
        Replay.from_crawler(get_crawler(settings_dict=DEFAULTS))


def test_it_stands_nearest_to_the_downloader() -> None:
    base = get_crawler().settings.getdict("DOWNLOADER_MIDDLEWARES_BASE")
    others = dict(DOWNLOADER_MIDDLEWARES)
    place = others.pop("focuscrawl.middlewares.replay.Replay")
    assert place > max(*base.values(), *filter(None, others.values()))


def test_no_delay_slows_a_replay(make: Any) -> None:
    live: Any = get_crawler(settings_dict={**DEFAULTS, "DOWNLOAD_DELAY": 5})
    replay = make(response(URL), DOWNLOAD_DELAY=5).crawler
    replay.engine = live.engine = SimpleNamespace(downloader=None)
    assert delay_of(live, "a.test") == 5.0
    assert delay_of(replay, "a.test") == 0.0


def test_a_replay_sends_no_alerts(make: Any) -> None:
    bench = make(response(URL), FOCUSCRAWL_WEBHOOK="http://alerts.test/")
    with pytest.raises(NotConfigured, match="a replay sends no alerts"):
        Webhook.from_crawler(bench.crawler)
