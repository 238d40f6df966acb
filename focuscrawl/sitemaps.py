"""What sitemaps tell a crawl before its first fetch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def claim_order(links_by_site: Mapping[str, Iterable[str]]) -> list[str]:
    """The order in which to crawl sites so that shared links are claimed once.

    The site with the most links that no earlier site has claimed goes first, and
    its links are then taken out of all others; equal counts go by name.
    """
    remaining = {site: set(links) for site, links in links_by_site.items()}
    order: list[str] = []
    while remaining:
        site = min(remaining, key=lambda name: (-len(remaining[name]), name))
        claimed = remaining.pop(site)
        order.append(site)
        for links in remaining.values():
            links -= claimed
    return order
