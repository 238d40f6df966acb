"""What each site of the sample web is like: its addresses, sections, habits and looks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from string import Template
from typing import Any

from focuscrawl.resources import data_dir


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """A section of a site: the topics whose articles it lists."""

    slug: str
    title: str
    topics: frozenset[str]


@dataclass(frozen=True, slots=True)
class Theme:
    """The markup of a site. Every site has its own, so that no extraction rule fits them all."""

    css: str
    page: Template
    article: Template
    teaser: Template
    group: Template
    box: Template


@dataclass(frozen=True, slots=True)
class SitePlan:
    """One site, as ``data/newsweb/sites.toml`` describes it; an empty string means "has none"."""

    name: str
    title: str
    motto: str
    article: str
    list: str
    paging: str
    weight: float
    liveliness: float
    heading: str
    wraps: tuple[str, str]
    theme: Theme
    sections: tuple[SectionPlan, ...]
    tag: str = ""
    print: str = ""
    disallow: str = ""
    sitemap: str = ""
    lastmod: str = "none"
    validators: str = ""
    calendar: str = ""
    facets: str = ""
    max_age: int = 0
    tracking: bool = False
    token: bool = False
    frequency_meta: bool = False
    on_topic: float = 0.67

    @property
    def topics(self) -> frozenset[str]:
        """All topics the site writes about."""
        return frozenset().union(*(section.topics for section in self.sections))

    def section_of(self, topic: str) -> SectionPlan:
        """The section that lists articles of this topic."""
        return next(section for section in self.sections if topic in section.topics)


@cache
def site_plans() -> Mapping[str, SitePlan]:
    """The sites in the order of the file, which is the order of their ports."""
    text = data_dir().joinpath("newsweb").joinpath("sites.toml").read_text(encoding="utf-8")
    return {name: _plan(name, table) for name, table in tomllib.loads(text).items()}


def _plan(name: str, table: Mapping[str, Any]) -> SitePlan:
    rest: dict[str, Any] = dict(table)
    theme = rest.pop("theme")
    templates = {key: Template(text) for key, text in theme.items() if key != "css"}
    sections = tuple(
        SectionPlan(slug, title, frozenset(topics))
        for slug, (title, topics) in rest.pop("sections").items()
    )
    rest["wraps"] = tuple(rest["wraps"])
    return SitePlan(name=name, theme=Theme(theme["css"], **templates), sections=sections, **rest)
