"""The state of the sample web at one moment of the virtual clock, and how it moves on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from focuscrawl.newsweb.grammar import phrasebook
from focuscrawl.newsweb.newsroom import BACKLOG_DAYS, Newsroom
from focuscrawl.newsweb.records import (
    HOME_LATEST,
    HOME_TEASERS,
    Article,
    ArticleList,
    Change,
    Page,
)
from focuscrawl.newsweb.sites import SitePlan, site_plans
from focuscrawl.newsweb.timeline import DAY, HOUR, START

DEFAULT_PAGES = 2600
LEAST_PAGES = 200
STATICS = ("about", "contact", "terms", "offers")
_TRACKING = re.compile(r"utm_\w+|sid|ref")
_CALENDAR = re.compile(r"/(\d{4})/(\d{1,2})")


class World:
    """All sites together. Time only moves forward, and how it is cut into steps leaves no trace."""

    def __init__(self, seed: int, pages: int = DEFAULT_PAGES) -> None:
        if pages < LEAST_PAGES:
            raise ValueError(f"--pages {pages} is too few; give at least {LEAST_PAGES}")
        self.seed = seed
        self.now = START
        self.book = phrasebook()
        self.plans = site_plans()
        self.changes: list[Change] = []
        self._noted: set[Change] = set()
        self.lists: dict[str, list[ArticleList]] = {}
        self.home_changed: dict[str, int] = {}
        self.articles: list[Article] = []
        self._pages: dict[tuple[str, str], Page] = {}
        self._days = 0
        self._waiting: list[Article] = []
        self._room = Newsroom(self.book, list(self.plans.values()), seed)
        self._rate = pages * 0.9 / BACKLOG_DAYS / sum(p.weight for p in self.plans.values())
        self._found(round(pages * 0.9))

    def advance(self, hours: float) -> int:
        """Move the clock; the number of true changes on the way."""
        before, target = len(self.changes), self.now + round(hours * HOUR)
        while START + self._days * DAY <= target:
            for plan in self.plans.values():
                self._waiting += self._room.day(plan, self._days, self._rate * plan.weight)
            self._days += 1
        for at, kind, article in sorted(self._due(target), key=_order):
            self._apply(at, kind, article)
        self._waiting = [article for article in self._waiting if article.published > target]
        self.now = target
        return len(self.changes) - before

    def resolve(self, site: str, target: str) -> Page | None:
        """The page at an address as a browser sends it; None where there never was one."""
        plan, target = self.plans[site], clean(target)
        page = self._pages.get((site, target))
        if page is None:
            page = self._calendar(plan, target) or self._facets(plan, target)
        if page is None or page.listing is None:
            return page
        return page if page.number <= page.listing.pages else None

    def pages(self) -> Iterator[Page]:
        """Every page with an address of its own; of the endless ones, the entrances."""
        for page in self._pages.values():
            if page.listing is None or page.number <= page.listing.pages:
                yield page
        for plan in self.plans.values():
            if plan.calendar:
                yield Page("trap", plan, f"{plan.calendar}/2026/1", name="calendar")
            if plan.facets:
                yield Page("trap", plan, plan.facets, name="facets")

    def alive(self, article: Article) -> bool:
        """Whether a list may show it now."""
        end = article.end(self.now)
        return article.published <= self.now and (end is None or end.kind == "moved")

    def _found(self, articles: int) -> None:
        for plan in self.plans.values():
            self._add(Page("home", plan, "/"))
            self.lists[plan.name] = list(self._make_lists(plan))
            for listing in self.lists[plan.name]:
                if listing.kind == "section":
                    self._register(listing)
            for name in STATICS:
                self._add(Page("static", plan, f"/{name}", name=name))
        for article in sorted(self._room.backlog(articles), key=lambda a: a.published):
            self._publish(article, article.published)
        self.changes.clear()
        self._noted.clear()

    def _make_lists(self, plan: SitePlan) -> Iterator[ArticleList]:
        yield ArticleList(plan, plan.list.format(slug="archive"), "Archive", "section", frozenset())
        for section in plan.sections:
            topic = next(iter(section.topics)) if len(section.topics) == 1 else ""
            category = topic if topic in self.book.categories else None
            target = plan.list.format(slug=section.slug)
            yield ArticleList(
                plan, target, section.title, "section", section.topics, category=category
            )
        for name in sorted(plan.topics) if plan.tag else ():
            topic_ = self.book.topics[name]
            for beat in topic_.subtopics:
                target, title = plan.tag.format(slug=beat.name), beat.name.replace("-", " ").title()
                topics, category = frozenset((name,)), topic_.category
                yield ArticleList(plan, target, title, "tag", topics, beat.name, category)

    def _due(self, target: int) -> Iterator[tuple[int, str, Article]]:
        for article in self._waiting:
            if self.now < article.published <= target:
                yield article.published, "new", article
        for article in [*self.articles, *self._waiting]:
            end = article.timeline.end
            if end and max(self.now, article.published) < end.at <= target:
                yield end.at, end.kind, article
            for event in article.events(target):
                if event.at > self.now:
                    yield event.at, event.kind, article

    def _apply(self, at: int, kind: str, article: Article) -> None:
        if kind == "new":
            self._publish(article, at)
        elif kind in ("gone", "removed"):
            self._drop(article, at)
        if kind == "moved":
            page = Page(_kind(article), article.plan, article.moved_target, article)
            self._add(page)
            self._note(at, article.plan.name, article.moved_target, "new")
        self._note(at, article.plan.name, article.target, kind)
        if article.plan.print and not article.disallowed and kind not in ("moved", "structure"):
            target = article.plan.print.format(n=article.number)
            self._note(at, article.plan.name, target, kind)

    def _publish(self, article: Article, at: int) -> None:
        plan = article.plan
        self.articles.append(article)
        self._add(Page(_kind(article), plan, article.target, article))
        if plan.print and not article.disallowed:
            self._add(Page("print", plan, plan.print.format(n=article.number), article))
        for listing in self.lists[plan.name]:
            if listing.takes(article):
                listing.items.insert(0, article)
                self._roll(listing, 0, at)

    def _drop(self, article: Article, at: int) -> None:
        for listing in self.lists[article.plan.name]:
            if article in listing.items:
                index = listing.items.index(article)
                del listing.items[index]
                self._roll(listing, index, at)

    def _roll(self, listing: ArticleList, index: int, at: int) -> None:
        site = listing.plan.name
        for number in listing.touch(index, at):
            self._note(at, site, listing.page_target(number), "roll")
        self._register(listing)
        shown = HOME_TEASERS if listing.topics else HOME_LATEST
        if listing.kind == "section" and index < shown:
            self.home_changed[site] = at
            self._note(at, site, "/", "roll")

    def _register(self, listing: ArticleList) -> None:
        for number in range(1, listing.pages + 1):
            target = listing.page_target(number)
            self._add(Page(listing.kind, listing.plan, target, listing=listing, number=number))

    def _add(self, page: Page) -> None:
        self._pages.setdefault((page.plan.name, clean(page.target)), page)

    def _note(self, at: int, site: str, target: str, kind: str) -> None:
        change = Change(at, site, target, kind)
        if change not in self._noted:
            self._noted.add(change)
            self.changes.append(change)

    def _calendar(self, plan: SitePlan, target: str) -> Page | None:
        found = _CALENDAR.fullmatch(target.removeprefix(plan.calendar)) if plan.calendar else None
        if found is None or not 1 <= int(found[2]) <= 12:
            return None
        return Page("trap", plan, target, name="calendar")

    def _facets(self, plan: SitePlan, target: str) -> Page | None:
        if plan.facets and target.split("?")[0] == plan.facets:
            return Page("trap", plan, target, name="facets")
        return None


def clean(target: str) -> str:
    """One form for the many spellings of an address: no tracking, no dot segments, query sorted."""
    parts = urlsplit(target)
    kept: list[str] = []
    segments = unquote(parts.path).split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    path = "/" + "/".join(kept)
    if not parts.query:
        return path
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = urlencode(sorted(pair for pair in pairs if not _TRACKING.fullmatch(pair[0])))
    return f"{path}?{query}" if query else path


def _kind(article: Article) -> str:
    return "mirror" if article.source else "article"


def _order(due: tuple[int, str, Article]) -> tuple[int, bool, str, int]:
    """By time; what is published at a moment comes before what happens to it then."""
    at, kind, article = due
    return at, kind != "new", article.plan.name, article.number
