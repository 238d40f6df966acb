"""The pages of a web archive, as a crawl would have got them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from w3lib.encoding import html_to_unicode

from focuscrawl.archive.archive import archive_files
from focuscrawl.archive.reader import read_file
from focuscrawl.archive.records import Record
from focuscrawl.urls import normalise


class Page(NamedTuple):
    """A page under its normalised address."""

    url: str
    html: str


def pages_of(path: Path, skipped: Counter[str] | None = None) -> Iterator[Page]:
    """Every HTML page that was answered with 200; of several captures of a page, the first.

    Records that cannot be read are left out and counted by their reason.
    """
    seen: set[str] = set()
    for file in archive_files(path):
        for _, record in read_file(file, Counter() if skipped is None else skipped):
            page = _page(record)
            if page is not None and page.url not in seen:
                seen.add(page.url)
                yield page


def _page(record: Record) -> Page | None:
    """None for redirects, images and all else that is no page, or only says "as before"."""
    capture = record.capture
    kind = capture.content_type
    if record.original is not None or capture.status != 200 or "html" not in kind.lower():
        return None
    url = normalise(capture.url)
    return None if url is None else Page(url, html_to_unicode(kind, capture.body)[1])
