"""Do page scorers follow the topic, or the length of the page? On an archive with labelled pages.

For VSM, SSVSM and HSM, and HSM by the full text alone, means over the topics: ``length`` is the
correlation of a page's score with its number of words; ``above`` is how often a page of the topic
scores higher than another (0.5 is chance); ``first_100`` is the share of pages of the topic among
the 100 with the highest scores.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from _common import ROOT, Figures, finish, show

sys.path.insert(0, str(ROOT))

from focuscrawl.evaluation.archive import pages_of
from focuscrawl.evaluation.simulation import most_frequent
from focuscrawl.evaluation.tables import Start, read_labels, read_starts
from focuscrawl.evaluation.web import Web
from focuscrawl.semantics.corpus import Corpus
from focuscrawl.semantics.features import Features
from focuscrawl.semantics.scoring import Hsm, Ssvsm, Vsm
from focuscrawl.semantics.wordnet import WordNet

DEFAULT_DATA = ROOT.parent / "shared" / "data" / "schools"


def page_scores(web: Web, start: Start, wordnet: WordNet) -> dict[str, np.ndarray]:
    """Of every page, by every scorer; BM25 knows all pages from the beginning."""
    pages = [Features(p.title, p.headings, p.bold, p.anchors, p.text) for p in web.pages]
    vector = most_frequent(web.pages[web.keys[url]] for url in start.seeds)
    table = wordnet.topic_table(start.words)
    corpus = Corpus(table.terms)
    for page in pages:
        corpus.observe(page)
    vsm, ssvsm, hsm = Vsm(vector), Ssvsm(table, vector), Hsm(table, corpus)
    floors = np.array([corpus.bm25(page.text, "text") for page in pages])
    near = np.concatenate([table.best([page.text]) for page in pages])
    return {
        **{
            name: np.array([scorer.page(page) for page in pages])
            for name, scorer in (("vsm", vsm), ("ssvsm", ssvsm), ("hsm", hsm))
        },
        "hsm_text": np.maximum(near, floors[:, None]).mean(axis=1),
    }


def judge(scores: np.ndarray, words: np.ndarray, wanted: np.ndarray) -> list[float]:
    ranks = np.argsort(np.argsort(scores, kind="stable"))
    size = int(wanted.sum())
    pairs = size * (len(scores) - size)
    above = (int(ranks[wanted].sum()) - size * (size - 1) // 2) / pairs
    best = np.argsort(-scores, kind="stable")[:100]
    return [float(np.corrcoef(scores, words)[0, 1]), above, float(wanted[best].mean())]


def measure(data: Path, *, quick: bool) -> dict[str, list[float]]:
    web = Web(pages_of(min(data.glob("*.warc*"))))
    labels = read_labels(data / "labels.tsv")
    words = np.array([sum(page.text.values()) for page in web.pages])
    found: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory(prefix="focuscrawl-bench-") as folder:
        wordnet = WordNet.find(Path(folder))
        for start in read_starts(data / "seeds.tsv", rounds=1)[: 2 if quick else None]:
            wanted = np.zeros(len(web), bool)
            wanted[[web.keys[url] for url in labels[start.topic] if url in web.keys]] = True
            for name, scores in page_scores(web, start, wordnet).items():
                found.setdefault(name, []).append(judge(scores, words, wanted))
    return {name: np.mean(each, axis=0).tolist() for name, each in found.items()}


def flat(found: Mapping[str, list[float]], names: tuple[str, ...]) -> Figures:
    return {
        f"{scorer}_{name}": round(value, 4)
        for scorer, values in found.items()
        for name, value in zip(names, values, strict=True)
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the three files")
    parser.add_argument("--quick", action="store_true", help="fewer topics")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    if not list(options.data.glob("*.warc*")):
        print(f"{options.data}: no archive there; point --data to a folder with one and its tables")
        return 0
    names = ("length", "above", "first_100")
    found = measure(options.data, quick=options.quick)
    rows = [[name, *(f"{value:.3f}" for value in values)] for name, values in found.items()]
    show("page scorers, mean over topics", ["scorer", *names], rows)
    finish(flat(found, names), options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
