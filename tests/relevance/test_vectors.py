from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.relevance.vectors import COMMON_WEIGHT, SCHEMES, TopicVectors
from focuscrawl.text import cosine, counts
from focuscrawl.topics.catalog import load_catalog
from focuscrawl.topics.category import Category, parse_category

CATALOG = load_catalog()
UNIT = TopicVectors(CATALOG.values(), "unit")
WEIGHTED = TopicVectors(CATALOG.values())
STEMS = sorted({stem for category in CATALOG.values() for stem in category.terms} | {"xyz", "qq"})
texts = st.dictionaries(st.sampled_from(STEMS), st.integers(1, 50), max_size=30)


def topic(name: str, terms: str) -> Category:
    return parse_category(name, f"terms = {terms}", f"{name}.toml")


def test_golden_similarities_of_the_documents() -> None:
    sports = list(UNIT.vector("sports"))
    assert len(sports) == 51
    page = dict.fromkeys(sports[:36], 1.0) | {sports[36]: 9.0, "xyz": math.sqrt(378 - 36 - 81)}
    assert UNIT.similarity("sports", page) == pytest.approx(0.324101861776082, abs=1e-15)
    anchor = UNIT.similarity("sports", {"tenni": 1})
    assert anchor == pytest.approx(0.140028008402801, abs=1e-15)


@given(texts)
def test_unit_is_the_cosine_on_raw_counts(text: dict[str, int]) -> None:
    expected = {name: cosine(CATALOG[name].terms, text) for name in CATALOG}
    assert UNIT.similarities(text) == pytest.approx(expected)


@given(texts)
def test_weighted_is_the_cosine_on_rooted_counts(text: dict[str, int]) -> None:
    rooted = {stem: math.sqrt(count) for stem, count in text.items()}
    expected = {name: cosine(WEIGHTED.vector(name), rooted) for name in CATALOG}
    assert WEIGHTED.similarities(text) == pytest.approx(expected)


@given(texts, st.sampled_from(SCHEMES))
def test_one_similarity_is_one_of_all(text: dict[str, int], scheme: str) -> None:
    vectors = UNIT if scheme == "unit" else WEIGHTED
    every = vectors.similarities(text)
    assert {name: vectors.similarity(name, text) for name in vectors.names} == every
    assert all(0 <= score <= 1 for score in every.values())


def test_a_shared_term_and_a_common_word_weigh_less() -> None:
    vector = WEIGHTED.vector("technology")
    assert vector["android"] == 1
    assert vector["game"] == 1 / 2
    assert vector["compani"] == 1 / 3
    assert vector["updat"] == COMMON_WEIGHT
    assert vector["news"] == COMMON_WEIGHT / 6
    assert set(UNIT.vector("technology").values()) == {1.0}


def test_file_weights_count_in_weighted_only() -> None:
    topics = [topic("a", "{coral = 3, reef = 1}"), topic("b", '["chess"]')]
    assert dict(TopicVectors(topics).vector("a")) == {"coral": 3.0, "reef": 1.0}
    assert dict(TopicVectors(topics, "unit").vector("a")) == {"coral": 1.0, "reef": 1.0}


def test_learned_terms_join_but_never_replace_shipped_ones() -> None:
    learned = {"sports": {"marathon": 0.5, "tenni": 0.1}}
    vectors = TopicVectors(CATALOG.values(), learned=learned)
    assert vectors.vector("sports")["marathon"] == 0.5
    assert vectors.vector("sports")["tenni"] == 1
    assert vectors.similarity("sports", {"marathon": 1}) > 0
    assert "marathon" not in CATALOG["sports"].terms


def test_a_text_twice_as_long_with_the_same_mix_scores_the_same() -> None:
    once = counts("The court heard the witness and the police officer")
    twice = {stem: 2 * count for stem, count in once.items()}
    for vectors in (UNIT, WEIGHTED):
        assert vectors.similarities(twice) == pytest.approx(vectors.similarities(once))


def test_one_word_repeated_does_not_drown_the_rest_when_weighted() -> None:
    text = counts("football league cup coach " + "sponsor " * 20)
    assert WEIGHTED.similarity("sports", text) > 3 * UNIT.similarity("sports", text)


def test_names_are_in_order_and_nothing_scores_nought() -> None:
    topics = [topic("b", '["x"]'), topic("a", '["z"]')]
    assert TopicVectors(topics).names == ("a", "b")
    assert TopicVectors(topics).similarities({}) == {"a": 0.0, "b": 0.0}
    assert TopicVectors([]).similarities({"x": 1}) == {}


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="scheme 'tfidf' is not known; use one of weighted, unit"):
        TopicVectors([], "tfidf")  # type: ignore[arg-type]


SAMPLES = {
    "business": "Investors sold shares as the bank cut its forecast and oil prices fell.",
    "crime": "Detectives arrested a suspect after the murder; the court will hear the witness.",
    "health": "Doctors at the clinic say the new medicine helps patients with heart disease.",
    "politics": "The prime minister called an election after senators lost the vote.",
    "sports": "The coach praised her players when the team beat the champions in the cup final.",
    "technology": "The phone maker patched the app after hackers breached its network.",
}


@pytest.mark.parametrize("category", SAMPLES)
@pytest.mark.parametrize("vectors", [UNIT, WEIGHTED], ids=["unit", "weighted"])
def test_plain_sentences_find_their_category(category: str, vectors: TopicVectors) -> None:
    scores = vectors.similarities(counts(SAMPLES[category]))
    assert max(scores, key=scores.__getitem__) == category
