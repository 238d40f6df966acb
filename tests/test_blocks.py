from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.blocks import Link, PageOutline, parse_html, partition, visible_text

FILLER = "eight plain words stand here to fill it"


def outline(html: str | bytes, **options: int) -> PageOutline:
    return partition(parse_html(html), **options)


def texts(html: str | bytes) -> list[str]:
    return [block.text for block in outline(html).blocks]


def test_every_heading_opens_a_block_in_document_order() -> None:
    page = outline(
        "<body>intro <div><h1>One</h1><p>first</p></div><section><div><h3>Two</h3></div>"
        "<p>second</p></section><h6>Three</h6>third</body>"
    )
    assert [(b.index, b.level, b.heading, b.text) for b in page.blocks] == [
        (0, 0, "", "intro"),
        (1, 1, "One", "One\nfirst"),
        (2, 3, "Two", "Two\nsecond"),
        (3, 6, "Three", "Three\nthird"),
    ]


def test_a_page_that_opens_with_a_heading_has_an_empty_block_0() -> None:
    assert texts("<h1>One</h1><p>first") == ["", "One\nfirst"]


def test_a_heading_inside_a_table_stays_in_its_block() -> None:
    page = outline(
        "<h2>Scores</h2><table><tr><td><h3>Home</h3><table><tr><td><h4>Inner</h4>1</td></tr>"
        "</table><h3>After</h3></td></tr></table><p>end</p><h2>Next</h2>"
    )
    assert [block.text for block in page.blocks] == [
        "", "Scores\nHome\nInner\n1\nAfter\nend", "Next",
    ]  # fmt: skip
    assert [block.tables for block in page.blocks] == [0, 2, 0]


def test_images_are_counted_where_they_stand() -> None:
    page = outline("<img src=a><h1>One</h1><p><img src=b><img src=c></p>")
    assert [block.images for block in page.blocks] == [1, 2]


def test_furniture_is_visible_but_not_main_text() -> None:
    page = outline(
        f"<nav>Home News</nav><h1>Story</h1><p>{FILLER}</p>"
        "<div class='box related'>More <b>like</b> this</div><p id=footer>Imprint</p>tail"
    )
    assert page.blocks[1].text == f"Story\n{FILLER}\nMore like this\nImprint\ntail"
    assert page.blocks[1].main_text == f"Story\n{FILLER}\ntail"
    assert page.main_text() == f"Story\n{FILLER}\ntail"
    assert page.text().startswith("Home News\nStory")


@pytest.mark.parametrize(
    ("tag", "furniture"),
    [
        ("<aside>", True),
        ("<div role=navigation>", True),
        ("<ul class='main-menu'>", True),
        ("<div id=sidebar>", True),
        ("<div class='sharecropping'>", False),
        ("<div class='story'>", False),
        ("<article class='related'>", False),
    ],
)
def test_what_counts_as_furniture(tag: str, furniture: bool) -> None:
    (link,) = outline(f"<p>{FILLER}</p>{tag}<a href=/x>y</a>").links
    assert link.furniture is furniture


def test_a_page_of_furniture_alone_is_compared_as_a_whole() -> None:
    assert outline(f"<nav>{FILLER}</nav><p>few words</p>").main_text() == f"{FILLER}\nfew words"


def test_links_with_their_anchor_block_and_furniture() -> None:
    page = outline(
        "<a href=/0>Before  <b>it</b></a><h2><a href=/1>Head</a></h2><a href=/2>two</a>"
        "<nav><a href=/3 title=Logo><img src=x></a></nav>"
    )
    assert page.links == [
        Link("/0", "Before it", 0, False),
        Link("/1", "Head", 1, False),
        Link("/2", "two", 1, False),
        Link("/3", "Logo", 1, True),
    ]


def test_a_link_around_a_heading_belongs_to_the_heading() -> None:
    page = outline("<p>intro</p><a href=/x><h2>Head</h2> more</a><p>rest</p>")
    assert page.links == [Link("/x", "Head more", 1, False)]
    assert page.blocks[1].text == "Head\nmore\nrest"


def test_links_that_lead_nowhere() -> None:
    assert outline("<a>x</a><a href=''>y</a><a href='#top'>z</a><a name=here>w</a>").links == []


def test_links_over_the_cap_are_counted() -> None:
    page = outline("".join(f"<a href=/{n}>x</a>" for n in range(5)), max_links=3)
    assert [link.href for link in page.links] == ["/0", "/1", "/2"]
    assert page.links_cut == 2


