"""All links seen, as arrays: what speaks for each page that they lead to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from focuscrawl.orderings.base import PageView
from focuscrawl.orderings.texts import Floats, Grown, Ints, Texts, Vocabulary
from focuscrawl.orderings.topicmodel import TopicModel
from focuscrawl.semantics.meanings import Meaning
from focuscrawl.text import counts

FEATURES = ("parents", "best parent", "count", "anchor", "meaning", "definition", "context",
            "block", "siblings")  # fmt: skip
"""What speaks for a page: relevance of the pages that link to it, mean and best; how many relevant
ones; its link text, by its words, by what they mean and by how they are explained; the words around
the link; the block the link stands in; what came of the other links of that block."""
_UNKNOWN = -1


class LinkTable:
    """Targets and blocks are numbered as they come; every link is one row of each column."""

    def __init__(
        self,
        model: TopicModel,
        vocabulary: Vocabulary,
        meaning: Callable[[str], Meaning],
    ) -> None:
        self._model = model
        self._meaning = meaning
        self._contexts, self._blocks = Texts(vocabulary), Texts(vocabulary)
        self._anchors, self._definitions = Texts(vocabulary), Texts(vocabulary)
        self._anchor_rows: dict[str, int] = {}
        self._targets: dict[int, int] = {}
        self.keys: list[int] = []
        """The pages that links lead to, by their number in this table."""
        self._target, self._source, self._block, self._anchor = (Grown(np.int64) for _ in range(4))
        self._near = Grown(np.float64)
        self._page_of = Grown(np.int64)
        self._anchor_score, self._context_score, self._block_score, self._defined = (
            Grown(np.float64) for _ in range(4)
        )
        self._siblings = Grown(np.float64)
        self.relevance = Grown(np.float64)
        self.relevance.extend(model.relevance())

    def __len__(self) -> int:
        return self._target.size

    def add(self, page: PageView, row: int) -> Ints:
        """Take in the links of the page with that row in the model; the targets they lead to."""
        own = self._number(page.key)
        self._page_of.all[own] = row
        first = [len(texts) for texts in (self._anchors, self._contexts, self._blocks)]
        blocks = self._blocks.extend(page.blocks)
        anchors = [self._anchor_row(link.anchor) for link in page.links]
        self._contexts.extend([counts(link.context) for link in page.links])
        targets = np.array([self._number(link.target) for link in page.links], np.int64)
        self._target.extend(targets)
        self._source.extend([row] * len(targets))
        self._anchor.extend(anchors)
        self._block.extend([blocks[link.block] for link in page.links])
        self.relevance.extend(self._model.relevance(row))
        self._score_texts(*first)
        self._score_siblings(first[-1], len(self) - len(targets))
        return np.unique(targets)

    def _number(self, key: int) -> int:
        number = self._targets.get(key)
        if number is None:
            number = self._targets[key] = len(self.keys)
            self.keys.append(key)
            self._page_of.extend((_UNKNOWN,))
        return number

    def _anchor_row(self, anchor: str) -> int:
        row = self._anchor_rows.get(anchor)
        if row is None:
            near, definition = self._meaning(anchor)
            row = self._anchor_rows[anchor] = self._anchors.add(counts(anchor))
            self._definitions.add(definition)
            self._near.extend((near,))
        return row

    def _score_texts(self, anchors: int, contexts: int, blocks: int) -> None:
        similarities = self._model.similarities
        self._anchor_score.extend(similarities(self._anchors, anchors))
        self._defined.extend(similarities(self._definitions, anchors))
        self._context_score.extend(similarities(self._contexts, contexts))
        self._block_score.extend(similarities(self._blocks, blocks))

    def rescore(self) -> None:
        """The model has learned: everything is compared with the topic again."""
        self.relevance = Grown(np.float64)
        self.relevance.extend(self._model.relevance())
        columns = (self._anchor_score, self._defined, self._context_score, self._block_score)
        for column in columns:
            column.size = 0
        self._siblings.size = 0
        self._score_texts(0, 0, 0)
        self._score_siblings(0, 0)

    def _score_siblings(self, first_block: int, first_link: int) -> None:
        """For each block the mean relevance of those of its links that were fetched."""
        page = self._page_of.all[self._target.all[first_link:]]
        known = page != _UNKNOWN
        blocks = self._block.all[first_link:][known] - first_block
        size = len(self._blocks) - first_block
        found = np.bincount(blocks, self.relevance.all[page[known]], size)
        usual = self.relevance.all.mean()
        self._siblings.extend((found + usual) / (np.bincount(blocks, minlength=size) + 1))

    def features(self, chosen: Ints | None = None) -> Floats:
        """One row for each of the chosen targets (all, if none are), one column a feature."""
        rows, target = self._rows(chosen)
        size = len(self.keys) if chosen is None else len(chosen)
        anchor, block = self._anchor.all[rows], self._block.all[rows]
        parent = self.relevance.all[self._source.all[rows]]
        links = np.bincount(target, minlength=size)

        def mean(values: Floats) -> Floats:
            return np.bincount(target, values, size) / np.maximum(links, 1)

        def best(values: Floats) -> Floats:
            found = np.full(size, -np.inf)
            np.maximum.at(found, target, values)
            return np.where(links > 0, found, 0.0)

        columns = (
            (np.bincount(target, parent, size) + self.relevance.all.mean()) / (links + 1),
            best(parent),
            np.log1p(np.bincount(target, np.maximum(parent, 0.0), size)),
            best(self._anchor_score.all[anchor]),
            best(self._near.all[anchor]),
            best(self._defined.all[anchor]),
            mean(self._context_score.all[rows]),
            mean(self._block_score.all[block]),
            mean(self._siblings.all[block]),
        )
        return np.stack(columns, axis=1)

    def _rows(self, chosen: Ints | None) -> tuple[slice | Ints, Ints]:
        """The links that lead to the chosen targets, and to which of them each leads."""
        target = self._target.all
        if chosen is None:
            return slice(None), target
        place = np.full(len(self.keys), _UNKNOWN)
        place[chosen] = np.arange(len(chosen))
        rows = np.flatnonzero(place[target] != _UNKNOWN)
        return rows, place[target[rows]]

    def unfetched(self, touched: Ints | None = None) -> Ints:
        """The targets that were not fetched, of all or of the touched ones."""
        if touched is None:
            return np.flatnonzero(self._page_of.all == _UNKNOWN)
        return np.asarray(touched[self._page_of.all[touched] == _UNKNOWN])

    def fetched(self) -> tuple[Ints, Floats]:
        """The targets that were fetched, and their relevance."""
        page = self._page_of.all
        targets = np.flatnonzero(page != _UNKNOWN)
        return targets, self.relevance.all[page[targets]]
