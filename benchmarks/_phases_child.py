"""A frontier of a million known pages: how long until a new phase hands out its first ones?

Beside it, PageRank by scipy over a link table of the same pages, which is what other crawlers
would sort by.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from focuscrawl.frontier.schema import connect
from focuscrawl.frontier.sqlite import SqliteFrontier

HOSTS = 1_000
LINKS_PER_PAGE = 10
LEASED = 1_000
DAMPING = 0.85
TOLERANCE = 1e-6


def fill(path: Path, pages: int) -> None:
    """Pages that an earlier phase kept, with priorities as their visits would have set them."""
    rng = random.Random(11)
    db = connect(path)
    db.execute("BEGIN")
    db.execute("INSERT INTO crawls VALUES ('benchmark', 1, 'Focused')")
    db.executemany(
        "INSERT INTO urls (id, category, url, host, state, priority, visits, visited, changes, "
        "importance, kept, revisit, turn) "
        "VALUES (?, 'benchmark', ?, ?, 3, ?, 2, 1.0, ?, ?, 1, 1, 1)",
        (
            (
                rng.getrandbits(62),
                f"http://h{number % HOSTS}.test/{number}",
                f"h{number % HOSTS}.test",
                rng.random(),
                rng.randrange(2),
                rng.random(),
            )
            for number in range(pages)
        ),
    )
    db.execute("COMMIT")
    db.close()


def reorder_seconds(path: Path) -> float:
    """Seconds to begin a phase and lease its first pages."""
    frontier = SqliteFrontier(path, "benchmark")
    start = time.perf_counter()
    frontier.begin_phase(2, lambda _anchor: 0.0)
    leased = frontier.lease(LEASED)
    seconds = time.perf_counter() - start
    if len(leased) != LEASED:
        raise SystemExit(f"leased {len(leased)} of {LEASED}")
    frontier.close()
    return seconds


def pagerank_seconds(pages: int) -> float:
    """Power iteration until the ranks stand still; reading the table is not counted."""
    rng = np.random.default_rng(11)
    sources = np.repeat(np.arange(pages), LINKS_PER_PAGE)
    targets = rng.zipf(1.5, size=pages * LINKS_PER_PAGE) % pages
    start = time.perf_counter()
    weights = np.full(len(sources), 1.0 / LINKS_PER_PAGE)
    matrix = csr_matrix((weights, (targets, sources)), shape=(pages, pages))
    ranks = np.full(pages, 1.0 / pages)
    while True:
        after = DAMPING * (matrix @ ranks) + (1 - DAMPING) / pages
        moved = float(np.abs(after - ranks).sum())
        ranks = after
        if moved < TOLERANCE:
            break
    np.argsort(-ranks)
    return time.perf_counter() - start


def main() -> None:
    pages = int(sys.argv[1])
    path = Path(os.environ["FOCUSCRAWL_BENCH_FOLDER"]) / "frontier.sqlite"
    fill(path, pages)
    reorder = reorder_seconds(path)
    print(json.dumps({"reorder": reorder, "pagerank": pagerank_seconds(pages)}))


if __name__ == "__main__":
    main()
