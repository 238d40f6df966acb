from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from focuscrawl.semantics.dictionary import Dictionary
from focuscrawl.semantics.expansion import LEAST, expansions, related, synonyms
from focuscrawl.semantics.wordnet import WordNet


def relations(wordnet: WordNet, word: str) -> dict[str, str]:
    return {found.term: found.relation for found in expansions(wordnet, word)}


def test_synonyms_with_the_meaning_that_led_to_them(small: WordNet) -> None:
    found = {expansion.term: expansion for expansion in synonyms(small, "plant")}
    assert set(found) == {"flora", "works"}
    assert found["works"].via == "plant: buildings for carrying on industry"
    assert found["works"].score == 1.0


def test_each_term_once_by_its_strongest_relation(small: WordNet) -> None:
    assert relations(small, "dogs") == {
        "dog": "base form",
        "domestic dog": "synonym",
        "animal": "hypernym",
        "beast": "hypernym",
        "pet": "hypernym",
        "canine": "definition",
    }


def test_scores_are_similarities_or_what_the_relation_is_worth(small: WordNet) -> None:
    scores = {found.term: found.score for found in related(small, "dog")}
    assert scores["animal"] == pytest.approx(max(small.similarity("dog", "animal")))
    assert scores["pet"] == pytest.approx(max(small.similarity("dog", "pet")))
    assert scores["canine"] == LEAST["definition"]
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


def test_examples_are_no_part_of_a_definition(small: WordNet) -> None:
    assert "barked" not in relations(small, "dog")
    assert "harmed" not in relations(small, "animal")


def test_a_noun_leads_to_derived_verbs_and_to_the_words_of_a_field(small: WordNet) -> None:
    assert relations(small, "driver")["drive"] == "derived"
    assert relations(small, "road race")["motor"] == "used in the field"


def test_a_word_that_is_no_noun_leads_back_to_nouns(small: WordNet) -> None:
    found = relations(small, "drive")
    assert found["driver"] == "derived"
    assert found["motor"] == "synonym"
    assert found["road race"] == "field"


def test_an_unknown_word_has_no_expansions(small: WordNet) -> None:
    assert expansions(small, "brexit") == []


def test_a_copy_of_the_nouns_alone_is_enough(small_folder: Path, tmp_path: Path) -> None:
    for name in ("data.noun", "index.noun"):
        shutil.copyfile(small_folder / name, tmp_path / name)
    found = relations(WordNet(Dictionary(tmp_path, tmp_path)), "driver")
    assert "drive" not in found
    assert found["organism"] == "hypernym"


def test_a_real_word(real: WordNet) -> None:
    found = relations(real, "elections")
    assert found["election"] == "base form"
    assert found["vote"] == "hypernym"
    assert found["reelection"] == "hyponym"
    assert found["electoral"] == "derived"
    assert relations(real, "vaccinate")["vaccine"] == "derived"
