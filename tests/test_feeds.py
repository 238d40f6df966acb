from __future__ import annotations

import gzip
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.feeds import MAX_ENTRIES, MAX_FEED, Feed, FeedEntry, read_feed

URL = "https://news.example/feeds/all.xml"
NOV_6 = 784_111_777.0
RSS2 = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
     xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
  <title>All the news</title><link>https://news.example/</link>
  <atom:link rel="self" href="https://news.example/feeds/all.xml"/>
  <image><title>Logo</title><link>https://news.example/</link></image>
  <item>
    <media:title>A picture</media:title>
    <title>Rates &amp; rents rise, caf&#233;s close</title>
    <link> /2024/rates?b=2&amp;a=1&amp;utm_source=rss </link>
    <guid isPermaLink="false">tag:1</guid>
    <pubDate>Sun, 06 Nov 1994 08:49:37 GMT</pubDate>
  </item>
  <item>
    <title><![CDATA[ Elsewhere  &amp; <i>far</i> ]]></title>
    <guid>https://other.example/far</guid>
    <dc:date>1994-11-06T08:49:37Z</dc:date>
  </item>
  <item><title>No address</title><guid isPermaLink="false">42</guid></item>
  <item><title>No web</title><link>mailto:desk@news.example</link></item>
</channel></rss>"""
RSS1 = """<?xml version="1.0" encoding="ISO-8859-1"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
  xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://news.example/"><title>News</title></channel>
<item rdf:about="https://news.example/a"><title>Caf\u00e9</title>
  <link>https://news.example/a</link><dc:date>1994-11-06T08:49:37Z</dc:date></item>
</rdf:RDF>"""
RSS091 = """<?xml version="1.0"?>
<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://127.0.0.1:9/rss.dtd">
<rss version="0.91"><channel><item><title>Old</title><link>http://old.example/x</link></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://news.example/blog/">
<title>Blog</title><link rel="self" href="feed.atom"/><updated>2020-01-01T00:00:00Z</updated>
<entry>
  <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <b>bold</b> move</div></title>
  <link rel="replies" href="one/comments"/><link href="one"/><link rel="alternate" href="uno"/>
  <published>1993-01-01T00:00:00Z</published><updated>1994-11-06T09:49:37+01:00</updated>
</entry>
<entry xml:base="https://guest.example/"><title>Two</title><link rel="alternate" href="two"/>
  <updated>some day</updated><published>1994-11-06T08:49:37Z</published></entry>
