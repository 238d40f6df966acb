from __future__ import annotations

from collections.abc import Sequence

import pytest

from focuscrawl.orderings.base import LinkScorer, LinkView, PageView, Topic
from focuscrawl.orderings.classic import BestFirst, BreadthFirst, DepthFirst, Fish, Shark

TOPIC = Topic(("train",), {"train": 1.0})


def page(
    key: int, links: Sequence[int | LinkView] = (), *, example: bool = False, **text: int
) -> PageView:
    views = [each if isinstance(each, LinkView) else LinkView(each, "", (), 0) for each in links]
    return PageView(key, text, [text], views, example=example)


def scores(scorer: LinkScorer, view: PageView) -> dict[int, float]:
    return {target: place.score for target, place in scorer.fetched(view).items()}


def ranked(places: dict[int, float]) -> list[int]:
    return sorted(places, key=lambda target: -places[target])


def test_breadth_first_keeps_the_order_of_finding() -> None:
    scorer = BreadthFirst(TOPIC)
    places = scores(scorer, page(0, [5, 3]))
    second = scores(scorer, page(5, [3, 9, 3]))
    assert set(second) == {9}
    assert ranked(places | second) == [5, 3, 9]


def test_depth_first_goes_on_with_the_links_of_the_last_page_in_their_order() -> None:
    scorer = DepthFirst(TOPIC)
    places = scores(scorer, page(0, [5, 3, 7]))
    assert ranked(places) == [5, 3, 7]
    places |= scores(scorer, page(5, [8, 7]))
    assert ranked(places) == [8, 7, 5, 3]


def test_best_first_gives_a_link_its_best_parent() -> None:
    scorer = BestFirst(TOPIC)
    assert scores(scorer, page(0, [1, 2], train=3, car=4)) == {1: 0.6, 2: 0.6}
    assert scores(scorer, page(1, [2, 3], car=1)) == {3: 0.0}
    assert scores(scorer, page(3, [2], train=1)) == {2: 1.0}


def test_fish_live_three_pages_without_food() -> None:
    scorer = Fish(TOPIC)
    food, bare = {"train": 1}, {"car": 1}
    assert scores(scorer, page(0, [1], example=True, **food)) == {1: 1.75}
    assert scores(scorer, page(1, [2], **bare)) == {2: 0.5}
    assert scores(scorer, page(2, [3], **bare)) == {3: 0.25}
    assert scores(scorer, page(3, [4], **bare)) == {4: 0.0}
    assert scores(scorer, page(4, [5], **bare)) == {5: 0.0}
    assert scores(scorer, page(5, [6], **food)) == {6: 1.75}


def test_food_is_at_least_half_as_near_as_the_examples() -> None:
    scorer = Fish(TOPIC)
    scorer.fetched(page(0, [], example=True, train=1))
    assert scores(scorer, page(1, [2], train=3, car=5)) == {2: 1.75}  # 3/√34 = .514
    assert scores(scorer, page(3, [4], train=1, car=2)) == {4: 0.5}  # 1/√5 = .447


def test_a_fish_with_several_parents_has_the_longest_life() -> None:
    scorer = Fish(TOPIC)
    scorer.fetched(page(0, [1, 3], example=True, train=1))
    scorer.fetched(page(1, [2], car=1))
    scorer.fetched(page(2, [3], car=1))
    assert scores(scorer, page(3, [4], car=1)) == {4: 0.5}


def test_shark_inherits_half_and_half_again() -> None:
    scorer = Shark(TOPIC)
    assert scores(scorer, page(0, [1], train=3, car=4)) == {1: pytest.approx(0.5 * 0.3)}
    assert scores(scorer, page(1, [2], car=1)) == {2: pytest.approx(0.5 * 0.15)}
    assert scores(scorer, page(2, [3], car=1)) == {3: pytest.approx(0.5 * 0.075)}


def test_shark_reads_the_anchor_and_only_then_the_words_around_it() -> None:
    scorer = Shark(TOPIC)
    named = LinkView(1, "train", ["car"], 0)
    around = LinkView(2, "here", ["train", "car"], 0)
    neither = LinkView(3, "here", ["car"], 0)
    found = scorer.fetched(page(0, [named, around, neither], car=1))
    assert found[1].score == pytest.approx(0.5 * (0.8 * 1 + 0.2 * 1))
    assert found[2].score == pytest.approx(0.5 * 0.2 * 2**-0.5)
    assert found[3].score == 0
    for place in found.values():
        assert sum(place.terms) == pytest.approx(place.score)
        assert len(place.terms) == len(scorer.names)
