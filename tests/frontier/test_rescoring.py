from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.frontier.hinting import UrlHint
from focuscrawl.frontier.priority import BreadthFirst, DynamicThenStatic, Focused, Ordering
from focuscrawl.frontier.records import Candidate, Lease, LinkScore, Visit
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.urls import url_id

HOST = "a.example"
Open = Callable[..., SqliteFrontier]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """The same file again and again, each time in place of the one before."""
    frontiers: list[SqliteFrontier] = []

    def opener(ordering: Ordering | None = None, phase: int = 1) -> SqliteFrontier:
        if frontiers:
            frontiers.pop().close()
        path = tmp_path / "frontier.db"
        frontiers.append(
            SqliteFrontier(path, "chess", phase=phase, ordering=ordering, clock=lambda: 1_000.0)
        )
        return frontiers[-1]

    yield opener
    for frontier in frontiers:
        frontier.close()


def page(name: str) -> str:
    return f"http://{HOST}/{name}"


def link(name: str, anchor: str = "", **known: Any) -> Candidate:
    return Candidate(page(name), HOST, anchor, **known)


def names(leases: list[Lease]) -> list[str]:
    return [lease.url.rpartition("/")[2] for lease in leases]


def priorities(frontier: SqliteFrontier) -> dict[str, float]:
    with closing(sqlite3.connect(frontier.path)) as db:
        rows = db.execute("SELECT url, priority FROM urls").fetchall()
    return {url.rpartition("/")[2]: priority for url, priority in rows}


class Judge:
    """Says what an anchor is worth, and remembers what it was asked."""

    def __init__(self, **similarity: float) -> None:
        self.similarity = similarity
        self.asked: list[str] = []

    def __call__(self, anchor: str) -> float:
        self.asked.append(anchor)
        return self.similarity.get(anchor.partition(" ")[0].lower(), 0.0)


# -- learned stems --------------------------------------------------------------------------


def test_nothing_learned_nothing_scored(opened: Open) -> None:
    frontier = opened()
    frontier.add([link("x", "pawn", anchor_similarity=0.5)])
    before = priorities(frontier)
    judge = Judge(pawn=1.0)
    assert frontier.begin_phase(2, judge) == 0
    assert judge.asked == []
    assert priorities(frontier) == before


def test_learned_stems_touch_only_the_anchors_that_hold_them(opened: Open) -> None:
    frontier = opened()
    frontier.add(
        [
            link("a", "Strategies of the opening", anchor_similarity=0.1),
            link("b", "a STRATEGY for rooks", anchor_similarity=0.1),
            link("c", "weather", anchor_similarity=0.1),
            link("d", "", block=0.3),
        ]
    )
    judge = Judge(strategies=0.8, a=0.6, weather=0.9)
    assert frontier.begin_phase(2, judge, ["strategi"]) == 2
    assert sorted(judge.asked) == ["Strategies of the opening", "a STRATEGY for rooks"]
    assert priorities(frontier) == pytest.approx({"a": 0.4, "b": 0.3, "c": 0.05, "d": 0.15})
    assert names(frontier.lease(4)) == ["a", "b", "d", "c"]


@pytest.mark.parametrize(
    ("stem", "anchor", "found"),
    [
        ("happi", "happy end", True),
        ("happi", "happiness", True),
        ("chess", "Chess", True),
        ("ox", "an ox", True),
        ("ox", "oak", False),
        ("queen", "king", False),
    ],
)
def test_a_stem_is_found_in_its_words(opened: Open, stem: str, anchor: str, found: bool) -> None:
    frontier = opened()
    frontier.add([link("x", anchor)])
    assert frontier.begin_phase(2, Judge(), [stem]) == int(found)


