from __future__ import annotations

import math
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl import text
from focuscrawl.text import (
    common_stems,
    cosine,
    counts,
    elsewhere_stems,
    stem,
    stems,
    stop_words,
    tokens,
)

vectors = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1e6), max_size=8)


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("Don't stop", ["dont", "stop"]),
        ("Don\u2019t stop", ["dont", "stop"]),
        ("Rome's walls, Rome\u2019s roads", ["rome", "walls", "rome", "roads"]),
        ("the 'quoted' and ``marked'' word", ["the", "quoted", "and", "marked", "word"]),
        ("a 2nd COVID19 case in 2021", ["nd", "covid", "case", "in"]),
        ("snake_case e-mail", ["snake", "case", "mail"]),
        ("U.S. économie, naïve STRASSE", ["économie", "naïve", "strasse"]),
        ("co\u00adoperate", ["cooperate"]),
        ("cafe\u0301", ["café"]),
        ("новости дня", ["новости", "дня"]),
        ("“curly”—dash…\u00a0space £5m", ["curly", "dash", "space"]),
        ("", []),
        ("12 345 ½ ² _ ' \ud800", []),
    ],
)
def test_tokens(given_text: str, expected: list[str]) -> None:
    assert tokens(given_text) == expected


def plain_tokens(given_text: str) -> list[str]:
    """The definition, slowly: character by character."""
    normal = unicodedata.normalize("NFC", given_text)
    normal = re.sub("[\u00ad\u200c\u200d\u2060\ufeff]", "", normal)
    normal = re.sub("[\u2018\u2019\u02bc\uff07\u00b4`]", "'", normal)
    lowered = [
        char if char == "'" else "".join(filter(str.isalpha, char.lower())) or " "
        for char in normal
    ]
    words = [
        word.strip("'").removesuffix("'s").replace("'", "") for word in "".join(lowered).split()
    ]
    return [word for word in words if 2 <= len(word) <= text.LONGEST_WORD]


@given(st.text(st.characters(codec=None)) | st.text("abAB'’“ é\u0301—-19_ж\u00ad"))
def test_tokens_agree_with_their_definition(given_text: str) -> None:
    assert tokens(given_text) == plain_tokens(given_text)


@given(st.text())
def test_tokens_are_small_letters_only(given_text: str) -> None:
    assert all(word.isalpha() and len(word) > 1 for word in tokens(given_text))


@given(
    st.text() | st.lists(st.sampled_from(["games", "Game", "the", "play's", "won't"])).map(" ".join)
)
def test_counts_count_the_stems(given_text: str) -> None:
    found = stems(given_text)
    assert counts(given_text) == {one: found.count(one) for one in found}


def test_stop_list_is_the_documents() -> None:
    assert len(stop_words()) == 198
    assert {"a", "c", "l", "o", "z", "shan't", "yourselves", "cannot"} <= stop_words()
    assert all(word.isascii() for word in stop_words())


def test_stop_words_are_dropped_with_any_apostrophe() -> None:
    assert stems("We'll see that it\u2019s his, don't WON'T they\u2019re") == ["see"]


def test_a_word_that_looks_like_a_folded_stop_word_stays() -> None:
    assert stems("ill, well, shell") == ["ill", "well", "shell"]


def test_stems_are_porters() -> None:
    assert stems("Companies reported rising prices") == ["compani", "report", "rise", "price"]
    assert stem("Investigations") == "investig"
    assert stem("the") == "the"


def test_common_words_are_stems_and_spare_what_names_a_topic() -> None:
    assert {"make", "new", "peopl", "said", "time"} <= common_stems()
    assert not {"busi", "polic", "footbal", "elect", "hospit", "softwar"} & common_stems()


def test_words_of_other_fields_are_stems_and_no_common_english() -> None:
    assert {"film", "recip", "vacat", "bride"} <= elsewhere_stems()
    assert not elsewhere_stems() & common_stems()


def test_a_repeated_word_is_stemmed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stemmed: list[str] = []

    class Spy:
        def stem(self, word: str) -> str:
            stemmed.append(word)
            return word

    monkeypatch.setattr(text, "_porter", Spy())
    text._memo.clear()
    try:
        counts("zebra zebra")
        counts("zebra")
        stems("zebra")
        assert stemmed == ["zebra"]
    finally:
        text._memo.clear()


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MEMO_LIMIT", 50)
    names = [a + b + c for a in "bcdfg" for b in "aeiou" for c in "klmnp"]
    assert sum(counts(" ".join(names)).values()) == len(names)
    assert len(text._memo) <= 50


def test_endless_runs_of_letters_are_no_words_and_not_remembered() -> None:
    run = "x" * (text.LONGEST_WORD + 1)
    assert tokens(run) == stems(run) == []
    assert counts(f"{run} tennis") == {"tenni": 1}
    assert run not in text._memo


def test_cosine_golden() -> None:
    terms = {f"t{n}": 1.0 for n in range(51)}
    page = {f"t{n}": 1.0 for n in range(36)} | {"t36": 9.0} | {"x": math.sqrt(378 - 36 - 81)}
    assert cosine(terms, page) == pytest.approx(0.324101861776082, abs=1e-15)
    anchor = cosine(terms, {"t5": 1})
    assert anchor == pytest.approx(0.140028008402801, abs=1e-15)
    assert (cosine(terms, page) + anchor) / 2 == pytest.approx(0.232064935089441, abs=1e-15)


def test_cosine_of_nothing_is_nought() -> None:
    assert cosine({}, {"a": 1}) == cosine({"a": 0}, {"a": 1}) == cosine({}, {}) == 0


@given(vectors, vectors)
def test_cosine_is_symmetric_and_bounded(a: dict[str, float], b: dict[str, float]) -> None:
    assert cosine(a, b) == pytest.approx(cosine(b, a))
    assert 0 <= cosine(a, b) <= 1


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.floats(1e-3, 1e6), min_size=1))
def test_cosine_ignores_length(a: dict[str, float]) -> None:
    assert cosine(a, {key: 3 * value for key, value in a.items()}) == pytest.approx(1)


def test_every_character_can_be_read() -> None:
    everything = " ".join(map(chr, range(sys.maxunicode + 1)))
    assert all(word.isalpha() for word in tokens(everything))
    assert len(text._letters) <= 0x10000
