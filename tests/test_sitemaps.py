from __future__ import annotations

import gzip
import socket
import time
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.sitemaps import (
    MAX_DEPTH,
    MAX_URLS,
    SitemapEntry,
    SitemapFile,
    claim_order,
    read_sitemap,
)

URL = "https://news.example/sitemap.xml"
NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
MAY_1 = 1_714_521_600.0


def urlset(*entries: str, xmlns: str = f' xmlns="{NS}"') -> bytes:
    return f"<?xml version='1.0'?>\n<urlset{xmlns}>{''.join(entries)}</urlset>".encode()


def entry(loc: str, more: str = "") -> str:
    return f"<url><loc>{loc}</loc>{more}</url>"


def paths(file: SitemapFile) -> list[str]:
    return [found.url.removeprefix("https://news.example") for found in file.entries]


def packed(unit: bytes, times: int, head: bytes = b"") -> bytes:
    """A gzip file of many equal parts, made without holding them."""
    packer = zlib.compressobj(wbits=31)
    chunks = [packer.compress(head), *(packer.compress(unit) for _ in range(times))]
    return b"".join([*chunks, packer.flush()])


def test_the_site_with_most_unclaimed_links_goes_first() -> None:
    sites = {
        "A": "a1 a2 a3 a4",
        "B": "b1 b2 a1 b3",
        "C": "c1 c2 c3",
        "D": "d1 d2 d3 d4",
        "E": "e1 e2 b3 e3 b1",
        "F": "f1 f2 d1 e1",
    }
    order = claim_order({name: links.split() for name, links in sites.items()})
    assert order == ["E", "A", "D", "C", "F", "B"]


def test_ties_go_by_name_and_repeated_links_count_once() -> None:
    assert claim_order({"b": ["1", "2"], "a": ["3", "4"], "c": ["5", "5", "5"]}) == ["a", "b", "c"]


def test_no_sites_and_empty_sites() -> None:
    assert claim_order({}) == []
    assert claim_order({"b": [], "a": []}) == ["a", "b"]


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("123456789"))))
def test_every_site_once_and_gains_never_grow(sites: dict[str, list[str]]) -> None:
    given_links = {name: list(links) for name, links in sites.items()}
    order = claim_order(sites)
    assert sorted(order) == sorted(sites)
    assert sites == given_links
    claimed: set[str] = set()
    gains = []
    for name in order:
        gains.append(len(set(sites[name]) - claimed))
        claimed |= set(sites[name])
    assert gains == sorted(gains, reverse=True)


def test_a_urlset() -> None:
    body = urlset(
        entry(
            "https://news.example/a",
            "<lastmod>2024-05-01</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>",
        ),
        entry("https://news.example/b", "<lastmod>2024-05-01T02:00:00+02:00</lastmod>"),
        entry("https://news.example/c"),
    )
    assert read_sitemap(body, URL) == SitemapFile(
        entries=(
            SitemapEntry("https://news.example/a", MAY_1, "daily", 0.8),
            SitemapEntry("https://news.example/b", MAY_1, None, None),
            SitemapEntry("https://news.example/c", None, None, None),
        ),
        children=(),
        cut=0,
        foreign=0,
        problem="",
    )


def test_an_index_may_name_itself_and_the_caller_minds_the_depth() -> None:
    body = f"""<sitemapindex xmlns="{NS}"><sitemap><loc>{URL}</loc><lastmod>2024</lastmod></sitemap>
        <sitemap><loc>/news.xml.gz</loc></sitemap>
        <sitemap><loc>https://evil.example/sitemap.xml</loc></sitemap></sitemapindex>"""
    file = read_sitemap(body.encode(), URL)
    assert file == SitemapFile((), (URL, "https://news.example/news.xml.gz"), 0, 1, "")
    assert MAX_DEPTH == 5


