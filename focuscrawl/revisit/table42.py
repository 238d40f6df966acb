"""How well samples tell the change rates of sites: a published experiment, repeated.

S. Al-Qaaideh (2009) watched 1,140 pages of 9 sites for three weeks, had two policies estimate
every site's daily rate of change from a few sampled pages a day, and printed how near they came
(Table 4.2). Here the pages change by chance at the rates and on the sites of Table 4.1, and the
samples are drawn and shared out anew every day as the program in that work does it. A page's
history covers its last five days.

Accuracy is 100 less the distance of the estimate from the true rate in percentage points, as a
mean over the sites; the true rate is that of all pages in the same days. Most of the sites hardly
change: to answer "0" always, without a sample, is 82.4 % accurate. With 10 sample pages the
published program samples none of the sites whose share is under five; that, and not the
size alone, is the drop in this row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from focuscrawl.revisit.pages import Floats, Ints

DAYS = 21
VERSIONS = 5
REPETITIONS = 50
_FEW = 5
_FLOOR = 20


class Site(NamedTuple):
    name: str
    percent: float
    pages: int


SITES = (
    Site("www.alarabiya.net", 3.27, 528),
    Site("www.alaswaq.net", 25.77, 223),
    Site("www.alzaytoonah.edu.jo", 2.23, 38),
    Site("www.jordandaily.com", 81.95, 20),
    Site("www.jordanislamicbank.com", 0.0, 45),
    Site("www.madabacity.gov.jo", 0.0, 9),
    Site("www.moe.gov.jo", 1.55, 110),
    Site("www.mutah.edu.jo", 43.59, 94),
    Site("www.nitc.gov.jo", 0.09, 73),
)
"""Rates as in Table 4.2: 4.1 has a slip (9.09 % for the last)."""


class Row(NamedTuple):
    """Mean accuracy in percent with so many sample pages a day, ours beside the document's."""

    sample: int
    greedy: float
    document_greedy: float
    frequency_greedy: float
    document_frequency_greedy: float


_DOCUMENT = (
    (10, 83.52, 83.44),
    (25, 97.11, 96.70),
    (50, 97.84, 98.42),
    (75, 97.38, 98.68),
    (100, 98.39, 98.72),
)


def table_4_2(seed: int = 1, repetitions: int = REPETITIONS) -> list[Row]:
    """The table, as means over repetitions."""
    random = np.random.default_rng(seed)
    return [
        Row(
            sample,
            _mean_accuracy(sample, 1, repetitions, random),
            document_greedy,
            _mean_accuracy(sample, VERSIONS, repetitions, random),
            document_frequency_greedy,
        )
        for sample, document_greedy, document_frequency_greedy in _DOCUMENT
    ]


def formatted(rows: list[Row]) -> list[str]:
    """The table as lines of text."""
    heading = (
        f"{'sample':>6}  {'greedy':>8}  {'document':>8}  {'freq.-greedy':>12}  {'document':>8}"
    )
    return [
        heading,
        *(
            f"{row.sample:>6}  {row.greedy:>8.1f}  {row.document_greedy:>8.1f}"
            f"  {row.frequency_greedy:>12.1f}  {row.document_frequency_greedy:>8.1f}"
            for row in rows
        ),
    ]


def document_samples(rates: Floats, total: int) -> Ints:
    """The sample of each site as the published program has it, the slip of the small ones too."""
    shares = np.floor(rates / max(float(rates.sum()), 1e-12) * total).astype(np.int64)
    return np.where(shares < _FEW, total // _FLOOR, shares)


def accuracy(estimates: Floats, true: Floats) -> float:
    """Both as shares; 100 is perfect."""
    return float(100 - 100 * np.abs(estimates - true).mean())


def _mean_accuracy(
    sample: int, versions: int, repetitions: int, random: np.random.Generator
) -> float:
    return float(np.mean([_once(sample, versions, random) for _ in range(repetitions)]))


def _once(sample: int, versions: int, random: np.random.Generator) -> float:
    """Three weeks; the first sample is the same for every site."""
    before = versions - 1
    webs = [random.random((before + DAYS, site.pages)) < site.percent / 100 for site in SITES]
    found = np.zeros((DAYS, len(SITES)))
    wanted = np.full(len(SITES), sample // len(SITES))
    for day in range(DAYS):
        for number, (web, size) in enumerate(zip(webs, wanted.tolist(), strict=True)):
            if size:
                pages = random.permutation(web.shape[1])[:size]
                found[day, number] = web[day : day + versions, pages].mean()
        wanted = document_samples(found[day], sample)
    return accuracy(found.mean(axis=0), np.array([web[before:].mean() for web in webs]))
