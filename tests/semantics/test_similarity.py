"""Golden values and properties; test_against_nltk.py compares with another implementation."""

from __future__ import annotations

from math import exp, log, tanh

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.semantics.similarity import nearness
from focuscrawl.semantics.wordnet import WordNet

WORDS = "dog cat pet animal plant tree car bus wolf river bank nile woman entity".split()


def test_golden_values(small: WordNet) -> None:
    count = len(small.nouns.offsets)
    dog_cat = small.similarity("dog", "cat")
    # Over animal (depth 3) and over pet (depth 4) the path has the same length: the deeper counts.
    assert dog_cat.ld == pytest.approx(exp(-0.4) * tanh(2.4))
    ic = {n: log(count / n) for n in range(1, count + 1)}
    assert dog_cat.ic == pytest.approx(2 * ic[3] / (ic[1] + ic[1]))
    # A living plant and a works share a word: length 1, however far apart they are.
    assert small.similarity("flora", "works").ld == pytest.approx(exp(-0.2) * tanh(0.6))
    assert small.similarity("car", "automobile") == pytest.approx((tanh(2.4), 1.0))
    # Nile is an instance of a river.
    assert small.similarity("nile", "river").ld == pytest.approx(exp(-0.2) * tanh(1.2))
    assert small.similarity("dog", "no such word") == (0.0, 0.0)


def test_the_real_wordnet_is_complete(real: WordNet) -> None:
    assert len(real.nouns.offsets) == 82_115
    assert (real.nouns.depths == 0).sum() == 1
    assert real.nouns.information.min() == 0.0


@settings(max_examples=25)
@given(st.integers(0, 82_114), st.integers(0, 82_114))
def test_symmetric_and_bounded(real: WordNet, i: int, j: int) -> None:
    there, back = nearness(real.nouns, [i]), nearness(real.nouns, [j])
    assert there.ld[j] == pytest.approx(back.ld[i])
    assert there.ic[j] == pytest.approx(back.ic[i])
    for near in (there, back):
        for values in near:
            assert values.min() >= 0.0
            assert values.max() <= 1.0
    assert there.ic[i] == 1.0
    assert there.ld[i] == pytest.approx(np.tanh(0.6 * real.nouns.depths[i]))


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_nearest_to_itself(small: WordNet, word: str) -> None:
    own = small.similarity(word, word)
    assert own.ic == 1.0
    assert all(small.similarity(word, other).ld <= own.ld for other in WORDS)
