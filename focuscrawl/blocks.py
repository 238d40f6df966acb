"""A page as blocks: every heading opens one, and what follows belongs to it.

The tree is walked once, in document order; text, links and furniture (navigation,
boxes, footers) come out of the same pass, because on a fast crawl a second look at a
page costs more than all of its scoring.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lxml import etree

from focuscrawl.furniture import UNSEEN, Furniture
from focuscrawl.text import MARK

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
BOLD = frozenset(("b", "strong"))
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp "
    "small span strong sub sup time tt u var wbr".split()
)
_FEED_TYPES = ("application/rss+xml", "application/atom+xml")
MAX_LINKS = 2_000
FEWEST_WORDS = 8
_Span = tuple[int, int, int]
"""A block, and the pieces of its text from one number up to another."""
_BREAK = "\x1e"
"""Ends a line of text; white space to ``str.split``, and rarer in pages than a newline."""
_LETTER = "[^\\W\\d_]"
_INSIDE_WORD = re.compile(f"{MARK}(?<={_LETTER}{MARK})(?:{MARK}|['\u2019]?{_LETTER})*{_LETTER}")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as the page writes it, with the number of the block it stands in."""

    href: str
    anchor: str
    block: int
    furniture: bool


@dataclass(slots=True)
class Block:
    """A heading and all that follows it up to the next one; a paragraph is a line of text."""

    index: int
    level: int = 0
    heading: str = ""
    text: str = ""
    main_text: str = ""
    tables: int = 0
    images: int = 0


@dataclass(slots=True)
class PageOutline:
    """What one pass over a page's tree finds.

    Bold words and the words around links are put together only when somebody asks for them.
    """

    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    canonical: str = ""
    base: str = ""
    change_frequency: str = ""
    feeds: list[str] = field(default_factory=list)
    links_cut: int = 0
    _pieces: list[list[str]] = field(default_factory=list, repr=False)
    _link_spans: list[_Span] = field(default_factory=list, repr=False)
    _bold_spans: list[_Span] = field(default_factory=list, repr=False)

    def text(self) -> str:
        """All visible text."""
        return "\n".join(block.text for block in self.blocks if block.text)

    def main_text(self) -> str:
        """The visible text without furniture; all of it where nothing else is left."""
        main = "\n".join(block.main_text for block in self.blocks if block.main_text)
        return main if len(main.split(maxsplit=FEWEST_WORDS)) >= FEWEST_WORDS else self.text()

    def bold(self) -> str:
        """The text in bold type, a passage a line."""
        spans = (self._pieces[block][start:end] for block, start, end in self._bold_spans)
        return "\n".join(filter(None, map(_tidy, spans)))

    def marked(self) -> Marked:
        """The text with a mark where a block or a link begins or ends, never inside a word."""
        places = [{0, len(pieces)} for pieces in self._pieces]
        for block, start, end in self._link_spans:
            places[block].update((start, end))
        parts: list[str] = []
        marks: list[tuple[int, int]] = []
        for block, pieces in enumerate(self._pieces):
            done = 0
            for place in sorted(places[block]):
                parts += pieces[done:place]
                parts.append(MARK)
                marks.append((block, place))
                done = place
            parts.append(_BREAK)
        number = {mark: place for place, mark in enumerate(marks)}
        sizes = enumerate(map(len, self._pieces))
        return Marked(
            _INSIDE_WORD.sub(_after_word, "".join(parts)),
            blocks=[(number[block, 0], number[block, size]) for block, size in sizes],
            links=[(number[b, start], number[b, end]) for b, start, end in self._link_spans],
        )


class Marked(NamedTuple):
    """A page's text with :data:`focuscrawl.text.MARK` in it, and what the marks stand for.

    Blocks and links are given as the numbers of their first and last mark.
    """

    text: str
    blocks: list[tuple[int, int]]
    links: list[tuple[int, int]]


def _after_word(run: re.Match[str]) -> str:
    return run[0].replace(MARK, "") + MARK * run[0].count(MARK)


def parse_html(html: str | bytes, encoding: str | None = None) -> Any:
    """The tree of a page, however broken; an empty page gives an empty tree."""
    parser = etree.HTMLParser(
        encoding="utf-8" if isinstance(html, str) else encoding, huge_tree=True
    )
    data = html.encode("utf-8", "replace") if isinstance(html, str) else html
    data = data.replace(b"\0", b"").strip() or b"<html></html>"
    root = etree.fromstring(data, parser=parser)
    return root if root is not None else etree.fromstring(b"<html></html>", parser=parser)


def visible_text(html: str | bytes) -> str:
    """The words a reader sees: title and body, without scripts and styles."""
    outline = partition(parse_html(html))
    return f"{outline.title}\n{outline.text()}".strip()


