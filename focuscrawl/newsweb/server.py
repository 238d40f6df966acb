"""The sites and the truth port behind HTTP; pages are rendered once per state of the clock."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from hashlib import sha1
from urllib.parse import urlsplit

from focuscrawl.newsweb.http import Request, Response
from focuscrawl.newsweb.links import Links
from focuscrawl.newsweb.records import Page
from focuscrawl.newsweb.render import TOKEN, Renderer
from focuscrawl.newsweb.sitemaps import Sitemaps
from focuscrawl.newsweb.timeline import START
from focuscrawl.newsweb.truth import RequestLog, Truth
from focuscrawl.newsweb.world import World

_TOKEN = TOKEN.encode()
_ENDS = {"gone": 404, "removed": 410}
_NOT_FOUND = (
    b"<!DOCTYPE html><html><head><title>Not found</title></head>"
    b"<body><h1>Not found</h1></body></html>"
)


@dataclass(frozen=True, slots=True)
class Cached:
    """A page as it will be sent until the clock moves."""

    status: int
    body: bytes
    packed: bytes
    headers: Mapping[str, str]
    modified: int
    disallowed: bool


class Newsweb:
    """Answers for all sites. Nothing here reads the wall clock."""

    def __init__(self, world: World, bases: Mapping[str, str]) -> None:
        links = Links(bases)
        self.log = RequestLog()
        self._world = world
        self._links = links
        self._renderer = Renderer(world, links)
        self._sitemaps = Sitemaps(world, links)
        self._truth = Truth(world, links, self.log)
        self._cache: dict[tuple[str, str], Cached] = {}
        self._requests = 0

    def site(self, name: str, request: Request) -> Response:
        """One request to one site."""
        if request.method not in ("GET", "HEAD"):
            return self._logged(name, request, Response(405, headers={"Allow": "GET, HEAD"}))
        key = (name, request.target)
        cached = self._cache.get(key)
        if cached is None:
            cached = self._cache[key] = self._make(name, request.target)
        response = self._send(cached, request)
        return self._logged(name, request, response, disallowed=cached.disallowed)

    def truth(self, request: Request) -> Response:
        """One request to the truth port; a moved clock makes every cached page stale."""
        try:
            answer = self._truth.answer(request.target)
        except ValueError as error:
            return _json(400, {"error": str(error)})
        if urlsplit(request.target).path == "/advance":
            self._cache.clear()
        return _json(404, {"error": "unknown address"}) if answer is None else _json(200, answer)

    def _logged(
        self, name: str, request: Request, response: Response, *, disallowed: bool = False
    ) -> Response:
        self.log.note(name, request.target, response.status, disallowed=disallowed)
        return response

    def _make(self, name: str, target: str) -> Cached:
        file = self._sitemaps.file(name, urlsplit(target).path)
        if file:
            return Cached(200, file[1], b"", {"Content-Type": file[0]}, 0, False)
        html = {"Content-Type": "text/html; charset=utf-8"}
        page = self._world.resolve(name, target)
        if page is None:
            return Cached(404, _NOT_FOUND, b"", html, 0, False)
        disallowed = bool(page.article and page.article.disallowed)
        end = page.article.end(self._world.now) if page.article else None
        if page.article and end and page.target != page.article.moved_target:
            if end.kind in _ENDS:
                return Cached(_ENDS[end.kind], _NOT_FOUND, b"", html, 0, disallowed)
            if page.kind != "print":
                html["Location"] = self._links.url(name, page.article.moved_target)
                return Cached(301, b"", b"", html, 0, disallowed)
        body = self._renderer.html(page).encode()
        packed = b"" if _TOKEN in body else gzip.compress(body, 6, mtime=0)
        modified = self._modified(page)
        return Cached(
            200, body, packed, html | self._validators(page, modified), modified, disallowed
        )

    def _modified(self, page: Page) -> int:
        """When the content, not the boxes around it, last changed; 0 when nobody knows."""
        if page.article:
            return page.article.modified(self._world.now)
        if page.listing:
            return page.listing.changed.get(page.number, START)
        return self._world.home_changed[page.plan.name] if page.kind == "home" else START

    def _validators(self, page: Page, modified: int) -> dict[str, str]:
        headers = {}
        if page.plan.validators:
            headers["Last-Modified"] = formatdate(modified, usegmt=True)
        if page.plan.validators == "etag":
            mark = sha1(f"{page.target}/{modified}".encode(), usedforsecurity=False).hexdigest()
            headers["ETag"] = f'W/"{mark[:16]}"'
        if page.plan.max_age:
            headers["Cache-Control"] = f"max-age={page.plan.max_age}"
        return headers

    def _send(self, cached: Cached, request: Request) -> Response:
        if _unchanged(cached, request.headers):
            return Response(304, b"", cached.headers)
        self._requests += 1
        zipped = cached.status == 200 and "gzip" in request.headers.get("accept-encoding", "")
        html = cached.headers["Content-Type"].startswith("text/html")
        if not (zipped and html):
            body = cached.body.replace(_TOKEN, f"{self._requests:08}".encode())
            return Response(cached.status, body, cached.headers)
        packed = cached.packed
        if not packed:
            body = cached.body.replace(_TOKEN, f"{self._requests:08}".encode())
            packed = gzip.compress(body, 1, mtime=0)
        headers = {**cached.headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(200, packed, headers)


def _unchanged(cached: Cached, headers: Mapping[str, str]) -> bool:
    """Whether a conditional request may be answered with 304 (If-None-Match goes first)."""
    tag = cached.headers.get("ETag")
    if tag and "if-none-match" in headers:
        return tag in [mark.strip() for mark in headers["if-none-match"].split(",")]
    if "Last-Modified" not in cached.headers or "if-modified-since" not in headers:
        return False
    try:
        since = parsedate_to_datetime(headers["if-modified-since"]).timestamp()
    except ValueError:
        return False
    return cached.modified <= since


def _json(status: int, answer: object) -> Response:
    body = json.dumps(answer, ensure_ascii=False).encode()
    return Response(status, body, {"Content-Type": "application/json; charset=utf-8"})