def test_a_news_sitemap_and_the_locations_of_images() -> None:
    body = f"""<urlset xmlns="{NS}" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
          xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
        <url><image:image><image:loc>https://news.example/a.jpg</image:loc></image:image>
          <loc>https://news.example/a</loc><news:news>
          <news:publication><news:name>News</news:name></news:publication>
          <news:publication_date>2024-05-01</news:publication_date></news:news></url>
        <url><loc>https://news.example/b</loc>
          <news:news><news:publication_date>2023-01-01</news:publication_date></news:news>
          <lastmod>2024-05-01T00:00Z</lastmod></url></urlset>"""
    assert [
        (found.url[-2:], found.lastmod) for found in read_sitemap(body.encode(), URL).entries
    ] == [
        ("/a", MAY_1),
        ("/b", MAY_1),
    ]


@pytest.mark.parametrize(
    "xmlns", ["", f' xmlns="{NS}"', ' xmlns="http://www.google.com/schemas/84"']
)
def test_any_namespace_or_none(xmlns: str) -> None:
    assert paths(read_sitemap(urlset(entry("/a"), xmlns=xmlns), URL)) == ["/a"]


def test_prefixes_declared_or_not() -> None:
    body = "<s:urlset{}><s:url><s:loc>/a</s:loc></s:url></s:urlset>"
    for declared in ("", f" xmlns:s='{NS}'"):
        file = read_sitemap(body.format(declared).encode(), URL)
        assert (paths(file), file.problem) == (["/a"], "")


def test_values_out_of_range_are_no_values() -> None:
    more = "<lastmod>{}</lastmod><changefreq>{}</changefreq><priority>{}</priority>"
    body = urlset(
        entry("/a", more.format("0000-00-00", "sometimes", "11")),
        entry("/b", more.format("now", "", "nan")),
        entry("/c", more.format("1970-01-01", "NEVER ", " 1.0 ")),
        entry("/d", more.format("2999-01-01", "hourly", "-0.1")),
    )
    assert [found[1:] for found in read_sitemap(body, URL).entries] == [
        (None, None, None),
        (None, None, None),
        (None, "never", 1.0),
        (32_472_144_000.0, "hourly", None),
    ]


def test_white_space_cdata_comments_and_references_around_a_location() -> None:
    body = urlset(
        entry("\n   https://news.example/a\t"),
        entry("<![CDATA[ https://news.example/b?x=1&y=2 ]]>"),
        entry("/c<!-- not this -->d"),
        entry("/e?x=1&amp;y=&#50;&#x33;"),
        entry("/f?x=1&y=2"),
        entry(""),
        "<url/>",
    )
    file = read_sitemap(body, URL)
    assert paths(file) == ["/a", "/b?x=1&y=2", "/cd", "/e?x=1&y=23", "/f?x=1&y=2"]
    assert (file.cut, file.foreign, file.problem) == (0, 0, "")


def test_locations_on_other_sites_are_counted_and_those_that_are_no_pages_dropped() -> None:
    body = urlset(
        entry("https://NEWS.example:443/a"),
        entry("http://news.example/b"),
        entry("https://www.news.example/c"),
        entry("https://news.example:8443/d"),
        entry("https://news.example@evil.example/e"),
        entry("javascript:alert(1)"),
        entry("file:///etc/passwd"),
        entry("http://[/"),
        entry("https://news.example/" + "x" * 3_000),
    )
    file = read_sitemap(body, URL)
    assert [found.url for found in file.entries] == [
        "https://news.example/a",
        "http://news.example/b",
    ]
    assert file.foreign == 3


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: ("\n \n" + text).encode(),
        lambda text: text.encode("utf-16"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-32"),
        lambda text: text.replace("'1.0'", "'1.0' encoding='iso-8859-1'").encode("latin-1"),
        lambda text: gzip.compress(text.encode()),
        lambda text: gzip.compress(text[:80].encode()) + gzip.compress(text[80:].encode()),
        lambda text: gzip.compress(text.encode()) + bytes(512),
        lambda text: gzip.compress(text.encode("utf-16")),
    ],
)
def test_the_same_sitemap_however_it_is_wrapped(wrap) -> None:  # type: ignore[no-untyped-def]
    file = read_sitemap(wrap(urlset(entry("/caf\xe9"), entry("/b")).decode()), URL)
    assert (paths(file), file.problem) == (["/caf%C3%A9", "/b"], "")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_plain_list(encoding: str) -> None:
    text = "\n# stories\nhttps://news.example/a\r\n  HTTPS://news.example/b?x=1&y=2\n\nabout us\n"
    text += "http://other.example/\nhttps://news.example/c"
    file = read_sitemap(text.encode(encoding), URL)
    assert paths(file) == ["/a", "/b?x=1&y=2", "/c"]
    assert (file.foreign, file.problem) == (1, "")


