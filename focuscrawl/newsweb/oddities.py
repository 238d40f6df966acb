"""The traps: a calendar without end, and one list under thousands of filter addresses."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from random import Random
from urllib.parse import parse_qsl, urlencode, urlsplit

from focuscrawl.newsweb.grammar import Phrasebook
from focuscrawl.newsweb.records import PAGE_SIZE, Article, ArticleList, Page

FACETS = {
    "sort": ("date", "title", "author", "number"),
    "order": ("asc", "desc"),
    "view": ("list", "grid", "compact"),
    "since": ("day", "week", "month", "year"),
}
"""Only sort, order and section alter what is shown; the others make addresses, not pages."""


def calendar_page(book: Phrasebook, page: Page) -> str:
    """One month of events that repeat for ever, with links to the months on either side."""
    year, month = map(int, page.target.removeprefix(page.plan.calendar).strip("/").split("/"))
    rng = Random(f"calendar/{year}/{month}")
    days = sorted(rng.sample(range(1, 29), 6))
    events = "".join(f"<li>{day}: {rng.choice(book.shared['events'])}</li>" for day in days)
    links = []
    for step, label in ((-1, "Previous month"), (1, "Next month"), (12, "Next year")):
        number = year * 12 + month - 1 + step
        href = f"{page.plan.calendar}/{number // 12}/{number % 12 + 1}"
        links.append(f'<a href="{href}">{label}</a>')
    return f"<h1>Calendar {year}/{month:02}</h1><ul>{events}</ul><p>{' '.join(links)}</p>"


def facet_page(page: Page, lists: Sequence[ArticleList]) -> str:
    """The chosen articles, and every filter once more on top of those already chosen."""
    chosen = dict(parse_qsl(urlsplit(page.target).query))
    sections = [listing for listing in lists if listing.kind == "section"]
    listing = next((it for it in sections if it.title == chosen.get("sec")), sections[0])
    items = _sorted(listing.items, chosen.get("sort", "date"), chosen.get("order") == "asc")
    rows = "".join(
        f'<li><a href="{escape(a.target)}">{escape(a.headline, quote=False)}</a></li>'
        for a in items[:PAGE_SIZE]
    )
    filters = {**FACETS, "sec": tuple(it.title for it in sections)}
    links = [
        _filter(page.plan.facets, {**chosen, name: value}, f"{name}: {value}")
        for name, values in filters.items()
        for value in values
    ]
    return f"<h1>Browse</h1><p>{' '.join(links)}</p><ul>{rows}</ul>"


def _filter(path: str, chosen: dict[str, str], label: str) -> str:
    return f'<a href="{escape(f"{path}?{urlencode(chosen)}")}">{escape(label)}</a>'


def _sorted(items: Sequence[Article], field: str, ascending: bool) -> list[Article]:
    keys = {
        "title": lambda a: a.headline,
        "author": lambda a: a.first.author,
        "number": lambda a: a.number,
    }
    key = keys.get(field, lambda a: a.published)
    return sorted(items, key=key, reverse=not ascending)
