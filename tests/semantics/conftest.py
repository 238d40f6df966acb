"""A WordNet of twenty nouns in WordNet's own format, and the installed one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.semantics.dictionary import Dictionary, find_dictionary
from focuscrawl.semantics.wordnet import WordNet

KINDS = ("adj", "adv", "noun", "verb")
HEADER = "  1 A WordNet of twenty nouns.  \n"
NOUNS = """
entity | | that which exists
object | @entity | a tangible entity
living_thing organism | @object | a living entity
animal beast | @living_thing | a living thing that moves; "no animal was harmed"
dog domestic_dog | @animal @pet | a canine; "the dog barked"
cat | @animal @pet | a feline
pet | @animal | a domesticated animal kept for company
plant flora | @living_thing | a living thing that does not move
tree | @plant | a tall plant
artifact | @object | a thing made by people
vehicle | @artifact | a conveyance that carries people
car auto automobile | @vehicle | a motor vehicle with four wheels
bus | @vehicle | a vehicle for many passengers
works: plant works | @artifact | buildings for carrying on industry
woman | @living_thing | an adult female person
wolf | @animal | a wild canine
river | @object | a large stream of water
Nile | @i-river | the longest river
bank | @river | sloping land beside water
depository: bank depository_financial_institution | @artifact | an institution that accepts deposits
mouse | @animal | a small rodent
driver | @living_thing +drive | the operator of a vehicle
road_race | @entity -c-drive | a race on public roads
"""
VERBS = """
drive motor | +driver ;c-road_race | operate a vehicle
"""


def write_wordnet(folder: Path, nouns: str = NOUNS, verbs: str = VERBS) -> Path:
    """Write the files: offsets are the bytes at which lines begin, so they are found by measuring.

    Pointers call a synset by its first word, or by the name before the colon.
    """
    folder.mkdir(parents=True, exist_ok=True)
    entries = {"noun": _entries(nouns), "verb": _entries(verbs)}
    offsets: dict[str, tuple[int, str]] = {}
    for final in (False, True):
        for kind, synsets in entries.items():
            text = HEADER
            for name, words, pointers, gloss in synsets:
                line = _data_line(len(text), kind[0], words, pointers, gloss, offsets)
                offsets[name] = (len(text), kind[0])
                text += line
            if final:
                (folder / f"data.{kind}").write_text(text)
                (folder / f"index.{kind}").write_text(HEADER + _index(synsets, kind[0], offsets))
    for empty in ("data.adj", "data.adv", "index.adj", "index.adv"):
        (folder / empty).write_text(HEADER)
    for kind in KINDS:
        (folder / f"{kind}.exc").write_text("mice mouse\n" if kind == "noun" else "")
    (folder / "lexnames").write_text("00\tnoun.Tops\t1\n")
    return folder


Entry = tuple[str, list[str], list[str], str]


def _entries(text: str) -> list[Entry]:
    found = []
    for line in text.strip().splitlines():
        words, pointers, gloss = (part.strip() for part in line.split("|"))
        name, _, rest = words.rpartition(":")
        found.append((name or rest.split()[0], rest.split(), pointers.split(), gloss))
    return found


SYMBOLS = (("@i-", "@i"), ("-c-", "-c"), (";c-", ";c"), ("@", "@"), ("+", "+"))


def _data_line(
    offset: int, pos: str, words: list[str], pointers: list[str], gloss: str, offsets: Any
) -> str:
    named = " ".join(f"{word} 0" for word in words)
    shown = ""
    for pointer in pointers:
        prefix, symbol = next(pair for pair in SYMBOLS if pointer.startswith(pair[0]))
        target, target_pos = offsets.get(pointer.removeprefix(prefix), (0, "n"))
        ends = "0101" if symbol == "+" else "0000"
        shown += f" {symbol} {target:08d} {target_pos} {ends}"
    frames = " 00" if pos == "v" else ""
    head = f"{offset:08d} 00 {pos} {len(words):02x} {named} {len(pointers):03d}{shown}"
    return f"{head}{frames} | {gloss}  \n"


def _index(synsets: list[Entry], pos: str, offsets: dict[str, tuple[int, str]]) -> str:
    lemmas: dict[str, list[int]] = {}
    for name, words, _, _ in synsets:
        for word in words:
            lemmas.setdefault(word.lower(), []).append(offsets[name][0])
    return "".join(
        f"{lemma} {pos} {len(found)} 1 @ {len(found)} 0 {' '.join(f'{o:08d}' for o in found)}  \n"
        for lemma, found in sorted(lemmas.items())
    )


@pytest.fixture(scope="session")
def written() -> Callable[..., Path]:
    return write_wordnet


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_wordnet(tmp_path_factory.mktemp("small") / "corpora" / "wordnet")


@pytest.fixture
def small(small_folder: Path) -> WordNet:
    return WordNet(Dictionary(small_folder, small_folder))


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    """The installed WordNet: a pinned requirement, so it is always there."""
    return WordNet(find_dictionary(nltk_folders=()), tmp_path_factory.mktemp("real"))
