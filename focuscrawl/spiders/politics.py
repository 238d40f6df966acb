"""The politics crawl: data/categories/politics.toml."""

from focuscrawl.spiders.base import CategorySpider


class PoliticsSpider(CategorySpider):
    name = "politics"
