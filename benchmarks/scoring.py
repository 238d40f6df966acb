"""CPU time that a page costs under an ordering, against VSM, which compares word counts alone.

``hsm_ratio`` and ``ours_ratio`` are of the whole cost, HTML in and scored links out, by the code
that a crawl runs: the page is parsed and cut into blocks, its words are stemmed, its links are
resolved and scored. ``hsm_scoring_ratio`` and ``ours_scoring_ratio`` are of the last step alone,
from the stemmed page to the places of its links. Pages are taken in the order of a breadth-first
crawl, the same for all.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from _common import ROOT, Figures, finish, ratio, show

sys.path.insert(0, str(ROOT))

from focuscrawl.blocks import parse_html, partition
from focuscrawl.evaluation.archive import Page, pages_of
from focuscrawl.evaluation.simulation import crawl, most_frequent
from focuscrawl.evaluation.tables import Start, read_starts
from focuscrawl.evaluation.web import Web
from focuscrawl.items import PageItem
from focuscrawl.linking import harvest
from focuscrawl.orderings.base import LinkScorer, PageView, Topic
from focuscrawl.orderings.classic import BreadthFirst
from focuscrawl.orderings.registry import ORDERINGS
from focuscrawl.reading import Reading
from focuscrawl.scoring import Scoring
from focuscrawl.semantics.wordnet import WordNet
from focuscrawl.text import stems
from focuscrawl.urls import AllowedSites, site_of

DEFAULT_DATA = ROOT.parent / "shared" / "data" / "schools"
COMPARED = {"vsm": "vsm", "hsm": "hsm", "focused": "ours"}
FULL_PAGES, QUICK_PAGES = 1_000, 300
TIMES = 3


def scoring_seconds(scorer: LinkScorer, views: Sequence[PageView]) -> float:
    began = time.process_time()
    for view in views:
        scorer.fetched(view)
    return time.process_time() - began


def whole_seconds(scoring: Scoring, pages: Sequence[Page], allowed: AllowedSites) -> float:
    """What a crawl does with each page until its links are scored."""
    began = time.process_time()
    for page in pages:
        item = PageItem(page.url, 200, b"", "utf-8", partition(parse_html(page.html)), 0.0)
        item.reading = Reading(item.outline)
        item.links = harvest(item.outline, page.url, allowed)
        scoring.fetched(item)
    return time.process_time() - began


def measure(data: Path, *, quick: bool) -> Figures:
    read = list(pages_of(next(iter(sorted(data.glob("*.warc*"))))))
    allowed = AllowedSites({site_of(page.url) for page in read})
    web = Web(read)
    starts = read_starts(data / "seeds.tsv", rounds=1)[: 2 if quick else 5]
    seeds = [web.keys[url] for url in starts[0].seeds]
    fetches = crawl(web, BreadthFirst(Topic((), {})), seeds, QUICK_PAGES if quick else FULL_PAGES)
    views = [web.pages[fetch.key] for fetch in fetches]
    pages = [read[fetch.key] for fetch in fetches]
    gc.collect()
    gc.freeze()  # a crawl does not hold an archive through which the collector has to go
    scoring = {name: [float("inf")] * len(starts) for name in COMPARED}
    whole = {name: [float("inf")] * len(starts) for name in COMPARED}
    with tempfile.TemporaryDirectory(prefix="focuscrawl-bench-") as folder:
        wordnet = WordNet.find(Path(folder))
        for number, start in enumerate(starts):
            for _ in range(TIMES):
                for name in COMPARED:
                    # Making the ordering, with its tables, is done once a crawl and not counted.
                    scorer, again = (_scorer(name, web, start, wordnet) for _ in range(2))
                    spent = scoring_seconds(scorer, views)
                    scoring[name][number] = min(spent, scoring[name][number])
                    live = Scoring(again, "", 1.0, ORDERINGS[name].reads_parts)
                    spent = whole_seconds(live, pages, allowed)
                    whole[name][number] = min(spent, whole[name][number])
    return _figures(scoring, whole, len(pages) * len(starts))


def _scorer(name: str, web: Web, start: Start, wordnet: WordNet) -> LinkScorer:
    ordering = ORDERINGS[name]
    if ordering.vector == "seeds":
        vector = most_frequent(web.pages[web.keys[url]] for url in start.seeds)
    else:
        vector = dict.fromkeys(stems(" ".join(start.words)), 1.0)
    return ordering.make(Topic(start.words, vector), wordnet)


def _figures(scoring: dict[str, list[float]], whole: dict[str, list[float]], pages: int) -> Figures:
    figures: Figures = {}
    for kind, seconds in (("", whole), ("_scoring", scoring)):
        for name, key in COMPARED.items():
            figures[f"{key}{kind}_ms"] = sum(seconds[name]) / pages * 1000
            if name != "vsm":
                figures[f"{key}{kind}_ratio"] = ratio(sum(seconds[name]), sum(seconds["vsm"]))
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="archive and seeds.tsv")
    parser.add_argument("--quick", action="store_true", help="fewer pages and topics")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    if not list(options.data.glob("*.warc*")):
        print(f"{options.data}: no archive there; point --data to a folder with one and seeds.tsv")
        return 0
    figures = measure(options.data, quick=options.quick)
    show("CPU time a page", ["figure", "value"], list(figures.items()))
    finish(figures, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
