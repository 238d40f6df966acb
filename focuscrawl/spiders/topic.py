"""The crawl of any topic that a user wrote down in one file."""

from __future__ import annotations

from typing import Any

from focuscrawl.spiders.base import CategorySpider
from focuscrawl.topics.category import Category


class TopicSpider(CategorySpider):
    """``scrapy crawl topic -a category=FILE_OR_NAME``"""

    name = "topic"

    def __init__(self, *args: Any, category: str = "", **kwargs: Any) -> None:
        self._wanted = category
        super().__init__(*args, **kwargs)

    def find_category(self) -> Category | None:
        return self.catalog.find(self._wanted) if self._wanted else None
