"""The private parts of Scrapy that we touch, all in one place, each guarded.

A new version of Scrapy may move them. Every hook then degrades: the heartbeat wakes
the engine, and the configured delay is taken for the one in force.
"""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler


def wake(crawler: Crawler) -> None:
    """Make the engine ask the scheduler at once instead of at its next heartbeat."""
    slot = getattr(crawler.engine, "_slot", None)
    if slot is not None:
        slot.nextcall.schedule()


def delay_of(crawler: Crawler, host: str) -> float:
    """The delay in force for a host, AutoThrottle's included; a replay asks nobody."""
    if crawler.settings.get("FOCUSCRAWL_ARCHIVE"):
        return 0.0
    downloader: Any = getattr(crawler.engine, "downloader", None)
    slot = getattr(downloader, "slots", {}).get(host)
    if slot is not None:
        return float(slot.delay)
    own = getattr(downloader, "per_slot_settings", {}).get(host, {})
    return float(own.get("delay", crawler.settings.getfloat("DOWNLOAD_DELAY")))


def limit_delay(crawler: Crawler, host: str, delay: float) -> None:
    """Ask a host no faster than that, from now on."""
    delay = max(delay, delay_of(crawler, host))
    downloader: Any = getattr(crawler.engine, "downloader", None)
    slot = getattr(downloader, "slots", {}).get(host)
    if slot is not None:
        slot.delay = delay
        slot.jitter = 0.0
    own = getattr(downloader, "per_slot_settings", None)
    if own is not None:
        own[host] = {**own.get(host, {}), "delay": delay, "jitter": 0.0}


def sitemaps_in(robotparser: object) -> list[str]:
    """The addresses in the ``Sitemap:`` lines of a robots.txt that Protego has read."""
    return list(getattr(getattr(robotparser, "rp", None), "sitemaps", ()))
