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
    """Targets and blocks are numbered as they come; every link is one row of each column.

    What the links of a target say is summed up as they come, so that a page costs by its own
    links, however many others there are.
    """

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
        self._links = Grown(np.int64)
        self._sums, self._best = Grown(np.float64, 5), Grown(np.float64, 4)
        self.relevance = Grown(np.float64)
        self.relevance.extend(model.relevance())

    def __len__(self) -> int:
        return self._target.size

    def add(self, page: PageView, row: int) -> Ints:
        """Take in the links of the page with that row in the model; the targets they lead to."""
        own = self._number(page.key)
        self._page_of.all[own] = row
        links = len(self)
        first = [len(texts) for texts in (self._anchors, self._contexts, self._blocks)]
        blocks = self._blocks.extend(page.blocks)
        self._take_anchors(page)
        self._contexts.extend_rows([link.context for link in page.links])
        self._target.extend([self._number(link.target) for link in page.links])
        self._source.extend([row] * len(page.links))
        self._block.extend([blocks.start + link.block for link in page.links])
        self.relevance.extend(self._model.relevance(row))
        self._score_texts(*first)
        self._score_siblings(first[-1], links)
        return self._sum_up(links)

    def _number(self, key: int) -> int:
        number = self._targets.get(key)
        if number is None:
            number = self._targets[key] = len(self.keys)
            self.keys.append(key)
            self._page_of.extend((_UNKNOWN,))
        return number

    def _take_anchors(self, page: PageView) -> None:
        """The same texts stand on many pages: only what is new is looked into."""
        anchors = dict.fromkeys(link.anchor for link in page.links)
        fresh = [anchor for anchor in anchors if anchor not in self._anchor_rows]
        rows = self._anchors.extend(list(map(counts, fresh)))
        self._anchor_rows.update(zip(fresh, rows, strict=True))
        meanings = list(map(self._meaning, fresh))
        self._near.extend([meaning.nearness for meaning in meanings])
        self._definitions.extend([meaning.definition for meaning in meanings])
        self._anchor.extend([self._anchor_rows[link.anchor] for link in page.links])

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
        for column in (*columns, self._siblings, self._links, self._sums, self._best):
            column.size = 0
        self._score_texts(0, 0, 0)
        self._score_siblings(0, 0)
        self._sum_up(0)

    def _score_siblings(self, first_block: int, first_link: int) -> None:
        """For each block the mean relevance of those of its links that were fetched."""
        page = self._page_of.all[self._target.all[first_link:]]
        known = page != _UNKNOWN
        blocks = self._block.all[first_link:][known] - first_block
        size = len(self._blocks) - first_block
        found = np.bincount(blocks, self.relevance.all[page[known]], size)
        usual = self.relevance.all.mean()
        self._siblings.extend((found + usual) / (np.bincount(blocks, minlength=size) + 1))

    def _sum_up(self, first: int) -> Ints:
        """Add what the links from a row on say of their targets; these targets, once each."""
        missing = len(self.keys) - self._links.size
        self._links.extend(np.zeros(missing))
        self._sums.extend(np.zeros((missing, 1)))
        self._best.extend(np.full((missing, 1), -np.inf))
        order = np.argsort(self._target.all[first:], kind="stable")
        target = self._target.all[first:][order]
        begins = np.flatnonzero(np.diff(target, prepend=_UNKNOWN))
        touched = target[begins]
        if len(touched):
            summed, greatest = self._evidence(order + first)
            self._links.all[touched] += np.diff(begins, append=len(target))
            self._sums.all[touched] += np.add.reduceat(summed, begins)
            best = np.maximum.reduceat(greatest, begins)
            self._best.all[touched] = np.maximum(self._best.all[touched], best)
        return touched

    def _evidence(self, rows: Ints) -> tuple[Floats, Floats]:
        """Of each link what is summed up over a target's links, and what only the best counts."""
        anchor, block = self._anchor.all[rows], self._block.all[rows]
        parent = self.relevance.all[self._source.all[rows]]
        summed = (
            parent,
            np.maximum(parent, 0.0),
            self._context_score.all[rows],
            self._block_score.all[block],
            self._siblings.all[block],
        )
        greatest = (
            parent,
            self._anchor_score.all[anchor],
            self._near.all[anchor],
            self._defined.all[anchor],
        )
        return np.stack(summed, axis=1), np.stack(greatest, axis=1)

    def features(self, chosen: Ints) -> Floats:
        """One row for each of the chosen targets, one column a feature."""
        links = self._links.all[chosen]
        parents, relevant, *around = self._sums.all[chosen].T
        best = np.where(links > 0, self._best.all[chosen].T, 0.0)
        columns = (
            (parents + self.relevance.all.mean()) / (links + 1),
            best[0],
            np.log1p(relevant),
            *best[1:],
            *(each / np.maximum(links, 1) for each in around),
        )
        return np.stack(columns, axis=1)

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
