"""What is true of the sample web, for those who measure a crawler. The crawler must not ask."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import parse_qs, urlsplit

from focuscrawl.newsweb.links import Links
from focuscrawl.newsweb.records import Article, Page
from focuscrawl.newsweb.timeline import stamp
from focuscrawl.newsweb.world import World

Record = dict[str, Any]


class RequestLog:
    """Who asked for what, in order."""

    def __init__(self) -> None:
        self.fetched: list[tuple[str, str, int]] = []
        self.disallowed: Counter[str] = Counter()

    def note(self, site: str, target: str, status: int, *, disallowed: bool) -> None:
        """One answered request."""
        self.fetched.append((site, target, status))
        self.disallowed[site] += disallowed

    def reset(self) -> None:
        """Forget everything, as before the first request."""
        self.fetched.clear()
        self.disallowed.clear()

    def summary(self) -> Record:
        """Counts per site, and the list itself."""
        sites: dict[str, Record] = {}
        for site, _, status in self.fetched:
            row = sites.setdefault(site, {"requests": 0, "status": Counter(), "disallowed": 0})
            row["requests"] += 1
            row["status"][str(status)] += 1
        for site, count in self.disallowed.items():
            sites[site]["disallowed"] = count
        return {"sites": sites, "fetched": self.fetched}


class Truth:
    """Answers of the truth port as plain values."""

    def __init__(self, world: World, links: Links, log: RequestLog) -> None:
        self._world = world
        self._links = links
        self._log = log

    def answer(self, target: str) -> Record | None:
        """The answer to one request; None for an unknown address."""
        parts = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        match parts.path:
            case "/truth":
                return self._truth(query)
            case "/changes":
                return self._changes(float(query.get("since", 0)))
            case "/advance":
                return {"changes": self._advance(float(query.get("hours", 1))), **self._clock()}
            case "/clock":
                return self._clock()
            case "/log":
                return self._log.summary()
            case "/reset-log":
                self._log.reset()
                return self._log.summary()
        return None

    def record(self, page: Page) -> Record:
        """All that is true of one page now."""
        url = self._links.url(page.plan.name, page.target)
        record: Record = {
            "url": url,
            "site": page.plan.name,
            "kind": page.kind,
            "category": page.listing.category if page.listing else None,
            "canonical": url,
            "duplicate_of": None,
            "disallowed": False,
            "status": 200,
        }
        if page.article:
            record.update(self._article(page, page.article))
        return record

    def _article(self, page: Page, article: Article) -> Record:
        now = self._world.now
        original = article.source or article
        canonical = self._links.url(original.plan.name, self._present_target(original))
        status, end = 200, article.end(now)
        if end and page.target != article.moved_target:
            status = {"gone": 404, "removed": 410, "moved": 200 if page.kind == "print" else 301}[
                end.kind
            ]
        own = self._links.url(page.plan.name, page.target)
        return {
            "category": article.brief.topic.category,
            "topic": article.brief.topic.name,
            "subtopic": article.brief.subtopic.name,
            "hard": article.brief.recipe.name != "plain",
            "tunnel": article.tunnel,
            "edited": article.edited,
            "title": article.headline,
            "published": stamp(article.published),
            "modified": stamp(article.modified(now)),
            "canonical": canonical,
            "duplicate_of": canonical if own != canonical else None,
            "disallowed": article.disallowed,
            "status": status,
        }

    def _present_target(self, article: Article) -> str:
        end = article.end(self._world.now)
        return article.moved_target if end and end.kind == "moved" else article.target

    def _truth(self, query: dict[str, str]) -> Record:
        if "url" not in query:
            return {"pages": [self.record(page) for page in self._world.pages()], **self._clock()}
        parts = urlsplit(query["url"])
        for site, base in self._links.bases.items():
            if urlsplit(base).netloc == parts.netloc.lower():
                target = f"{parts.path or '/'}?{parts.query}"
                page = self._world.resolve(site, target)
                return {"page": self.record(page) if page else None}
        return {"page": None}

    def _changes(self, since: float) -> Record:
        rows = [
            {
                "url": self._links.url(change.site, change.target),
                "site": change.site,
                "at": change.at,
                "time": stamp(change.at),
                "kind": change.kind,
            }
            for change in self._world.changes
            if change.at > since
        ]
        return {"changes": rows, **self._clock()}

    def _advance(self, hours: float) -> int:
        if not 0 <= hours <= 24 * 366:
            raise ValueError(f"hours={hours:g}: give 0 to {24 * 366}; the clock never goes back")
        return self._world.advance(hours)

    def _clock(self) -> Record:
        return {"now": self._world.now, "time": stamp(self._world.now)}