<entry><title>Three</title><link href="three"/></entry>
</feed>"""


def rss(*items: str) -> bytes:
    return f"<rss><channel>{''.join(items)}</channel></rss>".encode()


def item(link: str) -> str:
    return f"<item><link>{link}</link></item>"


def test_rss_2() -> None:
    assert read_feed(RSS2.encode(), URL) == Feed(
        entries=(
            FeedEntry(
                "https://news.example/2024/rates?a=1&b=2", NOV_6, "Rates & rents rise, cafés close"
            ),
            FeedEntry("https://other.example/far", NOV_6, "Elsewhere & <i>far</i>"),
        ),
        cut=0,
        problem="",
    )


def test_rss_1_in_its_own_encoding() -> None:
    expected = (FeedEntry("https://news.example/a", NOV_6, "Café"),)
    assert read_feed(RSS1.encode("latin-1"), URL).entries == expected


def test_rss_0_91_with_the_doctype_of_its_time() -> None:
    feed = read_feed(RSS091.encode(), URL)
    assert feed == Feed((FeedEntry("http://old.example/x", None, "Old"),), 0, "")


def test_atom_with_relative_links_and_bases() -> None:
    assert read_feed(ATOM.encode(), URL) == Feed(
        entries=(
            FeedEntry("https://news.example/blog/one", NOV_6, "A bold move"),
            FeedEntry("https://guest.example/two", NOV_6, "Two"),
            FeedEntry("https://news.example/blog/three", None, "Three"),
        ),
        cut=0,
        problem="",
    )


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + RSS2.encode(),
        b"\n\n  " + RSS2.encode(),
        RSS2.encode("utf-16"),
        RSS2.replace("UTF-8", "UTF-16").encode("utf-16-le"),
        RSS2.replace("UTF-8", "utf-16").encode(),
        RSS2.replace("UTF-8", "no-such-thing").encode(),
        RSS2.replace("UTF-8", "rot13").encode(),
        gzip.compress(RSS2.encode()),
    ],
)
def test_the_same_feed_however_it_is_wrapped(body: bytes) -> None:
    assert read_feed(body, URL) == read_feed(RSS2.encode(), URL)


def test_bare_ampersands_and_names_from_html_spoil_no_address() -> None:
    body = rss(
        "<item><link>/a?x=1&y=2</link><title>Q&A &eacute;t&eacute;</title></item>",
        "<item><link>/b?x=1&amp;y=2</link></item>",
        "<item><link><![CDATA[/c?x=1&y=2&amp;z=3]]></link></item>",
    )
    feed = read_feed(body, URL)
    assert [entry.url for entry in feed.entries] == [
        "https://news.example/a?x=1&y=2",
        "https://news.example/b?x=1&y=2",
        "https://news.example/c?amp%3Bz=3&x=1&y=2",
    ]
    assert feed.entries[0].title == "Q&A été"
    assert feed.problem == ""


def test_a_broken_feed_is_read_as_far_as_it_goes() -> None:
    body = rss(item("/1"), "<item><link>/2</item>", item("/3?a=1&amp;b=2"))
    feed = read_feed(body, URL)
    assert [entry.url[20:] for entry in feed.entries] == ["/1", "/2", "/3?a=1&b=2"]
    assert feed.problem == "broken XML in line 1"
    cut_short = read_feed(rss(item("/1"), item("/2"))[:-40], URL)
    assert [entry.url[20:] for entry in cut_short.entries] == ["/1"]
    assert cut_short.problem == "broken XML in line 1"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "not XML"),
        (b"Not found", "not XML"),
        (b"{}", "not XML"),
        (b"\0" * 1000, "not XML"),
        (b"<html><body><item><link>/a</link></item></body></html>", "no feed but <html>"),
        (b"<urlset/>", "no feed but <urlset>"),
        (gzip.compress(RSS2.encode())[:300], "gzip cut short"),
        (b"\x1f\x8b and nothing else", "damaged gzip"),
    ],
)
def test_problems_are_named(body: bytes, problem: str) -> None:
    assert read_feed(body, URL).problem == problem


def test_a_page_that_is_no_feed_has_no_entries() -> None:
    assert read_feed(b"<html><item><link>/a</link></item></html>", URL).entries == ()


def test_no_more_entries_than_the_limit() -> None:
    feed = read_feed(rss(*(item(f"/{number}") for number in range(1_200))), URL)
    assert (len(feed.entries), feed.cut, feed.problem) == (MAX_ENTRIES, 200, "")
    assert feed.entries[-1].url == "https://news.example/999"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_no_more_is_read_than_five_megabytes(pack: type[bytes]) -> None:
    filler = "<item><description>" + "<p/>" * 4_000 + "</description></item>"
    body = rss(item("/first"), *[filler] * (MAX_FEED // 16_000 + 1), item("/last"))
    feed = read_feed(pack(body), URL)
    assert [entry.url for entry in feed.entries] == ["https://news.example/first"]
    assert feed.problem == "larger than 5 MB unpacked"


def test_nothing_is_read_from_disk_or_net(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("http://leak.example/")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        remote = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        body = f"""<!DOCTYPE rss SYSTEM "{remote}.dtd" [
            <!ENTITY % outer SYSTEM "{remote}"> %outer;
            <!ENTITY file SYSTEM "{secret.as_uri()}"> <!ENTITY net SYSTEM "{remote}">
            <!ENTITY own "http://own.example/">
        ]><rss xmlns:xi="http://www.w3.org/2001/XInclude"><channel>
        <item><title>&file;</title><link>http://a.example/&file;</link></item>
        <item><title>&net;</title><link>http://a.example/&net;</link></item>
        <item><title>&own;</title><link>&own;</link></item>
        <item><link><xi:include href="{secret.as_uri()}" parse="text"/></link></item>
        </channel></rss>"""
        feed = read_feed(body.encode(), URL)
        feed_in_comment = read_feed(body.replace("<rss", "<!-- <![CDATA[ --><rss", 1).encode(), URL)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert [entry.title for entry in feed.entries] == ["&file;", "&net;", "&own;"]
    assert "leak" not in repr(feed) + repr(feed_in_comment)


@given(st.binary(max_size=2_000))
def test_any_bytes_are_read_without_an_exception(body: bytes) -> None:
    for packed in (body, gzip.compress(body), b"<rss>" + body, b"\x1f\x8b\x08\0" + body):
        assert len(read_feed(packed, URL).entries) <= MAX_ENTRIES


@given(
    st.lists(
        st.sampled_from(
            "<rss> <feed> <item> </item> <entry> <link> </link> <link/> <link href='a'/> <title> "
            "</title> <![CDATA[ ]]> &amp; & < > http://a.example/ <!DOCTYPE <!-- --> <?xml ?> "
            "<guid> </guid> xml:base='//[' <a xml:base='//[x'> http://[ \0 é <pubDate> 2020".split()
        ),
        max_size=60,
    )
)
def test_any_jumble_of_tags_is_read_without_an_exception(parts: list[str]) -> None:
    feed = read_feed("".join(["<rss>", *parts]).encode(), URL)
    assert all(entry.url.startswith("http") for entry in feed.entries)
