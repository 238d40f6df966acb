"""CPU time that an ordering takes per page, against VSM, which compares word counts alone.

Two figures: from the parsed and stemmed page to the places of its links, and with parsing and
stemming, which every ordering needs, in both. Pages are taken in the order of a breadth-first
crawl, the same for all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from _common import ROOT, Figures, finish, ratio, show

sys.path.insert(0, str(ROOT))

from focuscrawl.evaluation.archive import Page, pages_of
from focuscrawl.evaluation.simulation import crawl, most_frequent
from focuscrawl.evaluation.tables import read_starts
from focuscrawl.evaluation.web import Web
from focuscrawl.orderings.base import PageView, Topic
from focuscrawl.orderings.classic import BreadthFirst
from focuscrawl.orderings.registry import ORDERINGS
from focuscrawl.semantics.wordnet import WordNet
from focuscrawl.text import stems

DEFAULT_DATA = ROOT.parent / "shared" / "data" / "schools"
COMPARED = {"vsm": "vsm", "hsm": "hsm", "focused": "ours"}
FULL_PAGES, QUICK_PAGES = 1_000, 300
FULL_TIMES, QUICK_TIMES = 5, 3
PARSED = 500


def scoring_seconds(
    name: str, topics: Sequence[Topic], pages: Sequence[PageView], wordnet: WordNet
) -> float:
    """Per page; making the ordering, with its tables, is done once a crawl and not counted."""
    spent = 0.0
    for topic in topics:
        scorer = ORDERINGS[name].make(topic, wordnet)
        began = time.process_time()
        for page in pages:
            scorer.fetched(page)
        spent += time.process_time() - began
    return spent / (len(pages) * len(topics))


def parsing_seconds(pages: Sequence[Page]) -> float:
    began = time.process_time()
    Web(pages)
    return (time.process_time() - began) / len(pages)


def measure(data: Path, *, quick: bool) -> Figures:
    archive = next(iter(sorted(data.glob("*.warc*"))))
    read = list(pages_of(archive))
    parsing = min(parsing_seconds(list(islice(read, PARSED))) for _ in range(2))
    web = Web(read)
    starts = read_starts(data / "seeds.tsv", rounds=1)[: 2 if quick else 5]
    seeds = [web.keys[url] for url in starts[0].seeds]
    fetches = crawl(web, BreadthFirst(Topic((), {})), seeds, QUICK_PAGES if quick else FULL_PAGES)
    pages = [web.pages[fetch.key] for fetch in fetches]
    figures: Figures = {"parsing_ms": parsing * 1000}
    with tempfile.TemporaryDirectory(prefix="focuscrawl-bench-") as folder:
        wordnet = WordNet.find(Path(folder))
        names = {name: key for name, key in COMPARED.items() if name in ORDERINGS}
        best = dict.fromkeys(names, float("inf"))
        for _ in range(QUICK_TIMES if quick else FULL_TIMES):
            for name in names:
                topics = [_topic(name, web, start.words, start.seeds) for start in starts]
                seconds = scoring_seconds(name, topics, pages, wordnet)
                best[name] = min(best[name], seconds)
    for name, key in names.items():
        figures[f"{key}_scoring_ms"] = best[name] * 1000
        if name != "vsm":
            figures[f"{key}_ratio"] = ratio(best[name], best["vsm"])
            whole = ratio(best[name] + parsing, best["vsm"] + parsing)
            figures[f"{key}_ratio_with_parsing"] = whole
    return figures


def _topic(name: str, web: Web, words: Sequence[str], seeds: Sequence[str]) -> Topic:
    if ORDERINGS[name].vector == "seeds":
        return Topic(words, most_frequent(web.pages[web.keys[url]] for url in seeds))
    return Topic(words, dict.fromkeys(stems(" ".join(words)), 1.0))


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
