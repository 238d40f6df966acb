from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.sitemaps import claim_order


def test_the_site_with_most_unclaimed_links_goes_first() -> None:
    sites = {
        "A": "a1 a2 a3 a4",
        "B": "b1 b2 a1 b3",
        "C": "c1 c2 c3",
        "D": "d1 d2 d3 d4",
        "E": "e1 e2 b3 e3 b1",
        "F": "f1 f2 d1 e1",
    }
    order = claim_order({name: links.split() for name, links in sites.items()})
    assert order == ["E", "A", "D", "C", "F", "B"]


def test_ties_go_by_name_and_repeated_links_count_once() -> None:
    assert claim_order({"b": ["1", "2"], "a": ["3", "4"], "c": ["5", "5", "5"]}) == ["a", "b", "c"]


def test_no_sites_and_empty_sites() -> None:
    assert claim_order({}) == []
    assert claim_order({"b": [], "a": []}) == ["a", "b"]


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("123456789"))))
def test_every_site_once_and_gains_never_grow(sites: dict[str, list[str]]) -> None:
    given_links = {name: list(links) for name, links in sites.items()}
    order = claim_order(sites)
    assert sorted(order) == sorted(sites)
    assert sites == given_links
    claimed: set[str] = set()
    gains = []
    for name in order:
        gains.append(len(set(sites[name]) - claimed))
        claimed |= set(sites[name])
    assert gains == sorted(gains, reverse=True)
