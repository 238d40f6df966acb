"""Records every answer that comes over the network as WARC, to be replayed later.

It listens to the downloader itself: there a body is still packed as its headers say, before any
middleware touched either, and what a cache or an archive answers never passes.
"""

from __future__ import annotations

import logging
import os
import sys
from errno import EACCES
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Self

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.http import Headers, Response
from scrapy.utils.httpobj import urlparse_cached

from focuscrawl.archive.writer import ArchiveWriter, Exchange
from focuscrawl.scrapy_options import CANNOT_START, META_LEASE, META_SOURCE
from focuscrawl.scrapy_ring import Ring

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from focuscrawl.frontier.records import Lease
    from focuscrawl.sources import Source

logger = logging.getLogger(__name__)

_MEGABYTE = 1_000_000
_NO_BODY = (204, 304)
_OF_THE_TRANSFER = frozenset((b"content-length", b"transfer-encoding", b"trailer"))
_SECRET = frozenset((b"authorization", b"proxy-authorization", b"cookie"))
_IN_PART = frozenset(("partial", "dataloss", "download_stopped"))


class Recorder:
    """One crawl's. A disk that fails ends the recording, with one line, and not the crawl."""

    def __init__(self, crawler: Crawler, folder: Path, megabytes: float) -> None:
        self.ring = Ring.of(crawler)
        self._folder = folder
        self._limit = int(megabytes * _MEGABYTE) or sys.maxsize
        self._writer: ArchiveWriter | None = None
        self._failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        folder = str(settings.get("FOCUSCRAWL_RECORD") or "")
        if not folder:
            raise NotConfigured
        if settings.get("FOCUSCRAWL_ARCHIVE"):
            raise NotConfigured(
                "FOCUSCRAWL_RECORD: a replay fetches nothing that could be recorded"
            )
        recorder = cls(crawler, Path(folder), settings.getfloat("FOCUSCRAWL_RECORD_MB"))
        crawler.signals.connect(recorder.spider_opened, signals.spider_opened)
        crawler.signals.connect(recorder.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(recorder.spider_closed, signals.spider_closed)
        return recorder

    def spider_opened(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if not os.access(self._folder, os.W_OK | os.X_OK):
                raise PermissionError(EACCES, os.strerror(EACCES))
        except OSError as error:
            logger.error(
                "FOCUSCRAWL_RECORD=%s: cannot be used (%s); name a folder that can be written",
                self._folder,
                error.strerror,
            )
            raise CloseSpider(CANNOT_START) from None

    def response_downloaded(self, response: Response, request: Request) -> None:
        if not self.ring.is_open:
            return
        if request.method != "GET":
            self.ring.count("record/not_get")
        elif self._failed:
            self.ring.count("record/failed")
        else:
            self._record(response, request)

    def _record(self, response: Response, request: Request) -> None:
        if self._writer is None:
            about = f"crawl of {self.ring.category.name}, phase {self.ring.phase.number}"
            self._writer = ArchiveWriter(self._folder, self._limit, self.ring.now, about)
        try:
            self._writer.write(
                exchange_of(response, request, self.ring.now(), self._fields(request))
            )
            self.ring.count("record/written")
        except OSError as error:
            self._failed = True
            self.ring.count("record/failed")
            logger.error(
                "FOCUSCRAWL_RECORD=%s: cannot be written (%s); nothing more is recorded, "
                "what was recorded so far is whole",
                self._folder,
                error.strerror,
            )

    def _fields(self, request: Request) -> dict[str, str]:
        """What the crawl knows about a request, and no later reader could tell."""
        fields = {
            "category": self.ring.category.name,
            "phase": str(self.ring.phase.number),
        }
        lease: Lease | None = request.meta.get(META_LEASE)
        source: Source | None = request.meta.get(META_SOURCE)
        if lease is not None:
            fields |= {"via": lease.parent, "anchor": lease.anchor, "depth": str(lease.depth)}
        if source is not None:
            fields["source"] = source.kind
        if request.meta.get("redirect_urls"):
            fields["via"] = request.meta["redirect_urls"][-1]
        return fields

    def spider_closed(self) -> None:
        if self._writer is not None:
            self._writer.close()


def exchange_of(
    response: Response, request: Request, now: float, fields: dict[str, str]
) -> Exchange:
    return Exchange(
        url=response.url,
        time=now,
        request_head=_request_head(request),
        request_body=request.body,
        response_head=_response_head(response),
        response_body=response.body,
        fields=fields,
        ip=str(response.ip_address or ""),
        is_cut=not _IN_PART.isdisjoint(response.flags),
    )


def _request_head(request: Request) -> bytes:
    """The request as it went out, but for what proves who asked: recordings are handed on."""
    parts = urlparse_cached(request)
    target = (parts.path or "/") + (f";{parts.params}" if parts.params else "")
    target += f"?{parts.query}" if parts.query else ""
    first = f"{request.method} {target} HTTP/1.1\r\nHost: {parts.netloc.rpartition('@')[2]}\r\n"
    return first.encode("latin-1", "replace") + _lines(request.headers, _SECRET) + b"\r\n"


def _response_head(response: Response) -> bytes:
    """Status and headers; the length is that of the body as it is here, without chunks."""
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = ""
    first = f"HTTP/1.1 {response.status} {phrase}\r\n".encode()
    length = b"" if response.status in _NO_BODY else b"Content-Length: %d\r\n" % len(response.body)
    return first + _lines(response.headers, _OF_THE_TRANSFER) + length + b"\r\n"


def _lines(headers: Headers, without: frozenset[bytes]) -> bytes:
    return b"".join(
        name + b": " + value.replace(b"\r", b" ").replace(b"\n", b" ") + b"\r\n"
        for name, values in headers.items()
        if name.lower() not in without
        for value in values
    )
