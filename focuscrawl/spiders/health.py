"""The health crawl: data/categories/health.toml."""

from focuscrawl.spiders.base import CategorySpider


class HealthSpider(CategorySpider):
    name = "health"
