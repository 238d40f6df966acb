"""What the sample web consists of: articles, the lists that show them, and pages as asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from focuscrawl.newsweb.grammar import Phrasebook
from focuscrawl.newsweb.sites import SectionPlan, SitePlan
from focuscrawl.newsweb.story import Brief, Story, corrected, edited_copy, updated
from focuscrawl.newsweb.timeline import Event, Timeline

PAGE_SIZE = 20
HOME_TEASERS = 4
HOME_LATEST = 6


@dataclass(eq=False, slots=True)
class Article:
    """An article at its address. A mirror prints its source's text and follows its changes."""

    plan: SitePlan
    number: int
    target: str
    brief: Brief
    published: int
    timeline: Timeline
    first: Story
    source: Article | None = None
    edited: bool = False
    tunnel: bool = False
    disallowed: bool = False
    related: list[Article] = field(default_factory=list)
    inline: list[Article] = field(default_factory=list)
    files: list[Article] = field(default_factory=list)
    _stories: list[Story] = field(default_factory=list)

    @property
    def listed(self) -> bool:
        """Whether sections, boxes and sitemaps may show it."""
        return not (self.tunnel or self.disallowed)

    @property
    def section(self) -> SectionPlan:
        """Where its site files it."""
        return self.plan.section_of(self.brief.topic.name)

    @property
    def headline(self) -> str:
        """As its own site prints it; headlines are never changed."""
        return edited_copy(self.first).headline if self.edited else self.first.headline

    @property
    def moved_target(self) -> str:
        """Where it lies after it has moved."""
        return f"/moved/{self.number}"

    def end(self, now: int) -> Event | None:
        """How it came to its end, if it did."""
        end = self.timeline.end
        return end if end and end.at <= now else None

    def events(self, now: int) -> list[Event]:
        """Its changes since it was published."""
        return [event for event in self.timeline.until(now) if event.at >= self.published]

    def modified(self, now: int) -> int:
        """When its content last changed."""
        events = self.events(now)
        return events[-1].at if events else self.published

    def layout(self, now: int) -> int:
        """How often its markup was rebuilt."""
        return sum(event.kind == "structure" for event in self.timeline.until(now))

    def story(self, book: Phrasebook, now: int) -> Story:
        """The text at this moment; every version is written once and kept."""
        if self.source:
            story = self.source.story(book, now)
            return edited_copy(story) if self.edited else story
        events = self.timeline.until(now)
        if not self._stories:
            self._stories.append(self.first)
        for version in range(len(self._stories), len(events) + 1):
            self._stories.append(self._next(book, events[version - 1], version))
        return self._stories[len(events)]

    def _next(self, book: Phrasebook, event: Event, version: int) -> Story:
        key = f"{self.brief.key}/{version}"
        story = self._stories[-1]
        if event.kind == "correction":
            return corrected(book, self.brief, story, key)
        return updated(book, self.brief, story, key) if event.kind == "update" else story


@dataclass(eq=False, slots=True)
class ArticleList:
    """A section, tag or archive: its articles, newest first, on numbered pages."""

    plan: SitePlan
    target: str
    title: str
    kind: str
    topics: frozenset[str]
    beat: str = ""
    category: str | None = None
    items: list[Article] = field(default_factory=list)
    changed: dict[int, int] = field(default_factory=dict)

    def takes(self, article: Article) -> bool:
        """Whether this list shows that article."""
        named = not self.topics or article.brief.topic.name in self.topics
        return article.listed and named and self.beat in ("", article.brief.subtopic.name)

    @property
    def pages(self) -> int:
        """How many numbered pages it has; an empty list still has one."""
        return max(1, -(-len(self.items) // PAGE_SIZE))

    def slice(self, number: int) -> Sequence[Article]:
        """The articles of one page."""
        return self.items[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]

    def page_target(self, number: int) -> str:
        """The address of one page; the first has the list's own."""
        return self.target + self.plan.paging.format(k=number) if number > 1 else self.target

    def touch(self, index: int, at: int) -> Iterator[int]:
        """Mark the pages that change when the article at this place comes or goes."""
        for number in range(index // PAGE_SIZE + 1, self.pages + 1):
            self.changed[number] = at
            yield number


@dataclass(frozen=True, slots=True)
class Page:
    """What an address stands for."""

    kind: str
    plan: SitePlan
    target: str
    article: Article | None = None
    listing: ArticleList | None = None
    number: int = 1
    name: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A true change of a page: what a perfect observer would have noticed."""

    at: int
    site: str
    target: str
    kind: str
