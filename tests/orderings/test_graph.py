from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.orderings import graph
from focuscrawl.orderings.base import LinkScorer, LinkView, PageView, Topic
from focuscrawl.orderings.graph import (
    DAMPING,
    Backlinks,
    ForwardLinks,
    Hits,
    LinkGraph,
    PageRank,
    hits,
    pagerank,
)

TOPIC = Topic((), {})
WEB = {0: [1, 2, 3], 1: [2], 2: [0, 3], 3: []}


def page(key: int, targets: Sequence[int]) -> PageView:
    return PageView(key, {}, [], [LinkView(target, "", (), 0) for target in targets])


def known(web: Mapping[int, Sequence[int]]) -> LinkGraph:
    made = LinkGraph()
    for key, targets in web.items():
        made.add(page(key, targets))
    return made


def dense_pagerank(links: np.ndarray) -> np.ndarray:
    """The solution of r = d Pᵀ r + (1 − d)/n, with rows without links spread evenly."""
    size = len(links)
    out = links.sum(axis=1, keepdims=True)
    chances = np.where(out > 0, links / np.maximum(out, 1), 1 / size)
    return np.linalg.solve(np.eye(size) - DAMPING * chances.T, np.full(size, (1 - DAMPING) / size))


@given(st.lists(st.lists(st.integers(0, 7), max_size=6), min_size=1, max_size=8))
def test_pagerank_is_the_solution_of_its_equations(targets: list[list[int]]) -> None:
    matrix = known(dict(enumerate(targets))).matrix()
    rank = pagerank(matrix)
    assert rank.sum() == pytest.approx(1)
    assert rank == pytest.approx(dense_pagerank(matrix.toarray()), abs=1e-7)


def test_hits_is_the_first_singular_vector() -> None:
    matrix = known(WEB).matrix()
    authority, factor = hits(matrix)
    _, values, right = np.linalg.svd(matrix.toarray())
    assert authority == pytest.approx(np.abs(right[0]), abs=1e-7)
    assert factor == pytest.approx(values[0])


def test_a_web_without_links_has_no_authorities() -> None:
    authority, factor = hits(known({0: [], 1: []}).matrix())
    assert authority.tolist() == [0, 0]
    assert factor == 0


def test_a_link_counts_once_a_page() -> None:
    assert known({7: [9, 9, 7]}).matrix().toarray().tolist() == [[1, 1], [0, 0]]


def places_after(scorer: LinkScorer, web: Mapping[int, Sequence[int]]) -> dict[int, float]:
    places: dict[int, float] = {}
    for key, targets in web.items():
        found = scorer.fetched(page(key, targets))
        places |= {target: place.score for target, place in found.items()}
    return {key: score for key, score in places.items() if key not in web}


def test_pagerank_gives_all_that_wait_a_new_place_when_it_is_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    web = {0: [1, 2, 3], 1: [4, 2], 2: [3]}
    monkeypatch.setattr(graph, "FEWEST_BETWEEN", 2)
    places = places_after(PageRank(TOPIC), web)
    made = known(web)
    exact = dense_pagerank(made.matrix().toarray())
    assert places == {key: pytest.approx(exact[made.number(key)], abs=1e-7) for key in (3, 4)}


def test_pagerank_in_between_hands_on_what_the_page_has() -> None:
    scorer = PageRank(TOPIC)
    first = {key: place.score for key, place in scorer.fetched(page(0, [1, 2])).items()}
    exact = dense_pagerank(known({0: [1, 2]}).matrix().toarray())
    assert first == {1: pytest.approx(exact[1]), 2: pytest.approx(exact[2])}
    later = scorer.fetched(page(1, [2, 3]))
    share = DAMPING * exact[1] / 2
    assert later[2].score == pytest.approx(exact[2] + share)
    assert later[3].score == pytest.approx(share)
    assert set(later) == {2, 3}


def test_hits_prefers_what_lists_agree_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "FEWEST_BETWEEN", 2)
    web = {0: [1, 2, 5, 6], 1: [5, 6], 2: [5]}
    places = places_after(Hits(TOPIC), web)
    made = known(web)
    exact, _ = hits(made.matrix())
    assert places == {key: pytest.approx(exact[made.number(key)]) for key in (5, 6)}
    assert places[5] > places[6]


def test_hits_in_between_takes_one_step() -> None:
    scorer = Hits(TOPIC)
    scorer.fetched(page(0, [1, 2]))  # authorities ½√2 each, factor √2
    later = scorer.fetched(page(1, [2, 3]))
    assert later[2].score == pytest.approx(0.5**0.5 * 1.5)
    assert later[3].score == pytest.approx(0.5**0.5 * 0.5)


def test_backlinks_counts_pages_not_links() -> None:
    assert places_after(Backlinks(TOPIC), {0: [1, 2, 2, 9], 1: [9, 8]}) == {2: 1, 9: 2, 8: 1}


def test_forward_links_takes_the_longest_list_that_names_a_page() -> None:
    assert places_after(ForwardLinks(TOPIC), {0: [1, 7, 8], 1: [7, 9], 2: [9]}) == {
        7: 3,
        8: 3,
        9: 2,
    }
