"""Alerts against a real receiver on loopback: one that fails, one that hangs, one that is gone."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import deferred_f_from_coro_f
from scrapy.utils.test import get_crawler

from focuscrawl.blocks import parse_html, partition
from focuscrawl.changes.report import LONGEST_TEXT, MOST_BLOCKS, Change, ReportedBlock
from focuscrawl.changes.verdict import BlockChange, Verdict
from focuscrawl.extensions import webhook as module
from focuscrawl.extensions.webhook import Courier, Outcome, Webhook, content_changed
from focuscrawl.items import PageItem
from focuscrawl.relevance.classifier import Decision
from focuscrawl.scrapy_options import DEFAULTS

SECONDS = 20.0
CHANGE = Change(
    url="http://news.test/cup", title="Cup — final", category="sports", at=1_794_996_000.0,
    kinds=("textual",), blocks=(ReportedBlock("Report", "won", "lost"),), more_blocks=0,
    weight=0.25, similarity=0.3,
)  # fmt: skip


class Receiver(ThreadingHTTPServer):
    """Answers with the statuses it was given, then with 204; remembers what it got."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.statuses: list[int] = []
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.arrived = Event()
        self.may_answer = Event()
        self.may_answer.set()
        self.url = f"http://127.0.0.1:{self.server_port}/hook?to=me"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        self.server.arrived.set()
        self.server.may_answer.wait(SECONDS)
        status = self.server.statuses.pop(0) if self.server.statuses else 204
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.may_answer.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def dead_url() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/"


def crawler_with(**settings: Any) -> Any:
    crawler = get_crawler(settings_dict={**DEFAULTS, **settings})
    crawler._apply_settings()
    return crawler


def test_a_change_is_posted_as_json(receiver: Receiver) -> None:
    courier = Courier(receiver.url, user_agent="me")
    courier.post(CHANGE)
    assert courier.close(SECONDS) == Outcome(sent=1, failed=0, dropped=0, left=0)
    ((path, headers, body),) = receiver.got
    assert path == "/hook?to=me"
    assert (headers["Content-Type"], headers["User-Agent"]) == ("application/json", "me")
    assert "X-Focuscrawl-Signature" not in headers
    assert json.loads(body) == {
        "event": "content_changed", "url": "http://news.test/cup", "title": "Cup — final",
        "category": "sports", "at": "2026-11-18T10:00:00+00:00", "kinds": ["textual"],
        "blocks": [{"heading": "Report", "removed": "won", "added": "lost"}], "more_blocks": 0,
        "weight": 0.25, "similarity": 0.3,
    }  # fmt: skip


