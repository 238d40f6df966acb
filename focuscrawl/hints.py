"""What a page and its headers say about their own changes.

Hints save fetches only while they are true: how far a site's are believed is learned from
its pages (``trust.py``), and what follows from them is decided in ``frontier/hinting.py``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from focuscrawl.dates import parse_date

_HOUR = 3_600.0
_DAY = 86_400.0
CHANGEFREQ_SECONDS: Mapping[str, float] = {
    "always": 0.0,
    "hourly": _HOUR,
    "daily": _DAY,
    "weekly": 7 * _DAY,
    "monthly": 30 * _DAY,
    "yearly": 365 * _DAY,
    "never": math.inf,
}
STATIC_SECONDS = 90 * _DAY
LONGEST_FRESH = _DAY
"""Sites let caches keep for a year what they edit tomorrow; we believe them for a day."""
LONGEST_VALIDATOR = 512
_DIRECTIVE = re.compile(r'([\w-]+)(?:\s*=\s*(?:"([^"]*)"|([^,\s]*)))?')
_DIGITS = re.compile(r"[0-9]+")
_PERIODIC = re.compile(r"PERIODIC\s*=\s*([0-9]{1,4})")


@dataclass(frozen=True, slots=True)
class PageHints:
    """What one answer said: two values to send back, and three to plan the next visit by."""

    etag: str | None
    last_modified: str | None
    modified_at: float | None
    fresh_until: float | None
    interval: float | None


def page_hints(headers: Mapping[str, str], meta_frequency: str, now: float) -> PageHints:
    """Hints of an answer that came at ``now``; header names in lower case."""
    modified = parse_date(headers.get("last-modified", ""))
    return PageHints(
        etag=_validator(headers.get("etag", "")),
        last_modified=_validator(headers.get("last-modified", "")),
        modified_at=None if modified is None else min(modified, now),
        fresh_until=_fresh_until(headers, now),
        interval=_interval(meta_frequency),
    )


def _validator(value: str) -> str | None:
    """A header value fit to be sent back: a line break in it would start a header of its own."""
    value = value.strip()
    return value if value and len(value) <= LONGEST_VALIDATOR and value.isprintable() else None


def _fresh_until(headers: Mapping[str, str], now: float) -> float | None:
    directives = {
        name: quoted or bare
        for name, quoted, bare in _DIRECTIVE.findall(headers.get("cache-control", "").lower())
    }
    if "no-cache" in directives or "no-store" in directives:
        return None
    if "max-age" in directives:
        lifetime = _seconds(directives["max-age"])
    else:
        lifetime = _until_expiry(headers, now)
    left = min(lifetime - _seconds(headers.get("age", "")), LONGEST_FRESH)
    return now + left if left > 0 else None


def _until_expiry(headers: Mapping[str, str], now: float) -> float:
    """``Expires`` counts from the server's own clock, where it tells it."""
    expires = parse_date(headers.get("expires", ""))
    if expires is None:
        return 0.0
    sent = parse_date(headers.get("date", ""))
    return expires - (now if sent is None else sent)


def _seconds(text: str) -> float:
    """A number of seconds; what is none is 0, as RFC 9111 asks for unreadable lifetimes."""
    text = text.strip()
    return float(text) if _DIGITS.fullmatch(text) else 0.0


def _interval(meta_frequency: str) -> float | None:
    """Seconds between changes by ``<meta name="change-frequency">``."""
    text = meta_frequency.strip().upper()
    if text == "STATIC":
        return STATIC_SECONDS
    periodic = _PERIODIC.fullmatch(text)
    days = int(periodic[1]) if periodic else 0
    return days * _DAY or None
