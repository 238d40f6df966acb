from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls import MAX_URL_LENGTH, AllowedSites, is_page, normalise, site_of, url_id

LABELS = st.from_regex(r"[a-zA-Z]{1,8}", fullmatch=True)
SEGMENTS = st.text(st.sampled_from("abzAZ09-._~ é%;=,+"), max_size=8)
VALUES = st.text(st.sampled_from("abzAZ09-._~ é+"), max_size=6)


@pytest.mark.parametrize(
    ("written", "one_spelling"),
    [
        ("HTTP://News.Example/", "http://news.example/"),
        ("http://news.example", "http://news.example/"),
        ("http://news.example:80/a", "http://news.example/a"),
        ("https://news.example:443", "https://news.example/"),
        ("http://news.example:443/a", "http://news.example:443/a"),
        ("https://news.example:80/a", "https://news.example:80/a"),
        ("http://news.example:8080/a", "http://news.example:8080/a"),
        ("http://[::1]:80/a", "http://[::1]/a"),
        ("http://news.example/%7eann/%41", "http://news.example/~ann/A"),
        ("http://news.example/a#part", "http://news.example/a"),
        ("http://news.example/a/../b/./c", "http://news.example/b/c"),
        ("http://news.example/?", "http://news.example/"),
        ("http://news.example/p?b=2&a=1", "http://news.example/p?a=1&b=2"),
        ("  http://news.example/a b\n", "http://news.example/a%20b"),
        ("http://bücher.example/ä", "http://xn--bcher-kva.example/%C3%A4"),
    ],
)
def test_the_standard_steps(written: str, one_spelling: str) -> None:
    assert normalise(written) == one_spelling


@pytest.mark.parametrize(
    ("written", "one_spelling"),
    [
        ("http://news.example/p?utm_source=x&id=4", "http://news.example/p?id=4"),
        ("http://news.example/p?UTM_Medium=x&FBCLID=3", "http://news.example/p"),
        ("http://news.example/p?PHPSESSID=77&id=4", "http://news.example/p?id=4"),
        ("http://news.example/p;jsessionid=A7?id=4", "http://news.example/p?id=4"),
        ("http://news.example/p;JSESSIONID=A7/q", "http://news.example/p/q"),
        ("http://news.example/p?side=left", "http://news.example/p?side=left"),
        ("http://news.example/p?tag=a&tag=b", "http://news.example/p?tag=a&tag=b"),
    ],
)
def test_what_names_the_visitor_goes(written: str, one_spelling: str) -> None:
    assert normalise(written) == one_spelling


@pytest.mark.parametrize(
    ("href", "resolved"),
    [
        ("../c", "http://news.example/x/c"),
        ("?page=2", "http://news.example/x/y/z?page=2"),
        ("//other.example/a", "http://other.example/a"),
        ("/top", "http://news.example/top"),
        ("", "http://news.example/x/y/z"),
    ],
)
def test_relative_links(href: str, resolved: str) -> None:
    assert normalise(href, "http://news.example/x/y/z") == resolved


@pytest.mark.parametrize(
    "address",
    [
        "mailto:desk@news.example", "javascript:void(0)", "ftp://news.example/a", "tel:123",
        "httpx://news.example/", "http://", "http:///path", "http://[broken/", "data:,x",
        "http://news.example:99999/", "http://news.example/" + "a" * MAX_URL_LENGTH, "",
    ],
)  # fmt: skip
def test_what_names_no_web_page(address: str) -> None:
    assert normalise(address) is None


@given(LABELS, st.lists(SEGMENTS, max_size=4), st.lists(st.tuples(LABELS, VALUES), max_size=3))
def test_one_spelling_is_final(host: str, path: list[str], query: list[tuple[str, str]]) -> None:
    pairs = "&".join(f"{name}={value}" for name, value in query)
    once = normalise(f"http://{host}.example/{'/'.join(path)}?{pairs}")
    assert once is not None
    assert normalise(once) == once
    assert normalise(once, "http://elsewhere.example/a/b") == once


@given(st.text(max_size=60), st.sampled_from(["", "http://news.example/a/b"]))
def test_no_text_breaks_it(text: str, base: str) -> None:
    found = normalise(text, base)
    assert found is None or found.startswith(("http://", "https://"))


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("http://news.example/", True),
        ("http://news.example/story.html", True),
        ("http://news.example/v1.2/story", True),
        ("http://news.example/pic.JPEG", False),
        ("http://news.example/pic.png?size=2", False),
        ("http://news.example/report.pdf", False),
        ("http://news.example/font.woff2", False),
        ("http://news.example/view?file=a.pdf", True),
    ],
)
def test_media_are_no_pages(url: str, page: bool) -> None:
    assert is_page(url) is page


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://news.example/a", "news.example"),
        ("http://127.0.0.1:8801/a?b=http://c.example/", "127.0.0.1:8801"),
        ("https://ann:secret@news.example/a", "news.example"),
        ("http://news.example", "news.example"),
        ("http://news.example?x=1", "news.example"),
    ],
)
def test_the_site_of_a_url(url: str, site: str) -> None:
    assert site_of(url) == site


def test_ids_are_stable_signed_and_apart_by_category() -> None:
    url = "http://news.example/a"
    assert url_id(url) == url_id(url)
    assert len({url_id(url), url_id(url, "chess"), url_id(url, "choir"), url_id(url + "/")}) == 4
    numbers = [url_id(f"{url}{number}") for number in range(100)]
    assert all(-(2**63) <= number < 2**63 for number in numbers)
    assert min(numbers) < 0 < max(numbers)


@pytest.mark.parametrize(
    ("site", "allowed"),
    [
        ("news.example", True),
        ("www.news.example", True),
        ("www.news.example:8080", True),
        ("fakenews.example", False),
        ("example", False),
        ("127.0.0.1:8801", True),
        ("127.0.0.1:8802", False),
        ("127.0.0.1", False),
        (None, False),
    ],
)
def test_allowed_sites(site: object, allowed: bool) -> None:
    sites = AllowedSites(["News.example", "127.0.0.1:8801"])
    assert (site in sites) is allowed
    assert (site in sites) is allowed, "the remembered answer is the same"
