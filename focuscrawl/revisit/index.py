"""What a fetch now is worth: freshness gained, age taken away, and what it would teach.

Everything is counted in hours of freshness of a page of weight 1, and as a mean over what the
page's rate may be, never at the mean rate: the two differ most where little is known.
"""

from __future__ import annotations

import numpy as np

from focuscrawl.revisit.pages import Floats, Ints
from focuscrawl.revisit.rates import RATES
from focuscrawl.revisit.rhythm import Rhythms

_AHEAD = np.array([*range(13), *range(14, 25, 2), 28, 32, 36, 42, 48, 60, 72, 96, 120, 168, 240])
_PERIODS = np.geomspace(0.5, 24 * 60, 28)
_FRESH_HOURS = -np.expm1(-np.outer(RATES, _PERIODS)) / RATES[:, None]
"""Of a period after a fetch, by rate: how long the copy is expected to be the same."""
_SMALL = 1e-2


def freshness_gain(chances: Floats, exposure: Floats) -> Floats:
    """The index of Olston and Pandey for constant rates, where fetching later costs nothing."""
    return np.asarray(
        (chances * (-np.expm1(-exposure) - exposure * np.exp(-exposure))) @ (1 / RATES)
    )


def age_gain(chances: Floats, exposure: Floats, hours: Floats) -> Floats:
    """The age that a fetch takes away, summed up since the last one."""
    exact = exposure**2 / 2 + exposure * np.exp(-exposure) + np.expm1(-exposure)
    grown = np.where(exposure < _SMALL, exposure**3 / 3, exact) / RATES**2
    return np.asarray((chances * np.minimum(grown, (hours**2 / 2)[:, None])).sum(axis=1))


def rhythmic_gain(
    chances: Floats, passed: Floats, numbers: Ints, hour: float, rhythms: Rhythms
) -> Floats:
    """The same index where pages change by the clock: in the evening there is little to lose.

    The fetch is set against the next one like it: as many lively hours ahead as lie behind.
    """
    used, own = np.unique(numbers, return_inverse=True)
    start = int(hour) % 168
    ahead = rhythms.sums[used][:, start + _AHEAD] - rhythms.sums[used][:, start, None]
    alive = np.exp(-ahead[:, :, None] * RATES)
    steps = np.diff(ahead, axis=1)[:, :, None] * RATES
    means = np.where(steps > 1e-6, -np.diff(alive, axis=1) / np.maximum(steps, 1e-9), alive[:, :-1])
    whole = np.concatenate(
        (np.zeros((len(used), 1, len(RATES))), np.cumsum(np.diff(_AHEAD)[:, None] * means, axis=1)),
        axis=1,
    )
    mine = ahead[own]
    last = len(_AHEAD) - 1
    place = np.clip((mine <= passed[:, None]).sum(axis=1) - 1, 0, last)
    following = np.minimum(place + 1, last)
    each = np.arange(len(passed))
    span = np.maximum(_AHEAD[following] - _AHEAD[place], 1)
    pace = np.where(place < last, (mine[each, following] - mine[each, place]) / span, 1.0)
    pace = np.maximum(pace, 1e-9)
    beyond = (passed - mine[each, place]) / pace
    until = _AHEAD[place] + beyond
    now_alive = np.exp(-passed[:, None] * RATES)
    rest = RATES * (passed - mine[each, place])[:, None]
    before = alive[own, place]
    tail = np.where(rest > 1e-6, (before - now_alive) / np.maximum(rest, 1e-9), before)
    gained = whole[own, place] + beyond[:, None] * tail - until[:, None] * now_alive
    return np.asarray((chances * gained).sum(axis=1))


def lesson(chances: Floats, exposure: Floats, price: Floats) -> Floats:
    """What knowing the answer is worth per hour from then on: the best plan for a page after
    "changed" and after "the same", against the best plan without asking.

    ``price`` is what a fetch must bring, for each page by its weight.
    """
    same = chances * np.exp(-exposure)
    other = chances - same
    return _plan(same, price) + _plan(other, price) - _plan(chances, price)


def _plan(chances: Floats, price: Floats) -> Floats:
    """Freshness per hour, less the price of fetches, with the best period; never under 0."""
    net = chances @ _FRESH_HOURS - chances.sum(axis=1, keepdims=True) * price[:, None]
    return np.asarray(np.maximum((net / _PERIODS).max(axis=1), 0.0))
