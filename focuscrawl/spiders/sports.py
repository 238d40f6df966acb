"""The sports crawl: data/categories/sports.toml."""

from focuscrawl.spiders.base import CategorySpider


class SportsSpider(CategorySpider):
    name = "sports"
