from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.dates import EARLIEST, parse_date

NOV_6 = 784_111_777.0
moments = st.datetimes(datetime(1990, 1, 2), datetime(2200, 1, 1)).map(  # noqa: DTZ001
    lambda moment: moment.replace(microsecond=0, tzinfo=UTC)
)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@pytest.fixture
def far_from_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1994", "1994-01-01T00:00:00"),
        ("1994-11", "1994-11-01T00:00:00"),
        ("1994-11-06", "1994-11-06T00:00:00"),
        ("1994-11-06T08:49Z", "1994-11-06T08:49:00"),
        ("1994-11-06T08:49:37Z", "1994-11-06T08:49:37"),
        ("1994-11-06t08:49:37z", "1994-11-06T08:49:37"),
        ("1994-11-06 08:49:37", "1994-11-06T08:49:37"),
        ("1994-11-06T08:49:37", "1994-11-06T08:49:37"),
        ("1994-11-06T10:49:37+02:00", "1994-11-06T08:49:37"),
        ("1994-11-06T10:49:37+0200", "1994-11-06T08:49:37"),
        ("1994-11-06 10:49:37 +02", "1994-11-06T08:49:37"),
        ("1994-11-06T03:19:37-05:30", "1994-11-06T08:49:37"),
        ("1994-11-06T08:49:37.25Z", "1994-11-06T08:49:37.250000"),
        ("  1994-11-06\n", "1994-11-06T00:00:00"),
    ],
)
def test_w3c_datetime(text: str, expected: str) -> None:
    assert parse_date(text) == datetime.fromisoformat(expected).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "06 Nov 1994 08:49:37",
        "Sun, 6 Nov 94 08:49:37 UT",
        "Sun, 06 Nov 1994 03:49:37 EST",
        "Sun, 06 Nov 1994 10:49:37 +0200",
        "1994-11-06T08:49:37.000000000Z",
    ],
)
@pytest.mark.usefixtures("far_from_utc")
def test_one_moment_in_the_spellings_of_mail_and_http_wherever_the_machine_stands(
    text: str,
) -> None:
    assert parse_date(text) == NOV_6


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "yesterday", "0", "-1", "19941106", "1994-W45", "1994-13-01", "1994-02-30",
        "1994-11-06T25:00Z", "1994-11-06T08:49:61Z", "1994-11-06T08:49+99:00", "94-11-06",
        "1994-11-06T08:49:37Z and more", "١٩٩٤-١١-٠٦", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +9999", "0000-00-00",
        "1989-12-31", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00+23:00",
        "Thu, 01 Jan 1970 00:00:00 GMT", "9" * 5_000, "1994-11-06" + " " * 200 + "x",
    ],
)  # fmt: skip
def test_what_is_no_date_or_older_than_the_web_is_none(text: str) -> None:
    assert parse_date(text) is None


def test_the_first_moment_that_counts() -> None:
    assert parse_date("1990-01-01T00:00:00Z") == EARLIEST
    assert parse_date("1990-01-01T00:00:00+00:01") is None


@given(moments, zones)
def test_both_families_are_read_back(moment: datetime, zone: timezone) -> None:
    local = moment.astimezone(zone)
    assert parse_date(local.isoformat()) == moment.timestamp()
    assert parse_date(format_datetime(local)) == moment.timestamp()
    assert parse_date(moment.strftime("%Y-%m-%dT%H:%M:%SZ")) == moment.timestamp()


@given(st.text() | st.text(alphabet="0123456789-+:TZ ., JanFebMoSuGMT", max_size=40))
def test_any_text_gives_a_sane_moment_or_none(text: str) -> None:
    seconds = parse_date(text)
    assert seconds is None or EARLIEST <= seconds < 254_000_000_000
