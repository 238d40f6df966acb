from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.blocks import parse_html
from focuscrawl.changes.content import Line
from focuscrawl.changes.verdict import (
    KINDS,
    BlockChange,
    Verdict,
    changed_blocks,
    compare,
    content_changes,
)
from focuscrawl.structure import Part

PAGE = """<html><head><title>Gazette</title>
<link rel="stylesheet" href="/a.css"><style>p { color: red }</style>
<script src="/a.js"></script></head>
<body class="wide"><nav><a href="/">Home</a> <a href="/sport">Sport</a></nav>
<main><h1>Harbour</h1>
<p class="lead">Boats are <b>late</b> and the harbour waits for them since the morning.</p>
<h2>Tides</h2><p>High water comes at noon. <a href="/tides#today">Table</a></p>
</main>
<div class="ad">Buy ropes</div>
<script>count(1)</script></body></html>"""


def verdict(old: str, new: str) -> Verdict:
    return compare(parse_html(old), parse_html(new))


def after(was: str, now: str) -> Verdict:
    """The verdict on the page with one piece of it replaced."""
    assert PAGE.count(was) == 1
    return verdict(PAGE, PAGE.replace(was, now))


def test_the_same_page() -> None:
    assert verdict(PAGE, PAGE) == Verdict()
    assert Verdict().kinds == ()
    assert not Verdict().content_changed


@pytest.mark.parametrize(
    ("was", "now", "kind"),
    [
        ("High water", "Low water", "textual"),
        ("<b>late</b>", "<i>late</i>", "structural"),
        ("</main>", "<hr></main>", "structural"),
        ("/a.css", "/b.css", "presentation"),
        ("color: red", "color: blue", "presentation"),
        ('class="wide"', 'class="narrow"', "presentation"),
        ('class="lead"', 'class="lead" style="margin: 0"', "presentation"),
        ("/a.js", "/b.js", "behaviour"),
        ("count(1)", "count(2)", "behaviour"),
        ("<script>count(1)</script>", "", "behaviour"),
    ],
)
def test_each_kind_alone(was: str, now: str, kind: str) -> None:
    assert after(was, now).kinds == (kind,)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("<h1>Harbour</h1>\n", "<h1>  Harbour</h1>\n\n  "),
        ("<main>", "<main><!-- built at noon -->"),
        ("<main>", "<main data-build=7>"),
        ("/tides#today", "/tides#a7f3"),
    ],
)
def test_what_is_no_change_of_any_kind(was: str, now: str) -> None:
    assert after(was, now) == Verdict()


def test_kinds_stand_in_one_order() -> None:
    found = verdict(PAGE, PAGE.replace("<main>", "<main class=a><script>b()</script><p>New</p>"))
    assert found.kinds == ("structural", "presentation", "behaviour")
    found = verdict(PAGE, PAGE.replace("<main>", "<main class=a><script>b()</script>New"))
    assert found.kinds == ("textual", "presentation", "behaviour")
    assert Verdict(structural=True, textual=True, presentation=True, behaviour=True).kinds == KINDS


def test_parts_only_where_the_build_is_the_same() -> None:
    assert after("High", "Low").parts == (
        Part(
            "/html/body/main",
            "Harbour Boats are late and the harbour waits for them since the morning. "
            "Tides Low water comes at noon. Table",
        ),
    )
    assert after("High water", "<u>Low</u> water").parts == ()


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("Sport</a>", "Sports</a>"),
        ('<a href="/sport">', '<a href="/games">'),
        ("</nav>", "<a href=/crime>Crime</a></nav>"),
        ("Buy ropes", "Buy two ropes"),
        ('<div class="ad">Buy ropes</div>', ""),
        ('class="wide"', 'class="narrow"'),
        ("count(1)", "count(2)"),
        ("<title>Gazette", "<title>(3) Gazette"),
        ("</main>", "<aside>Poll</aside></main>"),
    ],
    ids=["navigation", "its link", "more of it", "advert", "no advert", "class", "script", "title",
         "box in main"],
)  # fmt: skip
def test_what_leaves_the_content_as_it_was(was: str, now: str) -> None:
    found = after(was, now)
    assert found.kinds or was.startswith("<a href")
    assert not found.content_changed
    assert (found.blocks, found.places) == ((), frozenset())


