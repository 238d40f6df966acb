"""The ordering that a crawl's settings name: the frontier's part of it, and its link scorer."""

from __future__ import annotations

import importlib
import logging
from typing import Any, cast

from focuscrawl.frontier.priority import ORDERINGS as FRONTIER_ORDERINGS
from focuscrawl.frontier.priority import Focused, Ordering
from focuscrawl.judge import Judge
from focuscrawl.orderings.base import Topic
from focuscrawl.orderings.registry import ORDERINGS as LINK_ORDERINGS
from focuscrawl.scoring import Scoring
from focuscrawl.scrapy_archive import cache_dir
from focuscrawl.semantics.dictionary import WordNetError
from focuscrawl.semantics.wordnet import WordNet

logger = logging.getLogger(__name__)

SCORE_UNIT = 2.0
"""A link that promises a page of the topic is worth so many thresholds of similarity."""


def load_ordering(name: str) -> Ordering:
    """The frontier's ordering by its short name or its class path."""
    if name in FRONTIER_ORDERINGS:
        return FRONTIER_ORDERINGS[name]()
    if name in LINK_ORDERINGS:
        return Focused()
    module, _, attribute = name.rpartition(".")
    try:
        return cast("Ordering", getattr(importlib.import_module(module), attribute)())
    except (ImportError, AttributeError, ValueError) as error:
        known = ", ".join(dict.fromkeys((*LINK_ORDERINGS, *FRONTIER_ORDERINGS)))
        raise ValueError(
            f"FOCUSCRAWL_ORDERING = {name!r}: {error}; use one of {known}, or a class path"
        ) from None


def term_names(name: str) -> tuple[str, ...]:
    """Of the terms that the ordering's link scorer keeps with each URL."""
    return LINK_ORDERINGS[name].names if name in LINK_ORDERINGS else ()


def load_scoring(settings: Any, judge: Judge) -> Scoring | None:
    """The link scorer of the ordering; None for orderings of the frontier alone."""
    name = settings["FOCUSCRAWL_ORDERING"]
    if name not in LINK_ORDERINGS or (name in FRONTIER_ORDERINGS and name != "focused"):
        return None
    category = judge.category
    topic = Topic(category.title.split(), judge.vectors.vector(category.name))
    ordering = LINK_ORDERINGS[name]
    own = name == "focused"
    unit = SCORE_UNIT * judge.thresholds[category.name].value if own else None
    return Scoring(
        ordering.make(topic, _wordnet(settings)), category.name, unit, ordering.reads_parts
    )


def _wordnet(settings: Any) -> WordNet | None:
    try:
        return WordNet.find(cache_dir(settings))
    except WordNetError as error:
        logger.warning("%s; links are scored without it", error)
        return None
