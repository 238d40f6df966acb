"""robots.txt and the sitemaps: honest, lying, compressed, or missing, as each site's plan says."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from html import escape
from random import Random

from focuscrawl.newsweb.links import Links
from focuscrawl.newsweb.records import Article
from focuscrawl.newsweb.sites import SitePlan
from focuscrawl.newsweb.timeline import DAY, HOUR, stamp
from focuscrawl.newsweb.world import World

PER_FILE = 200
NEWS_WINDOW = 14 * DAY
ENTRANCES = {
    "index": ("/sitemap.xml",),
    "gz": ("/sitemap.xml.gz",),
    "plain": ("/sitemap.xml",),
    "news": ("/sitemap.xml", "/news-sitemap.xml"),
}
_NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
_NEWS = "http://www.google.com/schemas/sitemap-news/0.9"

Entry = tuple[str, int, str]
"""target, time of the last change, changefreq"""


class Sitemaps:
    """The machine-readable files of all sites."""

    def __init__(self, world: World, links: Links) -> None:
        self._world = world
        self._links = links

    def file(self, site: str, target: str) -> tuple[str, bytes] | None:
        """Content type and body of robots.txt or a sitemap, None for any other address."""
        plan = self._world.plans[site]
        if target == "/robots.txt":
            return "text/plain; charset=utf-8", self._robots(plan).encode()
        if not target.endswith((".xml", ".xml.gz")):
            return None
        for name, text in self._files(plan):
            if target == name:
                if name.endswith(".gz"):
                    return "application/gzip", gzip.compress(text.encode(), mtime=0)
                return "application/xml; charset=utf-8", text.encode()
        return None

    def _robots(self, plan: SitePlan) -> str:
        lines = ["User-agent: *", f"Disallow: {plan.disallow}"]
        lines += [
            f"Sitemap: {self._links.url(plan.name, target)}"
            for target in ENTRANCES.get(plan.sitemap, ())
        ]
        return "\n".join(lines) + "\n"

    def _files(self, plan: SitePlan) -> Iterator[tuple[str, str]]:
        entries = list(self._entries(plan)) if plan.sitemap else []
        if plan.sitemap == "index":
            chunks = [entries[i : i + PER_FILE] for i in range(0, len(entries), PER_FILE)]
            names = [f"/sitemap-{number}.xml" for number in range(1, len(chunks) + 1)]
            yield "/sitemap.xml", self._index(plan, names)
            for name, chunk in zip(names, chunks, strict=True):
                yield name, self._urlset(plan, chunk)
        elif plan.sitemap:
            ending = ".gz" if plan.sitemap == "gz" else ""
            yield f"/sitemap.xml{ending}", self._urlset(plan, entries)
        if plan.sitemap == "news":
            yield "/news-sitemap.xml", self._news(plan)

    def _entries(self, plan: SitePlan) -> Iterator[Entry]:
        yield "/", self._world.home_changed[plan.name], "hourly"
        for listing in self._world.lists[plan.name]:
            if listing.items:
                yield listing.target, listing.changed[1], "daily"
        for article in self._articles(plan):
            yield article.target, article.modified(self._world.now), "weekly"

    def _articles(self, plan: SitePlan) -> list[Article]:
        return [
            article
            for article in self._world.articles
            if article.plan is plan and article.listed and not article.end(self._world.now)
        ]

    def _urlset(self, plan: SitePlan, entries: Iterable[Entry]) -> str:
        urls = "".join(self._url(plan, entry) for entry in entries)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_NS}">{urls}</urlset>\n'

    def _url(self, plan: SitePlan, entry: Entry) -> str:
        target, modified, pace = entry
        location = f"<loc>{escape(self._links.url(plan.name, target))}</loc>"
        if plan.lastmod == "none":
            return f"<url>{location}<changefreq>{pace}</changefreq></url>"
        if plan.lastmod == "lies":
            modified = self._lie(target)
        return f"<url>{location}<lastmod>{stamp(modified)}</lastmod></url>"

    def _lie(self, target: str) -> int:
        """A date within the last two days that has nothing to do with the page."""
        rng = Random(f"{self._world.seed}/{target}/{self._world.now // DAY}")
        return self._world.now - rng.randint(1, 48) * HOUR

    def _index(self, plan: SitePlan, names: Iterable[str]) -> str:
        maps = "".join(
            f"<sitemap><loc>{escape(self._links.url(plan.name, name))}</loc></sitemap>"
            for name in names
        )
        head = '<?xml version="1.0" encoding="UTF-8"?>\n'
        return f'{head}<sitemapindex xmlns="{_NS}">{maps}</sitemapindex>\n'

    def _news(self, plan: SitePlan) -> str:
        since = self._world.now - NEWS_WINDOW
        items = "".join(
            f"<url><loc>{escape(self._links.url(plan.name, article.target))}</loc><news:news>"
            f"<news:publication><news:name>{escape(plan.title)}</news:name>"
            "<news:language>en</news:language></news:publication>"
            f"<news:publication_date>{stamp(article.published)}</news:publication_date>"
            f"<news:title>{escape(article.headline)}</news:title></news:news></url>"
            for article in self._articles(plan)
            if article.published >= since
        )
        head = '<?xml version="1.0" encoding="UTF-8"?>\n'
        return f'{head}<urlset xmlns="{_NS}" xmlns:news="{_NEWS}">{items}</urlset>\n'
