"""Recorded change histories: a table of page, site, first, last, observations, changes.

Columns are separated by tabs, times are seconds of the epoch; ``changes`` lists, by blanks, the
times at which the page was seen to be another one.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from focuscrawl.revisit.pages import Floats, Known
from focuscrawl.revisit.world import World

COLUMNS = ("page", "site", "first", "last", "observations", "changes")

_LAST_SECOND = 2.0**32
"""Times beyond are in another unit, such as thousandths of a second."""


class HistoryError(ValueError):
    """The file is no table of histories; the message says where."""


class _History(NamedTuple):
    page: str
    site: str
    first: float
    last: float
    changes: Floats


def read_histories(path: Path) -> World:
    """The web of a file, plain or gzipped; every page weighs the same."""
    histories = [_history(path, number, line) for number, line in _lines(path)]
    if not histories:
        raise HistoryError(f"{path}: no histories in it; a line a page below the heading is needed")
    counts = [len(history.changes) for history in histories]
    return World(
        pages=[
            Known(key, history.site, _section(history)) for key, history in enumerate(histories)
        ],
        first=np.array([history.first for history in histories]),
        last=np.array([history.last for history in histories]),
        changes=np.concatenate([history.changes for history in histories]),
        ends=np.cumsum(counts),
    )


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with _opened(path) as lines:
            heading = next(lines, "").rstrip("\n").split("\t")
            if tuple(heading[: len(COLUMNS)]) != COLUMNS:
                raise HistoryError(
                    f"{path}: the first line must name the columns {' '.join(COLUMNS)}"
                )
            for number, line in enumerate(lines, start=2):
                if line.strip():
                    yield number, line.rstrip("\n")
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise HistoryError(
            f"{path}: cannot be read ({error}); give a table of change histories"
        ) from error


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _history(path: Path, number: int, line: str) -> _History:
    fields = line.split("\t")
    try:
        page, site, first, last, _, changes = fields[: len(COLUMNS)]
        times = np.unique(np.array(changes.split(), np.float64))
        begin, end = float(first), float(last)
    except ValueError as error:
        raise HistoryError(
            f"{path}:{number}: not a history ({error}); expected {len(COLUMNS)} columns with times "
            "in seconds"
        ) from error
    if not 0 <= begin < end < _LAST_SECOND:
        raise HistoryError(
            f"{path}:{number}: {page}: first must be before last, both in seconds of the epoch"
        )
    inside = times[(times > begin) & (times <= end)]
    return _History(page, site, begin, end, inside)


def _section(history: _History) -> str:
    """The folder of a page whose name is a path below its site's."""
    path = history.page.removeprefix(history.site).strip("/")
    return path.split("/")[0] if path.count("/") else ""
