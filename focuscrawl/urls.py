"""One spelling for every URL.

Two spellings of one address would be fetched, stored and scored twice, so every
link passes through :func:`normalise` before anybody else sees it. w3lib does the
standard steps; what is added here is the default port, tracking parameters and
session ids, which name the visitor and never the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from urllib.parse import urljoin, urlsplit

from w3lib.url import canonicalize_url, url_query_cleaner

TRACKING_PARAMETERS = frozenset(
    "fbclid gclid dclid msclkid twclid igshid mc_cid mc_eid yclid _ga _gl "
    "at_medium at_campaign at_custom1 at_custom2 at_custom3 at_custom4 "
    "ocid cmpid ns_mchannel ns_source ns_campaign ito ref_src "
    "phpsessid jsessionid aspsessionid sessionid session_id sid".split()
)
_TRACKING_PREFIX = "utm_"
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/?#;]*", re.IGNORECASE)
_DEFAULT_PORT = re.compile(r"^(http://[^/?#]*):80(?=[/?#]|$)|^(https://[^/?#]*):443(?=[/?#]|$)")
_NOT_A_PAGE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|ico|bmp|tiff?|css|js|mjs|json|xml|rss|atom|gz|zip|tar|7z|rar|exe|"
    r"dmg|pdf|docx?|xlsx?|pptx?|mp[34]|m4a|avi|mov|webm|ogg|wav|woff2?|ttf|eot)$",
    re.IGNORECASE,
)
MAX_URL_LENGTH = 2048


def _is_tracking(parameter: str) -> bool:
    name = parameter.lower()
    return name.startswith(_TRACKING_PREFIX) or name in TRACKING_PARAMETERS


def _without_tracking(url: str) -> str:
    query = url.partition("?")[2].partition("#")[0]
    dropped = [
        name for part in query.split("&") if _is_tracking(name := part.partition("=")[0]) and name
    ]
    return url_query_cleaner(url, dropped, remove=True) if dropped else url


def normalise(url: str, base: str = "") -> str | None:
    """The one spelling of ``url`` (relative to ``base``), or None where it names no web page."""
    try:
        absolute = urljoin(base, url.strip()) if base else url.strip()
        if absolute[:4].lower() != "http" or len(absolute) > MAX_URL_LENGTH:
            return None
        if "?" in absolute:
            absolute = _without_tracking(absolute)
        if ";" in absolute:
            absolute = _SESSION_IN_PATH.sub("", absolute)
        canonical: str = canonicalize_url(absolute)
        if ":80" in canonical or ":443" in canonical:
            canonical = _DEFAULT_PORT.sub(lambda match: match[1] or match[2], canonical)
        parts = urlsplit(canonical)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return canonical


def is_page(url: str) -> bool:
    """Whether a normalised URL may be a page: images, archives and media are not fetched."""
    path = url.partition("?")[0]
    return "." not in path[-6:] or _NOT_A_PAGE.search(path) is None


def site_of(url: str) -> str:
    """The site of a normalised URL: host name, with the port when it is not the scheme's own."""
    start = url.find("//") + 2
    end = len(url)
    for mark in "/?#":
        at = url.find(mark, start)
        if 0 <= at < end:
            end = at
    return url[start:end].rpartition("@")[2]


def url_id(url: str, category: str = "") -> int:
    """A signed 64-bit name for a URL (of a category), small enough to be a row's own number."""
    digest = blake2b(f"{category}\n{url}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


class AllowedSites:
    """The sites that a crawl may enter: host names admit their subdomains, ``host:port`` itself."""

    def __init__(self, domains: Iterable[str]) -> None:
        self._domains = frozenset(domain.lower() for domain in domains)
        self._known: dict[str, bool] = {}

    def __contains__(self, site: object) -> bool:
        if not isinstance(site, str):
            return False
        answer = self._known.get(site)
        if answer is None:
            if len(self._known) > 100_000:
                self._known.clear()
            answer = self._known[site] = self._look_up(site)
        return answer

    def _look_up(self, site: str) -> bool:
        if site in self._domains:
            return True
        host = site.partition(":")[0]
        labels = host.split(".")
        return any(".".join(labels[start:]) in self._domains for start in range(len(labels)))
