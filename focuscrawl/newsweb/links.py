"""Addresses as they stand in pages: one page is linked under many spellings."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from urllib.parse import urlsplit

from focuscrawl.newsweb.records import Article
from focuscrawl.newsweb.sites import SitePlan

FRAGMENTS = 0.08
SPELLINGS = 0.05


class Links:
    """Makes hrefs for the pages of one run, whose sites have got their ports."""

    def __init__(self, bases: Mapping[str, str]) -> None:
        self.bases = bases

    def url(self, site: str, target: str) -> str:
        """The full address in its plain form."""
        return self.bases[site] + target

    def href(self, here: SitePlan, article: Article, source: str, rng: Random) -> str:
        """An address as some editor or tool wrote it; ``source`` names the box for trackers."""
        target = article.target
        if here.tracking and source != "text":
            target = _add_query(target, f"utm_source={source}&utm_medium=web&sid={_session(rng)}")
        draw = rng.random()
        if draw < FRAGMENTS:
            target += "#comments"
        elif draw < FRAGMENTS + SPELLINGS:
            return self._odd(article.plan.name, target, rng)
        return target if here is article.plan else self.url(article.plan.name, target)

    def _odd(self, site: str, target: str, rng: Random) -> str:
        """A spelling that means the same: RFC 3986 says these are one address."""
        parts = urlsplit(target)
        path, rest = parts.path, target[len(parts.path) :]
        styles = {
            "scheme": self.url(site, target).replace("http:", "HTTP:", 1),
            "dots": self.url(site, f"/./x/..{path}{rest}"),
            "percent": self.url(site, path[:-1] + f"%{ord(path[-1]):02X}" + rest),
        }
        if not path[-1].isalnum():
            del styles["percent"]
        return styles[rng.choice(sorted(styles))]


def _add_query(target: str, query: str) -> str:
    return f"{target}{'&' if '?' in target else '?'}{query}"


def _session(rng: Random) -> str:
    return f"{rng.getrandbits(40):010x}"
