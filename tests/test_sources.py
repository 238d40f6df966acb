from __future__ import annotations

import gzip
import math

import pytest

from focuscrawl.sources import Named, Reading, Source, read_source, words_of_address

MAY_1 = 1_714_521_600.0
SITEMAP = Source("https://news.example/sitemap.xml", "news.example", "sitemap")
FEED = Source("https://news.example/rss.xml", "news.example", "feed")
URLSET = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://news.example/a</loc><lastmod>2024-05-01</lastmod><changefreq>daily</changefreq>
</url>
<url><loc>/b?utm_source=map</loc><changefreq>never</changefreq></url>
<url><loc>/c</loc><changefreq>sometimes</changefreq></url>
<url><loc>https://other.example/d</loc></url>
</urlset>"""
RSS = b"""<rss version="2.0"><channel><title>News</title>
<item><title>Queens &amp; pawns</title><link>https://news.example/q?utm_medium=rss</link>
<pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate></item>
<item><title>Elsewhere</title><link>https://other.example/x</link></item>
<item><title>No page</title><link>mailto:desk@news.example</link></item>
</channel></rss>"""
PAGES = (
    Named("https://news.example/a", "", MAY_1, 86_400.0),
    Named("https://news.example/b", "", None, math.inf),
    Named("https://news.example/c", "", None, None),
)


def test_the_pages_of_a_sitemap() -> None:
    assert read_source(SITEMAP, URLSET) == Reading(PAGES, (), left_out=1, problem="")


def test_a_zipped_sitemap_says_the_same() -> None:
    assert read_source(SITEMAP, gzip.compress(URLSET)) == read_source(SITEMAP, URLSET)


def test_the_children_of_an_index() -> None:
    body = b"""<sitemapindex><sitemap><loc>/news.xml.gz</loc></sitemap>
    <sitemap><loc>https://other.example/sitemap.xml</loc></sitemap></sitemapindex>"""
    assert read_source(SITEMAP, body) == Reading(
        (), ("https://news.example/news.xml.gz",), left_out=1, problem=""
    )


def test_the_stories_of_a_feed() -> None:
    assert read_source(FEED, RSS) == Reading(
        (
            Named("https://news.example/q", "Queens & pawns", MAY_1, None),
            Named("https://other.example/x", "Elsewhere", None, None),
        )
    )


def test_an_atom_feed() -> None:
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>One</title>
    <link href="one"/><updated>2024-05-01T02:00:00+02:00</updated></entry></feed>"""
    assert read_source(FEED, body) == Reading(
        (Named("https://news.example/one", "One", MAY_1, None),)
    )


def test_what_lies_beyond_the_limit_is_counted() -> None:
    items = b"".join(b"<item><link>/%d</link></item>" % number for number in range(1_100))
    reading = read_source(FEED, b"<rss><channel>" + items + b"</channel></rss>")
    assert (len(reading.pages), reading.left_out) == (1_000, 100)


@pytest.mark.parametrize(
    ("source", "body", "problem"),
    [
        (SITEMAP, RSS, "no sitemap but <rss>"),
        (FEED, URLSET, "no feed but <urlset>"),
        (SITEMAP, b"<html></html>", "no sitemap but <html>"),
        (FEED, b"", "not XML"),
    ],
)
def test_a_file_of_another_kind_is_named_and_gives_nothing(
    source: Source, body: bytes, problem: str
) -> None:
    assert read_source(source, body) == Reading((), problem=problem)


def test_a_broken_file_is_read_as_far_as_it_goes() -> None:
    reading = read_source(SITEMAP, URLSET[: URLSET.index(b"<url><loc>/c")])
    assert reading.pages == PAGES[:2]
    assert reading.problem == "broken XML in line 5"


def test_the_name_under_which_a_source_is_checked() -> None:
    assert (SITEMAP.hint_kind, FEED.hint_kind) == ("lastmod", "feed")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://news.example/2024/05/01/queen-takes-pawn.html", "queen takes pawn"),
        ("https://news.example/sports/late_goal/index.php", "sports late goal"),
        ("https://news.example/caf%C3%A9-%C3%A9t%C3%A9", "café été"),
        ("https://news.example/a/b1/HTML/Story123.aspx", "Story"),
        ("https://news.example/story?title=not-this#nor-this", "story"),
        ("https://news.example/", ""),
        ("https://news.example/2024/05", ""),
    ],
)
def test_the_words_of_an_address(url: str, words: str) -> None:
    assert words_of_address(url) == words