def test_the_signature_is_of_the_body(receiver: Receiver) -> None:
    courier = Courier(receiver.url, secret="schlüssel")
    courier.post(CHANGE)
    courier.close(SECONDS)
    ((_, headers, body),) = receiver.got
    digest = hmac.new("schlüssel".encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Focuscrawl-Signature"] == f"sha256={digest}"


def test_a_receiver_that_fails_twice_is_tried_again(receiver: Receiver) -> None:
    receiver.statuses = [500, 302]
    pauses: list[float] = []
    courier = Courier(receiver.url, pause=pauses.append)
    courier.post(CHANGE)
    courier.post(replace(CHANGE, title="next"))
    assert courier.close(SECONDS) == Outcome(sent=2, failed=0, dropped=0, left=0)
    assert pauses == [1.0, 4.0]
    titles = [json.loads(body)["title"] for _, _, body in receiver.got]
    assert titles == ["Cup — final"] * 3 + ["next"]


def test_a_dead_port_fails_and_is_not_logged_each_time(
    dead_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    courier = Courier(f"{dead_url}token", pause=lambda seconds: None)
    for _ in range(102):
        courier.post(CHANGE)
    assert courier.close(SECONDS) == Outcome(sent=0, failed=102, dropped=0, left=0)
    lines = [record.getMessage() for record in caplog.records]
    assert [line.partition(";")[0] for line in lines] == [
        "FOCUSCRAWL_WEBHOOK at 127.0.0.1: 1 alerts failed so far",
        "FOCUSCRAWL_WEBHOOK at 127.0.0.1: 101 alerts failed so far",
    ]
    assert "token" not in caplog.text


def test_nothing_waits_for_a_receiver_that_hangs(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_QUEUED", 10)
    receiver.may_answer.clear()
    courier = Courier(receiver.url)
    courier.post(CHANGE)
    assert receiver.arrived.wait(SECONDS)
    began = time.monotonic()
    for _ in range(15):
        courier.post(CHANGE)
    assert time.monotonic() - began < 1
    assert courier.close(0.05) == Outcome(sent=0, failed=0, dropped=5, left=11)


def test_the_end_of_a_crawl_wakes_a_pause(dead_url: str) -> None:
    courier = Courier(dead_url)
    courier.post(CHANGE)
    assert courier.close(0.05) == Outcome(sent=0, failed=0, dropped=0, left=1)
    assert courier._thread is not None
    courier._thread.join(SECONDS)
    assert not courier._thread.is_alive()


def test_a_proxy_is_never_asked_for_this_machine(
    receiver: Receiver, dead_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", dead_url)
    courier = Courier(receiver.url)
    courier.post(CHANGE)
    assert courier.close(SECONDS).sent == 1
    monkeypatch.setenv("http_proxy", receiver.url)
    courier = Courier("http://alerts.example/in")
    courier.post(CHANGE)
    assert courier.close(SECONDS).sent == 1
    assert receiver.got[-1][0] == "http://alerts.example/in"


def test_no_thread_without_an_alert() -> None:
    courier = Courier("http://alerts.example/")
    assert courier._thread is None
    assert courier.close(SECONDS) == Outcome(0, 0, 0, 0)


def test_nothing_is_said_when_no_url_is_set() -> None:
    with pytest.raises(NotConfigured) as caught:
        Webhook.from_crawler(crawler_with())
    assert caught.value.args == ()


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("hooks.example/s3cret", "is no http(s) URL"),
        ("ftp://hooks.example/s3cret", "is no http(s) URL"),
        ("http://hooks.example:port/s3cret", "is no http(s) URL"),
        ("http://hooks example/s3cret", "is no http(s) URL"),
        ("http://me:s3cret@hooks.example/", "holds a user name or password"),
    ],
)
def test_a_wrong_url_is_named_by_its_setting_and_not_repeated(url: str, problem: str) -> None:
    with pytest.raises(NotConfigured) as caught:
        Webhook.from_crawler(crawler_with(FOCUSCRAWL_WEBHOOK=url))
    (message,) = caught.value.args
    assert message.startswith(f"FOCUSCRAWL_WEBHOOK {problem}")
    assert "s3cret" not in message


def item() -> PageItem:
    html = b"<title>Cup</title><h1>Report</h1><p>lost</p>"
    found = PageItem(
        "http://news.test/cup", 200, html, "utf-8", partition(parse_html(html)), 1_794_996_000.0
    )
    found.decision = Decision("sports", 0.3, {"sports": 0.3}, 0.3, None, 0.1, True, "kept")
    found.change_weight = 0.25
    lines = tuple("x" * 400 for _ in range(3))
    blocks = tuple(BlockChange(f"block {n}", lines, ("short",)) for n in range(MOST_BLOCKS + 2))
    found.verdict = Verdict(textual=True, blocks=blocks)
    return found


@deferred_f_from_coro_f
async def test_the_signal_makes_an_alert_and_the_end_writes_the_stats(receiver: Receiver) -> None:
    crawler = crawler_with(FOCUSCRAWL_WEBHOOK=receiver.url, FOCUSCRAWL_WEBHOOK_SECRET="k")
    webhook = Webhook.from_crawler(crawler)
    crawler.signals.send_catch_log(content_changed, item=item())
    await webhook.spider_closed()
    ((_, headers, body),) = receiver.got
    assert headers["X-Focuscrawl-Signature"].startswith("sha256=")
    alert = json.loads(body)
    assert (alert["title"], alert["category"], alert["kinds"]) == ("Cup", "sports", ["textual"])
    assert (len(alert["blocks"]), alert["more_blocks"]) == (MOST_BLOCKS, 2)
    first = alert["blocks"][0]
    assert (first["heading"], first["added"]) == ("block 0", "short")
    assert len(first["removed"]) == LONGEST_TEXT
    assert first["removed"].endswith("…")
    assert crawler.stats.get_stats() == {"focuscrawl/webhook/sent": 1}


@deferred_f_from_coro_f
async def test_what_is_left_is_told(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "LAST_SECONDS", 0.05)
    receiver.may_answer.clear()
    crawler = crawler_with(FOCUSCRAWL_WEBHOOK=receiver.url)
    webhook = Webhook.from_crawler(crawler)
    for _ in range(3):
        webhook.notify(CHANGE)
    await webhook.spider_closed()
    assert crawler.stats.get_stats() == {"focuscrawl/webhook/left": 3}
    assert "3 alerts were not sent before the crawl ended" in caplog.text
