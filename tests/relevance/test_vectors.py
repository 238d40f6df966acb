from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.relevance.vectors import COMMON_WEIGHT, HEAVIEST, SCHEMES, TopicVectors
from focuscrawl.text import cosine, counts, elsewhere_stems
from focuscrawl.topics.catalog import load_catalog
from focuscrawl.topics.category import Category, parse_category

CATALOG = load_catalog()
UNIT = TopicVectors(CATALOG.values(), "unit")
WEIGHTED = TopicVectors(CATALOG.values())
STEMS = sorted(
    {stem for each in CATALOG.values() for stem in [*each.terms, *each.vocabulary]}
    | elsewhere_stems()
    | {"xyz", "qq"}
)
REEF = '["coral", "reef", "time"]'
texts = st.dictionaries(st.sampled_from(STEMS), st.integers(1, 50), max_size=30)


def topic(name: str, terms: str, more: str = "") -> Category:
    return parse_category(name, f"terms = {terms}\n{more}", f"{name}.toml")


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


@given(st.dictionaries(st.sampled_from(["coral", "reef", "time", "film"]), st.integers(1, 50)))
def test_weighted_is_the_cosine_on_rooted_counts(text: dict[str, int]) -> None:
    vectors = TopicVectors([topic("ocean", REEF)])
    rooted = {stem: math.sqrt(count) for stem, count in text.items()}
    assert vectors.similarity("ocean", text) == pytest.approx(
        cosine(vectors.vector("ocean"), rooted)
    )


def test_a_wide_vocabulary_is_as_near_as_a_narrow_one() -> None:
    words = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(400)]
    wide = topic("wide", str(words))
    assert len(wide.terms) == 400
    assert TopicVectors([wide]).similarity("wide", {"waa": 1}) == 1 / math.sqrt(HEAVIEST)
    assert TopicVectors([wide], "unit").similarity("wide", {"waa": 1}) == 1 / math.sqrt(400)


def test_other_fields_count_against_a_category_that_asks_for_the_contrast() -> None:
    plain, apart = topic("a", REEF), topic("b", REEF, "contrast = true")
    vectors = TopicVectors([plain, apart])
    coral = vectors.similarities({"coral": 1})
    assert coral["a"] == coral["b"]
    both = vectors.similarities({"coral": 1, "film": 1})
    share = coral["a"] / (coral["a"] + 1 / math.sqrt(HEAVIEST))
    assert both["b"] == pytest.approx(share * both["a"])
    assert vectors.similarities({"film": 1}) == {"a": 0, "b": 0}


def test_a_word_that_a_category_claims_counts_against_none() -> None:
    claimed = TopicVectors([topic("a", REEF, "contrast = true"), topic("films", '["film"]')])
    alone = TopicVectors([topic("a", REEF, "contrast = true")])
    text = {"coral": 1, "film": 1}
    assert claimed.similarity("a", text) > alone.similarity("a", text)


@given(texts, st.sampled_from(SCHEMES))
def test_one_similarity_is_one_of_all(text: dict[str, int], scheme: str) -> None:
    vectors = UNIT if scheme == "unit" else WEIGHTED
    every = vectors.similarities(text)
    assert {name: vectors.similarity(name, text) for name in vectors.names} == every
    assert all(0 <= score <= 1 for score in every.values())


def test_a_common_word_weighs_less() -> None:
    vector = WEIGHTED.vector("technology")
    assert vector["android"] == 1
    assert vector["game"] == 1 / 2
    assert vector["window"] == COMMON_WEIGHT / 2
    assert set(UNIT.vector("technology").values()) == {1.0}


def test_graded_words_replace_the_terms_in_weighted_only() -> None:
    category = topic("a", '["news"]', 'strong = ["coral"]\nusual = ["reef"]')
    assert dict(TopicVectors([category]).vector("a")) == {"coral": 1.0, "reef": 0.5}
    assert dict(TopicVectors([category], "unit").vector("a")) == {"news": 1.0}


def test_file_weights_count_in_weighted_only() -> None:
    topics = [topic("a", "{coral = 3, reef = 1}"), topic("b", '["chess"]')]
    assert dict(TopicVectors(topics).vector("a")) == {"coral": 3.0, "reef": 1.0}
    assert dict(TopicVectors(topics, "unit").vector("a")) == {"coral": 1.0, "reef": 1.0}


def test_learned_terms_join_but_never_replace_shipped_ones() -> None:
    learned = {"sports": {"stannick": 0.5, "tenni": 0.1}}
    for scheme, weight in (("weighted", 0.5), ("unit", 1)):
        vectors = TopicVectors(CATALOG.values(), scheme, learned)
        assert vectors.vector("sports")["stannick"] == weight
        assert vectors.vector("sports")["tenni"] == 1
        assert vectors.similarity("sports", {"stannick": 1}) > 0
    assert "stannick" not in CATALOG["sports"].vocabulary


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
