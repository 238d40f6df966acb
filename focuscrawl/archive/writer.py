"""Writes exchanges with sites as WARC 1.1, each record a gzip member of its own.

Every exchange is on its way to the disk before the next begins: a process that is killed leaves
whole records behind, but for the one that it was writing.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO, FileIO
from itertools import count
from pathlib import Path
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from focuscrawl import __version__

FIELDS = "application/warc-fields"
_FAST, _TIGHT = 1, 6


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer. Heads are the bytes from the first line to the empty one.

    ``fields`` is what the crawl knew about it; ``is_cut`` says that the body came only in part.
    """

    url: str
    time: float
    request_head: bytes
    request_body: bytes
    response_head: bytes
    response_body: bytes
    fields: Mapping[str, str]
    ip: str = ""
    is_cut: bool = False


class _RawHead(StatusAndHeaders):  # type: ignore[misc]
    """An HTTP head that is written as it came; warcio would spell its special characters anew."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw.partition(b"\r\n")[0].decode("latin-1"), [])
        self._raw = raw

    def compute_headers_buffer(self, header_filter: object = None) -> None:
        self.headers_buff = self._raw


class ArchiveWriter:
    """Files of one process in a folder, each closed for the next at ``limit`` bytes."""

    def __init__(self, folder: Path, limit: int, clock: Callable[[], float], about: str) -> None:
        self._folder = folder
        self._limit = limit
        self._clock = clock
        self._about = about
        self._numbers = count(1)
        self._file: FileIO | None = None
        self._buffer = BytesIO()
        self._warc = WARCWriter(self._buffer, gzip=False, warc_version="1.1")

    def write(self, exchange: Exchange) -> None:
        """Response, request and metadata; after an error the file is as it was before."""
        file = self._file or self._open()
        response, *others = self._records(exchange)
        members = [self._zipped(response, _FAST if _is_packed(exchange) else _TIGHT)]
        members += [self._zipped(record, _FAST) for record in others]
        _put(file, b"".join(members))
        if file.tell() >= self._limit:
            self.close()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> FileIO:
        """A new file. Crawls of one process may begin in the same second, hence the number."""
        stamp = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y%m%d%H%M%S")
        self._folder.mkdir(parents=True, exist_ok=True)
        while True:
            name = f"focuscrawl-{stamp}-{os.getpid()}-{next(self._numbers):05}.warc.gz"
            try:
                self._file = (self._folder / name).open("xb", buffering=0)
                break
            except FileExistsError:
                continue
        info = {
            "software": f"focuscrawl/{__version__}",
            "format": "WARC File Format 1.1",
            "isPartOf": self._about,
        }
        record = self._warc.create_warcinfo_record(name, info)
        record.rec_headers.replace_header("WARC-Date", _warc_date(self._clock()))
        _put(self._file, self._zipped(record, _FAST))
        return self._file

    def _records(self, exchange: Exchange) -> list[Any]:
        date = {"WARC-Date": _warc_date(exchange.time)}
        about = {"WARC-IP-Address": exchange.ip} if exchange.ip else {}
        if exchange.is_cut:
            about["WARC-Truncated"] = "unspecified"
        response = self._http(
            "response", exchange, exchange.response_head, exchange.response_body, {**date, **about}
        )
        same = {**date, "WARC-Concurrent-To": response.rec_headers.get_header("WARC-Record-ID")}
        request = self._http(
            "request", exchange, exchange.request_head, exchange.request_body, same
        )
        fields = _warc_fields(exchange.fields)
        metadata = self._warc.create_warc_record(
            exchange.url,
            "metadata",
            payload=BytesIO(fields),
            length=len(fields),
            warc_content_type=FIELDS,
            warc_headers_dict=same,
        )
        return [response, request, metadata] if fields else [response, request]

    def _http(
        self, kind: str, exchange: Exchange, head: bytes, body: bytes, named: dict[str, str]
    ) -> Any:
        return self._warc.create_warc_record(
            exchange.url,
            kind,
            payload=BytesIO(body),
            length=len(body),
            http_headers=_RawHead(head),
            warc_headers_dict=named,
        )

    def _zipped(self, record: Any, level: int) -> bytes:
        self._buffer.seek(0)
        self._buffer.truncate()
        self._warc.write_record(record)
        return zlib.compress(self._buffer.getbuffer(), level, wbits=31)


def _put(file: FileIO, data: bytes) -> None:
    """All of it or nothing: half a record would hide the next from other readers."""
    start = file.tell()
    left = memoryview(data)
    try:
        while left:
            left = left[file.write(left) :]
    except OSError:
        file.seek(start)
        file.truncate()
        raise


def _is_packed(exchange: Exchange) -> bool:
    """Bodies that came packed do not shrink any further."""
    return b"\r\ncontent-encoding:" in exchange.response_head.lower()


def _warc_date(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def _warc_fields(fields: Mapping[str, str]) -> bytes:
    """One line a field: a line break in a value would begin another."""
    lines = (f"{name}: {' '.join(value.split())}\r\n" for name, value in fields.items() if value)
    return "".join(lines).encode("utf-8", "replace")
