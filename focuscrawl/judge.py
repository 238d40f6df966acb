"""The judge of one crawl: what a page is about, by all that is known so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from focuscrawl.relevance.classifier import Classifier, Decision
from focuscrawl.relevance.learning import LearnedTerm, Spread, learn
from focuscrawl.relevance.thresholds import (
    Method,
    Observations,
    Threshold,
    initial_threshold,
    next_threshold,
    observe,
)
from focuscrawl.relevance.vectors import Scheme, TopicVectors
from focuscrawl.text import counts
from focuscrawl.topics.category import Category

_ANCHORS_REMEMBERED = 50_000
_BLOCK_SHARE = 0.5
NEAR_MISS_TERMS = 60


class Judge:
    """Classifier, thresholds and what the phase observes, for the crawl of one category.

    Thresholds carry over from phase to phase; in the first one that of the crawl's own
    category follows the seed pages as they come in.
    """

    def __init__(
        self,
        category: Category,
        categories: Mapping[str, Category],
        learned: Mapping[str, Mapping[str, float]],
        stored: Mapping[str, Any],
        scheme: Scheme = "weighted",
        method: Method = "split",
        alone: bool = False,
    ) -> None:
        self.category = category
        self._alone = category.name if alone else None
        self._categories = categories
        self._method = method
        self.vectors = TopicVectors(categories.values(), scheme, learned)
        self.thresholds = {
            name: Threshold(**stored[name]) if name in stored else initial_threshold([], each)
            for name, each in categories.items()
        }
        self._classifier = Classifier(self.vectors, self._values(), self._alone)
        self._seeds: list[float] = []
        self._first_phase = category.name not in stored
        self.seen = {name: Observations() for name in categories}
        self._anchors: dict[str, float] = {}

    def _values(self) -> dict[str, float]:
        return {name: threshold.value for name, threshold in self.thresholds.items()}

    def decide(
        self, page: Mapping[str, int], anchor: Mapping[str, int], *, seed: bool = False
    ) -> Decision:
        """Judge a page; in the first phase a seed page also moves the threshold."""
        if seed and self._first_phase:
            self._seeds.append(self.vectors.similarity(self.category.name, page))
            self.thresholds[self.category.name] = initial_threshold(
                self._seeds, self.category, self._method
            )
            self._classifier = Classifier(self.vectors, self._values(), self._alone)
        decision = self._classifier.decide(page, anchor or None)
        observe(self.seen, decision)
        return decision

    def relevance(self, block: Mapping[str, int]) -> float:
        """How near a block is to the crawl's own category."""
        return self.vectors.similarity(self.category.name, block) if block else 0.0

    def is_relevant(self, relevance: float) -> bool:
        """Whether a block of that relevance leads on directly, not through a tunnel."""
        return relevance >= _BLOCK_SHARE * self.thresholds[self.category.name].value

    def anchor_similarity(self, anchor: str) -> float:
        """How near a link's text is to the crawl's own category; menus repeat, so remembered."""
        known = self._anchors.get(anchor)
        if known is None:
            if len(self._anchors) >= _ANCHORS_REMEMBERED:
                self._anchors.clear()
            known = self._anchors[anchor] = self.relevance(counts(anchor))
        return known

    def next_thresholds(self) -> dict[str, dict[str, Any]]:
        """What the next phase starts from, ready to be stored."""
        name = self.category.name
        after = {**self.thresholds}
        after[name] = next_threshold(self.thresholds[name], self.seen[name], self._method)
        return {name: asdict(threshold) for name, threshold in after.items()}

    def present_thresholds(self) -> dict[str, dict[str, Any]]:
        return {name: asdict(threshold) for name, threshold in self.thresholds.items()}

    def learn(
        self,
        near_misses: Mapping[str, int],
        kept_texts: Iterable[tuple[str, str]],
        phase: int,
        limit: int,
    ) -> list[LearnedTerm]:
        """The terms that the phase adds to the crawl's own category.

        ``kept_texts`` are pages of all categories, each with its category's name.
        """
        own, others = Spread(), Spread()
        for name, text in kept_texts:
            (own if name == self.category.name else others).add(counts(text))
        vectors = {name: self.vectors.vector(name) for name in self.vectors.names}
        return learn(self.category.name, near_misses, vectors, phase, limit, own, others)


def near_miss_counts(page: Mapping[str, int]) -> dict[str, int]:
    """The part of a near miss that is worth keeping: its most frequent stems."""
    ranked = sorted(page.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:NEAR_MISS_TERMS])
