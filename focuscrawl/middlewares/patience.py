"""Leaves a host alone that says it has too much to do (429, 503), for as long as it asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, cast

from scrapy import signals
from scrapy.http import Request, Response

from focuscrawl.dates import parse_date
from focuscrawl.scrapy_options import META_PAUSE
from focuscrawl.scrapy_ring import Ring

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from focuscrawl.scheduler import FrontierScheduler

LONGEST_PAUSE = 3600.0
USUAL_PAUSE = 30.0
_TOO_MUCH = (429, 503)


def pause_asked(value: str, now: float) -> float:
    """The seconds of a Retry-After header: a number or a date, an hour at most."""
    text = value.strip()
    if text.isdecimal() and len(text) < 12:
        seconds = float(text)
    else:
        until = parse_date(text)
        seconds = USUAL_PAUSE if until is None else until - now
    return min(max(seconds, 1.0), LONGEST_PAUSE)


class Patience:
    """Stands nearer to the sites than Scrapy's retries, which would ask again at once."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.ring = Ring.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        patience = cls(crawler)
        crawler.signals.connect(patience.downloaded, signals.response_downloaded)
        return patience

    def downloaded(self, request: Request, response: Response) -> None:
        """At once: after this signal the host has room for its next request."""
        if response.status not in _TOO_MUCH or not self.ring.is_open:
            return
        header = (response.headers.get("Retry-After") or b"").decode("latin-1")
        pause = pause_asked(header, self.ring.now())
        request.meta[META_PAUSE] = pause
        request.meta["dont_retry"] = True
        engine = self.crawler.engine
        assert engine is not None
        host = request.meta.get("download_slot")
        if host:
            cast("FrontierScheduler", engine.scheduler).rest(host, pause)
            self.ring.count("hosts/asked_for_rest")