def test_the_last_line_of_a_list_counts_only_when_it_is_whole() -> None:
    lines = "".join(f"https://news.example/{number}\n" for number in range(20_000))
    file = read_sitemap(gzip.compress(lines.encode())[:-6_000], URL)
    assert file.problem == "gzip cut short"
    assert paths(file) == [f"/{number}" for number in range(len(file.entries))]
    assert 5_000 < len(file.entries) < 20_000


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "not XML"),
        (b"\n ", "not XML"),
        (b"404 not found", "not XML"),
        (b"<", "not XML"),
        (b"%PDF-1.4 \xff\xfe\0", "not XML"),
        (
            b"<!DOCTYPE html><html><body><url><loc>/a</loc></url></body></html>",
            "no sitemap but <html>",
        ),
        (b"<rss><channel/></rss>", "no sitemap but <rss>"),
        (b"\x1f\x8b\x08", "gzip cut short"),
        (b"\x1f\x8bnothing", "damaged gzip"),
    ],
)
def test_problems_are_named(body: bytes, problem: str) -> None:
    assert read_sitemap(body, URL) == SitemapFile((), (), 0, 0, problem)


def test_broken_xml_is_read_as_far_as_it_goes_and_no_address_is_spoilt() -> None:
    body = urlset(
        entry("/1"),
        "<url><loc>/2</url>",
        entry("/3?a=1&amp;b=2", "<lastmod>2024-05-01</lost>"),
        "<url><loc>/4</loc>",
        "<<>> \0 &bogus; a < b </> <1> <!x>",
        entry("/5?a=1&amp;b=2"),
    )
    file = read_sitemap(body, URL)
    assert paths(file) == ["/1", "/2", "/3?a=1&b=2", "/4", "/5?a=1&b=2"]
    assert file.problem == "broken XML in line 2"


def test_a_sitemap_cut_anywhere_gives_only_whole_addresses() -> None:
    whole = [f"/story-{number}?a=1&b={number}" for number in range(5)]
    body = urlset(*(entry(path.replace("&", "&amp;"), "<priority>1</priority>") for path in whole))
    for length in range(len(body)):
        file = read_sitemap(body[:length], URL)
        assert paths(file) == whole[: len(file.entries)]
        assert file.problem
    packed_body = gzip.compress(body)
    for length in range(len(packed_body)):
        file = read_sitemap(packed_body[:length], URL)
        assert paths(file) == whole[: len(file.entries)]
        assert file.problem


def test_no_more_entries_than_the_protocol_allows_and_no_time_lost() -> None:
    more = "<lastmod>2024-05-01T10:00:00+02:00</lastmod><changefreq>daily</changefreq>"
    body = urlset(*(entry(f"https://news.example/story-{n}", more) for n in range(60_000)))
    began = time.process_time()
    file = read_sitemap(body, URL)
    assert time.process_time() - began < 5
    assert (len(file.entries), file.cut, file.problem) == (MAX_URLS, 10_000, "")
    assert file.entries[-1].url == "https://news.example/story-49999"
    lines = "".join(f"https://news.example/{n}\n" for n in range(60_000))
    listed = read_sitemap(lines.encode(), URL)
    assert (len(listed.entries), listed.cut, listed.problem) == (MAX_URLS, 10_000, "")


