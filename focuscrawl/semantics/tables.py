"""A topic's tables: how near every stem is to each of the topic's terms.

Pages are scored by look-ups alone. What a text says about a term is its one stem that is nearest to
the term; there are two ways to it. A short text looks up the row of each of its stems. A long one
surely holds one of the stems nearest to a term, so these are tried in order and the first hit is
the answer, after a few dozen tries where looking up all of a page's stems would take hundreds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]

_NO_ROW = repeat(0)

NEAREST = 500
"""Stems tried per term; a text that holds none of them is looked up stem by stem."""

LONG_TEXT, LONG_PER_TERM = 100, 5
"""A text of that many stems, and so many more for each term of the topic, is tried."""


class TopicTable:
    """Scores of stems (rows) against a topic's terms (columns).

    ``rows`` names the rows in their order, from 1; the row before them is all zero.
    """

    def __init__(self, terms: Sequence[str], rows: Mapping[str, int], scores: Scores) -> None:
        self.terms = tuple(terms)
        self._rows = rows
        self._scores = scores
        names = ["", *rows]
        self._nearest = [_nearest(names, column) for column in scores.T]
        self._long = LONG_TEXT + LONG_PER_TERM * len(self.terms)

    def column(self, term: str) -> dict[str, float]:
        """Stem → score against one term, without the stems that have nothing to do with it."""
        scores = self._scores[:, self.terms.index(term)].tolist()
        return {stem: scores[row] for stem, row in self._rows.items() if scores[row] > 0}

    def best(self, texts: Sequence[Mapping[str, Any]]) -> Scores:
        """For each text (stem → count) and each term, the score of the text's nearest stem."""
        tried = [self._try_nearest(text) if len(text) >= self._long else None for text in texts]
        rest = [() if found else text for found, text in zip(tried, texts, strict=True)]
        result = self._look_up(rest)
        for row, found in enumerate(tried):
            if found:
                result[row] = found
        return result

    def _try_nearest(self, text: Mapping[str, Any]) -> list[float] | None:
        """None where the text holds none of the stems nearest to a term, but may hold others."""
        holds = text.__contains__
        found = []
        for nearest in self._nearest:
            hit = next(filter(holds, nearest), None)
            if hit is not None:
                found.append(nearest[hit])
            elif len(nearest) < NEAREST:
                found.append(0.0)
            else:
                return None
        return found

    def _look_up(self, texts: Sequence[Iterable[str]]) -> Scores:
        rows: list[int] = []
        starts = []
        for text in texts:
            starts.append(len(rows))
            rows.append(0)
            rows += map(self._rows.get, text, _NO_ROW)
        return np.maximum.reduceat(self._scores.take(rows, axis=0), starts, axis=0)


def _nearest(names: Sequence[str], column: Scores) -> dict[str, float]:
    """The stems nearest to a term, the nearest first, common ones first among equals."""
    cut = max(0, len(column) - NEAREST)
    top = np.sort(np.argpartition(column, cut)[cut:])
    order = top[np.argsort(-column[top], kind="stable")]
    return {names[row]: float(column[row]) for row in order.tolist() if column[row] > 0}
