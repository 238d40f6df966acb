from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from focuscrawl.repository.export import (
    FIELDS,
    ExportedPage,
    ExportError,
    export_to,
    exported_pages,
)
from focuscrawl.repository.records import BlockRow, Fetched
from focuscrawl.repository.report import reading
from focuscrawl.repository.store import Repository
from focuscrawl.urls import url_id

BLOCKS = (
    BlockRow(0, 1, "Cup", "menu Cup, “final”", "Cup, “final”", 0.5, 0, 0),
    BlockRow(1, 2, "Advert", "buy now", "", 0.0, 0, 0),
    BlockRow(2, 2, "More", "second\nblock", None, 0.2, 0, 0),
)
TEXT = "Cup, “final”\nsecond\nblock"


def fetched(url: str, **changes: Any) -> Fetched:
    values: dict[str, Any] = {
        "url": url, "site": "a.example", "title": 'Ä "title"', "status": 200, "at": 1000.0,
        "crawl": "sports", "phase": 1, "body": url.encode(), "encoding": "utf-8",
        "digest": url, "category": "sports", "kept": True, "similarity": 0.25,
        "scores": {}, "threshold": 0.05, "rule": "kept", "relevance": 1.0, "anchor": "",
        "words": 2, "change": "new", "blocks": BLOCKS,
    }  # fmt: skip
    return Fetched(**values | changes)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = Repository(tmp_path / "repository.sqlite")
    for number in range(7):
        store.save(fetched(f"http://a.example/{number}"))
    store.save(fetched("http://a.example/0", at=2000.0, change="content"))
    store.save(fetched("http://a.example/crime", category="crime"))
    store.save(fetched("http://a.example/alias", alias_of=url_id("http://a.example/0")))
    store.save(fetched("http://a.example/off", kept=False))
    store.close()
    return store.path


def test_batches_hold_every_kept_page_once(path: Path) -> None:
    with reading(path) as db:
        sizes = [len(batch) for batch in exported_pages(db, "sports", size=3)]
        found = [page.url for batch in exported_pages(db, "all", size=3) for page in batch]
    assert sizes == [3, 3, 1]
    assert sorted(found) == [*(f"http://a.example/{n}" for n in range(7)), "http://a.example/crime"]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_every_format_says_the_same(path: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / "out" / f"pages.{suffix}"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")
    with reading(path) as db:
        assert export_to(target, exported_pages(db, "sports", size=3)) == 7
    rows = read(target)
    assert len(rows) == 7
    assert tuple(rows[0]) == FIELDS
    row = next(row for row in rows if row["url"] == "http://a.example/0")
    assert (row["title"], row["text"], row["site"]) == ('Ä "title"', TEXT, "a.example")
    assert float(row["similarity"]) == 0.25
    assert (int(row["visits"]), int(row["changes"])) == (2, 1)
    assert row["first_visit"] == "1970-01-01T00:16:40+00:00"
    assert row["last_visit"] == row["last_change"] == "1970-01-01T00:33:20+00:00"
    assert [entry.name for entry in target.parent.iterdir()] == [target.name]


def read(target: Path) -> list[dict[str, Any]]:
    if target.suffix == ".jsonl":
        return [json.loads(line) for line in target.read_text(encoding="utf-8").split("\n")[:-1]]
    if target.suffix == ".csv":
        with target.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    rows: list[dict[str, Any]] = pq.read_table(target).to_pylist()
    return rows


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_a_failed_export_leaves_the_old_file(tmp_path: Path, suffix: str) -> None:
    def broken() -> Iterator[list[ExportedPage]]:
        yield [ExportedPage("u", "t", "c", 0.1, "x", "s", "a", "b", None, 1, 0)]
        raise RuntimeError("stopped")

    target = tmp_path / f"pages.{suffix}"
    target.write_text("old", encoding="utf-8")
    with pytest.raises(RuntimeError, match="stopped"):
        export_to(target, broken())
    assert target.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == [target.name]


def test_bad_targets(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"end the name in \.jsonl, \.csv, \.parquet"):
        export_to(tmp_path / "pages.xlsx", [])
    with pytest.raises(ExportError, match="cannot be written"):
        export_to(tmp_path / "none" / "pages.csv", [])
