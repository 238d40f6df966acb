from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.blocks import PageOutline, parse_html, partition
from focuscrawl.reading import CONTEXT_WORDS, Reading
from focuscrawl.text import counts

PIECES = [
    "<b>", "</b>", "<a href=/x>", "</a>", "<h1>", "</h1>", "cup ", "goal", "d\u00e9", "the", " <p>",
    ", ", "(", "'s ", "7", "&#0;", "<table>",
]  # fmt: skip
LETTERS = "abcdefghijklm"


def outline(html: str, **options: int) -> PageOutline:
    return partition(parse_html(html), **options)


def contexts(html: str, **options: int) -> list[str]:
    return [" ".join(found) for found in Reading(outline(html, **options)).contexts()]


def test_the_title_counts_with_the_page_but_with_no_block() -> None:
    page = Reading(outline("<title>Cup</title>won <h1>Cup</h1>final"))
    assert page.text == {"cup": 2, "won": 1, "final": 1}
    assert page.blocks == [{"won": 1}, {"cup": 1, "final": 1}]


def test_the_context_of_a_link_is_ten_words_on_either_side_within_its_block() -> None:
    before = [f"zb{letter}" for letter in LETTERS]
    after = [f"za{letter}" for letter in LETTERS]
    found = contexts(
        f"<p>elsewhere</p><h2>Head</h2><p>{' '.join(before)} <a href=/x>the <i>link</i></a> "
        f"{' '.join(after)}</p><h2>Cup</h2><a href=/y>goal</a> word<p>pair "
        "<a href=/z title=T><img></a></p>"
    )
    assert found == [" ".join(before[-10:] + after[:10]), "cup word pair", "cup goal word pair"]


def test_stop_words_take_their_place_in_a_context_but_are_left_out() -> None:
    of_the = "of the " * (CONTEXT_WORDS // 2)
    assert contexts(f"<p>far {of_the}<a href=/x>link</a> near {of_the} far") == ["near"]


def test_contexts_go_with_the_links_that_were_taken() -> None:
    html = "<p>cup <a href=#top>up</a> ball <a href=/1>one</a> can <a href=/2>tow</a>"
    assert contexts(html, max_links=1) == ["cup ball can tow"]


@pytest.mark.parametrize(
    ("html", "counted", "around"),
    [
        ("<p>vast un<a href=/x>known</a> land", {"vast": 1, "unknown": 1, "land": 1}, None),
        ("<p>old <a href=/x>Rome</a>'s wall", {"old": 1, "rome": 1, "wall": 1}, "old wall"),
        ("<p>see (<a href=/x>Rome</a>) wall", {"see": 1, "rome": 1, "wall": 1}, "see wall"),
        ("<p>two <a href=/x>goal</a>s lost", {"two": 1, "goal": 1, "lost": 1}, "two lost"),
    ],
)
def test_no_word_is_cut_where_a_link_ends_inside_it(
    html: str, counted: dict[str, int], around: str | None
) -> None:
    page = Reading(outline(html))
    assert page.blocks == [counted]
    if around is not None:
        assert page.contexts() == [around.split()]


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_blocks_count_what_their_texts_say(pieces: list[str]) -> None:
    page = outline("".join(pieces))
    reading = Reading(page)
    assert reading.blocks == [counts(block.text) for block in page.blocks]
    assert reading.text == sum((Counter(block) for block in reading.blocks), Counter())
    found = reading.contexts()
    assert len(found) == len(page.links)
    for link, around in zip(page.links, found, strict=True):
        assert len(around) <= 2 * CONTEXT_WORDS
        assert Counter(around) <= Counter(reading.blocks[link.block])