def test_pages_that_were_fetched_keep_their_place(opened: Open) -> None:
    frontier = opened()
    frontier.add([link("x", "pawn", anchor_similarity=0.2)])
    for lease in frontier.lease(1):
        frontier.complete(lease, Visit("kept", kept=True, importance=0.5))
    assert frontier.begin_phase(2, Judge(pawn=1.0), ["pawn"]) == 0
    assert priorities(frontier) == {"x": 0.25}


# -- another ordering -----------------------------------------------------------------------


def filled(opened: Open) -> SqliteFrontier:
    """Two pages that were fetched, three URLs that wait."""
    frontier = opened()
    frontier.add([link("deep", block=0.9, depth=3), link("flat", block=0.8, depth=1)])
    for lease in frontier.lease(2):
        importance = 0.9 if lease.url.endswith("deep") else 0.2
        frontier.complete(lease, Visit("kept", kept=True, importance=importance))
    frontier.add(
        [
            link("new", "pawn", block=0.4, depth=2),
            link("far", block=0.6, depth=9),
            link("poor", block=0.1, depth=0),
        ]
    )
    return frontier


def test_a_new_ordering_scores_all_anew(opened: Open) -> None:
    filled(opened)
    frontier = opened(BreadthFirst(), phase=2)
    judge = Judge(pawn=0.7)
    assert frontier.begin_phase(2, judge) == 5
    assert judge.asked == ["pawn"]
    assert priorities(frontier) == pytest.approx(
        {"poor": 0, "flat": -1, "new": -2, "deep": -3, "far": -9}, abs=1e-6
    )
    assert names(frontier.lease(9)) == ["poor", "flat", "new", "deep", "far"]


def test_the_same_ordering_again_scores_nothing(opened: Open) -> None:
    filled(opened)
    assert opened(BreadthFirst(), phase=2).begin_phase(2, Judge()) == 5
    assert opened(BreadthFirst(), phase=3).begin_phase(3, Judge()) == 0
    assert opened(Focused(), phase=4).begin_phase(4, Judge()) == 5
    assert opened(Focused(), phase=5).begin_phase(5, Judge()) == 0


def test_back_and_forth_gives_the_same_numbers(opened: Open) -> None:
    before = priorities(filled(opened))
    opened(DynamicThenStatic(), phase=2).begin_phase(2, Judge())
    frontier = opened(Focused(), phase=3)
    frontier.begin_phase(3, Judge())
    assert priorities(frontier) == pytest.approx(before)


def test_each_category_has_its_own_ordering(opened: Open) -> None:
    frontier = filled(opened)
    other = SqliteFrontier(frontier.path, "choir", ordering=BreadthFirst())
    other.add([link("x")])
    assert other.begin_phase(2, Judge()) == 0
    other.close()
    assert frontier.begin_phase(2, Judge()) == 0


# -- hints ----------------------------------------------------------------------------------


def revisited(opened: Open, *pages: tuple[str, float]) -> SqliteFrontier:
    """Phase 2 of pages that were kept with these importances, dated 500."""
    frontier = opened()
    for name, importance in pages:
        frontier.add([link(name, block=1.0)])
        frontier.note_hints([UrlHint(page(name), 500.0)], "lastmod")
        for lease in frontier.lease(1):
            frontier.complete(lease, Visit("kept", kept=True, importance=importance))
    frontier.begin_phase(2, Judge())
    return frontier


def test_a_hinted_page_is_raised_by_the_trust_in_its_site(opened: Open) -> None:
    frontier = revisited(opened, ("a", 0.6), ("b", 0.4), ("c", 0.5))
    assert frontier.note_hints([UrlHint(page("b"), 501.0)], "lastmod") == []
    assert priorities(frontier) == pytest.approx({"a": 0.3, "b": 0.2 + 0.4 / 3, "c": 0.25})
    assert names(frontier.lease(3)) == ["b", "a", "c"]


