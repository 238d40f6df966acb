"""The arithmetic of policies that sample sites: how large samples are, and who gets the fetches.

All arrays are by site. Quotas never exceed a site's pages; what one cannot take goes to others.
"""

from __future__ import annotations

from math import inf, sqrt
from statistics import NormalDist

import numpy as np

from focuscrawl.revisit.pages import Floats, Ints

_NEIGHBOURHOOD = 0.1
"""How near to a rate another counts for the density of rates there."""


def proportional_quotas(rates: Floats, budget: float, sizes: Ints) -> Ints:
    """Shares of the budget in proportion to the rates of change."""
    quotas = np.zeros(len(sizes))
    for weights in (np.asarray(rates, np.float64), np.asarray(sizes, np.float64)):
        _fill(quotas, weights, min(budget, float(np.sum(sizes))), sizes)
    return _rounded(quotas, sizes)


def greedy_quotas(rates: Floats, budget: float, sizes: Ints) -> Ints:
    """All of the site with the highest rate, then of the next, until the budget is spent."""
    order = np.argsort(-np.asarray(rates), kind="stable")
    ordered = np.asarray(sizes, np.int64)[order]
    before = np.cumsum(ordered) - ordered
    quotas = np.zeros(len(order), np.int64)
    quotas[order] = np.clip(round(budget) - before, 0, ordered)
    return quotas


def threshold(rates: Floats, budget: float, sizes: Ints) -> float:
    """The rate of the last site that a greedy budget reaches."""
    reached = greedy_quotas(rates, max(budget, 1.0), sizes) > 0
    return float(np.asarray(rates)[reached].min()) if reached.any() else 0.0


def confidence_interval(changed: Floats, seen: Ints, alpha: float) -> tuple[Floats, Floats]:
    """Where the true share lies with probability ``alpha`` (Wilson: a sample that found nothing
    does not prove that there is nothing); anywhere without a sample."""
    deviations = NormalDist().inv_cdf((1 + alpha) / 2)
    n = np.maximum(np.asarray(seen, np.float64), 1e-9)
    share = np.asarray(changed, np.float64) / n
    spread = deviations**2 / n
    middle = (share + spread / 2) / (1 + spread)
    reach = np.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)


def sample_size(
    mean_pages: float, ratio: float, density: float, mean_above: float, mean: float
) -> float:
    """S = √(N·r·f(p_t) / (6·(p̄_r − p̄))): the pages to sample of each site, for N pages a site,
    fetches for the share r of all pages, and the density f of rates at the threshold p_t.

    Where the sites above the threshold are no livelier than all, no sample is large enough.
    """
    if mean_above <= mean:
        return inf
    return sqrt(mean_pages * ratio * density / (6 * (mean_above - mean)))


def best_sample_size(rates: Floats, budget: float, sizes: Ints) -> float:
    """The size of samples, by the formula above, for sites of which something is known."""
    pages = max(float(np.sum(sizes)), 1.0)
    limit = threshold(rates, budget, sizes)
    above = rates[rates > limit]
    near = np.abs(rates - limit) <= _NEIGHBOURHOOD
    density = float(near.mean()) / (2 * _NEIGHBOURHOOD)
    mean_above = float(above.mean()) if len(above) else limit
    ratio = min(budget / pages, 1.0)
    return sample_size(pages / len(sizes), ratio, density, mean_above, float(rates.mean()))


def frequency_samples(rates: Floats, total: int, sizes: Ints) -> Ints:
    """F(s) = T·c_s/Σc pages of each site, and a few of those that seem not to change at all.

    The few are a twentieth of all samples, or half an equal share where sites are many, and
    one at least: none would never be seen to have come alive.
    """
    least = max(min(total // 20, total // (2 * max(len(sizes), 1))), 1)
    shares = np.floor(total * rates / max(float(rates.sum()), 1e-12)).astype(np.int64)
    return np.minimum(np.maximum(shares, least), sizes)


def _fill(quotas: Floats, weights: Floats, budget: float, sizes: Ints) -> None:
    """Share out what is left of the budget; whoever is full leaves the rest to the others."""
    while True:
        left = budget - quotas.sum()
        takers = (weights > 0) & (quotas < sizes)
        if left < 1e-9 or not takers.any():
            return
        parts = np.where(takers, weights, 0.0)
        wanted = quotas + left * parts / parts.sum()
        if (wanted <= sizes).all():
            quotas[:] = wanted
            return
        quotas[:] = np.minimum(wanted, sizes)


def _rounded(quotas: Floats, sizes: Ints) -> Ints:
    """Whole pages with the same sum: the largest remainders are rounded up."""
    whole = np.floor(quotas + 1e-9).astype(np.int64)
    missing = round(float(quotas.sum())) - int(whole.sum())
    remainders = np.where(whole < sizes, quotas - whole, -1.0)
    whole[np.argsort(-remainders, kind="stable")[: max(missing, 0)]] += 1
    return whole
