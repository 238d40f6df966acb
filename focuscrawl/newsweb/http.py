"""Just enough HTTP/1.1 to serve the sample web fast: keep-alive, HEAD, one request at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

LONGEST_HEAD = 32_768


@dataclass(frozen=True, slots=True)
class Request:
    """What a handler needs of a request; header names are lower-case."""

    method: str
    target: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Response:
    """Status, body and headers beyond the usual ones."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Request], Response]


class HttpProtocol(asyncio.Protocol):
    """One connection. Answers leave in the order of the requests."""

    def __init__(self, handler: Handler, latency: float = 0.0) -> None:
        self._handler = handler
        self._latency = latency
        self._buffer = b""
        self._busy = False
        self._skip = 0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport: an answer may be written later."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is left to answer."""
        self._transport = None

    def data_received(self, data: bytes) -> None:
        """Collect until a request's head is complete."""
        self._buffer += data
        if not self._busy:
            self._next()

    def _next(self) -> None:
        while self._transport and not self._busy:
            dropped = min(self._skip, len(self._buffer))
            self._buffer, self._skip = self._buffer[dropped:], self._skip - dropped
            end = self._buffer.find(b"\r\n\r\n")
            if self._skip or end < 0:
                if len(self._buffer) > LONGEST_HEAD:
                    self._write(Response(431), close=True, head=False)
                return
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        request = parse_head(head)
        if request is None:
            self._write(Response(400), close=True, head=False)
            return
        length = request.headers.get("content-length", "0")
        self._skip = int(length) if length.isdigit() else 0
        close = request.headers.get("connection", "").lower() == "close"
        response = self._handler(request)
        if self._latency:
            self._busy = True
            loop = asyncio.get_running_loop()
            loop.call_later(self._latency, self._late, response, close, request.method == "HEAD")
        else:
            self._write(response, close, request.method == "HEAD")

    def _late(self, response: Response, close: bool, head: bool) -> None:
        self._busy = False
        self._write(response, close, head)
        self._next()

    def _write(self, response: Response, close: bool, head: bool) -> None:
        if self._transport is None:
            return
        lines = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in response.headers.items()]
        if response.status != 304:
            lines.append(f"Content-Length: {len(response.body)}")
        lines.append(f"Connection: {'close' if close else 'keep-alive'}\r\n\r\n")
        body = b"" if head or response.status == 304 else response.body
        self._transport.write("\r\n".join(lines).encode("latin-1") + body)
        if close:
            self._transport.close()


def parse_head(head: bytes) -> Request | None:
    """The request line and headers, None when they are not HTTP/1."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1.") or not words[1].startswith("/"):
        return None
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            return None
        headers[name.strip().lower()] = value.strip()
    return Request(words[0], words[1], headers)
