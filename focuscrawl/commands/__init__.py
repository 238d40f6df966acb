"""Commands that focuscrawl adds to ``scrapy``."""
