"""Made webs, for scale and for questions that no recording answers.

Sites are of very different size, rates of very different order, more alike within a site than
between sites. Sitemaps exist on half of the sites; some are honest up to their quality, some
give every page today's date, some never move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from focuscrawl.revisit.pages import Floats, Ints, Known
from focuscrawl.revisit.world import Reports, World

_DAY = 86_400.0
_START = 1_700_000_000 // 86_400 * _DAY
_MOST_PER_DAY = 64.0
"""Livelier pages are never fresh at any budget here, and would fill the memory."""
_READS_OF_A_LIAR = 3_600.0
_CHANGEFREQ_DAYS = np.array([1 / 24, 1.0, 7.0, 30.0, 365.0])


@dataclass(frozen=True, slots=True)
class Quality:
    """Of honest sitemaps: the share of moved dates that are true, and of changes that are dated."""

    precision: float
    recall: float


HINTS = {"good": Quality(0.9, 0.9), "bad": Quality(0.2, 0.5), "none": None}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a made web is like; rates are log-normal, per day."""

    pages: int = 10_000
    sites: int = 100
    days: int = 90
    log_rate: float = -2.8
    spread: float = 3.77
    spread_of_sites: float = 2.4
    hints: Quality | None = None
    with_sitemaps: float = 0.5
    liars: float = 0.2


def synthetic_world(shape: Shape, seed: int) -> World:
    """The same web for the same seed."""
    random = np.random.default_rng(seed)
    sites = _site_of_each(shape, random)
    rates = _rates(shape, sites, random)
    weights = random.beta(2, 6, shape.pages)
    changes, owners = _events(rates, shape.days, random)
    order = np.lexsort((changes, owners))
    changes, owners = changes[order], owners[order]
    names = [f"site{number}.test" for number in range(shape.sites)]
    sitemaps: dict[str, Reports] = {}
    declared = np.full(shape.pages, np.nan)
    if shape.hints is not None:
        listed = random.permutation(shape.sites)[: round(shape.sites * shape.with_sitemaps)]
        lying = set(listed[: round(len(listed) * shape.liars)].tolist())
        for site in listed.tolist():
            pages = np.flatnonzero(sites == site)
            if not len(pages):
                continue
            honest = site not in lying
            declared[pages] = _declared(
                rates[pages] if honest else random.permutation(rates)[: len(pages)]
            )
            make = _honest if honest else _lies
            sitemaps[names[site]] = make(shape, pages, (changes, owners), rates, random)
    return World(
        pages=[
            Known(
                key,
                names[site],
                weight=float(weight),
                interval=None if np.isnan(gap) else float(gap),
            )
            for key, (site, weight, gap) in enumerate(
                zip(sites.tolist(), weights, declared, strict=True)
            )
        ],
        first=np.full(shape.pages, _START),
        last=np.full(shape.pages, _START + shape.days * _DAY),
        changes=changes,
        ends=np.searchsorted(owners, np.arange(shape.pages), "right"),
        sitemaps=sitemaps,
    )


def _site_of_each(shape: Shape, random: np.random.Generator) -> Ints:
    """Sizes by Zipf's law; every site has a page at least."""
    share = 1 / np.arange(1, shape.sites + 1)
    rest = random.choice(shape.sites, max(shape.pages - shape.sites, 0), p=share / share.sum())
    return np.concatenate((np.arange(shape.sites), rest))[: shape.pages]


def _rates(shape: Shape, sites: Ints, random: np.random.Generator) -> Floats:
    within = np.sqrt(shape.spread**2 - shape.spread_of_sites**2)
    of_site = random.normal(0, shape.spread_of_sites, shape.sites)
    logs = shape.log_rate + of_site[sites] + random.normal(0, within, shape.pages)
    return np.minimum(np.exp(logs), _MOST_PER_DAY)


def _events(rates: Floats, days: int, random: np.random.Generator) -> tuple[Floats, Ints]:
    counts = random.poisson(rates * days)
    owners = np.repeat(np.arange(len(rates)), counts)
    return _START + random.random(len(owners)) * days * _DAY, owners


def _declared(rates: Floats) -> Floats:
    """The class of ``changefreq`` that is nearest, in seconds."""
    days = 1 / rates
    nearest = np.abs(np.log(days)[:, None] - np.log(_CHANGEFREQ_DAYS)).argmin(axis=1)
    return np.asarray(_CHANGEFREQ_DAYS[nearest] * _DAY)


def _honest(
    shape: Shape,
    pages: Ints,
    events: tuple[Floats, Ints],
    rates: Floats,
    random: np.random.Generator,
) -> Reports:
    assert shape.hints is not None
    quality = shape.hints
    changes, owners = events
    own = np.flatnonzero(np.isin(owners, pages))
    dated = own[random.random(len(own)) < quality.recall]
    false_rate = rates[pages] * quality.recall * (1 - quality.precision) / quality.precision
    wrong, of_page = _events(false_rate, shape.days, random)
    return _reports(
        np.concatenate((changes[dated], wrong)), np.concatenate((owners[dated], pages[of_page]))
    )


def _lies(
    shape: Shape,
    pages: Ints,
    events: tuple[Floats, Ints],
    rates: Floats,
    random: np.random.Generator,
) -> Reports:
    """Half of the liars date everything anew all the time, half never anything."""
    if random.random() < 0.5:
        return Reports(np.zeros(0), np.zeros(0, np.int64))
    moments = _START + np.arange(0, shape.days * _DAY, _READS_OF_A_LIAR)
    return _reports(np.repeat(moments, len(pages)), np.tile(pages, len(moments)))


def _reports(times: Floats, pages: Ints) -> Reports:
    order = np.argsort(times, kind="stable")
    return Reports(times[order], pages[order])
