from __future__ import annotations

import pytest

from focuscrawl.semantics.meanings import NO_MEANING, Meanings
from focuscrawl.semantics.wordnet import WordNet


@pytest.fixture(scope="module")
def animals(real: WordNet) -> Meanings:
    return Meanings(real, ["animal"])


def test_a_kind_of_the_topic_is_nearer_than_another_thing(animals: Meanings) -> None:
    assert animals.of("wolf").nearness > 0.4 > animals.of("parliament").nearness


def test_a_name_of_several_words_is_explained_as_one(animals: Meanings) -> None:
    explained = animals.of("Komodo dragon").definition
    assert {"lizard", "monitor"} & explained.keys()


def test_words_without_a_common_name_are_explained_one_by_one(animals: Meanings) -> None:
    explained = animals.of("wolf parliament").definition
    assert {"carnivor", "legisl"} <= explained.keys()
    assert max(explained.values()) <= 2 * max(animals.of("wolf").definition.values())


def test_examples_are_no_part_of_an_explanation(animals: Meanings) -> None:
    assert "embezzl" not in animals.of("charge").definition


@pytest.mark.parametrize("anchor", ["", "—", "the of and", "1984"])
def test_nothing_means_nothing(animals: Meanings, anchor: str) -> None:
    assert animals.of(anchor) == NO_MEANING


def test_an_unknown_name_has_no_explanation(animals: Meanings) -> None:
    assert animals.of("Xqzvbn").definition == {}


def test_a_headline_is_not_explained_but_still_near_or_far(animals: Meanings) -> None:
    headline = animals.of("Wolf seen near village as farmers count their sheep")
    assert headline.definition == {}
    assert headline.nearness > animals.of("Parliament votes on the budget of next year").nearness
