from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.semantics.corpus import Corpus
from focuscrawl.semantics.dictionary import Dictionary
from focuscrawl.semantics.features import Features
from focuscrawl.semantics.scoring import Hsm, PageScorer, Ssrm, Ssvsm, Vsm, link_score
from focuscrawl.semantics.wordnet import WordNet

TOPIC = ["dog", "brexit"]
VECTOR = {"dog": 1.0, "brexit": 1.0}
EMPTY = Features({}, {}, {}, {}, {})
PAGE = Features(
    title={"dog": 1},
    headings={"cat": 1, "pet": 2},
    bold={},
    anchor={"river": 3},
    text={"dog": 3, "cat": 4},
)
NAMES = ("vsm", "ssrm", "ssvsm", "hsm")
stems = st.sampled_from(["dog", "cat", "pet", "river", "brexit", "nile", "unknown"])
texts = st.dictionaries(stems, st.integers(1, 30), max_size=7)


def scorers(wordnet: WordNet, corpus: Corpus | None = None) -> dict[str, PageScorer]:
    corpus = corpus or Corpus(VECTOR)
    by_path = wordnet.topic_table(TOPIC, measure="ld")
    return {
        "vsm": Vsm(VECTOR),
        "ssrm": Ssrm(by_path, corpus),
        "ssvsm": Ssvsm(by_path, VECTOR),
        "hsm": Hsm(wordnet.topic_table(TOPIC), corpus),
    }


def test_vsm_is_the_cosine(small: WordNet) -> None:
    vsm = scorers(small)["vsm"]
    assert vsm.page(PAGE) == pytest.approx(3 / (5 * sqrt(2)))
    assert vsm.anchors([{"dog": 1}, {"cat": 1}]) == [pytest.approx(1 / sqrt(2)), 0.0]


def test_ssvsm_is_nearness_times_cosine(small: WordNet) -> None:
    # dog is on the page, of brexit nothing: the mean nearness is ½.
    assert scorers(small)["ssvsm"].page(PAGE) == pytest.approx(0.5 * 3 / (5 * sqrt(2)))


def test_ssrm_is_nearness_times_tf_idf(small: WordNet) -> None:
    corpus = Corpus(VECTOR)
    corpus.observe(PAGE)
    assert scorers(small, corpus)["ssrm"].page(PAGE) == pytest.approx(
        0.5 * corpus.tf_idf(PAGE.text)
    )


def test_hsm_is_the_mean_over_terms_and_features(small: WordNet) -> None:
    cat, pet, river = (max(small.similarity("dog", word)) for word in ("cat", "pet", "river"))
    expected = (1.0 + max(cat, pet) + 0.0 + river + 1.0) / 5 / 2
    assert scorers(small)["hsm"].page(PAGE) == pytest.approx(expected)
    assert scorers(small)["hsm"].anchors([{"cat": 1}]) == [pytest.approx(cat / 2)]


def test_hsm_lets_bm25_speak_where_it_is_larger(small: WordNet) -> None:
    corpus = Corpus(VECTOR)
    for _ in range(9):
        corpus.observe(EMPTY._replace(text={"river": 4}))
    hsm = scorers(small, corpus)["hsm"]
    text = {"brexit": 40}
    floor = corpus.bm25(text, "text")
    assert 0.5 < floor < 1.0
    assert hsm.page(EMPTY._replace(text=text)) == pytest.approx((1.0 + floor) / 2 / 5)


def test_meaning_finds_what_words_miss(small: WordNet) -> None:
    about_pets = Features({"pet": 1}, {"cat": 1}, {"wolf": 1}, {"anim": 1}, {"cat": 5, "pet": 2})
    about_water = Features(*[{"river": 1}] * 5)
    found = scorers(small)
    assert found["vsm"].page(about_pets) == found["vsm"].page(about_water) == 0.0
    assert found["hsm"].page(about_pets) > 1.5 * found["hsm"].page(about_water)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_scores_nothing(small: WordNet, name: str) -> None:
    scorer = scorers(small)[name]
    assert scorer.page(EMPTY) == 0.0
    assert scorer.anchors([{}]) == [0.0]
    assert scorer.anchors([]) == []


def test_a_link_is_worth_the_mean_of_page_and_text() -> None:
    assert link_score(0.4, 0.2) == pytest.approx(0.3)
    assert link_score(0.4, None) == 0.4


@pytest.fixture(scope="module")
def all_scorers(small_folder: Path) -> dict[str, PageScorer]:
    corpus = Corpus(VECTOR)
    corpus.observe(PAGE)
    corpus.observe(Features(*[{"river": 2}] * 5))
    return scorers(WordNet(Dictionary(small_folder, small_folder)), corpus)


@given(texts, texts)
def test_scores_stay_between_0_and_1(
    all_scorers: dict[str, PageScorer], part: dict[str, int], text: dict[str, int]
) -> None:
    for scorer in all_scorers.values():
        assert 0.0 <= scorer.page(Features(part, part, {}, part, text)) <= 1.0 + 1e-9
        assert all(0.0 <= found <= 1.0 + 1e-9 for found in scorer.anchors([part, text]))


@given(st.lists(texts, max_size=5))
def test_texts_are_scored_together_as_each_alone(
    all_scorers: dict[str, PageScorer], many: list[dict[str, int]]
) -> None:
    for scorer in all_scorers.values():
        alone = [scorer.anchors([text])[0] for text in many]
        assert scorer.anchors(many) == pytest.approx(alone)
