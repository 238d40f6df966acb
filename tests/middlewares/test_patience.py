from __future__ import annotations

from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from focuscrawl.middlewares.patience import LONGEST_PAUSE, USUAL_PAUSE, Patience, pause_asked
from focuscrawl.scrapy_options import DEFAULTS, META_PAUSE
from focuscrawl.scrapy_ring import Ring
from focuscrawl.settings import DOWNLOADER_MIDDLEWARES
from focuscrawl.topics.catalog import Catalog
from focuscrawl.topics.category import parse_category

NOW = 1_700_000_000.0
SPORT = parse_category("sport", 'words = ["goal", "striker"]\nthreshold = 0.3\n', "sport.toml")
URL = "http://a.test/1"


# -- the header -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 2 ", 2.0),
        ("0", 1.0),
        ("3600", 3600.0),
        ("3601", 3600.0),
        ("1000000000", 3600.0),
        (formatdate(NOW + 90, usegmt=True), 90.0),
        (formatdate(NOW + 9_000, usegmt=True), 3600.0),
        (formatdate(NOW - 90, usegmt=True), 1.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 3600.0),
        ("", USUAL_PAUSE),
        ("soon", USUAL_PAUSE),
        ("-5", USUAL_PAUSE),
        ("1e400", USUAL_PAUSE),
        ("nan", USUAL_PAUSE),
        ("9" * 5_000, USUAL_PAUSE),
        ("Sun, 99 Nov 2094 08:49:37 GMT", USUAL_PAUSE),
    ],
)
def test_seconds_dates_and_nonsense(value: str, seconds: float) -> None:
    assert pause_asked(value, NOW) == seconds


def test_the_bounds() -> None:
    assert (USUAL_PAUSE, LONGEST_PAUSE) == (30.0, 3_600.0)


@given(st.text(max_size=60) | st.integers().map(str) | st.floats(0, 4e9).map(formatdate))
def test_any_header_gives_a_pause_between_a_second_and_an_hour(value: str) -> None:
    assert 1.0 <= pause_asked(value, NOW) <= LONGEST_PAUSE


# -- the middleware -------------------------------------------------------------------------


class Bench:
    """The middleware in a crawl whose scheduler only remembers who was to rest."""

    def __init__(self, folder: Path) -> None:
        settings = {**DEFAULTS, "FOCUSCRAWL_DIR": str(folder)}
        self.crawler: Any = get_crawler(settings_dict=settings)
        self.rests: list[tuple[str, float]] = []
        scheduler = SimpleNamespace(rest=lambda host, pause: self.rests.append((host, pause)))
        self.crawler.engine = SimpleNamespace(scheduler=scheduler)
        self.patience = Patience.from_crawler(self.crawler)
        self.ring = Ring.of(self.crawler)

    def answer(self, status: int, slot: str | None = "a.test", **headers: str) -> Request:
        request = Request(URL, meta={"download_slot": slot} if slot else {})
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = Response(URL, status=status, headers=named)
        self.patience.downloaded(request, response)
        return request


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    made.ring.open(SPORT, Catalog([SPORT]))
    yield made
    made.ring.close()


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_has_too_much_to_do_rests(bench: Bench, status: int) -> None:
    request = bench.answer(status, retry_after="120")
    assert bench.rests == [("a.test", 120.0)]
    assert request.meta[META_PAUSE] == 120.0
    assert request.meta["dont_retry"]
    assert bench.ring.stat("hosts/asked_for_rest") == 1


def test_a_host_that_names_no_time_rests_for_the_usual(bench: Bench) -> None:
    assert bench.answer(503).meta[META_PAUSE] == USUAL_PAUSE
    assert bench.rests == [("a.test", USUAL_PAUSE)]


def test_a_date_counts_by_the_clock_of_the_crawl(bench: Bench) -> None:
    until = formatdate(bench.ring.now() + 100, usegmt=True)
    assert bench.answer(429, retry_after=until).meta[META_PAUSE] == pytest.approx(100, abs=1.5)


def test_an_absurd_wish_is_cut_to_an_hour(bench: Bench) -> None:
    bench.answer(429, retry_after=str(10**9))
    assert bench.rests == [("a.test", LONGEST_PAUSE)]


@pytest.mark.parametrize("status", [200, 304, 404, 500, 502])
def test_any_other_answer_passes_untouched(bench: Bench, status: int) -> None:
    request = bench.answer(status, retry_after="120")
    assert bench.rests == []
    assert request.meta == {"download_slot": "a.test"}
    assert bench.ring.stat("hosts/asked_for_rest") == 0


def test_a_request_outside_of_the_frontier_is_not_retried_at_once(bench: Bench) -> None:
    request = bench.answer(429, slot=None, retry_after="5")
    assert bench.rests == []
    assert request.meta == {META_PAUSE: 5.0, "dont_retry": True}


def test_before_a_crawl_begins_nothing_is_done(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.answer(429, retry_after="5").meta == {"download_slot": "a.test"}
    assert bench.rests == []


def test_it_stands_nearer_to_the_sites_than_the_retries() -> None:
    base = get_crawler().settings.getdict("DOWNLOADER_MIDDLEWARES_BASE")
    retries = base["scrapy.downloadermiddlewares.retry.RetryMiddleware"]
    assert DOWNLOADER_MIDDLEWARES["focuscrawl.middlewares.patience.Patience"] > retries
