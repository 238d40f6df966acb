"""What every station has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from focuscrawl.scrapy_ring import Ring

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Station:
    """A pipeline stage: reads fields of the item, calls the domain, writes fields."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Ring.of(crawler))
