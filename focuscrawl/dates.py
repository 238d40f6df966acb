"""Dates as sitemaps, feeds and headers write them, as seconds since 1970 in UTC.

Two families cover the web: W3C datetime (RFC 3339 and its short forms) and the mail
and HTTP dates of RFC 822, 850, 1123 and asctime. A date that names no zone is taken as
UTC: the reader's own zone would move it with the machine that crawls.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_tz

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC).timestamp()
"""Before the web there were no pages; such a date is an unset clock or an empty field."""
LONGEST_DATE = 100
_DAY = 86_400
_W3C = re.compile(
    r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?P<fraction>[.,][0-9]+)?)?"
    r" ?(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?)?)?"
)


def parse_date(text: str) -> float | None:
    """Seconds since 1970, or None for what is no date or lies before 1990."""
    text = text.strip()
    if not text or len(text) > LONGEST_DATE:
        return None
    try:
        match = _W3C.fullmatch(text)
        seconds = _w3c_seconds(match) if match else _mail_seconds(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return seconds if seconds is not None and seconds >= EARLIEST else None


def _w3c_seconds(match: re.Match[str]) -> float:
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    moment = datetime(
        int(year), int(month or 1), int(day or 1),
        int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC,
    )  # fmt: skip
    seconds = moment.timestamp() - _offset_seconds(zone or "Z")
    return seconds + float("0." + fraction[1:]) if fraction else seconds


def _offset_seconds(zone: str) -> int:
    if zone in "Zz":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 23 or minutes > 59:
        raise ValueError(zone)
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def _mail_seconds(text: str) -> float | None:
    """The date of a mail or HTTP header; the parser of email guesses, so its answer is checked."""
    fields = parsedate_tz(text)
    if fields is None:
        return None
    year, month, day, hour, minute, second = fields[:6]
    offset = fields[9] or 0
    if abs(offset) >= _DAY:
        return None
    moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    return (moment - timedelta(seconds=offset)).timestamp()
