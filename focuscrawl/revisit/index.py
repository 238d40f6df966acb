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
    gained = (-np.expm1(-exposure) - exposure * np.exp(-exposure)) / RATES
    return np.asarray((chances * gained).sum(axis=1))


def still_fresh(chances: Floats, exposure: Floats) -> Floats:
    """How likely each copy is still the page."""
    return np.asarray((chances * np.exp(-exposure)).sum(axis=1))


def age(chances: Floats, exposure: Floats, hours: Floats) -> Floats:
    """The hours since the first change that each copy misses, as far as is to be expected."""
    since = (exposure + np.expm1(-exposure)) / RATES
    return np.asarray((chances * np.minimum(since, hours[:, None])).sum(axis=1))


def age_gain(chances: Floats, exposure: Floats, hours: Floats) -> Floats:
    """The age that a fetch takes away, summed up since the last one."""
    exact = exposure**2 / 2 + exposure * np.exp(-exposure) + np.expm1(-exposure)
    grown = np.where(exposure < _SMALL, exposure**3 / 3, exact) / RATES**2
    return np.asarray((chances * np.minimum(grown, (hours**2 / 2)[:, None])).sum(axis=1))


class Outlook:
    """The hours that follow one hour of the week, for every rhythm: how many lively ones pass by,
    how likely a copy of then is still the page, and how long it will have been on the average."""

    def __init__(self, rhythms: Rhythms, hour: float) -> None:
        start = int(hour) % 168
        self.lively = rhythms.sums[:, start + _AHEAD] - rhythms.sums[:, start, None]
        self.alive = np.exp(-self.lively[:, :, None] * RATES)
        steps = np.diff(self.lively, axis=1)[:, :, None] * RATES
        lost = -np.diff(self.alive, axis=1)
        means = np.where(steps > 1e-6, lost / np.maximum(steps, 1e-9), self.alive[:, :-1])
        self.fresh = np.zeros_like(self.alive)
        np.cumsum(np.diff(_AHEAD)[:, None] * means, axis=1, out=self.fresh[:, 1:])

    def gain(self, chances: Floats, passed: Floats, rhythms: Ints) -> Floats:
        """The same index where pages change by the clock: in the evening there is little to lose.

        The fetch is set against the next one like it: as many lively hours ahead as lie behind.
        """
        lively = self.lively[rhythms]
        last = len(_AHEAD) - 1
        place = np.clip((lively <= passed[:, None]).sum(axis=1) - 1, 0, last)
        following = np.minimum(place + 1, last)
        each = np.arange(len(passed))
        span = np.maximum(_AHEAD[following] - _AHEAD[place], 1)
        rest = passed - lively[each, place]
        pace = np.where(place < last, (lively[each, following] - lively[each, place]) / span, 1.0)
        beyond = rest / np.maximum(pace, 1e-9)
        until = _AHEAD[place] + beyond
        now_alive = np.exp(-passed[:, None] * RATES)
        expected = RATES * rest[:, None]
        before = self.alive[rhythms, place]
        tail = np.where(expected > 1e-6, (before - now_alive) / np.maximum(expected, 1e-9), before)
        gained = self.fresh[rhythms, place] + beyond[:, None] * tail - until[:, None] * now_alive
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