@pytest.mark.parametrize(
    ("was", "now", "block"),
    [
        (
            "High water comes",
            "Low water comes",
            BlockChange(
                "Tides",
                ("High water comes at noon. Table(/tides)",),
                ("Low water comes at noon. Table(/tides)",),
            ),
        ),
        ("<h2>Tides</h2>", "<h3>Tides</h3>", BlockChange("Tides", ("## Tides",), ("### Tides",))),
        (
            "/tides#today",
            "/moon#today",
            BlockChange(
                "Tides",
                ("High water comes at noon. Table(/tides)",),
                ("High water comes at noon. Table(/moon)",),
            ),
        ),
        (
            "<h2>Tides</h2>",
            "<p>More soon.</p><h2>Tides</h2>",
            BlockChange("Harbour", (), ("More soon.",)),
        ),
        (
            "Boats are <b>late</b>",
            "Boats are late",
            BlockChange(
                "Harbour",
                ("Boats are **late** and the harbour waits for them since the morning.",),
                ("Boats are late and the harbour waits for them since the morning.",),
            ),
        ),
    ],
    ids=["text", "heading level", "link target", "paragraph", "emphasis"],
)
def test_what_changes_the_content(was: str, now: str, block: BlockChange) -> None:
    found = after(was, now)
    assert found.content_changed
    assert found.blocks == (block,)


def test_places_are_those_of_lines_that_the_other_version_does_not_have() -> None:
    assert after("Boats are", "Ships are").places == {"p.lead < main."}
    assert after("High", "Low").places == {"p. < main."}
    assert after("<h2>Tides</h2>", "<ul class=new><li>Sun</ul><h2>Tides</h2>").places == {
        "li. < ul.new < main."
    }


def test_places_known_as_noise_do_not_count() -> None:
    old, new = parse_html(PAGE), parse_html(PAGE.replace("Boats are", "Ships are"))
    found = compare(old, new, noise={"p.lead < main."})
    assert found.kinds == ("textual",)
    assert not found.content_changed
    assert found.places == {"p.lead < main."}, "it stays noise only while it changes"
    assert content_changes(old, new) == (
        compare(old, new).blocks,
        frozenset({"p.lead < main."}),
    )


def under(heading: str, *texts: str) -> list[Line]:
    return [Line(heading, text) for text in texts]


def test_blocks_in_the_order_of_the_new_page_then_those_that_are_gone() -> None:
    old = under("A", "a") + under("Gone", "g") + under("B", "b") + under("Same", "s")
    new = under("B", "b2") + under("Same", "s") + under("New", "n") + under("A", "a2")
    assert changed_blocks(old, new) == (
        BlockChange("B", ("b",), ("b2",)),
        BlockChange("New", (), ("n",)),
        BlockChange("A", ("a",), ("a2",)),
        BlockChange("Gone", ("g",), ()),
    )


def test_repeated_headings_are_one_block() -> None:
    old = under("Note", "## Note", "one") + under("Other", "x") + under("Note", "## Note", "two")
    new = under("Note", "## Note", "one") + under("Other", "x") + under("Note", "## Note", "2")
    assert changed_blocks(old, new) == (BlockChange("Note", ("two",), ("2",)),)


def test_a_line_that_stands_there_once_less() -> None:
    assert changed_blocks(under("A", "x", "x", "y"), under("A", "x", "y")) == (
        BlockChange("A", ("x",), ()),
    )


def test_another_order_of_lines_is_a_change_without_lines() -> None:
    assert changed_blocks(under("A", "x", "y"), under("A", "y", "x")) == (BlockChange("A", (), ()),)


def test_another_order_of_blocks_is_a_change_without_a_heading() -> None:
    a, b = under("A", "x"), under("B", "y")
    assert changed_blocks(a + b, b + a) == (BlockChange("", (), ()),)


def test_a_moved_paragraph_of_a_page() -> None:
    found = verdict("<h1>A</h1><p>one</p><p>two</p>", "<h1>A</h1><p>two</p><p>one</p>")
    assert found.kinds == ("textual",)
    assert found.blocks == (BlockChange("A", (), ()),)


LINES = st.lists(st.builds(Line, st.sampled_from("AB"), st.sampled_from("xyz")), max_size=6)


@given(LINES, LINES)
def test_blocks_tell_whether_lines_differ(old: list[Line], new: list[Line]) -> None:
    blocks = changed_blocks(old, new)
    assert bool(blocks) == (old != new)
    assert sum(len(b.added) - len(b.removed) for b in blocks) == len(new) - len(old)


@given(st.text(st.sampled_from("<>/ab1phdiv='\" \n&;"), max_size=60))
def test_any_page_against_itself(html: str) -> None:
    assert verdict(html, html) == Verdict()
