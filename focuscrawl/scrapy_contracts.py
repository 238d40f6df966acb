"""A contract that needs no network: ``scrapy check`` gives a spider a page of its own topic."""

from __future__ import annotations

from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from scrapy.contracts import Contract

PAGE = b"""<!DOCTYPE html><html><head><title>A page to check spiders with</title></head><body>
<nav><a href="/">Home</a></nav>
<h1>The harbour reopens</h1><p>After two years of works the harbour of the old town is open.</p>
<h2>Read on</h2><ul><li><a href="/works">How the works went</a></li></ul>
</body></html>"""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path != "/robots.txt"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE if found else b"")

    def log_message(self, *_args: Any) -> None:
        """What is asked here is of no interest to anybody."""


@cache
def sample_url() -> str:
    """The address of the page, served from loopback as long as this process lives."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class SampleContract(Contract):
    """``@sample``: the callback gets a small news page served on loopback."""

    name = "sample"

    def adjust_request_args(self, args: dict[str, Any]) -> dict[str, Any]:
        args["url"] = sample_url()
        args["meta"] = {"proxy": None, "dont_obey_robotstxt": True}
        return args
