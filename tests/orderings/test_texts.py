from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.orderings.texts import Grown, Texts, Vocabulary

COUNTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 9), max_size=6)


@given(st.lists(st.lists(st.integers(-9, 9), max_size=90), max_size=8))
def test_a_grown_array_holds_what_was_appended(parts: list[list[int]]) -> None:
    grown = Grown(np.int64)
    for part in parts:
        grown.extend(part)
    assert grown.all.tolist() == [number for part in parts for number in part]


def test_similarity_is_the_cosine_of_log_counts() -> None:
    vocabulary = Vocabulary()
    texts = Texts(vocabulary)
    texts.add({"cup": 3, "final": 1})
    topic = np.zeros(len(vocabulary))
    topic[vocabulary["cup"]] = 1.0
    (found,) = texts.similarities(topic, np.ones(len(vocabulary)))
    assert found == pytest.approx(log(4) / sqrt(log(4) ** 2 + log(2) ** 2))


@given(st.lists(COUNTS, min_size=1, max_size=8), st.integers(0, 7))
def test_rows_from_a_start_are_those_of_the_whole(texts: list[dict[str, int]], start: int) -> None:
    vocabulary = Vocabulary()
    rows = Texts(vocabulary)
    for counts in texts:
        rows.add(counts)
    start = min(start, len(texts))
    topic = np.linspace(0, 1, len(vocabulary) or 1)
    idf = np.ones(len(topic))
    whole = rows.similarities(topic, idf)
    assert rows.similarities(topic, idf, start).tolist() == pytest.approx(whole[start:].tolist())
    assert all(found == 0 for found, counts in zip(whole, texts, strict=True) if not counts)


def test_the_mean_of_chosen_rows_has_each_at_length_one() -> None:
    vocabulary = Vocabulary()
    texts = Texts(vocabulary)
    for counts in ({"a": 1}, {"b": 5}, {"c": 1}):
        texts.add(counts)
    lengths = texts.lengths(np.ones(3))
    mean = texts.mean(lengths, 3, np.array([0, 1]))
    assert mean.tolist() == pytest.approx([0.5, 0.5, 0.0])
    assert texts.mean(lengths, 3).tolist() == pytest.approx([1 / 3] * 3)


def test_rows_of_stems_count_each_mention() -> None:
    vocabulary = Vocabulary()
    texts = Texts(vocabulary)
    assert texts.extend_rows([["cup", "final"], [], ["cup"]]) == range(3)
    topic = np.array([1.0, 0.0])
    assert texts.similarities(topic, np.ones(2)).tolist() == pytest.approx([sqrt(0.5), 0, 1])
