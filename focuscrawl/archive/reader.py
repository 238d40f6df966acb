"""Reads WARC records: the answers in them, and which earlier one a revisit stands for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from warcio.bufferedreaders import ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecordLoader
from warcio.statusandheaders import StatusAndHeadersParser

from focuscrawl.archive.frames import CUT_OFF, SEVERAL_IN_ONE, Frame, frame_at, frames
from focuscrawl.archive.records import ArchiveError, Capture, Headers, Original, Record, header
from focuscrawl.dates import parse_date

BAD_RECORD_HEAD = "bad record head"
BAD_HTTP_HEAD = "bad HTTP head"
_KINDS = ("response", "revisit")
_STATUS = re.compile(r"[1-9][0-9]{2}")
_CODINGS = ("content-encoding", "transfer-encoding", "content-length")


class BadRecord(ValueError):
    """The record stands where it should, but cannot be understood."""


class Found(NamedTuple):
    """A record and where it begins."""

    offset: int
    record: Record


class _HttpHeadParser(StatusAndHeadersParser):  # type: ignore[misc]
    """One character for each byte: a guess at the encoding could not be undone."""

    @staticmethod
    def decode_header(line: bytes) -> str:
        return line.decode("latin-1")


_loader = ArcWarcRecordLoader(arc2warc=False)
_http_heads = _HttpHeadParser([], verify=False)


def read_file(path: Path, skipped: Counter[str]) -> Iterator[Found]:
    """All responses and revisits of a file, in order; what is no good is counted by its reason."""
    problems: set[str] = set()
    try:
        with path.open("rb") as file:
            for frame in frames(file):
                problems.add(frame.problem)
                record = _read(frame, path, skipped)
                if record is not None:
                    yield Found(frame.offset, record)
    except OSError as error:
        raise ArchiveError(f"{path}: cannot be read ({error.strerror or error})") from None
    if problems - {CUT_OFF} and "" not in problems:
        raise ArchiveError(f"{path}: holds no WARC record; give .warc or .warc.gz files")


def _read(frame: Frame, path: Path, skipped: Counter[str]) -> Record | None:
    if frame.problem == SEVERAL_IN_ONE and frame.offset == 0:
        raise ArchiveError(
            f"{path}: compressed as a whole, so no record can be found without reading all before "
            f"it; compress it record by record: warcio recompress {path.name} new.warc.gz"
        )
    if frame.problem:
        skipped[frame.problem] += 1
        return None
    try:
        return parse_record(frame.record)
    except BadRecord as error:
        skipped[str(error)] += 1
        return None


def read_at(path: Path, offset: int) -> Record | None:
    """The record that begins there, None where there is no longer one."""
    try:
        with path.open("rb") as file:
            frame = frame_at(file, offset)
        return None if frame.problem else parse_record(frame.record)
    except (OSError, BadRecord):
        return None


def parse_record(data: bytes) -> Record | None:
    """The answer in a whole record; None for records of other kinds, and those of other schemes."""
    try:
        found = _loader.parse_record_stream(
            BytesIO(data), known_format="warc", no_record_parse=True
        )
    except (ArchiveLoadFailed, EOFError):
        raise BadRecord(BAD_RECORD_HEAD) from None
    url = found.rec_headers.get_header("WARC-Target-URI") or ""
    if found.rec_type not in _KINDS or not url.lower().startswith(("http://", "https://")):
        return None
    time = parse_date(found.rec_headers.get_header("WARC-Date") or "")
    if time is None:
        raise BadRecord(BAD_RECORD_HEAD)
    digest = found.rec_headers.get_header("WARC-Payload-Digest") or ""
    original = _original(found.rec_headers, url) if found.rec_type == "revisit" else None
    status, headers = _http_head(found.raw_stream, empty_is_fine=original is not None)
    payload = _payload(found.raw_stream, headers)
    return Record(Capture(url, time, status, headers, payload, digest.strip()), original)


def _original(head: Any, url: str) -> Original:
    return Original(
        head.get_header("WARC-Refers-To-Target-URI") or url,
        parse_date(head.get_header("WARC-Refers-To-Date") or ""),
    )


def _http_head(stream: Any, *, empty_is_fine: bool) -> tuple[int, Headers]:
    """Status and headers; a revisit may have none, and says 304 thereby."""
    try:
        head = _http_heads.parse(stream)
    except EOFError:
        if empty_is_fine:
            return 304, ()
        raise BadRecord(BAD_HTTP_HEAD) from None
    code = head.get_statuscode()
    if not head.protocol.startswith("HTTP/") or not _STATUS.fullmatch(code):
        raise BadRecord(BAD_HTTP_HEAD)
    return int(code), tuple(head.headers)


def _payload(stream: Any, headers: Headers) -> bytes:
    """The body without chunks; warcio takes one as it is that only claims to have them."""
    if "chunked" in header(headers, "transfer-encoding").lower():
        stream = ChunkedDataReader(stream)
    payload: bytes = stream.read()
    return payload


def with_payload(revisit: Capture, original: Capture) -> Capture:
    """The answer that a revisit record stands for: its own head, the original's body.

    Where the site only said that nothing changed, the head is the original's too.
    """
    if revisit.status == 304:
        return replace(original, url=revisit.url, time=revisit.time)
    own = [pair for pair in revisit.headers if pair[0].lower() not in _CODINGS]
    coding = [pair for pair in original.headers if pair[0].lower() in _CODINGS]
    return replace(revisit, headers=(*own, *coding), payload=original.payload)
