"""What stands around the content of a page: navigation, boxes, footers, adverts.

HTML says it by tags, authors by names. A name alone can lie: "layout-with-sidebar" wraps the
whole page. So an element that holds much of the page's text is never furniture by its name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from lxml import etree

UNSEEN = frozenset(("script", "style", "template", "noscript", "head", "svg", "iframe", "object"))
WRAPPER_SHARE = 0.3
"""An element with more of the page's text than this is no furniture, whatever its name."""

FURNITURE_TAGS = frozenset(("nav", "aside", "footer", "form", "dialog", "menu"))
_ROLES = frozenset(
    ("navigation", "complementary", "contentinfo", "dialog", "alert", "search", "banner")
)
_MAY_BE_NAMED = frozenset(("div", "section", "ul", "ol", "table", "p", "header", "span"))
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav\w*|menu\w*|breadcrumbs?|sidebar|footer|related|trending|popular|most-read|"
    r"promos?|adverts?|ads?|sponsor\w*|banner|cookies?|consent|share|social|newsletter|comments?|"
    r"masthead|ticker|skip|dropdown\w*|lang\w*|switcher)(?:$|[\s_-])",
    re.IGNORECASE,
)
_text_length = etree.XPath("string-length(.)")


def visible_length(element: Any) -> float:
    """The length of an element's text, without the scripts that some pages are full of."""
    hidden = sum(len(each.text or "") for each in element.iter("script", "style"))
    return float(_text_length(element)) - hidden


@lru_cache(maxsize=20_000)
def is_furniture_name(name: str) -> bool:
    """Whether a class or id says navigation, box, advert or the like."""
    return _NAMES.search(name) is not None


class Furniture:
    """The judge of one page's elements."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._length = -1.0

    def is_furniture(self, tag: str, element: Any) -> bool:
        if tag in FURNITURE_TAGS:
            return True
        if not element.keys():
            return False
        if element.get("role") in _ROLES:
            return True
        if tag not in _MAY_BE_NAMED:
            return False
        name = f"{element.get('class', '')} {element.get('id', '')}"
        return len(name) > 1 and is_furniture_name(name) and not self._is_wrapper(element)

    def _is_wrapper(self, element: Any) -> bool:
        if self._length < 0:
            self._length = visible_length(self._root)
        return visible_length(element) > WRAPPER_SHARE * self._length
