"""Many short texts as a few flat arrays: all of them are compared with a topic in one go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.orderings.base import Weights

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Grown:
    """A numpy array that can be appended to."""

    def __init__(self, dtype: Any) -> None:
        self._data = np.zeros(64, dtype)
        self.size = 0

    def extend(self, values: Any) -> None:
        end = self.size + len(values)
        if end > len(self._data):
            larger = np.zeros(max(end, 2 * len(self._data)), self._data.dtype)
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
    """Rows of (stem, 1 + log count); a row without stems has the similarity 0."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._stems = Grown(np.int64)
        self._weights = Grown(np.float64)
        self._ends = Grown(np.int64)

    def __len__(self) -> int:
        return self._ends.size

    def add(self, counts: Weights) -> int:
        """Append a text; its row."""
        self.extend((counts,))
        return len(self) - 1

    def extend(self, texts: Sequence[Weights]) -> range:
        """Append many texts at once; their rows."""
        first = len(self)
        number = self._vocabulary.__getitem__
        self._stems.extend([number(stem) for counts in texts for stem in counts])
        self._weights.extend(np.log1p([n for counts in texts for n in counts.values()]))
        start = self._ends.all[-1] if first else 0
        self._ends.extend(start + np.cumsum([len(counts) for counts in texts], dtype=np.int64))
        return range(first, len(self))

    def stems(self, row: int) -> Ints:
        start = self._ends.all[row - 1] if row else 0
        return self._stems.all[start : self._ends.all[row]]

    def chosen(self, rows: Iterable[int]) -> Texts:
        """Some of the rows, as texts of their own."""
        fewer = Texts(self._vocabulary)
        for row in rows:
            start = self._ends.all[row - 1] if row else 0
            end = self._ends.all[row]
            fewer._stems.extend(self._stems.all[start:end])
            fewer._weights.extend(self._weights.all[start:end])
            fewer._ends.extend((fewer._stems.size,))
        return fewer

    def similarities(self, topic: Floats, squared_idf: Floats, start: int = 0) -> Floats:
        """Of the rows from ``start`` on with a topic, whose weights hold the idf already."""
        owners, stems, weights = self._from(start)
        rows = len(self) - start
        dots = np.bincount(owners, weights * topic[stems], rows)
        return dots / self._norms(owners, stems, weights, squared_idf, rows)

    def mean(self, squared_idf: Floats, chosen: Ints | None = None) -> Floats:
        """The mean of the chosen rows (all, if none are), each at length 1; one value a stem."""
        owners, stems, weights = self._from(0)
        norms = self._norms(owners, stems, weights, squared_idf, len(self))
        share = np.ones(len(self)) if chosen is None else np.bincount(chosen, minlength=len(self))
        values = weights * (share / norms)[owners]
        return np.bincount(stems, values, len(squared_idf)) / max(float(share.sum()), 1.0)

    def _from(self, start: int) -> tuple[Ints, Ints, Floats]:
        ends = self._ends.all
        first = int(ends[start - 1]) if start else 0
        lengths = np.diff(ends[start:], prepend=first)
        owners = np.repeat(np.arange(len(lengths)), lengths)
        return owners, self._stems.all[first:], self._weights.all[first:]

    def _norms(
        self, owners: Ints, stems: Ints, weights: Floats, squared_idf: Floats, rows: int
    ) -> Floats:
        squares = np.bincount(owners, weights * weights * squared_idf[stems], rows)
        return np.sqrt(np.maximum(squares, 1e-9))
