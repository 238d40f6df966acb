from __future__ import annotations

from focuscrawl.blocks import parse_html, partition
from focuscrawl.semantics.features import Features, features_of

PAGE = """<html><head><title>Flood warning</title></head><body>
<h1>River <b>rises</b></h1><p>The <b>bri</b>dge and the <strong>dam</strong> hold.
<a href="/a">Flood maps</a></p><script>var flood;</script>
<h2>Help</h2><p><b>Boats</b><b>tents</b></p></body></html>"""


def test_the_five_features_of_a_page() -> None:
    root = parse_html(PAGE)
    assert features_of(partition(root), root) == Features(
        title={"flood": 1, "warn": 1},
        headings={"river": 1, "rise": 1, "help": 1},
        bold={"rise": 1, "bri": 1, "dam": 1, "boat": 1, "tent": 1},
        anchor={"flood": 1, "map": 1},
        text={
            "flood": 2, "warn": 1, "river": 1, "rise": 1, "bridg": 1, "dam": 1, "hold": 1,
            "map": 1, "help": 1, "boatstent": 1,
        },
    )  # fmt: skip


def test_an_empty_page_has_empty_features() -> None:
    root = parse_html("")
    assert features_of(partition(root), root) == Features({}, {}, {}, {}, {})
