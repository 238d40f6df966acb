"""The main content of a page as lines of plain text with light marks, to be compared.

Two versions say the same when their lines are equal. Marks stand for what a reader would call
content beyond the words: headings and their level, list items, emphasis, breaks, and where a
link leads. Navigation, boxes, dialogs and what is hidden is left out; so is, on a page that
names its main part, all that stands outside of it.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from lxml import etree

from focuscrawl.furniture import FURNITURE_TAGS, UNSEEN, Furniture, visible_length

_CONTROLS = frozenset(("select", "button", "input", "textarea", "canvas", "video", "audio"))
_SKIPPED = UNSEEN | _CONTROLS
_SUSPECT = FURNITURE_TAGS | {"header"}
_MARKS = {
    "strong": "**", "b": "**", "em": "_", "i": "_", "code": "`", "hr": "---",
    "h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### ",
    "li": "- ", "td": "| ", "th": "| ", "br": "",
}  # fmt: skip
_CLOSED = frozenset(("strong", "b", "em", "i", "code"))
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp "
    "small span strong sub sup td th time tt u var wbr".split()
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_HIDDEN = re.compile(r"display:\s*none|visibility:\s*hidden")
_MAIN_SHARE = 0.4
_main_role = etree.XPath(".//*[@role='main']")


class Line(NamedTuple):
    """A line of content under its heading."""

    heading: str
    text: str


class Content(NamedTuple):
    """The lines of a page's main part, and beside each the element it stands in."""

    lines: list[Line]
    elements: list[Any]

    def without(self, noise: AbstractSet[str]) -> Content:
        """What is left when the places that are known as noise are taken out."""
        if not noise:
            return self
        pairs = [
            (line, element)
            for line, element in zip(self.lines, self.elements, strict=True)
            if place_of(element) not in noise
        ]
        return Content([line for line, _ in pairs], [element for _, element in pairs])


def main_region(root: Any) -> Any:
    """The one element that the page names as its main part, if it holds much of the text."""
    body = root if root.tag == "body" else root.find("body")
    if body is None:
        return root
    for find in (_mains, _main_role, _articles):
        found = find(body)
        if len(found) == 1 and visible_length(found[0]) >= _MAIN_SHARE * visible_length(body):
            return found[0]
    return body


def _mains(body: Any) -> list[Any]:
    return list(body.iter("main"))


def _articles(body: Any) -> list[Any]:
    return list(body.iter("article"))


def place_of(element: Any) -> str:
    """A name for the spot in a site's template: tags and classes, no positions."""
    names: list[str] = []
    for each in (element, *element.iterancestors()):
        if each.tag in ("body", "html") or len(names) == 4:
            break
        names.append(f"{each.tag}.{each.get('class') or each.get('id') or ''}")
    return " < ".join(names)


def read_content(region: Any) -> Content:
    """The content of a page's main part, as :func:`main_region` finds it."""
    return _Walk(region).over(region)


class _Walk:
    """The state of one pass over the main part."""

    def __init__(self, region: Any) -> None:
        self._furniture = Furniture(region)
        self._named_main = region.tag not in ("body", "html")
        self._pieces: list[str] = []
        self._content = Content([], [])
        self._heading = ""
        self._heading_from = 0
        self._element = region

    def over(self, region: Any) -> Content:
        walker = etree.iterwalk(region, events=("start", "end", "comment", "pi"))
        skipped = None
        for event, element in walker:
            if event == "start":
                if element is not region and self.is_left_out(element):
                    walker.skip_subtree()
                    skipped = element
                else:
                    self._open(element)
            elif event == "end":
                if element is skipped:
                    skipped = None
                else:
                    self._shut(element)
                tail = element.tail
                if tail and element is not region and (self._pieces or not tail.isspace()):
                    self._pieces.append(tail)
            elif element.tail:
                self._pieces.append(element.tail)
        self._end_line()
        return self._content

    def is_left_out(self, element: Any) -> bool:
        tag = element.tag
        if tag in _SKIPPED:
            return True
        if not element.keys():
            if tag not in _SUSPECT:
                return False
        elif _is_hidden(element):
            return True
        if tag == "header" and not self._named_main and not _is_in_section(element):
            return True
        if not self._furniture.is_furniture(tag, element):
            return False
        return not (self._named_main and _is_footer(tag, element))

    def _open(self, element: Any) -> None:
        tag = element.tag
        if tag not in _INLINE:
            if self._pieces:
                self._end_line()
            self._element = element
            if tag in _HEADINGS:
                self._heading_from = len(self._content.lines)
        mark = _MARKS.get(tag)
        if mark:
            self._pieces.append(mark)
        text = element.text
        if text and (self._pieces or not text.isspace()):
            self._pieces.append(text)

    def _shut(self, element: Any) -> None:
        tag = element.tag
        if tag == "a":
            href = element.get("href")
            if href:
                title = element.get("title") or ""
                self._pieces.append(f"({_target(href)}{title and ' '}{title})")
        elif tag in _CLOSED:
            self._pieces.append(_MARKS[tag])
        elif tag not in _INLINE:
            if self._pieces or tag == "br":
                self._end_line(keep_empty=tag == "br")
            if tag in _HEADINGS:
                self._take_heading(element)

    def _take_heading(self, element: Any) -> None:
        """A heading may run over several lines, and heads itself; its words alone name it."""
        lines, start = self._content.lines, self._heading_from
        words = " ".join("\n".join(element.itertext()).split())
        self._heading = words if len(lines) > start else ""
        lines[start:] = [Line(self._heading, line.text) for line in lines[start:]]

    def _end_line(self, *, keep_empty: bool = False) -> None:
        text = " ".join("".join(self._pieces).split())
        self._pieces = []
        if not text and not keep_empty:
            return
        self._content.lines.append(Line(self._heading, text))
        self._content.elements.append(self._element)


def _is_in_section(element: Any) -> bool:
    return any(each.tag in ("article", "section") for each in element.iterancestors())


def _is_hidden(element: Any) -> bool:
    style = element.get("style")
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or (style is not None and _HIDDEN.search(style) is not None)
    )


def _is_footer(tag: str, element: Any) -> bool:
    """A footer inside the main part belongs to it: the page says so itself."""
    name = f"{element.get('class', '')} {element.get('id', '')}".lower()
    return tag == "footer" or "footer" in name


def _target(href: str) -> str:
    """Where a link leads, without the spot in the page: some sites scramble that at each visit."""
    href = href.strip()
    return href if href[:1] == "#" else href.partition("#")[0]