def partition(root: Any, max_links: int = MAX_LINKS) -> PageOutline:
    """Cut a page's tree into blocks by its headings."""
    return _Walk(max_links).over(root)


def _tidy(pieces: list[str]) -> str:
    return " ".join("".join(pieces).split())


def _lines(pieces: list[str]) -> str:
    runs = (" ".join(run.split()) for run in "".join(pieces).split(_BREAK))
    return "\n".join(filter(None, runs))


class _Walk:
    """The state of one pass: open block, open tables, open furniture, open links."""

    def __init__(self, max_links: int) -> None:
        self.page = PageOutline()
        self._max_links = max_links
        self._block = Block(0)
        self._text: list[str] = []
        self._main: list[str] = []
        self._tables = 0
        self._furniture: Any = None
        self._anchors: list[tuple[int, int]] = []
        self._bold: list[tuple[int, int]] = []

    def over(self, root: Any) -> PageOutline:
        self._read_head(root)
        self._judge = Furniture(root)
        body = root.find("body") if root.tag == "html" else root
        walker = etree.iterwalk(
            root if body is None else body, events=("start", "end", "comment", "pi")
        )
        for event, element in walker:
            if event == "end":
                if element.tag not in UNSEEN:
                    self._shut(element)
                elif element.tail:
                    self._say(element.tail)
            elif event == "start":
                if element.tag in UNSEEN:
                    walker.skip_subtree()
                else:
                    self._open(element)
            elif element.tail:
                self._say(element.tail)
        self._close_block()
        return self.page

    def _read_head(self, root: Any) -> None:
        title = root.find(".//title")
        if title is not None:
            self.page.title = _tidy([title.text or ""])
        base = root.find("head/base")
        if base is not None:
            self.page.base = base.get("href") or ""
        for meta in root.iterfind("head/meta[@name]"):
            if meta.get("name").lower() == "change-frequency":
                self.page.change_frequency = meta.get("content") or ""
        for link in root.iterfind("head/link[@rel]"):
            relation = link.get("rel").lower()
            if relation == "canonical":
                self.page.canonical = link.get("href") or ""
            elif relation == "alternate" and link.get("type") in _FEED_TYPES and link.get("href"):
                self.page.feeds.append(link.get("href"))

    def _say(self, text: str) -> None:
        self._text.append(text)
        if self._furniture is None:
            self._main.append(text)

    def _open(self, element: Any) -> None:
        tag = element.tag
        if self._furniture is None and self._judge.is_furniture(tag, element):
            self._furniture = element
        if tag in HEADINGS and not self._tables:
            self._close_block()
            self._block = Block(self._block.index + 1, level=int(tag[1]))
        elif tag == "a":
            self._anchors.append((self._block.index, len(self._text)))
        elif tag == "table":
            self._tables += 1
            self._block.tables += 1
        elif tag == "img":
            self._block.images += 1
        if tag not in _INLINE:
            self._say(_BREAK)
        elif tag in BOLD:
            self._bold.append((self._block.index, len(self._text)))
        if element.text:
            self._say(element.text)

    def _shut(self, element: Any) -> None:
        tag = element.tag
        if tag == "a":
            self._take_link(element, *self._anchors.pop())
        elif tag == "table":
            self._tables -= 1
        elif tag in HEADINGS and not self._tables and not self._block.heading:
            self._block.heading = _tidy(self._text)
        if tag not in _INLINE:
            self._say(_BREAK)
        elif tag in BOLD:
            self._take_bold(*self._bold.pop())
        if self._furniture is element:
            self._furniture = None
        if element.tail:
            self._say(element.tail)

    def _take_link(self, element: Any, block: int, start: int) -> None:
        href = element.get("href")
        if not href or href[0] == "#":
            return
        if len(self.page.links) >= self._max_links:
            self.page.links_cut += 1
            return
        here, text = self._block.index, self._text
        if block != here:
            start = 0
        anchor = _tidy(text[start:]) or element.get("title") or ""
        self.page.links.append(Link(href, anchor, here, self._furniture is not None))
        self.page._link_spans.append((here, start, len(text)))

    def _take_bold(self, block: int, start: int) -> None:
        """Of bold within bold, only the outer one; of what began in an earlier block, the rest."""
        here = self._block.index
        if not self._bold:
            first = start if block == here else 0
            self.page._bold_spans.append((here, first, len(self._text)))

    def _close_block(self) -> None:
        self._block.text = _lines(self._text)
        whole = len(self._main) == len(self._text)
        self._block.main_text = self._block.text if whole else _lines(self._main)
        self.page.blocks.append(self._block)
        self.page._pieces.append(self._text)
        self._text = []
        self._main = []
