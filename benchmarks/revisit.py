"""Revisiting: what a decision costs with a million known pages, and how fresh the copies are.

``choose_ms`` is a question for the next 1,000 pages, ``outcome_us`` what it takes to learn the
outcome of one visit, both CPU time; ``heap_ratio`` sets the two together against a plain heap of
next-visit times. ``*_fresh`` and ``*_round_robin`` are freshness as a share of that of an oracle,
the mean over four budgets: on recorded histories of news pages where there are any, and on a made
web.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from _common import ROOT, Figures, Value, finish, measured_child, ratio, show

sys.path.insert(0, str(ROOT))

from focuscrawl.revisit.comparison import budget_of, jobs_of, read_worlds, results_of, rows_of
from focuscrawl.revisit.synthetic import Shape, synthetic_world
from focuscrawl.revisit.world import World

DEFAULT_DATA = ROOT.parent / "shared" / "data" / "revisit"
KNOWN_PAGES = 1_000_000
ASKED = 1_000
POLICIES = ("fresh", "round-robin")
NEWS_BUDGETS = ("0.5/page", "1/page", "4/page", "12/page")
MADE_BUDGETS = ("5%", "20%", "50%", "100%")
MADE = Shape(pages=2_000, sites=50, days=30)


def cost(pages: int) -> Figures:
    found = measured_child("_revisit_child.py", str(pages), timeout=600)
    choose, outcome = found["choose_ms"], found["outcome_us"]
    assert isinstance(choose, float)
    assert isinstance(outcome, float)
    whole = choose * 1_000 / ASKED + outcome
    return {**found, "heap_ratio": ratio(whole, found["heap_us"]), "known_pages": pages}


def ratios(title: str, world: World, budgets: Sequence[str]) -> Figures:
    """Mean over the budgets, by policy."""
    jobs = jobs_of(POLICIES, [budget_of(text) for text in budgets])
    rows = rows_of(results_of(world, jobs, os.cpu_count() or 1))
    found = {(policy, budget.text): figures.ratio for (policy, budget), figures, _ in rows}
    table: list[list[Value]] = [
        [name, *(f"{found[name, text]:.3f}" for text in budgets)] for name in POLICIES
    ]
    show(f"{title}: freshness, ratio to the oracle", ["policy", *budgets], table)
    key = title.partition(" ")[0]
    return {
        f"{key}_{name.replace('-', '_')}": mean(found[name, text] for text in budgets)
        for name in POLICIES
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of news.tsv.gz")
    parser.add_argument("--quick", action="store_true", help="the same: it is quick")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    figures = cost(KNOWN_PAGES)
    show("With so many known pages", ["figure", "value"], list(figures.items()))
    figures |= ratios("made web", synthetic_world(MADE, 1), MADE_BUDGETS)
    news = options.data / "news.tsv.gz"
    if news.exists():
        figures |= ratios("news", read_worlds([news]), NEWS_BUDGETS)
    else:
        print(f"{news}: not there; point --data to a folder with it for recorded histories")
    finish(figures, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
