"""The sample web as a crawler meets it: over HTTP, from a child process."""

import gzip
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from socket import socket
from urllib.parse import urldefrag, urljoin, urlsplit

import lxml.etree
import lxml.html
import pytest

from focuscrawl.newsweb.client import NewswebError, RunningNewsweb, running_newsweb

NS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


class Client:
    """Keep-alive connections, one per site."""

    def __init__(self) -> None:
        self._open: dict[str, HTTPConnection] = {}

    def get(
        self, url: str, headers: dict[str, str] | None = None, method: str = "GET"
    ) -> tuple[HTTPResponse, bytes]:
        parts = urlsplit(url)
        connection = self._open.setdefault(parts.netloc, HTTPConnection(parts.netloc, timeout=20))
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target or "/", headers=headers or {})
        response = connection.getresponse()
        return response, response.read()

    def close(self) -> None:
        for connection in self._open.values():
            connection.close()


@pytest.fixture(scope="module")
def web() -> Iterator[RunningNewsweb]:
    with running_newsweb(seed=7, pages=300) as running:
        yield running


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with closing(Client()) as made:
        yield made


def links(url: str, body: bytes) -> set[str]:
    tree = lxml.html.fromstring(body)
    return {urldefrag(urljoin(url, href))[0] for href in tree.xpath("//a/@href")}


def test_crawling_all_links_finds_every_true_page_and_no_broken_one(
    web: RunningNewsweb, client: Client
) -> None:
    truth = web.truth()
    queue = [f"{base}/" for base in web.sites.values()]
    seen, found = set(queue), set()
    while queue:
        url = queue.pop()
        response, body = client.get(url)
        assert response.status == 200, url
        record = truth.get(url) or web.record(url)
        assert record is not None, url
        found.add(record["url"])
        if record["kind"] == "trap":
            continue
        assert lxml.html.fromstring(body).xpath("//h1"), url
        for link in links(url, body) - seen:
            seen.add(link)
            queue.append(link)
    assert found >= truth.keys()


def test_truth_agrees_with_the_served_headlines(web: RunningNewsweb, client: Client) -> None:
    for url, record in web.truth().items():
        if record["kind"] in ("article", "mirror", "print"):
            _, body = client.get(url)
            assert lxml.html.fromstring(body).findtext(".//h1") == record["title"]


def test_duplicates_are_known(web: RunningNewsweb, client: Client) -> None:
    truth = web.truth()
    prints = [r for r in truth.values() if r["kind"] == "print"]
    mirrors = [r for r in truth.values() if r["kind"] == "mirror"]
    assert len(prints) > 30
    assert len(mirrors) > 10
    for record in [*prints, *mirrors]:
        assert truth[record["duplicate_of"]]["category"] == record["category"]


def test_robots_sitemaps_and_true_lastmods(web: RunningNewsweb, client: Client) -> None:
    truth = web.truth()
    for name, base in web.sites.items():
        _, robots = client.get(f"{base}/robots.txt")
        entries = {}
        for location in re.findall(r"Sitemap: (\S+)", robots.decode()):
            entries |= sitemap_entries(client, location)
        assert bool(entries) is (name != "tarn-wire")
        for url, lastmod in entries.items():
            record = truth[url]
            assert record["site"] == name
            assert not record["disallowed"]
            assert not record.get("tunnel")
            if lastmod and name != "norland-post" and record["kind"] in ("article", "mirror"):
                assert lastmod == record["modified"]
        if name == "norland-post":
            assert all(entries[u] != truth[u].get("modified") for u in entries)


def sitemap_entries(client: Client, url: str) -> dict[str, str | None]:
    response, body = client.get(url)
    assert response.status == 200
    tree = lxml.etree.fromstring(gzip.decompress(body) if url.endswith(".gz") else body)
    if tree.tag == f"{NS}sitemapindex":
        parts = [sitemap_entries(client, loc.text) for loc in tree.iter(f"{NS}loc")]
        return {key: value for part in parts for key, value in part.items()}
    if url.endswith("news-sitemap.xml"):
        return {}
    return {row.findtext(f"{NS}loc"): row.findtext(f"{NS}lastmod") for row in tree}