@pytest.mark.parametrize(
    ("unit", "head"),
    [
        (bytes(1_000_000), b""),
        (b" " * 1_000_000, urlset(entry("/a"))[:-9]),
        (b"<?a b?>" * 150_000, urlset(entry("/a"))[:-9]),
        (b"x" * 1_000_000, b"https://news.example/a\n"),
    ],
)
def test_a_gzip_bomb_stays_small(unit: bytes, head: bytes) -> None:
    bomb = packed(unit, 200, head)
    assert len(bomb) < 1_500_000
    tracemalloc.start()
    try:
        file = read_sitemap(bomb, URL)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000
    assert paths(file) == (["/a"] if head else [])
    assert file.problem in ("larger than 50 MB unpacked", "broken XML in line 2")


def test_200_megabytes_of_nothing_are_named() -> None:
    assert read_sitemap(packed(bytes(1_000_000), 200), URL).problem == "larger than 50 MB unpacked"
    assert read_sitemap(bytes(51 << 20), URL).problem == "larger than 50 MB unpacked"


def test_nothing_is_read_from_disk_or_net(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("leak")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        remote = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        prolog = f"""<!DOCTYPE urlset SYSTEM "{remote}.dtd" [
            <!ENTITY % outer SYSTEM "{remote}"> %outer;
            <!ENTITY file SYSTEM "{secret.as_uri()}"> <!ENTITY net SYSTEM "{remote}"> ]>"""
        body = f"{prolog}<urlset>{entry('/&file;')}{entry('/&net;')}{entry('/c')}</urlset>"
        file = read_sitemap(body.encode(), URL)
        utf_16 = read_sitemap(body.encode("utf-16"), URL)
        hidden = read_sitemap(body.replace("<urlset", "<!-- <![CDATA[ --><urlset", 1).encode(), URL)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert paths(file) == paths(utf_16) == ["/&file", "/&net", "/c"]
    assert "leak" not in repr(file) + repr(hidden)


@given(st.binary(max_size=2_000), st.text(max_size=40))
def test_any_bytes_are_read_without_an_exception(body: bytes, url: str) -> None:
    for wrapped in (body, gzip.compress(body), b"<urlset>" + body, b"\x1f\x8b\x08\0" + body):
        file = read_sitemap(wrapped, url)
        assert len(file.entries) + len(file.children) <= MAX_URLS


@given(
    st.lists(
        st.sampled_from(
            "<url> </url> <sitemap> </sitemap> <loc> </loc> <lastmod> </lastmod> <![CDATA[ ]]> "
            "&amp; & &#0; &#x110000; < > /a http://[ https://news.example/b http://other.example/ "
            "<!DOCTYPE <!-- --> <?xml ?> \0 é </urlset> <urlset> <a:loc> 2020 <!ENTITY".split()
        ),
        max_size=60,
    )
)
def test_any_jumble_of_tags_keeps_to_its_own_site(parts: list[str]) -> None:
    file = read_sitemap("".join(["<urlset>", *parts]).encode(), URL)
    assert all("//news.example" in found.url for found in file.entries)
    assert all("//news.example" in child for child in file.children)
    assert len(file.entries) + len(file.children) + file.foreign <= len(parts)


@given(
    st.lists(st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1), max_size=30)
)
def test_what_is_written_is_read_back_zipped_or_not(names: list[str]) -> None:
    body = urlset(
        *(entry(f"https://news.example/{name}", "<priority>1</priority>") for name in names)
    )
    file = read_sitemap(body, URL)
    assert len(file.entries) == len(names)
    assert file == read_sitemap(gzip.compress(body), URL)
    lines = "".join(f"https://news.example/{name}\n" for name in names).encode()
    listed = read_sitemap(lines, URL)
    assert [found.url for found in listed.entries] == [found.url for found in file.entries]
