"""Many short texts as a few flat arrays: all of them are compared with a topic in one go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.orderings.base import Weights

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_SHORTEST = 1e-9
"""No text is taken to be shorter: one without stems is then like nothing."""


class Grown:
    """A numpy array that can be appended to; with a width, one of rows."""

    def __init__(self, dtype: Any, width: int | None = None) -> None:
        self._data = np.zeros(64 if width is None else (64, width), dtype)
        self.size = 0

    def extend(self, values: Any) -> None:
        end = self.size + len(values)
        if end > len(self._data):
            shape = (max(end, 2 * len(self._data)), *self._data.shape[1:])
            larger = np.zeros(shape, self._data.dtype)
            larger[: self.size] = self._data[: self.size]
            self._data = larger
        self._data[self.size : end] = values
        self.size = end

    @property
    def all(self) -> NDArray[Any]:
        return self._data[: self.size]


class Vocabulary(dict[str, int]):
    """Stems by number, given out as they come."""

    def __missing__(self, stem: str) -> int:
        number = self[stem] = len(self)
        return number


class Texts:
    """Rows of (stem, log of 1 + count); a row without stems has the similarity 0."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._stems = Grown(np.int32)
        self._weights = Grown(np.float32)
        self._ends = Grown(np.int64)

    def __len__(self) -> int:
        return self._ends.size

    def add(self, counts: Weights) -> int:
        """Append a text; its row."""
        self.extend((counts,))
        return len(self) - 1

    def extend(self, texts: Sequence[Weights]) -> range:
        """Append many texts at once; their rows."""
        values = chain.from_iterable(counts.values() for counts in texts)
        numbers = np.fromiter(values, np.float32, sum(map(len, texts)))
        return self._append(texts, np.log1p(numbers))

    def extend_rows(self, texts: Sequence[Sequence[str]]) -> range:
        """Append texts that are given stem by stem: each mention is one of its own."""
        return self._append(texts, np.full(sum(map(len, texts)), np.log(2.0), np.float32))

    def _append(self, texts: Sequence[Collection[str]], weights: NDArray[np.float32]) -> range:
        first = len(self)
        numbers = map(self._vocabulary.__getitem__, chain.from_iterable(texts))
        self._stems.extend(np.fromiter(numbers, np.int32, len(weights)))
        self._weights.extend(weights)
        start = self._ends.all[-1] if first else 0
        self._ends.extend(start + np.cumsum([len(text) for text in texts], dtype=np.int64))
        return range(first, len(self))

    def stems(self, row: int) -> Ints:
        start, end = self._span(row)
        return self._stems.all[start:end]

    def _span(self, row: int) -> tuple[int, int]:
        return int(self._ends.all[row - 1]) if row else 0, int(self._ends.all[row])

    def chosen(self, rows: Iterable[int]) -> Texts:
        """Some of the rows, as texts of their own."""
        fewer = Texts(self._vocabulary)
        for row in rows:
            start, end = self._span(row)
            fewer._stems.extend(self._stems.all[start:end])
            fewer._weights.extend(self._weights.all[start:end])
            fewer._ends.extend((fewer._stems.size,))
        return fewer

    def similarities(self, topic: Floats, squared_idf: Floats, start: int = 0) -> Floats:
        """Of the rows from ``start`` on with a topic, whose weights hold the idf already."""
        return self.products(topic, start) / self.lengths(squared_idf, start)

    def products(self, topic: Floats, start: int = 0) -> Floats:
        """Of the rows from ``start`` on with a topic, without regard to how long they are."""
        first = self._first(start)
        return self._sums(self._weights.all[first:] * topic[self._stems.all[first:]], start)

    def lengths(self, squared_idf: Floats, start: int = 0) -> Floats:
        """Of the rows from ``start`` on, as vectors."""
        first = self._first(start)
        weights = self._weights.all[first:]
        squares = self._sums(weights * weights * squared_idf[self._stems.all[first:]], start)
        return np.sqrt(np.maximum(squares, _SHORTEST))

    def mean(self, lengths: Floats, size: int, rows: Ints | None = None) -> Floats:
        """The mean of some rows (all, if none are named), each at length 1; one value a stem.

        ``lengths`` are those of all rows, ``size`` is the number of stems.
        """
        texts = self if rows is None else self.chosen(rows.tolist())
        used = lengths if rows is None else lengths[rows]
        sizes = np.diff(texts._ends.all, prepend=0)
        values = texts._weights.all * np.repeat(1 / used, sizes)
        return np.bincount(texts._stems.all, values, size) / max(len(texts), 1)

    def _first(self, start: int) -> int:
        return int(self._ends.all[start - 1]) if start else 0

    def _sums(self, values: Floats, start: int) -> Floats:
        """Row by row; the values are those of the rows from ``start`` on."""
        first = self._first(start)
        ends = self._ends.all[start:] - first
        begins = np.concatenate(((0,), ends[:-1])) if len(ends) else ends
        found = np.zeros(len(ends))
        filled = ends > begins
        if filled.any():
            found[filled] = np.add.reduceat(values, begins[filled])
        return found
