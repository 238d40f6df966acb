"""From settings to an archive, and to the clock of a crawl that replays one."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scrapy.exceptions import NotConfigured
from scrapy.utils.project import data_path

from focuscrawl.archive.archive import Archive, archive_files
from focuscrawl.archive.progress import show_progress
from focuscrawl.archive.records import ArchiveError
from focuscrawl.dates import parse_date

_EPOCH = re.compile(r"[0-9]{5,12}(?:\.[0-9]+)?")
_AFTER_THE_LAST = 1.0


def open_archive(settings: Any) -> Archive | None:
    """The archive that is to be replayed, its index ready; None in a crawl of the live web."""
    named = str(settings.get("FOCUSCRAWL_ARCHIVE") or "")
    if not named:
        return None
    watch = show_progress if settings.getbool("FOCUSCRAWL_PROGRESS") else None
    archive = Archive(archive_files(Path(named)), cache_dir(settings), watch)
    if archive.index.span() is None:
        archive.close()
        raise ArchiveError(f"FOCUSCRAWL_ARCHIVE={named}: holds no answer of a web site")
    return archive


def cache_dir(settings: Any) -> Path:
    """Scrapy's data folder, for all stores alike; under scrapyd, where there is none, the store."""
    try:
        return Path(data_path("focuscrawl"))
    except NotConfigured:
        return Path(settings.get("FOCUSCRAWL_DIR") or ".")


def prepare_archive(settings: Any) -> None:
    """Make the index while Ctrl-C still ends the process at once, before the engine starts."""
    try:
        archive = open_archive(settings)
    except KeyboardInterrupt:
        raise ArchiveError("stopped before the archive was indexed; no harm is done") from None
    if archive is not None:
        archive.close()


def clock_offset(settings: Any, archive: Archive | None = None) -> float:
    """The seconds between the clock on the wall and the crawl's, which begins now."""
    offset = settings.getfloat("FOCUSCRAWL_CLOCK_OFFSET")
    named = str(settings.get("FOCUSCRAWL_CLOCK") or "").strip()
    if named and offset:
        raise ValueError(
            "FOCUSCRAWL_CLOCK and FOCUSCRAWL_CLOCK_OFFSET are both set; give one of them"
        )
    if named:
        return _moment(named) - time.time()
    span = archive.index.span() if archive is not None and not offset else None
    return span.last + _AFTER_THE_LAST - time.time() if span else offset


def _moment(named: str) -> float:
    moment = float(named) if _EPOCH.fullmatch(named) else parse_date(named)
    if moment is None:
        raise ValueError(
            f"FOCUSCRAWL_CLOCK={named}: no date; write it as 2026-11-18T08:00 (UTC), "
            "or as seconds since 1970"
        )
    return moment


def described(archive: Archive, now: float) -> str:
    """One line about what is replayed."""
    span = archive.index.span()
    assert span is not None
    first, last, begin = (
        datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S")
        for moment in (span.first, span.last, now)
    )
    skipped = archive.index.skipped().total()
    damaged = f", {skipped} records that cannot be read" if skipped else ""
    return (
        f"Replays an archive of {span.captures} captures from {first} to {last}{damaged}; "
        f"the clock begins at {begin} UTC, nothing is fetched"
    )
