"""Policies that sample sites: a few pages of each tell where the day's other fetches go.

A cycle is a day. Samples are drawn at random, so that they speak for their site; the fetches
that a site gets by them go to its pages that waited longest.
"""

from __future__ import annotations

from math import ceil
from typing import ClassVar

import numpy as np

from focuscrawl.revisit.cycles import Cyclic
from focuscrawl.revisit.pages import Flags, Floats, Ints
from focuscrawl.revisit.policy import HOUR, rank_within
from focuscrawl.revisit.quotas import (
    best_sample_size,
    confidence_interval,
    frequency_samples,
    greedy_quotas,
    proportional_quotas,
    threshold,
)

SAMPLE_SHARE = 0.2
"""Of a cycle's fetches at most for samples."""
ALPHA = 0.9
VERSIONS = 5
"""Visits of a page that its history holds."""
_PATIENCE = 12 * HOUR
"""A sample that is not complete by then is taken as it is."""


class Tally:
    """What samples found, by site: of this cycle, or of the last one that sampled the site."""

    def __init__(self) -> None:
        self.found = np.zeros(0)
        self.seen = np.zeros(0, np.int64)
        self._before = np.zeros(0)

    def reach(self, sites: int) -> None:
        more = max(sites - len(self.seen), 0)
        self.found = np.pad(self.found, (0, more))
        self.seen = np.pad(self.seen, (0, more))
        self._before = np.pad(self._before, (0, more))

    def add(self, sites: Ints, rates: Floats) -> None:
        self.found += np.bincount(sites, rates, len(self.found))
        self.seen += np.bincount(sites, minlength=len(self.seen))

    def rates(self) -> Floats:
        return np.where(self.seen > 0, self.found / np.maximum(self.seen, 1), self._before)

    def close(self) -> None:
        self._before = self.rates()
        self.found[:] = 0
        self.seen[:] = 0


