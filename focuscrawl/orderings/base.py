"""What every ordering is given, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

Counts = Mapping[str, int]
Weights = Mapping[str, float]


class LinkView(NamedTuple):
    """A link as it stands on a page: where it leads, its text, the stems around it, its block."""

    target: int
    anchor: str
    context: Sequence[str]
    block: int


@dataclass(slots=True)
class PageView:
    """A fetched page as orderings see it; pages are known by number.

    ``example`` marks pages that are known to be about the topic, such as its seeds.
    """

    key: int
    text: Counts
    blocks: Sequence[Counts]
    links: Sequence[LinkView]
    title: Counts = field(default_factory=dict)
    headings: Counts = field(default_factory=dict)
    bold: Counts = field(default_factory=dict)
    anchors: Counts = field(default_factory=dict)
    depth: int = 0
    example: bool = False


class Topic(NamedTuple):
    """What an ordering is told of a topic: a few words that name it, and its vector."""

    words: Sequence[str]
    vector: Mapping[str, float]


class Scored(NamedTuple):
    """The place of a link (higher is sooner), and the terms it is made of, as far as there are."""

    score: float
    terms: Sequence[float] = ()


class LinkScorer(Protocol):
    """A strategy of choosing links."""

    names: Sequence[str]
    """Of the terms, in their order."""

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        """Learn from a page; the places of its links, and of others that have changed by it."""