def test_a_liar_raises_nothing(opened: Open) -> None:
    frontier = revisited(opened, ("a", 0.6), ("b", 0.4))
    for _ in range(20):
        frontier.hints.check(HOST, ("lastmod", True), was_changed=False)
    trusted = frontier.hints.trust(HOST, "lastmod")
    assert trusted < 0.3
    frontier.note_hints([UrlHint(page("b"), 501.0)], "lastmod")
    assert priorities(frontier)["b"] == pytest.approx(0.2)
    assert names(frontier.lease(2)) == ["a", "b"]


def test_a_visit_takes_the_raise_back(opened: Open) -> None:
    frontier = revisited(opened, ("a", 0.6))
    frontier.note_hints([UrlHint(page("a"), 501.0)], "lastmod")
    (lease,) = frontier.lease(1)
    frontier.complete(lease, Visit("kept", kept=True, importance=0.6))
    # one comparison without a change: its rate is a third
    assert priorities(frontier) == pytest.approx({"a": 0.6 / 3})


def test_a_date_that_stands_still_raises_nothing(opened: Open) -> None:
    frontier = revisited(opened, ("a", 0.6), ("b", 0.4))
    before = priorities(frontier)
    frontier.note_hints([UrlHint(page("a"), 500.0), UrlHint(page("b"), 400.0)], "lastmod")
    assert priorities(frontier) == before


def test_a_url_that_was_never_fetched_is_not_raised(opened: Open) -> None:
    frontier = opened()
    frontier.add([link("x", block=0.5)])
    frontier.note_hints([UrlHint(page("x"), 500.0)], "lastmod")
    frontier.note_hints([UrlHint(page("x"), 900.0)], "lastmod")
    assert priorities(frontier) == {"x": 0.25}


def test_thousands_are_raised_at_once(opened: Open) -> None:
    frontier = opened()
    frontier.add([link(str(number)) for number in range(1_200)])
    for lease in frontier.lease(1_200):
        frontier.complete(lease, Visit("kept", kept=True, importance=0.6))
    frontier.begin_phase(2, Judge())
    frontier.note_hints([UrlHint(page(str(number)), 1_001.0) for number in range(1_200)], "feed")
    assert list(priorities(frontier).values()) == pytest.approx([0.3 + 0.6 / 3] * 1_200)
    assert len(frontier.lease(1_200)) == 1_200


# -- scores of a link scorer ----------------------------------------------------------------


def test_a_score_decides_in_place_of_block_and_anchor(opened: Open) -> None:
    frontier = opened()
    frontier.add([link("plain", anchor_similarity=0.9, block=0.9), link("scored", score=2.0)])
    assert names(frontier.lease(2)) == ["scored", "plain"]


def test_waiting_links_take_the_scores_that_a_page_taught(opened: Open) -> None:
    frontier = opened()
    frontier.add([link("start", seed=True), link("a", score=0.5), link("b", score=0.4, level=1)])
    (start,) = frontier.lease(1)
    keys = {name: url_id(page(name), "chess") for name in ("start", "a", "b")}
    scores = [LinkScore(keys["b"], 2.0, "[2.0]"), LinkScore(keys["start"], 9.0, "")]
    frontier.complete(start, Visit("kept"), [], scores)
    assert priorities(frontier)["b"] == pytest.approx(2.0 * 0.6)
    assert names(frontier.lease(3)) == ["b", "a"]


def test_a_further_parent_brings_the_newer_score(opened: Open) -> None:
    frontier = opened()
    frontier.add([link("a", score=0.5, terms="[0.5]")])
    frontier.add([link("a", score=0.2, terms="[0.2]")])
    frontier.add([link("a")])
    assert priorities(frontier)["a"] == pytest.approx(0.2)


def test_a_score_below_zero_is_not_raised_by_a_tunnel(opened: Open) -> None:
    frontier = opened()
    frontier.add([link("near", score=-0.5), link("far", score=-0.5, level=3)])
    assert priorities(frontier)["near"] == priorities(frontier)["far"] == -0.5
