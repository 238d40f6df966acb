"""Harvest rates of all orderings on an archive with labelled pages.

Needs ``schools.warc.gz`` (or another archive), ``labels.tsv`` and ``seeds.tsv`` in one folder.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from _common import ROOT, Figures, finish, show

sys.path.insert(0, str(ROOT))

from focuscrawl.evaluation.report import Summary, summaries
from focuscrawl.evaluation.session import Plan, Session
from focuscrawl.orderings.registry import ORDERINGS

DEFAULT_DATA = ROOT.parent / "shared" / "data" / "schools"
FULL_BUDGET, QUICK_BUDGET = 1_000, 200
QUICK = ("breadth-first", "best-first", "shark", "vsm", "hsm", "focused")
SHOWN = (
    "harvest_100", "harvest_200", "harvest_500", "harvest_1000", "recall", "target_length",
    "seconds",
)  # fmt: skip


def measure(plan: Plan) -> list[Summary]:
    """Nothing is kept from one run of the benchmark to the next."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-bench-") as folder:
        session = Session(plan, Path(folder))
        for _ in session.work(lambda: None):
            pass
        return summaries(plan.orderings, session.runs)


def flat(found: list[Summary]) -> Figures:
    return {
        f"{each.ordering.replace('-', '_')}_{name}": round(value, 4)
        for each in found
        for name, value in each.figures._asdict().items()
        if value is not None
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the three files")
    parser.add_argument("--quick", action="store_true", help="fewer orderings, rounds and pages")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    archives = sorted(options.data.glob("*.warc*"))
    if not archives:
        print(f"{options.data}: no archive there; point --data to a folder with one and its tables")
        return 0
    names = [name for name in ORDERINGS if not options.quick or name in QUICK]
    plan = Plan(
        archive=archives[0],
        labels=options.data / "labels.tsv",
        seeds=options.data / "seeds.tsv",
        orderings=tuple(names),
        budget=QUICK_BUDGET if options.quick else FULL_BUDGET,
        rounds=1 if options.quick else None,
    )
    began = time.perf_counter()
    found = measure(plan)
    rows = [[each.ordering, *(getattr(each.figures, name) for name in SHOWN)] for each in found]
    shown = [[f"{v:.3f}" if isinstance(v, float) else v for v in row] for row in rows]
    show(f"{plan.archive.name}, mean of {len(found[0].runs)} crawls", ["ordering", *SHOWN], shown)
    finish({**flat(found), "whole_s": round(time.perf_counter() - began, 1)}, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
