"""Pages as HTML: the site's theme around the content, with the boxes that news sites carry.

Boxes and tokens flicker (with the hour, or with every request) while the content stands still;
telling the one from the other is the crawler's task.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from random import Random

from focuscrawl.newsweb.links import Links
from focuscrawl.newsweb.oddities import calendar_page, facet_page
from focuscrawl.newsweb.records import HOME_LATEST, HOME_TEASERS, Article, ArticleList, Page
from focuscrawl.newsweb.sites import SitePlan
from focuscrawl.newsweb.story import Section, Story
from focuscrawl.newsweb.timeline import HOUR, stamp
from focuscrawl.newsweb.world import STATICS, World

TOKEN = "@@token@@"  # noqa: S105 - a mark in the page, filled in per request
"""Stands in cached pages where each request gets a fresh token."""

_REBUILT = ('<div class="rebuilt">', "</div>")
_NESTED = ('<div class="rebuilt"><div>', "</div></div>")


class Renderer:
    """Writes any page of the world at the world's present moment."""

    def __init__(self, world: World, links: Links) -> None:
        self._world = world
        self._links = links

    def html(self, page: Page) -> str:
        """The whole document."""
        if page.kind == "print" and page.article:
            return self._print(page, page.article)
        title, main = self._content(page)
        plan = page.plan
        body = plan.theme.page.substitute(
            site=escape(plan.title),
            motto=escape(plan.motto),
            date=self._date(),
            nav=self._nav(plan),
            main=main,
            side=self._side(page),
            footer=self._footer(plan),
        )
        return self._document(page, title, body)

    def _content(self, page: Page) -> tuple[str, str]:
        if page.article:
            return page.article.headline, self._article(page.article)
        if page.listing:
            return page.listing.title, self._list(page.listing, page.number)
        if page.kind == "home":
            return page.plan.title, self._home(page.plan)
        if page.kind == "static":
            return page.name.capitalize(), self._static(page)
        if page.name == "calendar":
            return "Calendar", calendar_page(self._world.book, page)
        return "Browse", facet_page(page, self._world.lists[page.plan.name])

    def _document(self, page: Page, title: str, body: str) -> str:
        head = f"<title>{escape(title)} - {escape(page.plan.title)}</title>"
        canonical = self._canonical(page)
        if canonical:
            head += f'<link rel="canonical" href="{escape(canonical)}">'
        if page.plan.frequency_meta:
            pace = "PERIODIC=7" if page.article else "STATIC"
            pace = "VARIABLE" if page.listing or page.kind == "home" else pace
            head += f'<meta name="change-frequency" content="{pace}">'
        return (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"{head}<style>{page.plan.theme.css}</style></head><body>{body}</body></html>\n"
        )

    def _canonical(self, page: Page) -> str:
        """Print versions and exact wire copies name the original, as careful sites do."""
        article = page.article
        if article is None or article.edited:
            return ""
        if article.source and article.number % 3:
            return self._links.url(article.source.plan.name, article.source.target)
        return self._links.url(page.plan.name, article.target)

    def _article(self, article: Article) -> str:
        story = article.story(self._world.book, self._world.now)
        plan = article.plan
        section = plan.section_of(article.brief.topic.name)
        extra = ""
        if plan.print:
            extra = _anchor(plan.print.format(n=article.number), "Print this page")
        return plan.theme.article.substitute(
            headline=escape(story.headline, quote=False),
            author=story.author,
            published=_day(article.published),
            crumb=_anchor(plan.list.format(slug=section.slug), section.title),
            tags=self._tags(article),
            extra=extra if not article.disallowed else "",
            body=self._body(article, story) + self._files(article),
        )

    def _body(self, article: Article, story: Story) -> str:
        layout = article.layout(self._world.now) % 3
        rng = Random(f"{article.brief.key}/{article.plan.name}/text")
        hrefs = [self._links.href(article.plan, a, "text", rng) for a in article.inline]
        parts = [_section(article.plan, part, layout, hrefs) for part in story.sections]
        parts += [f'<p class="update">{escape(text, quote=False)}</p>' for text in story.updates]
        return "".join(parts)

    def _files(self, article: Article) -> str:
        if not article.files:
            return ""
        return self._box(article.plan, "files", "From our files", article.files)

    def _tags(self, article: Article) -> str:
        if not article.plan.tag or not article.listed:
            return ""
        name = article.brief.subtopic.name
        return _anchor(article.plan.tag.format(slug=name), name.replace("-", " "))

    def _list(self, listing: ArticleList, number: int) -> str:
        pager = " ".join(
            _anchor(listing.page_target(n), str(n))
            for n in range(1, listing.pages + 1)
            if n != number and (abs(n - number) < 3 or n in (1, listing.pages))
        )
        heading = f"<h1>{escape(listing.title)}</h1>"
        return heading + self._teasers(listing.slice(number)) + f'<p class="pages">{pager}</p>'

    def _home(self, plan: SitePlan) -> str:
        archive, *sections = self._world.lists[plan.name]
        groups = [self._group(plan, "Latest", archive.items[:HOME_LATEST])]
        groups += [
            self._group(plan, listing.title, listing.items[:HOME_TEASERS])
            for listing in sections
            if listing.kind == "section"
        ]
        return f"<h1>{escape(plan.title)}</h1>" + "".join(groups)

    def _group(self, plan: SitePlan, title: str, articles: Sequence[Article]) -> str:
        teasers = self._teasers(articles)
        return plan.theme.group.substitute(title=escape(title), teasers=teasers)

    def _teasers(self, articles: Iterable[Article]) -> str:
        return "".join(
            article.plan.theme.teaser.substitute(
                href=escape(article.target),
                headline=escape(article.headline, quote=False),
                summary=escape(article.first.summary, quote=False),
            )
            for article in articles
        )

    def _side(self, page: Page) -> str:
        plan, article = page.plan, page.article
        boxes = []
        if article:
            title = "Read on" if plan.tracking else "Related stories"
            boxes.append(self._box(plan, "related", title, article.related))
        elif plan.disallow:
            members = [a for a in self._world.articles if a.plan is plan and a.disallowed]
            boxes.append(self._box(plan, "members", "For members", members[:6]))
        boxes.append(self._trending(plan))
        boxes.append(self._advert(plan))
        return "".join(boxes)

    def _trending(self, plan: SitePlan) -> str:
        rng = self._hourly(plan, "trending")
        items = self._world.lists[plan.name][0].items
        return self._box(plan, "trending", "Trending now", rng.sample(items, min(5, len(items))))

    def _advert(self, plan: SitePlan) -> str:
        rng = self._hourly(plan, "advert")
        offer = _anchor(f"/offers?ref=ad{rng.randint(1, 40)}", "See the offer")
        text = escape(rng.choice(self._world.book.shared["adverts"]), quote=False)
        items = [a for a in self._world.lists[plan.name][0].items if not a.brief.topic.category]
        link = self._item(plan, rng.choice(items), "advert", rng) if items else ""
        counter = f'<p class="count">Visit {TOKEN}</p>' if plan.token else ""
        advert = f'<div class="advert"><p>{text} {offer}</p><ul>{link}</ul></div>'
        return advert + counter

    def _box(self, plan: SitePlan, name: str, title: str, articles: Iterable[Article]) -> str:
        rng = self._hourly(plan, name)
        links = "".join(self._item(plan, article, name, rng) for article in articles)
        return plan.theme.box.substitute(name=name, title=title, links=links) if links else ""

    def _item(self, plan: SitePlan, article: Article, source: str, rng: Random) -> str:
        href = self._links.href(plan, article, source, rng)
        return f"<li>{_anchor(href, article.headline)}</li>"

    def _hourly(self, plan: SitePlan, what: str) -> Random:
        return Random(f"{self._world.seed}/{plan.name}/{what}/{self._world.now // HOUR}")

    def _nav(self, plan: SitePlan) -> str:
        places = [(section.slug, section.title) for section in plan.sections]
        places.append(("archive", "Archive"))
        links = [_anchor("/", "Home")]
        links += [_anchor(plan.list.format(slug=slug), title) for slug, title in places]
        if plan.calendar:
            links.append(_anchor(f"{plan.calendar}/2026/1", "Calendar"))
        if plan.facets:
            links.append(_anchor(plan.facets, "Browse"))
        return " ".join(links)

    def _footer(self, plan: SitePlan) -> str:
        links = " ".join(_anchor(f"/{name}", name.capitalize()) for name in STATICS)
        others = [p for p in self._world.plans.values() if p is not plan]
        partner = self._hourly(plan, "partner").choice(others)
        return f"{links} {_anchor(self._links.url(partner.name, '/'), partner.title)}"

    def _static(self, page: Page) -> str:
        text = self._world.book.shared[f"static_{page.name}"]
        body = "".join(f"<p>{escape(line, quote=False)}</p>" for line in text)
        return f"<h1>{page.name.capitalize()} {escape(page.plan.title)}</h1>{body}"

    def _print(self, page: Page, article: Article) -> str:
        story = article.story(self._world.book, self._world.now)
        parts = "".join(_section(page.plan, part, 0, []) for part in story.sections)
        parts += "".join(f"<p>{escape(text, quote=False)}</p>" for text in story.updates)
        back = _anchor(article.target, "Back to the article")
        headline = escape(story.headline, quote=False)
        return self._document(page, story.headline, f"<h1>{headline}</h1>{parts}<p>{back}</p>")

    def _date(self) -> str:
        moment = datetime.fromtimestamp(self._world.now, UTC)
        return f"{moment:%A} {moment.day} {moment:%B %Y}, {moment:%H}:00"


def _section(plan: SitePlan, section: Section, layout: int, hrefs: list[str]) -> str:
    """One part of an article; ``hrefs`` are used up, one link to a paragraph."""
    level = "h4" if layout == 1 else plan.heading
    before, after = (plan.wraps, _REBUILT, _NESTED)[layout]
    heading = (
        f"<{level}>{escape(section.heading, quote=False)}</{level}>" if section.heading else ""
    )
    paragraphs = "".join(
        f"<p>{_paragraph(sentences, hrefs.pop(0) if hrefs else '')}</p>"
        for sentences in section.paragraphs
    )
    return f"{before}{heading}{paragraphs}{after}"


def _paragraph(sentences: Sequence[str], href: str) -> str:
    """With a link over some words of the first sentence, so that links alter no text."""
    text = escape(" ".join(sentences), quote=False)
    words = text.split(" ")
    if not href or len(words) < 8:
        return text
    linked = f'<a href="{escape(href)}">{" ".join(words[2:6])}</a>'
    return " ".join([*words[:2], linked, *words[6:]])


def _anchor(href: str, text: str) -> str:
    return f'<a href="{escape(href)}">{escape(text, quote=False)}</a>'


def _day(at: int) -> str:
    return stamp(at)[:10]
