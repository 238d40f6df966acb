"""The technology crawl: data/categories/technology.toml."""

from focuscrawl.spiders.base import CategorySpider


class TechnologySpider(CategorySpider):
    name = "technology"
