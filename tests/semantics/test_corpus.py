from __future__ import annotations

import json
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.semantics.corpus import Corpus
from focuscrawl.semantics.features import Features

EMPTY = Features({}, {}, {}, {}, {})
texts = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 50), max_size=6)
pages = st.builds(Features, texts, texts, texts, texts, texts)


def page(**text: int) -> Features:
    return EMPTY._replace(text=text)


def seen(terms: str, *observed: Features) -> Corpus:
    corpus = Corpus(terms)
    for each in observed:
        corpus.observe(each)
    return corpus


def test_idf_and_average_length() -> None:
    corpus = seen("ab", page(a=3, x=1), page(x=2), page(x=2), page(y=12))
    assert corpus.pages == 4
    assert corpus.holding == {"a": 1, "b": 0}
    assert corpus.lengths["text"] == 20
    assert corpus.idf() == {"a": pytest.approx(log(3.5 / 1.5)), "b": pytest.approx(log(4.5 / 0.5))}


def test_bm25_by_hand() -> None:
    corpus = seen("ab", page(a=3, x=1), page(x=2), page(x=2), page(y=12))
    idf_a, idf_b = log(3.5 / 1.5), log(9)
    # 10 words where 5 are usual: 1.2 · (0.25 + 0.75 · 2) = 2.1
    expected = idf_a * 2.2 * 4 / (4 + 2.1) / (idf_a + idf_b)
    assert corpus.bm25({"a": 4, "x": 6}, "text") == pytest.approx(expected)


def test_all_terms_once_in_a_text_of_average_length_are_a_very_good_match() -> None:
    corpus = seen("ab", page(a=1, x=1), page(x=2), page(b=1, x=1), page(x=2))
    assert corpus.bm25({"a": 1, "b": 1}, "text") == pytest.approx(1.0)
    assert corpus.bm25({"a": 9, "b": 9}, "text") == 1.0


def test_a_term_on_most_pages_tells_nothing() -> None:
    corpus = seen("ab", page(a=1), page(a=2), page(x=1))
    assert corpus.idf()["a"] == 0.0
    assert corpus.bm25({"a": 5}, "text") == 0.0


def test_nothing_seen_yet_matches_nothing() -> None:
    corpus = Corpus("ab")
    assert corpus.bm25({"a": 1}, "text") == 0.0
    assert corpus.bm25({"a": 1}, "title") == 0.0


def test_each_feature_has_its_own_average_length() -> None:
    corpus = seen("a", Features({"x": 4}, {}, {}, {}, {"x": 400}), *[page(x=1)] * 3)
    assert corpus.bm25({"a": 1}, "title") > 0.0
    assert corpus.bm25({"a": 1}, "bold") == 0.0
    assert corpus.bm25({"a": 1, "x": 9}, "title") < corpus.bm25({"a": 1, "x": 9}, "text")


def test_tf_idf_by_hand() -> None:
    corpus = seen("ab", page(a=1), page(x=1), page(x=1))
    expected = (2 / 5 * log(4 / 1.5) / log(8)) / 2
    assert corpus.tf_idf({"a": 2, "x": 5}) == pytest.approx(expected)
    assert corpus.tf_idf({"x": 5}) == 0.0


def test_before_any_page_tf_idf_is_the_share_of_tf() -> None:
    assert Corpus("ab").tf_idf({"a": 1, "x": 2}) == pytest.approx(0.25)


def test_it_survives_being_stored() -> None:
    corpus = seen("ab", page(a=3, x=1), page(y=12))
    again = Corpus.from_dict(json.loads(json.dumps(corpus.as_dict())))
    again.observe(page(b=1))
    corpus.observe(page(b=1))
    assert again.as_dict() == corpus.as_dict()
    assert again.idf() == corpus.idf()


@given(st.lists(pages, max_size=6), texts)
def test_scores_stay_between_0_and_1(observed: list[Features], text: dict[str, int]) -> None:
    corpus = seen("abc", *observed)
    assert all(0.0 <= corpus.bm25(text, name) <= 1.0 for name in Features._fields)
    assert 0.0 <= corpus.tf_idf(text) <= 1.0
