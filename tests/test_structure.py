from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from focuscrawl.blocks import parse_html
from focuscrawl.structure import (
    MOST_PARTS,
    STRUCTURAL,
    Part,
    Tree,
    changed_among,
    changed_parts,
    is_rebuilt,
    part_around,
    text_of,
)

STORY = "<div><h1>Harbour</h1><p>Boats are late.</p></div><ul><li>one</li><li>two</li></ul>"


def tree(html: str) -> Tree:
    return Tree(parse_html(html))


def rebuilt(old: str, new: str) -> bool:
    answers = {is_rebuilt(tree(old), tree(new)), is_rebuilt(tree(new), tree(old))}
    assert len(answers) == 1, "it matters which version is the older one"
    return answers.pop()


def parts(old: str, new: str) -> list[Part]:
    return changed_parts(tree(old), tree(new))


def test_the_same_page_is_built_the_same() -> None:
    assert not rebuilt(STORY, STORY)
    assert parts(STORY, STORY) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<div><p>a</p></div>", "<section><p>a</p></section>"),
        ("<div><h2>a</h2></div>", "<div><h3>a</h3></div>"),
        ("<ul><li>a</li><li>b</li></ul>", "<ul><li>a</li></ul>"),
        ("<p>a</p>", "<p>a<br></p>"),
        ("<ul><li>a</ul><ul><li>b<li>c</ul>", "<ul><li>a<li>b</ul><ul><li>c</ul>"),
        ("<div><p>a</p></div><b>b</b>", "<div><p>a</p><b>b</b></div>"),
        ("<p><b>a</b><i>b</i></p>", "<p><b>a<i>b</i></b></p>"),
    ],
    ids=["tag", "heading", "fewer", "leaf", "moved", "deeper", "nested"],
)
def test_another_tag_or_number_of_children_is_a_rebuild(old: str, new: str) -> None:
    assert rebuilt(old, new)


@pytest.mark.parametrize(
    "beside",
    [
        "<script>run()</script>",
        "<script src=/a.js></script>",
        "<style>p { color: red }</style>",
        "<!-- built by hand -->",
        "<?target note?>",
    ],
)
def test_what_is_no_part_of_the_tree_rebuilds_nothing(beside: str) -> None:
    assert not rebuilt("<div><p>a</p><p>b</p></div>", f"<div><p>a</p>{beside}<p>b</p></div>")
    assert parts("<div><p>a</p><p>b</p></div>", f"<div><p>a</p>{beside}<p>b</p></div>") == []


def test_texts_and_attributes_rebuild_nothing() -> None:
    assert not rebuilt("<p class=a>one</p>", "<p class=b id=c>two</p>")


def test_two_texts_under_one_div_are_one_part() -> None:
    assert parts("<div>a<b>b</b>c</div>", "<div>A<b>b</b>C</div>") == [
        Part("/html/body/div", "A b C")
    ]


def test_every_part_is_named_once_in_document_order() -> None:
    old = "<div>a<p>b</p></div><div>same</div><div>c</div>"
    new = "<div>A<p>B</p></div><div>same</div><div>C</div>"
    assert parts(old, new) == [Part("/html/body/div[1]", "A B"), Part("/html/body/div[3]", "C")]


def test_the_inner_part_is_named_and_not_the_one_around_it() -> None:
    assert parts("<div>a<section>b</section></div>", "<div>a<section>B</section></div>") == [
        Part("/html/body/div/section", "B")
    ]


@pytest.mark.parametrize("tag", sorted(STRUCTURAL - {"td", "li"}))
def test_the_nearest_element_that_gives_structure(tag: str) -> None:
    root = etree.fromstring(f"<body><div><{tag}><p><b>x</b></p></{tag}></div></body>")
    assert part_around(root.find(".//b")).tag == tag


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ("<table><tr><td>a</td><td><b>{}</b></td></tr></table>", "/html/body/table/tr/td[2]"),
        ("<ul><li>a</li><li><a href=/x>{}</a></li></ul>", "/html/body/ul/li[2]"),
        ("<div><ul><li>a</li></ul>{}</div>", "/html/body/div"),
        ("<p>a</p><p>{}</p>", "/html/body/p[2]"),
        ("<h1>a <em>{}</em></h1>", "/html/body/h1/em"),
    ],
    ids=["td", "li", "tail", "no part around it", "inline without part"],
)
def test_where_a_text_stands(html: str, path: str) -> None:
    assert [part.path for part in parts(html.format("old"), html.format("new"))] == [path]


@pytest.mark.parametrize("beside", ["<!-- note -->", "<script>s()</script>", "<style>b</style>"])
def test_the_text_after_a_comment_or_script_is_compared(beside: str) -> None:
    page = f"<div>one {beside}%s</div>"
    assert parts(page % "two", page % "three") == [Part("/html/body/div", "one three")]


def test_what_a_comment_or_script_says_is_no_text() -> None:
    page = "<div>a<!-- {0} --><script>{0}</script><style>{0}</style></div>"
    assert parts(page.format("old"), page.format("new")) == []