def test_disallowed_pages_are_linked_and_counted(web: RunningNewsweb, client: Client) -> None:
    banned = {url for url, record in web.truth().items() if record["disallowed"]}
    home = f"{web.sites['harbour-herald']}/"
    _, body = client.get(home)
    linked = links(home, body) & banned
    assert linked
    _, robots = client.get(f"{web.sites['harbour-herald']}/robots.txt")
    assert b"Disallow: /members/" in robots
    web.reset_log()
    client.get(min(linked))
    log = web.log()
    assert log["sites"]["harbour-herald"]["disallowed"] == 1
    assert log["fetched"] == [["harbour-herald", urlsplit(min(linked)).path, 200]]


def test_conditional_requests(web: RunningNewsweb, client: Client) -> None:
    for site, header in (("harbour-herald", "ETag"), ("valley-courier", "Last-Modified")):
        url = next(
            u for u, r in web.truth().items() if r["site"] == site and r["kind"] == "article"
        )
        response, _ = client.get(url)
        condition = "If-None-Match" if header == "ETag" else "If-Modified-Since"
        again, body = client.get(url, {condition: str(response.getheader(header))})
        assert (again.status, body) == (304, b"")
        changed, body = client.get(
            url, {condition: '"x"' if header == "ETag" else "Thu, 01 Jan 2015 00:00:00 GMT"}
        )
        assert changed.status == 200
        assert body
    assert client.get(web.sites["tarn-wire"])[0].getheader("Last-Modified") is None


def test_head_gzip_404_and_other_methods(web: RunningNewsweb, client: Client) -> None:
    home = f"{web.sites['daily-lantern']}/"
    _, plain = client.get(home)
    head, nothing = client.get(home, method="HEAD")
    assert (head.status, nothing, head.getheader("Content-Length")) == (200, b"", str(len(plain)))
    zipped, body = client.get(home, {"Accept-Encoding": "gzip"})
    assert zipped.getheader("Content-Encoding") == "gzip"
    assert gzip.decompress(body) == plain
    assert client.get(f"{home}nowhere")[0].status == 404
    assert client.get(home, method="POST")[0].status == 405


def test_tokens_change_with_every_request(web: RunningNewsweb, client: Client) -> None:
    home = f"{web.sites['harbour-herald']}/"
    assert client.get(home)[1] != client.get(home)[1]


def test_the_calendar_never_ends(web: RunningNewsweb, client: Client) -> None:
    url, seen = f"{web.sites['daily-lantern']}/calendar/2026/11", set()
    for _ in range(40):
        seen.add(url)
        _, body = client.get(url)
        following = lxml.html.fromstring(body).xpath("//a[text()='Next month']/@href")
        url = urljoin(url, following[0])
    assert len(seen) == 40
    record = web.record(url)
    assert record is not None
    assert record["kind"] == "trap"


def test_filters_multiply_addresses(web: RunningNewsweb, client: Client) -> None:
    start = f"{web.sites['norland-post']}/browse"
    first = {u for u in links(start, client.get(start)[1]) if "/browse?" in u}
    second = {u for one in first for u in links(one, client.get(one)[1]) if "/browse?" in u}
    assert len(second) > 5 * len(first) > 50


def test_seeds_are_homes_and_one_section(web: RunningNewsweb) -> None:
    truth = web.truth()
    seeds = web.seeds("sports")
    assert [truth[url]["kind"] for url in seeds] == ["home"] * 6 + ["section"]
    assert truth[seeds[-1]]["category"] == "sports"


def test_the_clock_moves_and_pages_with_it() -> None:
    with running_newsweb(seed=7, pages=300) as web, closing(Client()) as client:
        start = web.clock()
        answer = web.advance(30)
        assert answer["now"] == web.clock() == start + 30 * 3600
        changes = web.changes(start)
        assert answer["changes"] == len(changes) > 20
        assert web.changes(web.clock()) == []
        new = next(c["url"] for c in changes if c["kind"] == "new")
        assert client.get(new)[0].status == 200
        for url, record in web.truth().items():
            if record["status"] != 200:
                assert client.get(url)[0].status == record["status"]
    assert web.process.returncode == 0


def test_a_port_in_use_is_one_clear_line_and_code_2() -> None:
    with closing(socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "focuscrawl.newsweb", "--port", str(port)]
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL
        )
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"newsweb: port {port} for harbour-herald cannot be used")
    assert ended.stderr.count("\n") == 1


def test_a_wrong_option_is_told() -> None:
    with pytest.raises(NewswebError, match="code 2"), running_newsweb(latency={"nowhere": 5}):
        pass
