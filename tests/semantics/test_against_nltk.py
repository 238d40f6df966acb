"""Our numbers beside nltk's own, on a WordNet of twenty nouns and on the installed one."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from math import exp, log, tanh
from pathlib import Path
from typing import Any

import nltk.data
import numpy as np
import pytest
from nltk.corpus.reader.wordnet import WordNetCorpusReader

from focuscrawl.semantics.morphology import base_forms
from focuscrawl.semantics.similarity import nearness
from focuscrawl.semantics.wordnet import WordNet

KINDS = ("adj", "adv", "noun", "verb")
FORMS = """
votes women wolves buses Cities glasses churches boxes dishes quizzes elections news politics crises
football data series leaves markets gas media goods people children swimming physics ss s
""".split()


class PlainReader(WordNetCorpusReader):  # type: ignore[misc]
    """nltk's reader without its mapping between WordNet versions, which needs a download."""

    def map_wn(self, version: str = "wordnet") -> None:
        return None


@pytest.fixture(scope="module")
def nltk_reader() -> Iterator[Callable[[Path], Any]]:
    """Opens a copy of WordNet in a folder ``…/corpora/wordnet`` with nltk."""
    with pytest.MonkeyPatch.context() as patch:

        def open_copy(folder: Path) -> Any:
            patch.setattr(nltk.data, "path", [str(folder.parents[1]), *nltk.data.path])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it lacks the multilingual part
                return PlainReader(nltk.data.find("corpora/wordnet"), None)

        yield open_copy


@pytest.fixture(scope="module")
def real_in_nltk(
    real: WordNet,
    nltk_reader: Callable[[Path], Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """The same files through nltk, with what the package leaves out."""
    folder = tmp_path_factory.mktemp("nltk") / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    source = real.dictionary.on_disk
    shutil.copyfile(source / "lexnames", folder / "lexnames")
    for kind in KINDS:
        for name in (f"index.{kind}", f"data.{kind}"):
            if (source / name).is_file():
                shutil.copyfile(source / name, folder / name)
    parts = [(source / f"data.noun{number}").read_bytes() for number in (1, 2)]
    (folder / "data.noun").write_bytes(b"\n".join(parts))
    for kind in KINDS:
        (folder / f"{kind}.exc").write_text("")
    return nltk_reader(folder)


def path_and_depth(a: Any, b: Any) -> float:
    """The definition, by nltk's means."""
    ups = a._shortest_hypernym_paths(False), b._shortest_hypernym_paths(False)
    shared = [(ups[0][c] + ups[1][c], -c.min_depth()) for c in ups[0].keys() & ups[1].keys()]
    if not shared:
        return 0.0
    length, depth = min(shared)
    assert length == a.shortest_path_distance(b)
    if a == b:
        length = 0
    elif {name.lower() for name in a.lemma_names()} & {name.lower() for name in b.lemma_names()}:
        length = 1
    return exp(-0.2 * length) * tanh(-0.6 * depth)


def subsumed(synset: Any) -> int:
    below = synset.closure(lambda s: s.hyponyms() + s.instance_hyponyms())
    return len({*below, synset})


@pytest.fixture
def small_in_nltk(small_folder: Path, nltk_reader: Callable[[Path], Any]) -> Any:
    return nltk_reader(small_folder)


def counted(wordnet: WordNet) -> dict[int, float]:
    """Information content as nltk wants it: how many concepts each concept subsumes."""
    nouns = wordnet.nouns
    share = np.exp(-nouns.information) * len(nouns.offsets)
    return {0: len(nouns.offsets), **dict(zip(nouns.offsets.tolist(), share, strict=True))}


def add_hyponyms(reader: Any, synsets: list[Any]) -> dict[int, float]:
    """The same, from nltk alone; the fixture's files point upwards only."""
    below: dict[int, set[int]] = {synset.offset(): set() for synset in synsets}
    for synset in synsets:
        for above in synset._shortest_hypernym_paths(False):
            below[above.offset()].add(synset.offset())
    return {0: len(synsets), **{offset: len(found) for offset, found in below.items()}}


def test_all_pairs_of_the_small_wordnet_agree_with_nltk(small: WordNet, small_in_nltk: Any) -> None:
    synsets = [small_in_nltk.synset_from_pos_and_offset("n", o) for o in small.nouns.offsets]
    content = {"n": add_hyponyms(small_in_nltk, synsets)}
    for i, a in enumerate(synsets):
        near = nearness(small.nouns, [i])
        for j, b in enumerate(synsets):
            assert near.ld[j] == pytest.approx(path_and_depth(a, b)), (a, b)
            by_nltk = 1.0 if a == b else a.lin_similarity(b, content)
            assert near.ic[j] == pytest.approx(by_nltk, abs=1e-9), (a, b)


def test_random_pairs_of_the_real_wordnet_agree_with_nltk(real: WordNet, real_in_nltk: Any) -> None:
    rng = np.random.default_rng(5)
    offsets = real.nouns.offsets.tolist()
    content = {"n": counted(real)}
    for i in rng.integers(len(offsets), size=8).tolist():
        near = nearness(real.nouns, [i])
        a = real_in_nltk.synset_from_pos_and_offset("n", offsets[i])
        relatives = np.argsort(-near.ld)[1:6].tolist()
        for j in [*relatives, *rng.integers(len(offsets), size=12).tolist()]:
            b = real_in_nltk.synset_from_pos_and_offset("n", offsets[j])
            assert near.ld[j] == pytest.approx(path_and_depth(a, b)), (a, b)
            assert near.ic[j] == pytest.approx(a.lin_similarity(b, content), abs=1e-9), (a, b)


@pytest.mark.parametrize("name", ["dog.n.01", "vehicle.n.01", "river.n.01", "election.n.01"])
def test_concepts_subsumed_in_the_real_wordnet(real: WordNet, real_in_nltk: Any, name: str) -> None:
    synset = real_in_nltk.synset(name)
    (number,) = real.nouns.numbers([synset.offset()])
    expected = log(len(real.nouns.offsets) / subsumed(synset))
    assert real.nouns.information[number] == pytest.approx(expected)
    assert real.nouns.depths[number] == synset.min_depth()


@pytest.mark.parametrize("word", FORMS)
def test_base_forms_are_those_of_morphy(real: WordNet, real_in_nltk: Any, word: str) -> None:
    by_nltk = real_in_nltk._morphy(word.lower(), "n")
    assert sorted(base_forms(word, real.dictionary)) == sorted(set(by_nltk))
