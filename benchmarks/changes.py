"""How well and how fast versions of pages are told apart: has the content changed?

Reads a folder with ``pairs.tsv``, whose columns name the page, its old and new version and the
label, and the versions beside it. Every contestant parses both versions of every pair anew, from
text in memory; a comparison is one pair. In the short run xmldiff gets the smallest pairs alone,
because some take it half a minute; our own rate on the very same pairs stands beside it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree
from xmldiff.main import diff_trees

from _common import ROOT, Figures, Value, finish, show

sys.path.insert(0, str(ROOT))

from focuscrawl.blocks import parse_html
from focuscrawl.changes.verdict import compare
from focuscrawl.commands.compare import PageError, precision_and_recall, read_page, read_pairs

DEFAULT_DATA = ROOT.parent / "shared" / "data" / "versions"
QUICK_ROUNDS, FULL_ROUNDS = 1, 3
QUICK_XMLDIFF_PAIRS = 12
WARMING_PAIRS = 5
COLUMNS = ("contestant", "pairs", "precision", "recall", "pairs/CPU s")
_whole_text = etree.XPath("string()")


class Versions(NamedTuple):
    """A pair in memory, with what people say of it."""

    page: str
    old: str
    new: str
    changed: bool

    @property
    def size(self) -> int:
        return len(self.old) + len(self.new)


Contestant = Callable[[Any, Any], bool]
Pairs = Sequence[Versions]


def content_differs(old: Any, new: Any) -> bool:
    return compare(old, new).content_changed


def text_differs(old: Any, new: Any) -> bool:
    return _plain_text(old) != _plain_text(new)


def _plain_text(root: Any) -> list[str]:
    etree.strip_elements(root, "script", "style", with_tail=False)
    words: list[str] = _whole_text(root).split()
    return words


def serialisation_differs(old: Any, new: Any) -> bool:
    return bool(etree.tostring(old) != etree.tostring(new))


def xmldiff_differs(old: Any, new: Any) -> bool:
    return bool(diff_trees(old, new, diff_options={"fast_match": True}))


def read_versions(folder: Path) -> list[Versions]:
    _, pairs = read_pairs(folder / "pairs.tsv")
    return [
        Versions(
            pair.page, read_page(folder / pair.old), read_page(folder / pair.new), pair.label == "1"
        )
        for pair in pairs
        if pair.label
    ]


def verdicts(contestant: Contestant, pairs: Pairs) -> list[bool]:
    return [contestant(parse_html(pair.old), parse_html(pair.new)) for pair in pairs]


def measure(contestant: Contestant, pairs: Pairs, rounds: int) -> tuple[list[bool], Figures]:
    """Its verdicts, their quality, and comparisons per CPU second over all rounds."""
    verdicts(contestant, pairs[:WARMING_PAIRS])
    start = time.process_time()
    for _ in range(rounds):
        found = verdicts(contestant, pairs)
    seconds = time.process_time() - start
    judged = Counter((pair.changed, said) for pair, said in zip(pairs, found, strict=True))
    return found, {**precision_and_recall(judged), "per_cpu_s": rounds * len(pairs) / seconds}


def row(title: str, pairs: Pairs, figures: Figures) -> list[Value]:
    return [title, len(pairs), *(figures[key] for key in ("precision", "recall", "per_cpu_s"))]


def show_errors(pairs: Pairs, found: list[bool]) -> None:
    """Pages on which we err at least once, each with all of its pairs."""
    by_page: dict[str, Counter[tuple[bool, bool]]] = {}
    for pair, said in zip(pairs, found, strict=True):
        by_page.setdefault(pair.page, Counter())[pair.changed, said] += 1
    show(
        "our errors by page",
        ("page", "tp", "fp", "fn", "tn"),
        [
            (page, n[True, True], n[False, True], n[True, False], n[False, False])
            for page, n in sorted(by_page.items())
            if n[False, True] or n[True, False]
        ],
    )


def run(pairs: Pairs, quick: bool) -> Figures:
    rounds = QUICK_ROUNDS if quick else FULL_ROUNDS
    found, ours = measure(content_differs, pairs, rounds)
    _, text = measure(text_differs, pairs, rounds)
    _, tostring = measure(serialisation_differs, pairs, rounds)
    smallest = sorted(pairs, key=lambda pair: pair.size)
    sample = smallest[:QUICK_XMLDIFF_PAIRS] if quick else smallest
    _, xmldiff = measure(xmldiff_differs, sample, 1)
    rows = [
        row("focuscrawl", pairs, ours),
        row("plain text equality", pairs, text),
        row("lxml tostring", pairs, tostring),
        row("xmldiff, fast_match", sample, xmldiff),
    ]
    same = ours
    if quick:
        _, same = measure(content_differs, sample, rounds)
        rows.append(row("focuscrawl, xmldiff's pairs", sample, same))
    show(f"{len(pairs)} pairs of versions", COLUMNS, rows)
    if not quick:
        show_errors(pairs, found)
    return {
        **ours,
        **{f"{key}_text": value for key, value in text.items()},
        **{f"{key}_tostring": value for key, value in tostring.items()},
        "per_cpu_s_xmldiff": xmldiff["per_cpu_s"],
        "per_cpu_s_xmldiff_pairs": same["per_cpu_s"],
        "pairs": len(pairs),
        "pairs_xmldiff": len(sample),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=DEFAULT_DATA)
    parser.add_argument("--quick", action="store_true", help="a smaller run, under 45 seconds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as flat keys")
    options = parser.parse_args()
    if not (options.folder / "pairs.tsv").is_file():
        print(f"{options.folder}: no pairs.tsv; name a folder of versions with their labels")
        return 0
    try:
        pairs = read_versions(options.folder)
    except PageError as error:
        sys.exit(str(error))
    finish(run(pairs, options.quick), options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
