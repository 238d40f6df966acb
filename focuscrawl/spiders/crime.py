"""The crime crawl: data/categories/crime.toml."""

from focuscrawl.spiders.base import CategorySpider


class CrimeSpider(CategorySpider):
    name = "crime"
