"""Topic tables: what they hold, that both ways through them agree, and what is kept on disk."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.semantics import wordnet as module
from focuscrawl.semantics.dictionary import Dictionary
from focuscrawl.semantics.tables import LONG_TEXT, NEAREST, TopicTable
from focuscrawl.semantics.wordnet import MEASURES, Measure, WordNet


def table_of(small_folder: Path, cache: Path | None = None, word: str = "dog") -> dict[str, float]:
    wordnet = WordNet(Dictionary(small_folder, small_folder), cache)
    return wordnet.topic_table([word]).column(word)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_table_holds_the_similarity_of_every_noun(small: WordNet, measure: Measure) -> None:
    column = small.topic_table(["car"], measure=measure).column("car")
    for word, stem in [("bus", "bu"), ("dog", "dog"), ("river", "river"), ("vehicle", "vehicl")]:
        pair = small.similarity("car", word)
        expected = max(pair) if measure == "max" else getattr(pair, measure)
        assert column.get(stem, 0.0) == pytest.approx(expected, rel=1e-6), word
    assert column["car"] == 1.0


def test_a_stem_means_the_nearest_of_its_words(small: WordNet) -> None:
    """``plant`` is flora and a works, ``bank`` two things: a page does not say which."""
    column = small.topic_table(["tree"]).column("tree")
    assert column["plant"] == pytest.approx(max(small.similarity("tree", "flora")), rel=1e-6)


def test_inflected_forms_with_stems_of_their_own(small: WordNet) -> None:
    column = small.topic_table(["woman", "mouse", "bus"])
    assert column.column("woman")["women"] == 1.0
    assert column.column("mous")["mice"] == 1.0
    assert column.column("bu")["buse"] == 1.0


def test_collocations_and_stop_words_have_no_row(small: WordNet) -> None:
    stems = small.nouns.stems()
    assert "domestic_dog" not in stems
    assert len(stems) == len(set(stems))


def test_an_unknown_word_is_its_own_stem_alone(small: WordNet) -> None:
    assert small.topic_table(["brexit"]).column("brexit") == {"brexit": 1.0}
    table = small.topic_table(["dog", "brexit"])
    best = table.best([{"brexit": 2}, {"dog": 1}, {"xyzzy": 1}, {}])
    assert best.tolist() == [[0, 1], [1, 0], [0, 0], [0, 0]]


def test_terms_are_stems_and_mean_all_words_of_that_stem(small: WordNet) -> None:
    by_stem = small.topic_table((), ["vehicl"]).column("vehicl")
    assert by_stem == small.topic_table(["vehicle"]).column("vehicl")
    # A word that is no noun falls back to the nouns of its stem.
    assert small.topic_table(["driving"]).column("drive") == {"drive": 1.0}
    assert small.topic_table(["rivers"]).column("river")["nile"] > 0.5


def test_words_of_one_stem_share_a_column_and_phrases_fall_apart(small: WordNet) -> None:
    assert small.topic_table(["dog", "dogs", "cat and mouse"]).terms == ("dog", "cat", "mous")


def test_a_topic_needs_words(small: WordNet) -> None:
    with pytest.raises(ValueError, match="without words"):
        small.topic_table(["and", " "])


def random_table(rows: int, columns: int, seed: int) -> tuple[list[str], TopicTable]:
    rng = np.random.default_rng(seed)
    stems = [f"s{i}" for i in range(rows)]
    scores = rng.integers(0, 20, size=(rows + 1, columns)).astype(np.float32) / 20
    scores[0] = 0
    return stems, TopicTable(
        [f"t{i}" for i in range(columns)], {s: i + 1 for i, s in enumerate(stems)}, scores
    )


STEMS, RANDOM = random_table(rows=3 * NEAREST, columns=3, seed=1)
FEW_STEMS, SPARSE = random_table(rows=NEAREST // 2, columns=2, seed=2)


def by_definition(table: TopicTable, text: dict[str, int]) -> list[float]:
    columns = [table.column(term) for term in table.terms]
    return [max((column.get(stem, 0.0) for stem in text), default=0.0) for column in columns]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from([*STEMS, "unknown"]), st.integers(1, 9), max_size=2 * LONG_TEXT
        ),
        max_size=5,
    )
)
def test_best_is_the_largest_score_of_any_stem(texts: list[dict[str, int]]) -> None:
    best = RANDOM.best(texts)
    assert best.shape == (len(texts), 3)
    for row, text in zip(best.tolist(), texts, strict=True):
        assert row == pytest.approx(by_definition(RANDOM, text))


@pytest.mark.parametrize("table", [RANDOM, SPARSE])
def test_long_texts_that_hold_none_of_the_nearest_stems(table: TopicTable) -> None:
    stems = STEMS if table is RANDOM else FEW_STEMS
    columns = [table.column(term) for term in table.terms]
    worst = sorted(stems, key=lambda stem: max(column.get(stem, 0.0) for column in columns))
    text = dict.fromkeys([*worst[:50], *(f"unknown{i}" for i in range(200))], 1)
    assert table.best([text])[0].tolist() == pytest.approx(by_definition(table, text))


def test_a_table_is_made_once(small_folder: Path, tmp_path: Path) -> None:
    first = WordNet(Dictionary(small_folder, small_folder), tmp_path)
    made = first.topic_table(["dog", "cat"]).column("dog")
    assert first.cache.counts == Counter(made=3)  # the nouns and two terms
    again = WordNet(Dictionary(small_folder, small_folder), tmp_path)
    assert again.topic_table(["dog", "cat"]).column("dog") == made
    assert again.cache.counts == Counter(hit=3)
    assert made == table_of(small_folder)


def test_word_and_stem_of_one_spelling_are_kept_apart(small_folder: Path, tmp_path: Path) -> None:
    wordnet = WordNet(Dictionary(small_folder, small_folder), tmp_path)
    wordnet.topic_table(["bus"])
    wordnet.topic_table((), ["bus"])
    assert wordnet.cache.counts["made"] == 3


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "a folder"])
def test_damaged_files_are_made_again(small_folder: Path, tmp_path: Path, damage: str) -> None:
    expected = table_of(small_folder, tmp_path)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2
    for path in files:
        content = path.read_bytes()
        if damage == "a folder":
            path.unlink()
            path.mkdir()
        else:
            middle = len(content) // 2
            flipped = bytes([content[middle] ^ 1])
            path.write_bytes(
                {
                    "cut": content[:middle],
                    "flipped": content[:middle] + flipped + content[middle + 1 :],
                    "empty": b"",
                }[damage]
            )
    wordnet = WordNet(Dictionary(small_folder, small_folder), tmp_path)
    assert wordnet.topic_table(["dog"]).column("dog") == expected
    assert wordnet.cache.counts["damaged"] == 2
    if damage != "a folder":
        again = WordNet(Dictionary(small_folder, small_folder), tmp_path)
        assert again.topic_table(["dog"]).column("dog") == expected
        assert again.cache.counts == Counter(hit=2)


def test_nothing_is_left_of_a_write_that_failed(
    small_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    wordnet = WordNet(Dictionary(small_folder, small_folder), tmp_path)
    assert wordnet.topic_table(["dog"]).column("dog")["dog"] == 1.0
    assert wordnet.cache.counts == Counter(made=2, unwritten=2)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_other_data_or_another_version_is_kept_elsewhere(
    tmp_path: Path, written: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(written)
    folder, cache = written(tmp_path / "wordnet"), tmp_path / "cache"
    table_of(folder, cache)
    os.utime(folder / "data.noun", ns=(1, 1))
    table_of(folder, cache)
    assert len(list(cache.iterdir())) == 2
    monkeypatch.setattr(module, "VERSION", 2)
    table_of(folder, cache)
    assert len(list(cache.iterdir())) == 3


def test_a_real_topic(real: WordNet) -> None:
    column = real.topic_table(["football"]).column("footbal")
    assert column["footbal"] == 1.0
    assert column["soccer"] > 0.9
    assert column["soccer"] > column["tenni"] > column["parliament"]
