from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from focuscrawl.evaluation.measures import Run
from focuscrawl.evaluation.plot import plot, spread
from focuscrawl.evaluation.report import summaries


def drawn(budget: int, *names: str, hits: tuple[int, ...] = (1, 3)) -> str:
    runs = [Run(name, "rail", 0, budget, budget, hits, (1,), 4, 0.1) for name in names]
    return plot(summaries(names, runs), budget)


def test_every_ordering_has_a_curve_a_label_and_a_row() -> None:
    html = drawn(1000, "vsm", "a<b")
    root = etree.fromstring(html.partition("\n")[2].replace("<meta", "<p").replace(
        'utf-8">', 'utf-8"/>').replace('scale=1">', 'scale=1"/>'))  # fmt: skip
    assert len(root.findall(".//polyline")) == 2
    assert {"vsm", "a<b"} <= {text.text for text in root.iter("text")}
    assert [row[0].xpath("string()") for row in root.findall(".//tbody/tr")] == ["vsm", "a<b"]
    assert root.find(".//polyline/title").text == "vsm: 0.002 after 1,000 pages"


def test_the_file_needs_nothing_else() -> None:
    html = drawn(1000, "vsm")
    assert not [mark for mark in ("http:", "https:", "src=", "<script", "@import") if mark in html]
    assert "prefers-color-scheme: dark" in html


@pytest.mark.parametrize("budget", [1, 2, 9, 10, 11, 77, 5000])
def test_any_budget_can_be_drawn(budget: int) -> None:
    assert "<polyline" in drawn(budget, "vsm", hits=(1,))


def test_a_crawl_in_vain_can_be_drawn() -> None:
    assert "<polyline" in drawn(100, "vsm", hits=())


@given(st.lists(st.floats(-50, 600), min_size=1, max_size=20))
def test_labels_keep_their_order_and_a_gap_and_stay_inside(wanted: list[float]) -> None:
    placed = spread(wanted, 16, 24, 508)
    assert all(23.99 <= place <= 508.01 for place in placed)
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    assert all(placed[b] - placed[a] >= 15.99 for a, b in pairwise(order))
