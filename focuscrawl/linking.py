"""From the links that a page writes to the candidates that the frontier takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from focuscrawl.blocks import PageOutline
from focuscrawl.frontier.records import Candidate, LinkScore
from focuscrawl.repository.records import LinkRow
from focuscrawl.urls import AllowedSites, is_page, normalise, site_of, url_id

LONGEST_ANCHOR = 200


@lru_cache(maxsize=100_000)
def _page_address(href: str, base: str) -> tuple[str, str, int] | None:
    url = normalise(href, base)
    if url is None or not is_page(url):
        return None
    return url, site_of(url), url_id(url)


def _resolve(href: str, base: str, root: str) -> tuple[str, str, int] | None:
    """Menus repeat on all pages of a site: what does not depend on the page is remembered."""
    independent = href[:1] == "/" or href[:4].lower() == "http"
    return _page_address(href, root if independent else base)


def harvest(outline: PageOutline, url: str, allowed: AllowedSites) -> list[LinkRow]:
    """The page's links to allowed pages, once each; of several, the one with the longest text."""
    base = normalise(outline.base, url) or url if outline.base else url
    root = base[: base.find("/", 8) + 1] or base
    found: dict[int, LinkRow] = {}
    for place, link in enumerate(outline.links):
        address = _resolve(link.href, base, root)
        if address is None:
            continue
        target, site, key = address
        if target == url or site not in allowed:
            continue
        known = found.get(key)
        if known is None or len(link.anchor) > len(known.anchor):
            found[key] = LinkRow(key, target, link.anchor[:LONGEST_ANCHOR], link.block, place)
    return list(found.values())


def candidates(
    links: Iterable[LinkRow],
    *,
    parent: str,
    relevance: Sequence[float],
    on_topic: bool,
    level: int,
    depth: int,
    max_level: int,
    is_relevant: Callable[[float], bool],
    anchor_similarity: Callable[[str], float],
    scores: Mapping[int, LinkScore] | None = None,
) -> tuple[list[Candidate], int]:
    """Links with their scores, and the number of those that lie too deep in a tunnel.

    A relevant block of a relevant page leads on at level 0, its other blocks at level 1;
    an irrelevant page that was itself reached at some level leads one deeper. ``scores`` are
    a link scorer's, by target.
    """
    taken: list[Candidate] = []
    too_deep = 0
    for link in links:
        block = relevance[link.block]
        at = int(not is_relevant(block)) if on_topic else level + 1
        if at > max_level:
            too_deep += 1
            continue
        found = scores.get(link.target) if scores else None
        taken.append(
            Candidate(
                link.url,
                site_of(link.url),
                link.anchor,
                anchor_similarity(link.anchor) if link.anchor else 0.0,
                block,
                at,
                depth,
                False,
                parent,
                found.score if found else None,
                found.terms if found else "",
            )
        )
    return taken, too_deep
