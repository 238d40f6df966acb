"""The crawl of any topic that a user wrote down in one file."""

from __future__ import annotations

from typing import Any

from focuscrawl.spiders.base import CategorySpider
from focuscrawl.topics.catalog import load_catalog
from focuscrawl.topics.category import Category, CategoryError


class TopicSpider(CategorySpider):
    """``scrapy crawl topic -a category=FILE_OR_NAME``"""

    name = "topic"

    def __init__(self, *args: Any, category: str = "", **kwargs: Any) -> None:
        self._wanted = category
        super().__init__(*args, **kwargs)

    def find_category(self) -> Category:
        self.catalog = load_catalog()
        if not self._wanted:
            known = ", ".join(self.catalog.names)
            raise CategoryError(f"say which topic: -a category=FILE.toml, or one of {known}")
        return self.catalog.find(self._wanted)