def test_white_space_alone_is_no_change() -> None:
    old = "<div><p>one two</p><p>three</p></div>"
    new = "<div>\n  <p> one \n two</p>\n\t<p>three </p>\u00a0</div>"
    assert not rebuilt(old, new)
    assert parts(old, new) == []


def test_known_parts_are_looked_up_by_their_path() -> None:
    known = [
        Part("/html/body/div[1]", "sun"),
        Part("/html/body/div[2]", "stays"),
        Part("/html/body/div[3]", "gone"),
    ]
    page = parse_html("<div>rain</div><div>stays</div><p>new</p>")
    assert changed_among(known, page) == [
        Part("/html/body/div[1]", "rain"),
        Part("/html/body/div[3]", ""),
    ]


def test_a_known_part_keeps_its_text_through_white_space_and_scripts() -> None:
    page = parse_html("<div> sun <script>s()</script>\n shines<!-- c --></div>")
    assert changed_among([Part("/html/body/div", "sun shines")], page) == []


def test_what_changes_elsewhere_is_not_seen_among_known_parts() -> None:
    page = parse_html("<div>sun</div><div>another</div>")
    assert changed_among([Part("/html/body/div[1]", "sun")], page) == []
    assert changed_among([], page) == []


def test_parts_found_once_are_found_unchanged_in_the_same_page() -> None:
    new = "<div>A<b>b</b>C</div><ul><li>x</li></ul>"
    found = parts("<div>a<b>b</b>c</div><ul><li>y</li></ul>", new)
    assert len(found) == 2
    assert changed_among(found, parse_html(new)) == []


def test_looks_and_behaviour_stand_beside_the_tree() -> None:
    page = tree(
        "<head><link rel=stylesheet href=/a.css><link rel=icon href=/i><style>p {}</style></head>"
        "<body class=wide onload='go()'><p style='color: red'>a</p>"
        "<script src=/s.js></script><script>run()</script>"
    )
    assert page.looks == [["wide"], ["color: red"], ["p {}"], ["/a.css"]]
    assert page.behaviour == [("/s.js", None), (None, "run()")]
    assert [text for text in page.texts() if text] == ["a"]


def test_a_text_belongs_to_the_element_it_stands_in() -> None:
    page = tree("<div>a<b>b</b>c<!-- x -->d</div>")
    own = dict(zip(page.tags, page.texts(), strict=True))
    assert (own["div"], own["b"]) == ("acd", "b")


def test_a_text_that_comes_or_goes_is_a_change_of_its_own_part() -> None:
    full = tree("<div>a</div><div>b</div><div>c</div>")
    empty = tree("<div>a</div><div></div><div>c</div>")
    assert [part.path for part in changed_parts(full, empty)] == ["/html/body/div[2]"]
    assert [part.path for part in changed_parts(empty, full)] == ["/html/body/div[2]"]
    alone = tree("<div>a</div>"), tree("<div></div>")
    assert [part.text for part in changed_parts(*alone)] == [""]


def test_a_comment_that_goes_is_no_change() -> None:
    assert changed_parts(tree("<p>one <!-- x -->two</p>"), tree("<p>one two</p>")) == []


def test_a_page_of_which_all_changed_has_a_bounded_list() -> None:
    pages = [tree("".join(f"<div>{word} {n}</div>" for n in range(500))) for word in ("a", "b")]
    assert len(changed_parts(*pages)) == MOST_PARTS


def test_the_words_in_an_element() -> None:
    page = parse_html("<div>a<b>b</b><script>s</script> c\n<!-- x --><style>y</style>d</div>")
    assert text_of(page) == "a b c d"


TAGS = ("div", "section", "ul", "li", "p", "b", "h2", "script", "style")


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> Any:
    element = etree.Element(draw(st.sampled_from(TAGS)))
    element.text = draw(st.sampled_from([None, " ", "word", "other  word"]))
    if element.tag not in ("script", "style") and depth:
        for _ in range(draw(st.integers(0, 3))):
            comment = draw(st.integers(0, 4)) == 0
            child = etree.Comment("note") if comment else draw(elements(depth - 1))
            child.tail = draw(st.sampled_from([None, "\n", "tail"]))
            element.append(child)
    return element


@st.composite
def pages(draw: st.DrawFn) -> Any:
    root = etree.Element("html")
    body = etree.SubElement(root, "body")
    body.append(draw(elements()))
    return root


@given(pages())
def test_a_page_is_never_another_than_itself(page: Any) -> None:
    old, new = Tree(page), Tree(deepcopy(page))
    assert not is_rebuilt(old, new)
    assert changed_parts(old, new) == []
    assert (old.looks, old.behaviour) == (new.looks, new.behaviour)


@given(pages(), st.data())
def test_a_further_child_is_always_a_rebuild(page: Any, data: st.DataObject) -> None:
    grown = deepcopy(page)
    nodes = [each for each in grown.iter(etree.Element) if each.tag not in ("script", "style")]
    place = data.draw(st.sampled_from(range(len(nodes))))
    tag = data.draw(st.sampled_from(["div", "p", "br"]))
    nodes[place].insert(data.draw(st.integers(0, len(nodes[place]))), etree.Element(tag))
    assert is_rebuilt(Tree(page), Tree(grown))
    assert is_rebuilt(Tree(grown), Tree(page))
