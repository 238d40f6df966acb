from __future__ import annotations

import pytest

from focuscrawl.semantics.morphology import base_forms, plurals_apart
from focuscrawl.semantics.wordnet import WordNet


def test_irregular_forms_come_from_the_list_of_exceptions(small: WordNet, real: WordNet) -> None:
    assert base_forms("mice", small.dictionary) == ["mouse"]
    assert base_forms("mice", real.dictionary) == []  # the package has no such list


@pytest.mark.parametrize(
    ("lemma", "expected"),
    [
        ("woman", ["women"]),
        ("bus", ["buses"]),
        ("crisis", ["crises", "crisises"]),
        ("wolf", ["wolves"]),
        ("wife", ["wives"]),
        ("election", []),
    ],
)
def test_plurals_with_a_stem_of_their_own(lemma: str, expected: list[str]) -> None:
    assert plurals_apart(lemma) == expected
