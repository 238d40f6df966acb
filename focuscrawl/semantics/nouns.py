"""WordNet's noun hierarchy as arrays: made once from the files, then a few milliseconds to load.

Synsets are numbered by their order in the file. For each of them the arrays hold every concept that
subsumes it with the distance to it, so that one pass over them finds what a topic's word has in
common with all nouns at once; nothing is ever walked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.semantics.cachefile import Arrays
from focuscrawl.semantics.dictionary import Dictionary, WordNetError
from focuscrawl.semantics.morphology import plurals_apart
from focuscrawl.text import stems

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

HYPERNYMS = ("@", "@i")
"""Kind-of, and instance-of: a river is a stream, the Nile is an instance of a river."""

DEEPEST = 200
"""No hierarchy of words is that deep; one that runs in a circle would be."""


@dataclass(frozen=True, slots=True)
class Nouns:
    """Slices ``starts[i]:starts[i + 1]`` of ``subsumers`` and ``distances`` belong to synset i.

    So do slices of ``stem_synsets`` to stem i, of which ``stem_text`` holds the names; stems of
    many meanings, which are those of common words, stand first. ``naming`` are (synset, lemma)
    pairs; lemmas are mere numbers.
    """

    offsets: Ints
    depths: Ints
    information: Floats
    starts: Ints
    subsumers: Ints
    distances: Ints
    naming: Ints
    stem_text: NDArray[np.uint8]
    stem_starts: Ints
    stem_synsets: Ints

    def stems(self) -> list[str]:
        return self.stem_text.tobytes().decode().split("\n")

    def numbers(self, offsets: Iterable[int]) -> list[int]:
        """The numbers of synsets that are given by their offsets in the file."""
        return [int(number) for number in np.searchsorted(self.offsets, list(offsets))]

    def as_arrays(self) -> Arrays:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def compile_nouns(dictionary: Dictionary) -> Nouns:
    """Read all of WordNet's nouns. Takes a second or two, most of it for the stems."""
    offsets: list[int] = []
    links: list[tuple[int, int]] = []
    lemmas: dict[str, list[int]] = {}
    for number, synset in enumerate(dictionary.nouns()):
        offsets.append(synset.offset)
        links.extend((number, p.offset) for p in synset.pointers if p.symbol in HYPERNYMS)
        for word in synset.words:
            lemmas.setdefault(word.lower(), []).append(number)
    if not offsets:
        raise WordNetError(f"{dictionary.on_disk}: data.noun is empty; install WordNet afresh")
    parents = _parents(_ints(offsets), links, dictionary)
    starts, subsumers, distances = _closure(len(offsets), parents)
    subsumed = np.bincount(subsumers, minlength=len(offsets))
    by_stem = sorted(
        _by_stem(lemmas, dictionary).items(), key=lambda item: (-len(item[1]), item[0])
    )
    return Nouns(
        offsets=_ints(offsets),
        depths=_depths(parents, starts, subsumers, distances),
        information=np.abs(np.log(subsumed / len(offsets))),
        starts=starts,
        subsumers=subsumers,
        distances=distances,
        naming=_ints([(n, i) for i, numbers in enumerate(lemmas.values()) for n in numbers]),
        stem_text=np.frombuffer("\n".join(stem for stem, _ in by_stem).encode(), np.uint8),
        stem_starts=_ints(np.cumsum([0, *(len(found) for _, found in by_stem)])),
        stem_synsets=_ints([number for _, found in by_stem for number in sorted(found)]),
    )


def _parents(offsets: Ints, links: list[tuple[int, int]], dictionary: Dictionary) -> Ints:
    """(child, parent) numbers, by child."""
    pairs = _ints(links).reshape(-1, 2)
    numbers = np.searchsorted(offsets, pairs[:, 1])
    known = offsets[np.minimum(numbers, len(offsets) - 1)] == pairs[:, 1]
    if not known.all():
        missing = pairs[~known][0, 1]
        raise WordNetError(
            f"{dictionary.on_disk}: data.noun lacks the synset {missing:08d} that it refers to; "
            "install WordNet afresh"
        )
    return _ints(np.column_stack((pairs[:, 0], numbers)))


def _depths(parents: Ints, starts: Ints, subsumers: Ints, distances: Ints) -> Ints:
    """Steps up to the nearest synset that nothing subsumes."""
    is_root = np.ones(len(starts) - 1, bool)
    is_root[parents[:, 0]] = False
    return np.minimum.reduceat(np.where(is_root[subsumers], distances, DEEPEST), starts[:-1])


def _closure(count: int, parents: Ints) -> tuple[Ints, Ints, Ints]:
    """Of every synset all that subsumes it, itself first, with the shortest distance."""
    first = np.searchsorted(parents[:, 0], np.arange(count + 1))
    level = np.arange(count, dtype=np.int64) * (count + 1)  # synset × count + subsumer
    levels: list[NDArray[np.int64]] = []
    while len(level):
        if len(levels) > DEEPEST:
            raise WordNetError("WordNet's nouns subsume one another in a circle; install it afresh")
        levels.append(level)
        below, above = np.divmod(level, count)
        spread = first[above + 1] - first[above]
        within = np.arange(spread.sum()) - np.repeat(np.cumsum(spread) - spread, spread)
        higher = parents[np.repeat(first[above], spread) + within, 1]
        level = np.unique(np.repeat(below, spread) * count + higher)
    pairs, nearest = np.unique(np.concatenate(levels), return_index=True)
    distance = np.repeat(np.arange(len(levels)), [len(level) for level in levels])[nearest]
    below, above = np.divmod(pairs, count)
    return _ints(np.searchsorted(below, np.arange(count + 1))), _ints(above), _ints(distance)


def _by_stem(lemmas: dict[str, list[int]], dictionary: Dictionary) -> dict[str, set[int]]:
    """Which synsets a stem of a page may stand for; collocations have no single stem."""
    found: dict[str, set[int]] = {}

    def add(form: str, numbers: list[int]) -> None:
        stemmed = stems(form)
        if len(stemmed) == 1:
            found.setdefault(stemmed[0], set()).update(numbers)

    for lemma, numbers in lemmas.items():
        if lemma.replace("'", "").isalpha():
            for form in (lemma, *plurals_apart(lemma)):
                add(form, numbers)
    for form, base in dictionary.noun_exceptions():
        if form.isalpha() and base in lemmas:
            add(form, lemmas[base])
    return found


def _ints(values: Any) -> Ints:
    return np.asarray(values, dtype=np.int32)
