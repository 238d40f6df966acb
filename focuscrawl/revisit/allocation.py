"""The best that a budget can give where every rate is known: how often to visit each page.

Cho and Garcia-Molina: at the optimum one more visit is worth the same on every page that is
visited, and pages whose best visit is worth less are left alone.
"""

from __future__ import annotations

import numpy as np

from focuscrawl.revisit.pages import Floats

_HALVINGS = 50
_NEWTON_STEPS = 5
_FEW = 1e-6
_MARGIN = 1e-8
_NEARLY_ALL = 1 - 2.0**-53


def freshness(rates: Floats, frequencies: Floats) -> Floats:
    """The share of time in which the copy of each page is the page, by regular visits."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        missed = rates / frequencies
        share = -np.expm1(-missed) / missed
    share = np.where(missed < np.finfo(float).tiny, 1.0, share)
    return np.where(rates > 0, np.where(frequencies > 0, share, 0.0), 1.0)


def best_frequencies(rates: Floats, weights: Floats, budget: float) -> Floats:
    """Visits per day that give the highest weighted freshness, ``budget`` of them in all.

    ``rates`` are changes per day. Where no visit is of use (nothing changes, or nothing has a
    weight) none is made.
    """
    frequencies = np.zeros(len(rates))
    useful = np.flatnonzero((rates > 0) & (weights > 0))
    if len(useful) and budget > 0:
        frequencies[useful] = _shared_out(rates[useful], weights[useful], budget)
    return frequencies


def _shared_out(rates: Floats, weights: Floats, budget: float) -> Floats:
    """Halve the worths that the last visit may have, from that where one page alone would take
    all visits to that where none gets more than its equal part."""
    most = weights / rates
    low = np.log((most * _gain(rates / budget)).max()) - _MARGIN
    high = np.log((most * _gain(rates / budget * len(rates))).max()) + _MARGIN
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _at_level(rates, most, middle).sum() >= budget:
            low = middle
        else:
            high = middle
    return _between(_at_level(rates, most, high), _at_level(rates, most, low), budget)


def _between(fewer: Floats, more: Floats, budget: float) -> Floats:
    """Pages at the level itself, where a visit more or less is the same, take what is left."""
    gap = more.sum() - fewer.sum()
    share = (budget - fewer.sum()) / gap if gap > 0 else 0.0
    return np.asarray(fewer + share * (more - fewer))


def _at_level(rates: Floats, most: Floats, log_level: float) -> Floats:
    """Visits per day after which one more is worth no more than the level."""
    level = np.exp(log_level)
    visited = np.flatnonzero(most > level)
    frequencies = np.zeros(len(rates))
    gains = np.minimum(level / most[visited], _NEARLY_ALL)
    frequencies[visited] = rates[visited] / _changes_between_visits(gains)
    return frequencies


def _gain(changes: Floats) -> Floats:
    exact = -np.expm1(-changes) - changes * np.exp(-changes)
    return np.asarray(np.where(changes < _FEW, changes**2 / 2, exact))


def _changes_between_visits(gains: Floats) -> Floats:
    """The x at which 1 - (1 + x) exp(-x) is the gain, by Newton's steps on x - log(1 + x).

    That is convex and the start lies above the root, so the steps never leave the right side.
    """
    target = -np.log1p(-gains)
    changes = target + np.sqrt(2 * target)
    for _ in range(_NEWTON_STEPS):
        changes -= (changes - np.log1p(changes) - target) * (1 + changes) / changes
    return np.asarray(changes)
