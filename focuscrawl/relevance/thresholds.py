"""How near is near enough: one threshold per category and phase of the crawl.

``mean`` is the documents' rule: the mean similarity of the pages that describe the category. Each
phase then measures only what the last one let through, so it climbs and throws away about half
of what it should keep. ``split``, the default, looks at both sides instead: how near the pages
come to which this is the nearest category (kept or not), and how near those come to which it is
only second best, by accident of a few words. It takes the value that parts the two best. Neither
side is cut off by the threshold in force, and the value stays within a factor of two of the
first phase's, so that it cannot drift.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import sqrt
from statistics import fmean, pstdev
from typing import Any, Literal

from focuscrawl.relevance.classifier import Decision
from focuscrawl.topics.category import Category

Method = Literal["split", "mean"]
METHODS: tuple[Method, ...] = ("split", "mean")

DEFAULT_THRESHOLD = 0.07
"""Where nothing has been measured. Most on-topic texts come nearer than this to their category;
most off-topic headlines do not, but of long off-topic pages about half do: a wide vocabulary
holds a few terms of every topic. A crawl measures its own value from the second phase on."""

SEED_FLOOR, SEED_CEILING = 0.6 * DEFAULT_THRESHOLD, 2 * DEFAULT_THRESHOLD
"""Seeds are few and mixed (home and section pages): what they suggest is held within these."""

DRIFT = 2.0
"""Later phases stay within first value / DRIFT and first value × DRIFT."""

ENOUGH = 20
"""Pages needed on either side before a split means anything."""

BINS = 200


@dataclass(frozen=True, slots=True)
class Threshold:
    """A category's threshold, where it comes from, and the first phase's value it is tied to."""

    value: float
    source: str
    first: float


@dataclass(slots=True)
class Histogram:
    """Similarities seen, in constant space: counts over 0..1, and the exact mean and deviation."""

    bins: list[int] = field(default_factory=lambda: [0] * BINS)
    total: float = 0.0
    squares: float = 0.0

    def add(self, similarity: float) -> None:
        self.bins[min(BINS - 1, max(0, int(similarity * BINS)))] += 1
        self.total += similarity
        self.squares += similarity * similarity

    def extend(self, similarities: Iterable[float]) -> None:
        for similarity in similarities:
            self.add(similarity)

    @property
    def count(self) -> int:
        return sum(self.bins)

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def deviation(self) -> float:
        return sqrt(max(0.0, self.squares / self.count - self.mean**2)) if self.count else 0.0

    def as_dict(self) -> dict[str, Any]:
        """For storing as JSON; :meth:`from_dict` reads it back."""
        return {"bins": self.bins, "total": self.total, "squares": self.squares}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Histogram:
        return cls([int(n) for n in stored["bins"]], stored["total"], stored["squares"])

    def __add__(self, other: Histogram) -> Histogram:
        bins = [a + b for a, b in zip(self.bins, other.bins, strict=True)]
        return Histogram(bins, self.total + other.total, self.squares + other.squares)


@dataclass(slots=True)
class Observations:
    """What one category has seen in a phase, fed page by page with :meth:`add`.

    ``kept`` and ``missed`` are pages nearest to this category, over and under the threshold;
    ``second`` are pages nearest to another one, with this the runner-up. All hold the total
    similarity to this category.
    """

    kept: Histogram = field(default_factory=Histogram)
    missed: Histogram = field(default_factory=Histogram)
    second: Histogram = field(default_factory=Histogram)

    def add(self, similarity: float, own: bool, kept: bool) -> None:
        side = self.second if not own else self.kept if kept else self.missed
        side.add(similarity)

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name).as_dict() for name in ("kept", "missed", "second")}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Observations:
        return cls(**{name: Histogram.from_dict(hist) for name, hist in stored.items()})


def observe(seen: Mapping[str, Observations], decision: Decision) -> None:
    """Enter one page's decision where it counts: its nearest category, and the runner-up."""
    if decision.category is None:
        return
    seen[decision.category].add(decision.similarity, own=True, kept=decision.kept)
    others = {name: score for name, score in decision.scores.items() if name != decision.category}
    second = max(others, key=others.__getitem__, default=None)
    if second is not None and others[second] > 0:
        seen[second].add(others[second], own=False, kept=False)


def initial_threshold(
    seed_similarities: Sequence[float], category: Category, method: Method = "split"
) -> Threshold:
    """The first phase's threshold, from the seed pages unless the category's file gives one.

    Seed pages carry no anchor text, and home pages among them speak of everything: ``split``
    takes the mean minus one standard deviation, within fixed bounds; ``mean`` the mean.
    """
    if category.threshold is not None:
        return Threshold(category.threshold, f"given in {category.origin}", category.threshold)
    seen = [similarity for similarity in seed_similarities if similarity > 0]
    if not seen:
        return Threshold(DEFAULT_THRESHOLD, "default: no seed page seen", DEFAULT_THRESHOLD)
    if method == "mean":
        value, how = fmean(seen), "mean"
    else:
        value = min(SEED_CEILING, max(SEED_FLOOR, fmean(seen) - pstdev(seen)))
        how = f"mean − deviation, within {SEED_FLOOR:g}..{SEED_CEILING:g},"
    return Threshold(value, f"{how} of {len(seen)} seed pages", value)


def next_threshold(previous: Threshold, seen: Observations, method: Method = "split") -> Threshold:
    """The next phase's threshold, from what the phase that ends has seen."""
    if method == "mean":
        if not seen.kept.count:
            return previous
        source = f"mean of {seen.kept.count} kept pages"
        return Threshold(seen.kept.mean, source, previous.first)
    own = seen.kept + seen.missed
    if min(own.count, seen.second.count) < ENOUGH:
        return previous
    split = best_split(own, seen.second)
    if split is None:
        return previous
    low, high = previous.first / DRIFT, min(1.0, previous.first * DRIFT)
    value = min(high, max(low, split))
    return Threshold(
        value, f"split of {own.count} own and {seen.second.count} second-best pages", previous.first
    )


def best_split(own: Histogram, other: Histogram) -> float | None:
    """The bin edge with the largest share of own pages at or over it and of others under it.

    Shares, not counts: a category with few pages on the web is parted as sharply as a big one.
    Between equally good edges the middle one is taken. None when no edge does better than chance.
    """
    own_under = [0, *accumulate(own.bins)]
    other_under = [0, *accumulate(other.bins)]
    gain = [b / other.count - a / own.count for a, b in zip(own_under, other_under, strict=True)]
    best = max(gain)
    if best <= 0:
        return None
    edges = [edge for edge, value in enumerate(gain) if value >= best - 1e-12]
    return edges[len(edges) // 2] / BINS


def resting_thresholds(categories: Iterable[Category]) -> dict[str, float]:
    """Every category's threshold where no crawl has measured one."""
    return {
        category.name: DEFAULT_THRESHOLD if category.threshold is None else category.threshold
        for category in categories
    }
