"""The product's own ordering: what is known of a link before it is fetched, weighed by experience.

Every page that comes shows what its links were worth. The weights of the features start from a
sensible guess and follow what was found (ridge regression towards the guess); topic and weights
are made anew at growing intervals, and then everything that waits is scored again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from focuscrawl.orderings.base import PageView, Scored, Topic
from focuscrawl.orderings.linktable import FEATURES, LinkTable
from focuscrawl.orderings.texts import Floats, Grown, Ints, Vocabulary
from focuscrawl.orderings.topicmodel import TopicModel
from focuscrawl.semantics.meanings import NO_MEANING, Meaning

GUESS = dict(zip(FEATURES, (0.5, 0.05, 0.05, 0.5, 0.25, 0.25, 0.25, 0.15, 0.1), strict=True))
CERTAINTY = 5.0
"""The guess weighs as much as so many pages whose feature is 1."""
FEWEST_TO_FIT = 10
GROWTH = 1.25
"""Learned again when the crawl has grown by this factor."""
NOTICEABLE = 0.01
"""A lesson that moves a score by less is not told: most of what waits stays where it is."""
MOST_LINKS, MOST_PAGES, LATEST = 200_000, 5_000, 1_000
"""More are not held: then links are forgotten, and all but the nearest and the latest pages. What
was learned from them stays."""


class Predictor:
    """Scores links; explains each score by its terms."""

    names: Sequence[str] = FEATURES

    def __init__(self, topic: Topic, meaning: Callable[[str], Meaning] | None = None) -> None:
        self._vocabulary = Vocabulary()
        self._meaning = meaning or (lambda anchor: NO_MEANING)
        self._model = TopicModel(topic, self._vocabulary)
        self._begin_table()
        self._guess = np.array(list(GUESS.values()))
        self.weights = self._guess
        self._examples: set[int] = set()
        self._next_lesson = 1.0

    def _begin_table(self) -> None:
        self._links = LinkTable(self._model, self._vocabulary, self._meaning)
        self._told = Grown(np.float64)

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        row = self._model.add(page.text, example=page.example)
        if page.example:
            self._examples.add(page.key)
        touched = self._links.add(page, row)
        if self._model.seen >= self._next_lesson:
            self._next_lesson = self._model.seen * GROWTH
            self._learn()
            scores = self.scores(least=NOTICEABLE)
        else:
            scores = self.scores(touched)
        if len(self._links) > MOST_LINKS or len(self._model) > MOST_PAGES:
            self._model.thin_out(LATEST)
            self._begin_table()
        return scores

    def _learn(self) -> None:
        self._model.learn()
        self._links.rescore()
        targets, relevance = self._links.fetched()
        keys = self._links.keys
        asked = np.array([keys[target] not in self._examples for target in targets], bool)
        if asked.sum() >= FEWEST_TO_FIT:
            features = self._links.features(targets[asked])
            self.weights = fit(features, relevance[asked], self._guess)

    def scores(self, touched: Ints | None = None, least: float = 0.0) -> dict[int, Scored]:
        """Of all pages that were not fetched yet, or of those among the touched ones.

        Those that moved by less than ``least`` since they were last told are left out.
        """
        chosen = self._links.unfetched(touched)
        terms = self._links.features(chosen) * self.weights
        totals = terms.sum(axis=1)
        self._told.extend(np.full(len(self._links.keys) - self._told.size, np.inf))
        moved = np.abs(totals - self._told.all[chosen]) >= least
        chosen, totals, terms = chosen[moved], totals[moved], terms[moved]
        self._told.all[chosen] = totals
        keys = [self._links.keys[number] for number in chosen.tolist()]
        return dict(zip(keys, map(Scored, totals.tolist(), terms.tolist()), strict=True))


def fit(features: Floats, found: Floats, guess: Floats) -> Floats:
    """The weights that explain best what was found, without going far from the guess."""
    with_constant = np.column_stack((features, np.ones(len(features))))
    pull = np.append(np.full(len(guess), CERTAINTY), 1e-3)
    matrix = np.einsum("ij,ik->jk", with_constant, with_constant) + np.diag(pull)
    wanted = np.einsum("ij,i->j", with_constant, found) + pull * np.append(guess, 0.0)
    return np.asarray(np.linalg.solve(matrix, wanted)[:-1])
