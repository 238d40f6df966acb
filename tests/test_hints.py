from __future__ import annotations

import math
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.hints import CHANGEFREQ_SECONDS, LONGEST_FRESH, PageHints, page_hints

NOW = 1_700_000_000.0
DAY = 86_400.0


def fresh_for(**headers: str) -> float | None:
    """Seconds for which an answer with these headers is fresh."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    until = page_hints(named, "", NOW).fresh_until
    return None if until is None else until - NOW


@pytest.mark.parametrize(
    ("word", "days"),
    [
        ("always", 0), ("hourly", 1 / 24), ("daily", 1), ("weekly", 7), ("monthly", 30),
        ("yearly", 365), ("never", math.inf),
    ],
)  # fmt: skip
def test_seconds_of_changefreq(word: str, days: float) -> None:
    assert CHANGEFREQ_SECONDS[word] == days * DAY
    assert len(CHANGEFREQ_SECONDS) == 7


def test_an_answer_without_hints() -> None:
    assert page_hints({}, "", NOW) == PageHints(None, None, None, None, None)


def test_validators_are_kept_as_they_came() -> None:
    stamp = "Sun, 06 Nov 1994 08:49:37 GMT"
    hints = page_hints({"etag": ' W/"ab-1" ', "last-modified": stamp}, "", NOW)
    assert (hints.etag, hints.last_modified) == ('W/"ab-1"', stamp)
    assert hints.modified_at == 784_111_777.0


@pytest.mark.parametrize("value", ["", "  ", '"a"\r\nX-Evil: 1', '"\0"', "x" * 513])
def test_a_validator_that_cannot_be_sent_back_is_dropped(value: str) -> None:
    hints = page_hints({"etag": value, "last-modified": value}, "", NOW)
    assert hints.etag is None
    assert hints.last_modified is None


def test_a_page_cannot_have_changed_in_the_future() -> None:
    headers = {"last-modified": formatdate(NOW + 400 * DAY, usegmt=True)}
    assert page_hints(headers, "", NOW).modified_at == NOW


@pytest.mark.parametrize(
    ("cache_control", "expected"),
    [
        ("max-age=600", 600),
        ("public, MAX-AGE=600, must-revalidate", 600),
        ('max-age="600"', 600),
        ("max-age = 600", 600),
        ("s-maxage=900, max-age=600", 600),
        ("s-maxage=900", None),
        ("max-age=31536000, immutable", LONGEST_FRESH),
        ("max-age=" + "9" * 500, LONGEST_FRESH),
        ("max-age=0", None),
        ("max-age=-5", None),
        ("max-age=soon", None),
        ("max-age", None),
        ("no-cache, max-age=600", None),
        ("max-age=600, no-store", None),
        ('private="no-cache, no-store", max-age=60', 60),
        ("x_max-age=60", None),
        (",,;=", None),
    ],
)
def test_cache_control(cache_control: str, expected: float | None) -> None:
    assert fresh_for(cache_control=cache_control) == expected


def test_time_spent_in_caches_is_taken_off_the_lifetime_and_not_off_the_cap() -> None:
    assert fresh_for(cache_control="max-age=600", age="200") == 400
    assert fresh_for(cache_control="max-age=600", age="600") is None
    assert fresh_for(cache_control="max-age=600", age="old") == 600
    assert fresh_for(cache_control="max-age=600", age="9" * 500) is None
    assert fresh_for(cache_control="max-age=31536000", age="200") == LONGEST_FRESH


def test_expires_counts_without_max_age_and_from_the_clock_of_the_server() -> None:
    in_an_hour = formatdate(NOW + 3_600, usegmt=True)
    assert fresh_for(expires=in_an_hour) == 3_600
    assert fresh_for(expires=in_an_hour, cache_control="max-age=60") == 60
    assert fresh_for(expires=in_an_hour, cache_control="max-age=0") is None
    assert fresh_for(expires=in_an_hour, date=formatdate(NOW + 3_000, usegmt=True)) == 600
    assert fresh_for(expires=formatdate(NOW + 900 * DAY, usegmt=True)) == LONGEST_FRESH
    assert fresh_for(expires=formatdate(NOW - 1, usegmt=True)) is None
    assert fresh_for(expires="0") is None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("STATIC", 90 * DAY), (" static ", 90 * DAY), ("PERIODIC=7", 7 * DAY),
        ("Periodic = 30", 30 * DAY), ("VARIABLE", None), ("", None), ("PERIODIC", None),
        ("PERIODIC=0", None), ("PERIODIC=-7", None), ("PERIODIC=7 days", None),
        ("PERIODIC=99999", None), ("weekly", None),
    ],
)  # fmt: skip
def test_the_meta_tag(content: str, expected: float | None) -> None:
    assert page_hints({}, content, NOW).interval == expected


@given(st.dictionaries(
    st.sampled_from(["etag", "last-modified", "cache-control", "expires", "date", "age"]),
    st.text() | st.sampled_from(["max-age=5", "0", "Sun, 06 Nov 2044 08:49:37 GMT"]),
), st.text())  # fmt: skip
def test_any_headers_give_hints_within_the_cap(headers: dict[str, str], meta: str) -> None:
    hints = page_hints(headers, meta, NOW)
    assert hints.fresh_until is None or NOW < hints.fresh_until <= NOW + LONGEST_FRESH
    assert hints.modified_at is None or hints.modified_at <= NOW
    assert hints.interval is None or hints.interval > 0
