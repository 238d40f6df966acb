"""Answers every request from an archive, and none from the network.

It stands nearest to the downloader, so that robots.txt, redirects, retries and all the rest see
what they would see in a crawl, while the downloader with its slots and delays is never reached.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from focuscrawl.archive.content import LONGEST_BODY, decoded
from focuscrawl.archive.records import Capture, header
from focuscrawl.scrapy_ring import Ring

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_OF_THE_BODY = ("content-encoding", "content-length", "transfer-encoding")


class Replay:
    """A page that is not in the archive is not found (404), and counted."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.get("FOCUSCRAWL_ARCHIVE"):
            raise NotConfigured
        self.ring = Ring.of(crawler)
        self._max_size = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        replay = cls(crawler)
        crawler.signals.connect(replay.spider_closed, signals.spider_closed)
        return replay

    def process_request(self, request: Request) -> Response:
        capture = self._find(request)
        if capture is None or (capture.status == 304 and not _is_conditional(request)):
            self.ring.count("archive/missing")
            return Response(request.url, status=404)
        if capture.status == 304 or _has_it(request, capture):
            self.ring.count("archive/not_modified")
            return Response(request.url, status=304, headers=_headers(capture))
        self.ring.count("archive/answered")
        return self._response(request, capture)

    def _find(self, request: Request) -> Capture | None:
        self.ring.open_archive()  # long open in a crawl, but not in `scrapy shell` and `fetch`
        if request.method != "GET" or self.ring.archive is None:
            return None
        return self.ring.archive.capture(request.url, self.ring.now())

    def _response(self, request: Request, capture: Capture) -> Response:
        limit = request.meta.get("download_maxsize", self._max_size) or LONGEST_BODY
        body = decoded(capture.payload, header(capture.headers, "content-encoding"), limit + 1)
        if len(body) > limit:
            self.ring.count("archive/too_large")
            raise IgnoreRequest(f"larger than DOWNLOAD_MAXSIZE ({limit} bytes)")
        headers = _headers(capture)
        found = responsetypes.from_args(headers=headers, url=request.url, body=body)
        return found(request.url, status=capture.status, headers=headers, body=body)

    def spider_closed(self) -> None:
        if self.ring.archive is not None:
            self.ring.count_skipped(self.ring.archive.skipped)


def _headers(capture: Capture) -> Headers:
    """The recorded ones, for a body that is unpacked by now. Where a site named no version of
    its page, the digest stands for it: an unchanged capture need not be read twice."""
    headers = Headers()
    for name, value in capture.headers:
        if name.lower() not in _OF_THE_BODY:
            headers.appendlist(name, value.encode("latin-1"))
    if capture.digest and not ("ETag" in headers or "Last-Modified" in headers):
        headers["ETag"] = f'"{capture.digest}"'
    return headers


def _is_conditional(request: Request) -> bool:
    return "If-None-Match" in request.headers or "If-Modified-Since" in request.headers


def _has_it(request: Request, capture: Capture) -> bool:
    """Whether the request names the very version that was captured."""
    if capture.status != 200 or not _is_conditional(request):
        return False
    headers = _headers(capture)
    if "If-None-Match" in request.headers:
        return _same(request.headers.get("If-None-Match"), headers.get("ETag"))
    return _same(request.headers.get("If-Modified-Since"), headers.get("Last-Modified"))


def _same(sent: bytes | None, captured: bytes | None) -> bool:
    """Equal but for the mark of weak validators, which some servers drop on the way."""
    if not sent or not captured:
        return False
    return sent.strip().removeprefix(b"W/") == captured.strip().removeprefix(b"W/")
