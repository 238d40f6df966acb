"""How well and how fast texts are classified: accuracy, what is rejected, texts per CPU second.

Reads JSON lines with ``category`` and ``text``. A category that is not among the shipped ones
(``other``) is off-topic: it should come out under every threshold.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from _common import ROOT, finish, show

sys.path.insert(0, str(ROOT))

from focuscrawl.relevance.classifier import Classifier
from focuscrawl.relevance.thresholds import resting_thresholds
from focuscrawl.relevance.vectors import SCHEMES, Scheme, TopicVectors
from focuscrawl.text import counts
from focuscrawl.topics.catalog import load_catalog

DEFAULT_DATA = ROOT.parent / "shared" / "data" / "headlines" / "headlines.jsonl"
QUICK_ROUNDS, FULL_ROUNDS = 2, 10

Rows = list[dict[str, Any]]


def read_rows(path: Path) -> Rows:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def shipped_classifier(scheme: Scheme) -> Classifier:
    categories = load_catalog().values()
    return Classifier(TopicVectors(categories, scheme), resting_thresholds(categories))


def measure(
    rows: Rows, classifier: Classifier
) -> tuple[Counter[tuple[str, str]], dict[str, float]]:
    """Confusion counts (true, found) and the shares that matter."""
    known = classifier.vectors.names
    confusion: Counter[tuple[str, str]] = Counter()
    kept: Counter[bool] = Counter()
    for row in rows:
        decision = classifier.decide(counts(row["text"]))
        confusion[row["category"], decision.category or "none"] += 1
        kept[row["category"] in known] += decision.kept
    on_topic = sum(n for (true, _), n in confusion.items() if true in known)
    off_topic = len(rows) - on_topic
    right = sum(n for (true, found), n in confusion.items() if true == found)
    return confusion, {
        "accuracy": right / max(1, on_topic),
        "on_topic_kept": kept[True] / max(1, on_topic),
        "other_rejected": 1 - kept[False] / max(1, off_topic),
    }


def docs_per_cpu_second(rows: Rows, rounds: int) -> float:
    """Texts counted, compared and decided; reading the categories is done once, before."""
    classifier = shipped_classifier("weighted")
    start = time.process_time()
    for _ in range(rounds):
        measure(rows, classifier)
    return rounds * len(rows) / (time.process_time() - start)


def print_confusion(confusion: Counter[tuple[str, str]], scheme: str) -> None:
    found = sorted({name for _, name in confusion})
    rows: list[list[str | int]] = []
    for true in sorted({name for name, _ in confusion}):
        row = [confusion[true, name] for name in found]
        share = f"{confusion[true, true] / sum(row):.0%}" if true in found else "–"
        rows.append([true, *row, share])
    show(f"scheme {scheme}", ["true, found as", *found, "right"], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="JSON lines to classify")
    parser.add_argument("--quick", action="store_true", help="fewer rounds of timing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    if not options.data.is_file():
        print(f"{options.data}: no such file; point --data to JSON lines with category and text")
        return 0
    rows = read_rows(options.data)
    figures: dict[str, float] = {}
    for scheme in SCHEMES:
        confusion, shares = measure(rows, shipped_classifier(scheme))
        print_confusion(confusion, scheme)
        suffix = "" if scheme == "weighted" else f"_{scheme}"
        figures |= {key + suffix: round(value, 4) for key, value in shares.items()}
    rounds = QUICK_ROUNDS if options.quick else FULL_ROUNDS
    figures["docs_per_cpu_s"] = round(docs_per_cpu_second(rows, rounds))
    finish(figures, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
