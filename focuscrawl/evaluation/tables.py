"""The two tables of an evaluation: which pages are on which topic, and where crawls start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from focuscrawl.urls import normalise

LABEL_COLUMNS = ("topic", "url")
SEED_COLUMNS = ("topic", "words", "round", "url")


class EvaluationError(ValueError):
    """The evaluation cannot be done; the message is one line with the file and the remedy."""


class Start(NamedTuple):
    """One crawl to be made: a topic, the words that name it, and its seed pages of one round."""

    topic: str
    words: tuple[str, ...]
    round: int
    seeds: tuple[str, ...]


class _Row(NamedTuple):
    line: int
    fields: tuple[str, ...]


def read_labels(path: Path) -> dict[str, frozenset[str]]:
    """Topic → the addresses of its pages."""
    found: dict[str, set[str]] = {}
    for row in _rows(path, LABEL_COLUMNS):
        topic, url = row.fields
        found.setdefault(topic, set()).add(_address(path, row.line, url))
    if not found:
        raise EvaluationError(f"{path}: no labels; give a line with topic and url for each page")
    return {topic: frozenset(urls) for topic, urls in found.items()}


def read_starts(path: Path, rounds: int | None = None) -> list[Start]:
    """The crawls in the order of the table; with ``rounds``, the first so many of each topic."""
    words: dict[tuple[str, int], tuple[str, ...]] = {}
    seeds: dict[tuple[str, int], list[str]] = {}
    for row in _rows(path, SEED_COLUMNS):
        topic, named, number, url = row.fields
        if not number.isdecimal():
            raise EvaluationError(
                f"{path}: line {row.line}: round is {number!r}; write a whole number"
            )
        key = topic, int(number)
        words.setdefault(key, tuple(named.split()))
        seeds.setdefault(key, []).append(_address(path, row.line, url))
    starts = [Start(topic, words[topic, n], n, tuple(urls)) for (topic, n), urls in seeds.items()]
    if not starts:
        raise EvaluationError(f"{path}: no seeds; give topic, words, round and url, a line a seed")
    return [start for start in starts if rounds is None or _place(start, starts) < rounds]


def _place(start: Start, starts: Sequence[Start]) -> int:
    """How many rounds of the topic come before this one."""
    return sum(each.topic == start.topic and each.round < start.round for each in starts)


def _address(path: Path, line: int, url: str) -> str:
    normal = normalise(url)
    if normal is None:
        raise EvaluationError(f"{path}: line {line}: {url!r} is no http(s) URL; write it in full")
    return normal


def _rows(path: Path, wanted: Sequence[str]) -> Iterator[_Row]:
    """The wanted columns of every line, in their order, whatever the order in the file."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise EvaluationError(f"{path}: no UTF-8 text; give a table with tabs") from None
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise EvaluationError(f"{path}: {reason}; give a table with tabs") from None
    columns = lines[0].split("\t") if lines else []
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise EvaluationError(
            f"{path}: no column {' and no column '.join(missing)}; "
            "begin the table with a line of column names, with tabs between them"
        )
    places = [columns.index(name) for name in wanted]
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            fields = [field.strip() for field in line.split("\t")]
            if len(fields) <= max(places) or not all(fields[place] for place in places):
                raise EvaluationError(
                    f"{path}: line {number}: a field is empty; fill it or drop it"
                )
            yield _Row(number, tuple(fields[place] for place in places))
