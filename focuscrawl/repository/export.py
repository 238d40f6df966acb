"""Kept pages as a file for other programs: JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import Connection, func, select

from focuscrawl.repository.report import utc
from focuscrawl.repository.schema import blocks, pages

BATCH = 500
EVERY_CATEGORY = "all"


class ExportError(ValueError):
    """The export cannot be written; the message says what to do."""


@dataclass(frozen=True, slots=True)
class ExportedPage:
    """A row of an export. Times are ISO 8601 in UTC; ``text`` is the main text."""

    url: str
    title: str
    category: str
    similarity: float
    text: str
    site: str
    first_visit: str
    last_visit: str
    last_change: str | None
    visits: int
    changes: int


FIELDS = tuple(field.name for field in fields(ExportedPage))
_PARQUET_TYPES = {"similarity": pa.float64(), "visits": pa.int64(), "changes": pa.int64()}
_PARQUET_SCHEMA = pa.schema([(name, _PARQUET_TYPES.get(name, pa.string())) for name in FIELDS])
Batches = Iterable[list[ExportedPage]]


def exported_pages(
    db: Connection, category: str, size: int = BATCH
) -> Iterator[list[ExportedPage]]:
    """The kept pages of a category (or ``all``) that are no other page's alias, in batches."""
    wanted = (
        pages.c.category.is_not(None)
        if category == EVERY_CATEGORY
        else pages.c.category == category
    )
    chosen = select(pages).where(wanted, pages.c.alias_of.is_(None)).order_by(pages.c.id)
    rows = db.execute(chosen.limit(size)).all()
    while rows:
        texts = _texts(db, [row.id for row in rows])
        yield [
            ExportedPage(
                row.url,
                row.title,
                row.category,
                row.similarity,
                texts.get(row.id, ""),
                row.site,
                utc(row.first_visit) or "",
                utc(row.last_visit) or "",
                utc(row.last_change),
                row.visits,
                row.changes,
            )
            for row in rows
        ]
        rows = db.execute(chosen.where(pages.c.id > rows[-1].id).limit(size)).all()


def _texts(db: Connection, keys: list[int]) -> dict[int, str]:
    parts: dict[int, list[str]] = {}
    text = func.coalesce(blocks.c.main_text, blocks.c.text)
    rows = db.execute(
        select(blocks.c.page, text)
        .where(blocks.c.page.in_(keys))
        .order_by(blocks.c.page, blocks.c.number)
    )
    for page, part in rows:
        if part:
            parts.setdefault(page, []).append(part)
    return {page: "\n".join(found) for page, found in parts.items()}


def write_jsonl(file: IO[bytes], batches: Batches) -> int:
    """One JSON object a line."""
    count = 0
    for batch in batches:
        lines = (json.dumps(asdict(page), ensure_ascii=False) + "\n" for page in batch)
        file.write("".join(lines).encode())
        count += len(batch)
    return count


def write_csv(file: IO[bytes], batches: Batches) -> int:
    """Comma-separated, UTF-8, one header line."""
    writer = csv.writer(_Encoded(file))
    writer.writerow(FIELDS)
    count = 0
    for batch in batches:
        writer.writerows([getattr(page, name) for name in FIELDS] for page in batch)
        count += len(batch)
    return count


def write_parquet(file: IO[bytes], batches: Batches) -> int:
    """Columns, compressed; one row group per batch."""
    count = 0
    with pq.ParquetWriter(file, _PARQUET_SCHEMA, compression="zstd") as writer:
        for batch in batches:
            rows = [asdict(page) for page in batch]
            writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=_PARQUET_SCHEMA))
            count += len(batch)
    return count


class _Encoded:
    """What the csv module writes to when the file takes bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._file.write(text.encode())


WRITERS: dict[str, Callable[[IO[bytes], Batches], int]] = {
    ".jsonl": write_jsonl,
    ".csv": write_csv,
    ".parquet": write_parquet,
}


def check_target(path: Path) -> None:
    """Complain of a file name that tells no format, before anything is read."""
    if path.suffix.lower() not in WRITERS:
        raise ExportError(f"{path}: the format is not known; end the name in {', '.join(WRITERS)}")


def export_to(path: Path, batches: Batches) -> int:
    """Write the pages in the format that the file's name tells; all of the file, or none."""
    check_target(path)
    try:
        with _replacing(path) as file:
            return WRITERS[path.suffix.lower()](file, batches)
    except OSError as error:
        reason = error.strerror or error
        raise ExportError(
            f"{path}: cannot be written ({reason}); give a file in a folder that you may write to"
        ) from error


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file beside ``path`` that takes its place at the end, and vanishes if there is none."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