class Sampling(Cyclic):
    """The common part; those below differ in how they sample and share out.

    Where there is not a page of the sample for each site, sites take turns: one group of them
    a cycle. Until a cycle's samples are in, what is known from before has to do.
    """

    columns: ClassVar = {"sampled": np.bool_}

    def __init__(self, max_age_days: float = float("inf"), seed: int = 0) -> None:
        super().__init__(max_age_days)
        self._random = np.random.default_rng(seed)
        self._tally = Tally()
        self._turn = 0
        self._group: Ints = np.zeros(0, np.int64)
        self._budget = 0.0
        self._is_sampling = False
        self._drawn = 0.0

    # -- what a policy decides ---------------------------------------------------------

    def _sample_sizes(self, total: int, sizes: Ints) -> Ints:
        """The pages to sample of each site of the group, of ``total`` for all."""
        equal = max(total // len(sizes), 1)
        known = self._tally.rates()[self._group]
        if known.any():
            equal = ceil(min(best_sample_size(known, self._budget, sizes), equal))
        return np.minimum(max(equal, 1), sizes)

    def _quotas(self, rates: Floats, budget: float, sizes: Ints) -> Ints:
        return greedy_quotas(rates, budget, sizes)

    def _sequence(self, sites: Ints, ranks: Ints, rates: Floats, quotas: Ints) -> Ints:
        """The order of pages within quotas: site after site, the liveliest first."""
        return np.lexsort((ranks, sites, -rates[sites]))

    def _rate_of_each(self, rows: Ints, changed: Flags) -> Floats:
        return changed.astype(np.float64)

    # -- the cycle ---------------------------------------------------------------------

    def _begin(self, now: float) -> None:
        self._tally.reach(len(self.pages.groups))
        self._tally.close()
        self.pages.sampled[:] = False
        self._budget = min(self.pace.per_day, float(len(self.pages)))
        sizes = self._sizes(self.pages.living())
        total = max(int(self._budget * SAMPLE_SHARE), 1)
        self._group = self._next_group(np.flatnonzero(sizes), total)
        wanted = np.zeros_like(sizes)
        wanted[self._group] = self._sample_sizes(total, sizes[self._group])
        self._queue = self._draw(wanted, now)

    def _next_group(self, sites: Ints, most: int) -> Ints:
        if len(sites) <= most:
            return sites
        places = (self._turn + np.arange(most)) % len(sites)
        self._turn = int(self._turn + most) % len(sites)
        return sites[places]

    def _draw(self, wanted: Ints, now: float) -> Ints:
        """So many pages of each site, at random; a page that is done is not drawn again."""
        rows = self._random.permutation(self._undone(self.pages.living()))
        sites = self.pages.sites(rows)
        sample = rows[rank_within(sites) < wanted[sites]] if len(rows) else rows
        self.pages.sampled[sample] = True
        self._is_sampling = True
        self._drawn = now
        return sample

    def _go_on(self, now: float) -> bool:
        if not self._is_sampling:
            return False
        self._is_sampling = False
        self._queue = self._undone(self._order())
        return True

    def _is_late(self, now: float) -> bool:
        return self._is_sampling and now - self._drawn >= _PATIENCE

    def _learn(self, rows: Ints, changed: Flags, at: Floats) -> None:
        self._tally.reach(len(self.pages.groups))
        rates = self._rate_of_each(rows, changed)
        sampled = self.pages.sampled[rows]
        self._tally.add(self.pages.sites(rows[sampled]), rates[sampled])
        self.pages.sampled[rows] = False

    # -- the fetches after the sample --------------------------------------------------

    def _order(self) -> Ints:
        """Pages within the quotas, then the others of which the longest waiting are first."""
        rows = self._longest_waiting(self._undone(self.pages.living()))
        self._tally.reach(len(self.pages.groups))
        rates, sites = self._tally.rates(), self.pages.sites(rows)
        sizes = self._sizes(rows)
        quotas = np.zeros_like(sizes)
        budget = max(self._budget - float(self._tally.seen.sum()), 0.0)
        quotas[self._group] = self._quotas(rates[self._group], budget, sizes[self._group])
        ranks = rank_within(sites) if len(rows) else sites
        inside = ranks < quotas[sites]
        first = rows[inside][self._sequence(sites[inside], ranks[inside], rates, quotas)]
        others = self._longest_waiting(self.pages.living())
        return np.concatenate((first, others[~np.isin(others, first)]))

    def _sizes(self, rows: Ints) -> Ints:
        return np.bincount(self.pages.sites(rows), minlength=len(self.pages.groups))


class Proportional(Sampling):
    """Fetches in proportion to the share of changed pages in a site's sample."""

    name = "proportional"

    def _quotas(self, rates: Floats, budget: float, sizes: Ints) -> Ints:
        return proportional_quotas(rates, budget, sizes)

    def _sequence(self, sites: Ints, ranks: Ints, rates: Floats, quotas: Ints) -> Ints:
        """All sites side by side: they are through with their quotas at the same time."""
        return np.argsort((ranks + 0.5) / quotas[sites], kind="stable")


class Greedy(Sampling):
    """All of the site whose sample changed most, then of the next, as far as fetches go."""

    name = "greedy"


class FrequencyGreedy(Sampling):
    """Greedy, but each page of a sample speaks with its history, and lively sites have larger
    samples."""

    name = "frequency-greedy"
    columns: ClassVar = {"sampled": np.bool_, "history": np.uint8, "versions": np.uint8}

    def _sample_sizes(self, total: int, sizes: Ints) -> Ints:
        known = self._tally.rates()[self._group]
        if known.any():
            return frequency_samples(known, total, sizes)
        return np.minimum(max(total // len(sizes), 1), sizes)

    def _rate_of_each(self, rows: Ints, changed: Flags) -> Floats:
        history = self.pages.history[rows].astype(np.int64) * 2 + changed
        history %= 2**VERSIONS
        versions = np.minimum(self.pages.versions[rows] + 1, VERSIONS)
        self.pages.history[rows] = history
        self.pages.versions[rows] = versions
        return np.asarray(np.bitwise_count(history) / versions)


class Adaptive(Sampling):
    """Samples in rounds: a site that is surely livelier than the fetches reach is fetched whole,
    one that surely is not is left, the others are sampled again."""

    name = "adaptive"

    def __init__(self, max_age_days: float = float("inf"), seed: int = 0) -> None:
        super().__init__(max_age_days, seed)
        self._is_open: Flags = np.zeros(0, bool)
        self._is_whole: Flags = np.zeros(0, bool)
        self._per_round = 1

    def _sample_sizes(self, total: int, sizes: Ints) -> Ints:
        self._is_open = np.zeros(len(self.pages.groups), bool)
        self._is_open[self._group] = True
        self._is_whole = np.zeros_like(self._is_open)
        self._per_round = max(total // len(sizes) // 2, 1)
        return np.minimum(self._per_round, sizes)

    def _go_on(self, now: float) -> bool:
        if not self._is_sampling:
            return False
        self._decide()
        rows = self._longest_waiting(self._undone(self.pages.living()))
        sites = self.pages.sites(rows)
        known = len(self._is_open)
        whole = rows[(sites < known) & self._is_whole[np.minimum(sites, known - 1)]]
        wanted = np.zeros(len(self.pages.groups), np.int64)
        wanted[:known][self._is_open] = self._per_round
        drawn = self._draw(wanted, now)
        if not len(drawn):
            return super()._go_on(now)
        rates = self._tally.rates()[self.pages.sites(whole)]
        self._queue = np.concatenate((whole[np.argsort(-rates, kind="stable")], drawn))
        return True

    def _decide(self) -> None:
        """By the samples so far; what is open when all pages are drawn stays undecided."""
        group, tally = self._group, self._tally
        sizes = self._sizes(self.pages.living())[group]
        limit = threshold(tally.rates()[group], self._budget, sizes)
        low, high = confidence_interval(tally.found[group], tally.seen[group], ALPHA)
        is_open = self._is_open[group]
        self._is_whole[group] |= is_open & (low > limit)
        self._is_open[group] = is_open & (low <= limit) & (high >= limit)
