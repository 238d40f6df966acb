"""What the stations of one crawl share: its category, its stores, its judge."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.project import data_path

from focuscrawl.archive.archive import Archive
from focuscrawl.budget import DAY, Budget
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.judge import Judge
from focuscrawl.repository.records import Phase
from focuscrawl.repository.store import Repository
from focuscrawl.scrapy_archive import clock_offset, described, open_archive
from focuscrawl.scrapy_orderings import load_ordering, load_scoring
from focuscrawl.scrapy_revisits import load_plan
from focuscrawl.topics.catalog import Catalog, load_catalog
from focuscrawl.topics.category import Category
from focuscrawl.urls import AllowedSites

logger = logging.getLogger(__name__)

_rings: WeakKeyDictionary[Crawler, Ring]


def store_dir(settings: Any) -> Path:
    """The folder of the store: the setting's, else in Scrapy's own data folder."""
    return Path(settings.get("FOCUSCRAWL_DIR") or data_path("focuscrawl"))


def header_map(response: Response) -> dict[str, str]:
    """The headers of an answer by lower-case name, the first of each."""
    return {
        name.decode("latin-1").lower(): values[0].decode("latin-1")
        for name, values in response.headers.items()
        if values
    }


class Ring:
    """Opened when a crawl really starts, so that shell, check and list leave no files behind."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.settings = crawler.settings
        self.is_open = False
        self.allowed = AllowedSites(())
        self.archive: Archive | None = None
        self.budget = Budget(self.settings.getint("FOCUSCRAWL_BUDGET"))
        self._clock_offset = self.settings.getfloat("FOCUSCRAWL_CLOCK_OFFSET")

    @classmethod
    def of(cls, crawler: Crawler) -> Ring:
        """The one ring of a crawler."""
        if crawler not in _rings:
            _rings[crawler] = cls(crawler)
        return _rings[crawler]

    def open(self, category: Category, catalog: Catalog | None = None) -> None:
        """Open the stores and begin (or resume) a phase of the category."""
        if self.is_open:
            return
        self.open_archive()
        folder = store_dir(self.settings)
        self.category = category
        self.allowed = AllowedSites(category.domains)
        catalog = catalog or load_catalog()
        self.repository = Repository(
            folder / "repository.sqlite",
            keep_copies=self.settings.getint("FOCUSCRAWL_KEEP_COPIES"),
            keep_days=self.settings.getfloat("FOCUSCRAWL_KEEP_DAYS"),
        )
        self.phase: Phase = self.repository.learned.begin_phase(category.name)
        self.judge = Judge(
            category,
            {**catalog, category.name: category},
            self.repository.learned.terms(),
            self.phase.thresholds,
            scheme=self.settings["FOCUSCRAWL_WEIGHTS"],
            method=self.settings["FOCUSCRAWL_THRESHOLD"],
            alone=category.name not in catalog,
        )
        self.budget.day = self.settings.getint("FOCUSCRAWL_DAY_BUDGET")
        self.budget.spent_today = self.repository.learned.fetched_since(
            category.name, self.now() - DAY
        )
        self.frontier = SqliteFrontier(
            folder / "frontier.sqlite",
            category.name,
            phase=self.phase.number,
            ordering=load_ordering(self.settings["FOCUSCRAWL_ORDERING"]),
            clock=self.now,
            believe_hints=self.settings.getbool("FOCUSCRAWL_HINTS"),
            plan=load_plan(self.settings, self.budget),
        )
        self.scoring = load_scoring(self.settings, self.judge)
        if self.phase.number > 1 and not self.phase.resumed:
            stems = self.repository.learned.stems_of(category.name, self.phase.number - 1)
            self.frontier.begin_phase(self.phase.number, self.judge.anchor_similarity, stems)
        self.is_open = True

    def open_archive(self) -> None:
        """Open what is replayed, if anything is; the crawl's clock begins to run."""
        if self.archive is not None:
            return
        self.archive = open_archive(self.settings)
        self._clock_offset = clock_offset(self.settings, self.archive)
        if self.archive is not None:
            self.count_skipped(self.archive.index.skipped())
            logger.info(described(self.archive, self.now()))

    def count_skipped(self, skipped: Mapping[str, int]) -> None:
        """What of the archive could not be used, by reason."""
        for reason, number in skipped.items():
            self.count(f"archive/skipped/{reason.replace(' ', '_')}", number)

    def now(self) -> float:
        """The time by the crawl's clock."""
        return time.time() + self._clock_offset

    def count(self, key: str, number: int = 1) -> None:
        """Add to one of our own stats."""
        assert self.crawler.stats is not None
        if number:
            self.crawler.stats.inc_value(f"focuscrawl/{key}", number)

    def note_thresholds(self) -> None:
        """Seeds moved a threshold: a run that is killed must find it again."""
        self.repository.learned.note_phase(self.phase, self.judge.present_thresholds(), 0, 0)

    def stat(self, key: str) -> int:
        assert self.crawler.stats is not None
        return int(self.crawler.stats.get_value(f"focuscrawl/{key}", 0))

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self.frontier.close()
            self.repository.close()
            if self.archive is not None:
                self.archive.close()


_rings = WeakKeyDictionary()
