"""Kill -9 again and again on a small tree; benchmarks/kill.py does the same on a large one."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

PAGES = 500
KILLS = 4


@pytest.fixture(scope="module")
def kill() -> Iterator[ModuleType]:
    """The benchmark's own functions; its folder is on the path only while they are imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))
        yield importlib.import_module("kill")


def test_kill_9_loses_nothing(kill: ModuleType, tmp_path: Path) -> None:
    layout = kill.Site(pages=PAGES, size=2_000, fanout=5, extra_links=0)
    with kill.running_site(layout) as site:
        ledger, killed = kill.kill_and_resume(tmp_path, site, KILLS, seed=9)
    store = tmp_path / "store"
    assert killed == KILLS
    assert len(ledger.counts) == PAGES
    assert max(ledger.refetched) <= kill.CONCURRENCY
    assert kill.stored_pages(store) == PAGES
    assert kill.duplicate_rows(store) == 0
    assert kill.integrity(store) == "ok"
