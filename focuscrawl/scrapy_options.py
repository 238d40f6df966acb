"""Every setting of focuscrawl, once: its default and its meaning. docs/settings.md follows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """A setting: what it is when nobody sets it, and what it does."""

    name: str
    default: object
    meaning: str


OPTIONS = (
    Option(
        "FOCUSCRAWL_DIR", "", "Folder of the store; empty: `focuscrawl` in Scrapy's data folder"
    ),
    Option("FOCUSCRAWL_BUDGET", 1000, "Fetches per run; 0: no limit"),
    Option("FOCUSCRAWL_DAY_BUDGET", 0, "Fetches of a category in 24 hours; 0: no limit"),
    Option("FOCUSCRAWL_MAX_DEPTH", 20, "Links from a seed beyond which nothing is followed"),
    Option("FOCUSCRAWL_MAX_LEVEL", 3, "Irrelevant pages in a row that a tunnel may pass"),
    Option(
        "FOCUSCRAWL_MAX_LINKS", 2000, "Links read from one page; the rest is counted and dropped"
    ),
    Option("FOCUSCRAWL_HOST_CAP", 0, "Fetches from one host per run; 0: no limit"),
    Option(
        "FOCUSCRAWL_ORDERING",
        "focused",
        "`focused`, `blocks`, `ic`, any that `scrapy evaluate` compares, or a class path",
    ),
    Option(
        "FOCUSCRAWL_REVISIT_POLICY",
        "fresh",
        "`fresh`, any that `scrapy evaluate-revisit` compares, `order`: all pages in each phase, "
        "or a class path",
    ),
    Option("FOCUSCRAWL_REVISIT_SHARE", 0.5, "Part of a run's budget that known pages take first"),
    Option("FOCUSCRAWL_MAX_AGE_DAYS", 90, "Days after which a known page is next; 0: no limit"),
    Option("FOCUSCRAWL_WEIGHTS", "weighted", "Category vectors: `weighted`, or `unit` weights"),
    Option("FOCUSCRAWL_THRESHOLD", "split", "How thresholds are found: `split`, or the `mean`"),
    Option("FOCUSCRAWL_LEARN_TERMS", 10, "Terms a category may learn per phase; 0: none"),
    Option("FOCUSCRAWL_CHANGES", "full", "Compare whole pages (`full`), or known `parts` alone"),
    Option("FOCUSCRAWL_DYNAMICITY", "content", "Changes that raise a page: of `content`, or `all`"),
    Option("FOCUSCRAWL_HINTS", True, "Read sitemaps and feeds, believe hints, ask conditionally"),
    Option("FOCUSCRAWL_CLOCK_OFFSET", 0, "Seconds added to the clock, for webs with their own"),
    Option(
        "FOCUSCRAWL_CLOCK",
        "",
        "Time at which a run begins, a date or seconds since 1970; empty: now",
    ),
    Option("FOCUSCRAWL_RECORD", "", "Folder to record the crawl into, as WARC; empty: none"),
    Option(
        "FOCUSCRAWL_RECORD_MB",
        1000,
        "Megabytes after which a recording goes on in a new file; 0: never",
    ),
    Option("FOCUSCRAWL_ARCHIVE", "", "WARC file, or folder of such, to replay; empty: live web"),
    Option("FOCUSCRAWL_KEEP_COPIES", 10, "Versions kept of a page; 0: all"),
    Option("FOCUSCRAWL_KEEP_DAYS", 365, "Days for which old versions are kept; 0: for ever"),
    Option("FOCUSCRAWL_MAX_ATTEMPTS", 3, "Failed visits after which a URL is given up"),
    Option(
        "FOCUSCRAWL_RETRY_SECONDS", 300, "Wait before a failed URL comes back, doubled each time"
    ),
    Option("FOCUSCRAWL_WEBHOOK", "", "URL that content changes are posted to; empty: none"),
    Option("FOCUSCRAWL_WEBHOOK_SECRET", "", "Key that alerts are signed with; empty: unsigned"),
    Option(
        "FOCUSCRAWL_PROGRESS", True, "Show progress: a live table, or lines when not a terminal"
    ),
)
DEFAULTS: dict[str, object] = {option.name: option.default for option in OPTIONS}

CANNOT_START = "cannot start"
"""Finish reason of a crawl that could not begin."""

META_LEASE = "focuscrawl_lease"
"""Request meta: the frontier's lease under which a URL is fetched."""
META_SEED = "focuscrawl_seed"
"""Request meta: the URL is a seed of the crawl."""
META_SOURCE = "focuscrawl_source"
"""Request meta: the sitemap or feed that is read."""
META_PAUSE = "focuscrawl_pause"
"""Request meta: the seconds for which the host asked to be left alone."""
