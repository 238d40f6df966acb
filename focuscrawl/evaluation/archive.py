"""The pages of a web archive, as a crawl would have got them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from w3lib.encoding import html_to_unicode
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from focuscrawl.evaluation.tables import EvaluationError
from focuscrawl.urls import normalise

_SUFFIXES = (".warc", ".warc.gz")


class Page(NamedTuple):
    """A page under its normalised address."""

    url: str
    html: str


def archive_files(path: Path) -> list[Path]:
    """The file itself, or the WARC files of a folder in the order of their names."""
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.iterdir() if file.name.endswith(_SUFFIXES))
    if not found:
        raise EvaluationError(f"{path}: no .warc or .warc.gz file in this folder; give another")
    return found


def pages_of(path: Path) -> Iterator[Page]:
    """Every HTML page that was answered with 200; of several captures of a page, the first."""
    seen: set[str] = set()
    for file in archive_files(path):
        try:
            with file.open("rb") as stream:
                for record in ArchiveIterator(stream):
                    page = _page(record)
                    if page is not None and page.url not in seen:
                        seen.add(page.url)
                        yield page
        except OSError as error:
            reason = error.strerror or "cannot be read"
            raise EvaluationError(f"{file}: {reason}; give a WARC file or a folder") from None
        except (ArchiveLoadFailed, EOFError, ValueError):
            raise EvaluationError(f"{file}: no WARC file, or a damaged one; give another") from None


def _page(record: Any) -> Page | None:
    """None for requests, redirects, images and all else that is no page."""
    if record.rec_type != "response" or record.http_headers is None:
        return None
    kind = record.http_headers.get_header("Content-Type") or ""
    if record.http_headers.get_statuscode() != "200" or "html" not in kind.lower():
        return None
    url = normalise(record.rec_headers.get_header("WARC-Target-URI") or "")
    if url is None:
        return None
    return Page(url, html_to_unicode(kind, record.content_stream().read())[1])
