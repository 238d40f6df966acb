"""The business crawl: data/categories/business.toml."""

from focuscrawl.spiders.base import CategorySpider


class BusinessSpider(CategorySpider):
    name = "business"