def test_title_base_and_canonical() -> None:
    page = outline(
        "<head><title> A\n title </title><base href='/deep/'>"
        "<link rel=Canonical href=/one><link rel=icon href=/i></head><body>x"
    )
    assert (page.title, page.base, page.canonical) == ("A title", "/deep/", "/one")
    assert page.text() == "x"


def test_what_no_reader_sees_is_left_out_but_not_what_follows_it() -> None:
    assert texts(
        "<body>a<script>var s;</script>b <style>p{}</style>c <noscript>no</noscript>d "
        "<template>t</template>e <svg><text>s</text></svg>f</body>"
    ) == ["ab c d e f"]


def test_the_text_after_a_comment_or_instruction_stays() -> None:
    assert texts("<p>one <!-- not this -->two <?php echo 1 ?>three</p>") == ["one two three"]


def test_inline_elements_do_not_tear_words_and_blocks_part_them() -> None:
    assert texts("<p>un<b>believ</b>able <span>w</span>ord</p>") == ["unbelievable word"]
    assert texts("<div>one</div><div>two</div>three<br>four<ul><li>a<li>b</ul>") == [
        "one\ntwo\nthree\nfour\na\nb"
    ]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("", [""]),
        (" \n\t", [""]),
        (b"\0\0", [""]),
        ("<!-- only this -->", [""]),
        ("<!doctype html>", [""]),
        ("plain words", ["plain words"]),
        ("<html><frameset></frameset></html>", [""]),
        ("<h1>open <p>never <b>closed", ["", "open\nnever closed"]),
        ("</div></p>stray<h2>Head</h3> text</table>", ["stray", "Head text"]),
        ("a\0b", ["ab"]),
        ("<p>lone \ud800 half", ["lone ? half"]),
    ],
)
def test_broken_and_empty_pages(html: str | bytes, found: list[str]) -> None:
    assert texts(html) == found


@given(st.text(st.sampled_from("<>/!-?&;='\" \nabh1p23tdr\0é"), max_size=80))
def test_no_page_breaks_it(html: str) -> None:
    page = outline(html)
    assert [block.index for block in page.blocks] == list(range(len(page.blocks)))


def test_the_encoding_given_is_used() -> None:
    data = "<p>Größe</p>".encode("iso-8859-1")
    assert partition(parse_html(data, "iso-8859-1")).text() == "Größe"


def test_visible_text_starts_with_the_title() -> None:
    assert visible_text("<title>T</title><body><h1>One</h1>two") == "T\nOne\ntwo"


WRAPPERS = ["div", "p", "section", "nav", "aside", "b", "span", "em", "ul", "blockquote", "h1",
            "h2", "h5", "a href='/x'"]  # fmt: skip
UNSEEN_PIECES = ["<!-- c -->", "<script>hidden()</script>", "<img src=x>", "<br>", "<hr>"]


def _pieces() -> st.SearchStrategy[object]:
    leaf = st.one_of(st.just("WORD"), st.sampled_from(UNSEEN_PIECES))
    return st.recursive(
        leaf,
        lambda inner: st.tuples(st.sampled_from([*WRAPPERS, "table"]), st.lists(inner, max_size=4)),
        max_leaves=25,
    )


def _written(piece: object, words: list[str]) -> str:
    if isinstance(piece, str):
        if piece != "WORD":
            return piece
        words.append(f"w{len(words)}x")
        return f" {words[-1]} "
    assert isinstance(piece, tuple)
    tag, inner = piece
    content = "".join(_written(each, words) for each in inner)
    if tag == "table":
        return f"<table><tr><td>{content}</td></tr></table>"
    return f"<{tag}>{content}</{tag.split()[0]}>"


@given(st.lists(_pieces(), max_size=6))
def test_every_visible_word_stands_in_exactly_one_block(pieces: list[object]) -> None:
    words: list[str] = []
    html = "".join(_written(piece, words) for piece in pieces)
    page = outline(f"<html><body>{html}</body></html>")
    found = [word for block in page.blocks for word in block.text.split()]
    assert found == words
    main = Counter(word for block in page.blocks for word in block.main_text.split())
    assert main <= Counter(words)


def test_bold_passages() -> None:
    page = outline(
        "<p><b>one <strong>two</strong></b> three <strong>four</strong></p><b> </b>"
        "<b>five<h2>Six</h2>seven</b>"
    )
    assert page.bold() == "one two\nfour\nSix seven"
    assert outline("<p>plain").bold() == ""


@given(
    st.lists(st.sampled_from(["<b>", "</b>", "<a href=/x>", "</a>", "<h1>", "</h1>", "w ", "<p>"]))
)
def test_bold_words_are_words_of_the_page(pieces: list[str]) -> None:
    assert set(outline("".join(pieces)).bold().split()) <= {"w"}
