from __future__ import annotations

from focuscrawl.blocks import parse_html, partition
from focuscrawl.orderings.base import PageView
from focuscrawl.orderings.views import view_of
from focuscrawl.reading import Reading

PAGE = """<html><head><title>Flood warning</title></head><body>
<h1>River <b>rises</b></h1><p>The <b>bri</b>dge and the <strong>dam</strong> hold.
<a href="/a">Flood maps</a></p><script>var flood;</script>
<h2>Help</h2><p><b>Boats</b><b>tents</b></p></body></html>"""


def view(html: str, *, parts: bool) -> PageView:
    outline = partition(parse_html(html))
    return view_of(7, outline, Reading(outline), parts=parts)


def test_the_parts_of_a_page() -> None:
    found = view(PAGE, parts=True)
    assert found.key == 7
    assert found.title == {"flood": 1, "warn": 1}
    assert found.headings == {"river": 1, "rise": 1, "help": 1}
    assert found.bold == {"rise": 1, "bri": 1, "dam": 1, "boat": 1, "tent": 1}
    assert found.anchors == {"flood": 1, "map": 1}
    assert found.text == {
        "flood": 2, "warn": 1, "river": 1, "rise": 1, "bridg": 1, "dam": 1, "hold": 1,
        "map": 1, "help": 1, "boatstent": 1,
    }  # fmt: skip
    assert [len(block) for block in found.blocks] == [0, 7, 2]


def test_parts_that_nobody_wants_are_empty() -> None:
    found = view(PAGE, parts=False)
    assert [found.title, found.headings, found.bold, found.anchors] == [{}] * 4
    assert found.text == view(PAGE, parts=True).text


def test_an_empty_page_has_empty_parts() -> None:
    assert view("", parts=True) == PageView(7, {}, [{}], ())
