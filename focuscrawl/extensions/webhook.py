"""Alerts: each content change of a page that the crawl keeps is posted to a URL of the user's.

A thread of its own does the posting, so that no receiver, however slow, holds up the crawl.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Self
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import run_in_thread
from w3lib.url import safe_url_string

from focuscrawl.changes.report import Change, reported_change

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from focuscrawl.items import PageItem

logger = logging.getLogger(__name__)

content_changed = object()
"""Signal, sent with ``item``: the content of a page that the crawl's own category keeps changed."""

MOST_QUEUED = 1_000
LAST_SECONDS = 10.0
"""How long the end of a crawl waits for what is queued."""
_TIMEOUT = 10.0
_PAUSES = (1.0, 4.0)
_LOG_EVERY = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the alerts: ``dropped`` ones found the queue full, ``left`` ones the end."""

    sent: int
    failed: int
    dropped: int
    left: int


class _NoRedirect(HTTPRedirectHandler):
    """urllib would follow with a GET: the alert would be lost and count as sent."""

    def redirect_request(self, *_args: object) -> None:
        return None


class Courier:
    """Posts alerts one after the other; handing one in never waits."""

    def __init__(
        self,
        url: str,
        secret: str = "",
        user_agent: str = "focuscrawl",
        pause: Callable[[float], object] | None = None,
    ) -> None:
        self._url = url
        self._host = urlsplit(url).hostname or ""
        self._secret = secret.encode()
        self._user_agent = user_agent
        self._given_up = Event()
        self._pause = pause or self._given_up.wait
        self._opener = _opener(self._host)
        self._queue: SimpleQueue[Change | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._taken = self._sent = self._failed = self._dropped = 0

    def post(self, change: Change) -> None:
        if self._queue.qsize() >= MOST_QUEUED:
            self._dropped += 1
            return
        if self._thread is None:
            self._thread = Thread(target=self._work, name="focuscrawl-webhook", daemon=True)
            self._thread.start()
        self._taken += 1
        self._queue.put(change)

    def close(self, seconds: float) -> Outcome:
        """Wait that long for what is queued, then let the rest go."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(seconds)
        self._given_up.set()
        sent, failed = self._sent, self._failed
        return Outcome(sent, failed, self._dropped, self._taken - sent - failed)

    def _work(self) -> None:
        while (change := self._queue.get()) is not None and not self._given_up.is_set():
            problem = self._deliver(json.dumps(change.as_json()).encode())
            if problem is None:
                self._sent += 1
            elif not self._given_up.is_set():
                self._note_failure(problem)

    def _note_failure(self, problem: Exception) -> None:
        self._failed += 1
        if self._failed % _LOG_EVERY == 1:
            logger.warning(
                "FOCUSCRAWL_WEBHOOK at %s: %d alerts failed so far; the last: %s",
                self._host,
                self._failed,
                problem,
            )

    def _deliver(self, body: bytes) -> Exception | None:
        """What went wrong at the last try; None when the receiver took it."""
        problem = self._try(body)
        for seconds in _PAUSES:
            if problem is None:
                break
            self._pause(seconds)
            if self._given_up.is_set():
                break
            problem = self._try(body)
        return problem

    def _try(self, body: bytes) -> Exception | None:
        headers = {"Content-Type": "application/json", "User-Agent": self._user_agent}
        if self._secret:
            digest = hmac.new(self._secret, body, hashlib.sha256).hexdigest()
            headers["X-Focuscrawl-Signature"] = f"sha256={digest}"
        try:
            request = Request(self._url, body, headers)  # noqa: S310 (scheme is checked)
            with self._opener.open(request, timeout=_TIMEOUT):
                return None
        except (OSError, HTTPException, ValueError) as error:
            if isinstance(error, HTTPError):
                error.close()
            return error


class Webhook:
    """Turns changed pages into alerts; its figures go into the stats when the spider is closed."""

    def __init__(self, crawler: Crawler, courier: Courier) -> None:
        self.crawler = crawler
        self.courier = courier

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        url = str(settings.get("FOCUSCRAWL_WEBHOOK") or "").strip()
        if not url:
            raise NotConfigured
        if settings.get("FOCUSCRAWL_ARCHIVE"):
            raise NotConfigured("FOCUSCRAWL_WEBHOOK: a replay sends no alerts")
        secret = str(settings.get("FOCUSCRAWL_WEBHOOK_SECRET") or "")
        webhook = cls(crawler, Courier(_checked(url), secret, settings["USER_AGENT"]))
        crawler.signals.connect(webhook.page_changed, content_changed)
        crawler.signals.connect(webhook.spider_closed, signals.spider_closed)
        return webhook

    def page_changed(self, item: PageItem) -> None:
        decision = item.decision
        assert decision is not None
        self.notify(
            reported_change(
                item.verdict,
                url=item.url,
                title=item.outline.title,
                category=decision.category or "",
                at=item.fetched_at,
                weight=item.change_weight,
                similarity=decision.similarity,
            )
        )

    def notify(self, change: Change) -> None:
        self.courier.post(change)

    async def spider_closed(self) -> None:
        outcome = await run_in_thread(self.courier.close, LAST_SECONDS)
        assert self.crawler.stats is not None
        for name in Outcome.__slots__:
            number = getattr(outcome, name)
            if number:
                self.crawler.stats.inc_value(f"focuscrawl/webhook/{name}", number)
        if outcome.left or outcome.dropped:
            logger.warning(
                "FOCUSCRAWL_WEBHOOK: %d alerts were not sent before the crawl ended, "
                "%d found the queue full; list them with: scrapy changes",
                outcome.left,
                outcome.dropped,
            )


def _checked(url: str) -> str:
    """The URL as it goes over the wire. It may hold a token, so no message repeats it."""
    try:
        safe = safe_url_string(url)
        parts = urlsplit(safe)
        named = bool(parts.hostname) and not any(mark.isspace() for mark in parts.netloc)
        is_web = parts.scheme in ("http", "https") and named and parts.port != 0
    except ValueError:
        is_web = False
    if not is_web:
        raise NotConfigured(
            "FOCUSCRAWL_WEBHOOK is no http(s) URL: no alerts are sent; "
            "give the full address of the receiver"
        )
    if "@" in parts.netloc:
        raise NotConfigured(
            "FOCUSCRAWL_WEBHOOK holds a user name or password: no alerts are sent; "
            "leave it out, and sign with FOCUSCRAWL_WEBHOOK_SECRET"
        )
    return safe


def _opener(host: str) -> OpenerDirector:
    """Through the proxy that the environment names, but never to reach this machine itself."""
    proxies = ProxyHandler({}) if _is_loopback(host) else ProxyHandler()
    return build_opener(proxies, _NoRedirect)


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
