"""How near concepts are: by path and depth (Li, Bandar, McLean), and by information (Lin).

One call gives the nearness of one concept to all others. That a page's word is near to a topic's
word is then the largest value over the concepts that the two words may mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from focuscrawl.semantics.nouns import DEEPEST, Floats, Ints, Nouns

ALPHA = 0.2
"""How fast nearness falls with the length of the path."""

BETA = 0.6
"""How fast it rises with the depth of the subsumer: general concepts have little in common."""

_APART = 2 * DEEPEST + 1
_SCALE = DEEPEST + 1


class Nearness(NamedTuple):
    """By path and depth, and by information content; each is 0 to 1, one value per synset."""

    ld: Floats
    ic: Floats


def nearness(nouns: Nouns, senses: Iterable[int]) -> Nearness:
    """Of every synset to the nearest of the given ones."""
    best = Nearness(np.zeros(len(nouns.offsets)), np.zeros(len(nouns.offsets)))
    for sense in senses:
        up = _distances_up(nouns, sense)[nouns.subsumers]
        np.maximum(best.ld, _path_and_depth(nouns, sense, up), out=best.ld)
        np.maximum(best.ic, _information(nouns, sense, up), out=best.ic)
    return best


def _distances_up(nouns: Nouns, sense: int) -> Ints:
    """From one synset to each that subsumes it; all others are out of reach."""
    up = np.full(len(nouns.offsets), _APART, np.int32)
    own = slice(nouns.starts[sense], nouns.starts[sense + 1])
    up[nouns.subsumers[own]] = nouns.distances[own]
    return up


def _path_and_depth(nouns: Nouns, sense: int, up: Ints) -> Floats:
    """e^(−α·l) · tanh(β·h): l the shortest path, h the depth of the subsumer it runs through.

    Of several shortest paths the one with the deepest subsumer counts. A length and a depth are
    packed into one number, so that a single minimum finds both.
    """
    packed = (up + nouns.distances) * _SCALE + (DEEPEST - nouns.depths[nouns.subsumers])
    length, height = np.divmod(np.minimum.reduceat(packed, nouns.starts[:-1]), _SCALE)
    apart = length >= _APART
    length[_sharing_a_word(nouns, sense)] = 1
    length[sense] = 0
    found: Floats = np.exp(-ALPHA * length) * np.tanh(BETA * (DEEPEST - height))
    found[apart] = 0.0
    return found


def _sharing_a_word(nouns: Nouns, sense: int) -> Ints:
    synsets, lemmas = nouns.naming.T
    wanted = np.zeros(lemmas.max() + 1, bool)
    wanted[lemmas[synsets == sense]] = True
    sharing: Ints = synsets[wanted[lemmas]]
    return sharing


def _information(nouns: Nouns, sense: int, up: Ints) -> Floats:
    """2·IC(lcs) / (IC(a) + IC(b)), lcs the most informative concept that subsumes both."""
    shared = np.where(up < _APART, nouns.information[nouns.subsumers], 0.0)
    common = np.maximum.reduceat(shared, nouns.starts[:-1])
    total = nouns.information + nouns.information[sense]
    found: Floats = np.divide(2 * common, total, out=np.zeros_like(total), where=total > 0)
    found[sense] = 1.0
    return np.minimum(found, 1.0)
