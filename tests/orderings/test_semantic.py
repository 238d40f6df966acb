from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from focuscrawl.orderings.base import LinkView, PageView, Topic
from focuscrawl.orderings.registry import ORDERINGS, UnknownOrdering, chosen
from focuscrawl.orderings.semantic import Semantic
from focuscrawl.semantics.corpus import Corpus
from focuscrawl.semantics.features import Features
from focuscrawl.semantics.scoring import Vsm
from focuscrawl.semantics.tables import TopicTable

TOPIC = Topic(("train",), {"train": 1.0})


def page(key: int, text: dict[str, int], *links: tuple[int, str]) -> PageView:
    return PageView(key, text, [text], [LinkView(to, anchor, (), 0) for to, anchor in links])


def test_vsm_is_the_mean_of_page_and_anchor_or_the_page_alone() -> None:
    scorer = ORDERINGS["vsm"].make(TOPIC, None)
    found = scorer.fetched(page(0, {"train": 3, "car": 4}, (1, "Trains"), (2, "cars"), (3, "")))
    assert {key: place.score for key, place in found.items()} == {
        1: pytest.approx(0.8), 2: pytest.approx(0.3), 3: pytest.approx(0.6),
    }  # fmt: skip
    assert found[1].terms == pytest.approx((0.3, 0.5))
    assert sum(found[3].terms) == pytest.approx(found[3].score)


def test_of_several_links_the_best_counts() -> None:
    scorer = Semantic(Vsm(TOPIC.vector))
    first = scorer.fetched(page(0, {"car": 1}, (1, "car"), (1, "train")))
    assert first[1].score == 0.5
    assert scorer.fetched(page(2, {"car": 1}, (1, "car"))) == {}


def test_every_page_is_counted_into_the_corpus_before_it_is_scored() -> None:
    seen: list[int] = []

    class Watching:
        def page(self, features: Features) -> float:
            seen.append(corpus.pages)
            return 0.0

        def anchors(self, texts: object) -> list[float]:
            return []

    corpus = Corpus(["train"])
    scorer = Semantic(Watching(), corpus)
    scorer.fetched(page(0, {"train": 1}))
    scorer.fetched(page(1, {"car": 1}))
    assert seen == [1, 2]
    assert corpus.holding == {"train": 1}


@pytest.mark.parametrize("name", [name for name in ORDERINGS if not ORDERINGS[name].meanings])
def test_every_ordering_gives_each_new_link_a_place(name: str) -> None:
    scorer = ORDERINGS[name].make(TOPIC, None)
    first = page(0, {"train": 1}, (1, "train"), (2, "car"), (2, ""))
    first.example = True
    assert scorer.fetched(first).keys() == {1, 2}
    found = scorer.fetched(page(1, {"car": 1}, (3, "car")))
    assert 3 in found
    assert all(len(place.terms) in (0, len(scorer.names)) for place in found.values())


@pytest.mark.parametrize("name", ["ssrm", "ssvsm", "hsm"])
def test_meanings_need_wordnet(name: str) -> None:
    assert ORDERINGS[name].meanings
    with pytest.raises(ValueError, match="WordNet"):
        ORDERINGS[name].make(TOPIC, None)


def test_ours_wants_wordnet_and_can_do_without() -> None:
    assert ORDERINGS["focused"].meanings
    found = ORDERINGS["focused"].make(TOPIC, None).fetched(page(1, {"car": 1}, (3, "car")))
    assert 3 in found


class TwoNouns:
    """Stands for WordNet: a bus is near to a train by half, and nothing else is near to it."""

    def topic_table(self, words: Sequence[str]) -> TopicTable:
        assert words == ("train",)
        return TopicTable(["train"], {"train": 1, "bu": 2}, np.array([[0], [1], [0.5]], np.float32))


def places(name: str, *pages: PageView) -> dict[int, float]:
    wordnet: Any = TwoNouns()
    scorer = ORDERINGS[name].make(TOPIC, wordnet)
    found = [scorer.fetched(each) for each in pages]
    return {key: place.score for key, place in found[-1].items()}


def test_hsm_finds_what_is_near_in_meaning() -> None:
    found = places("hsm", page(0, {"bu": 1}, (1, "bus"), (2, "tree")))
    # Of the page's five features only the text holds a noun that is near: ½ / 5.
    assert found == {1: pytest.approx((0.1 + 0.5) / 2), 2: pytest.approx(0.05)}


def test_ssvsm_is_nearness_times_cosine() -> None:
    found = places("ssvsm", page(0, {"train": 3, "car": 4}, (1, "train"), (2, "bus")))
    assert found == {1: pytest.approx((0.6 + 1) / 2), 2: pytest.approx(0.3)}


def test_ssrm_is_nearness_times_tf_idf_of_what_was_crawled() -> None:
    first, second = page(0, {"car": 1}), page(1, {"car": 2, "train": 1}, (2, "bus"), (3, ""))
    weight = 1 * np.log(3 / 1.5) / (2 * np.log(6))
    assert places("ssrm", first, second) == {2: pytest.approx(weight / 2), 3: pytest.approx(weight)}


def test_orderings_are_chosen_by_name_each_once() -> None:
    assert chosen(["vsm", "fish", "vsm"]) == ["vsm", "fish"]
    with pytest.raises(UnknownOrdering, match=r"^crab: no such ordering; there are focused, "):
        chosen(["vsm", "crab"])
