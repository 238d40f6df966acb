from __future__ import annotations

import pytest

from focuscrawl.blocks import Link, PageOutline
from focuscrawl.frontier.records import Candidate
from focuscrawl.linking import LONGEST_ANCHOR, candidates, harvest
from focuscrawl.repository.records import LinkRow
from focuscrawl.urls import AllowedSites, url_id

PAGE = "http://news.example/a/story.html"
ALLOWED = AllowedSites(["news.example"])
RELEVANCE = [0.1, 0.8]


def harvested(*hrefs: str, base: str = "") -> list[str]:
    page = PageOutline(links=[Link(href, "text", 0, False) for href in hrefs], base=base)
    return [row.url for row in harvest(page, PAGE, ALLOWED)]


def offered(
    *blocks: int, on_topic: bool = True, level: int = 0, max_level: int = 3
) -> tuple[list[Candidate], int]:
    rows = [
        LinkRow(number, f"http://news.example/{number}", f"anchor {number}", block)
        for number, block in enumerate(blocks)
    ]
    return candidates(
        rows,
        parent=PAGE,
        relevance=RELEVANCE,
        on_topic=on_topic,
        level=level,
        depth=4,
        max_level=max_level,
        is_relevant=lambda relevance: relevance >= 0.5,
        anchor_similarity=lambda anchor: 0.25 if anchor == "anchor 0" else 0.75,
    )


def test_links_are_resolved_against_the_page() -> None:
    assert harvested("other.html", "../up", "/top", "?p=2", "//www.news.example/x") == [
        "http://news.example/a/other.html",
        "http://news.example/up",
        "http://news.example/top",
        "http://news.example/a/story.html?p=2",
        "http://www.news.example/x",
    ]


@pytest.mark.parametrize(
    ("base", "resolved"),
    [
        ("/deep/er/", "http://news.example/deep/er/x"),
        ("http://www.news.example/b/", "http://www.news.example/b/x"),
        ("javascript:0", "http://news.example/a/x"),
    ],
)
def test_the_base_that_a_page_names(base: str, resolved: str) -> None:
    assert harvested("x", base=base) == [resolved]


def test_root_links_follow_the_base_to_its_site() -> None:
    assert harvested("/x", base="http://www.news.example/b/") == ["http://www.news.example/x"]


def test_other_sites_media_and_the_page_itself_are_left_out() -> None:
    assert harvested(
        "http://other.example/", "pic.jpg", "mailto:a@news.example", "story.html#part", PAGE
    ) == []  # fmt: skip


def test_each_target_once_with_its_longest_anchor() -> None:
    page = PageOutline(
        links=[
            Link("/x", "short", 0, True),
            Link("/x?utm_source=box", "the longest of all", 2, False),
            Link("http://NEWS.example/x#c", "middling", 3, False),
            Link("/y", "y" * 500, 1, False),
        ]
    )
    assert harvest(page, PAGE, ALLOWED) == [
        LinkRow(
            url_id("http://news.example/x"), "http://news.example/x", "the longest of all", 2, 1
        ),
        LinkRow(
            url_id("http://news.example/y"), "http://news.example/y", "y" * LONGEST_ANCHOR, 1, 3
        ),
    ]


def test_a_candidate_carries_all_that_is_known_before_the_fetch() -> None:
    (first,), _ = offered(1)
    assert first == Candidate(
        url="http://news.example/0",
        host="news.example",
        anchor="anchor 0",
        anchor_similarity=0.25,
        block=0.8,
        level=0,
        depth=4,
        seed=False,
        parent=PAGE,
    )


def test_a_relevant_page_restarts_the_levels() -> None:
    found, too_deep = offered(1, 0, level=3)
    assert [link.level for link in found] == [0, 1]
    assert too_deep == 0


@pytest.mark.parametrize(("level", "leads_to"), [(0, [1, 1]), (1, [2, 2]), (2, [3, 3]), (3, [])])
def test_an_irrelevant_page_leads_one_level_deeper(level: int, leads_to: list[int]) -> None:
    found, too_deep = offered(0, 1, on_topic=False, level=level)
    assert [link.level for link in found] == leads_to
    assert too_deep == 2 - len(leads_to)


def test_without_tunnels_only_relevant_blocks_lead_on() -> None:
    found, too_deep = offered(0, 1, max_level=0)
    assert [link.url for link in found] == ["http://news.example/1"]
    assert too_deep == 1


def test_a_link_without_text_is_not_judged_by_it() -> None:
    (found,), _ = candidates(
        [LinkRow(1, "http://news.example/1", "", 0)], parent=PAGE, relevance=RELEVANCE,
        on_topic=True, level=0, depth=1, max_level=3, is_relevant=bool,
        anchor_similarity=lambda _: 1.0,
    )  # fmt: skip
    assert found.anchor_similarity == 0.0
