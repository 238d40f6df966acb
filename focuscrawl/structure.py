"""Two versions of a page's tree, node by node: is it built the same, and do its texts differ?

Scripts, styles and comments are no part of either tree; they are kept beside it, because a
change of them is a change of another kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from lxml import etree

STRUCTURAL = frozenset("div section article main aside table ul ol td li header footer nav".split())
MOST_PARTS = 100
_NO_NODES = frozenset(("script", "style"))
_LOOKS = tuple(
    etree.XPath(path, smart_strings=False)
    for path in (
        "//@class",
        "//@style",
        "//style/text()",
        "//link[contains(@rel, 'stylesheet')]/@href",
    )
)
_TEXT = ".//text()[not(parent::script or parent::style)]"


class Part(NamedTuple):
    """A part of a page whose text changes: the path of its element, and its present text."""

    path: str
    text: str


class Tree:
    """What is compared of a tree, each as one list in document order."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.tags = [tag for node in root.iter(etree.Element) if (tag := node.tag) not in _NO_NODES]
        self.looks = [find(root) for find in _LOOKS]
        self.behaviour = [(script.get("src"), script.text) for script in root.iter("script")]

    def nodes(self) -> list[Any]:
        return [node for node in self.root.iter(etree.Element) if node.tag not in _NO_NODES]

    def child_counts(self) -> list[int]:
        """With scripts: quick to ask, and where they are equal the build is."""
        return [len(node) for node in self.root.iter(etree.Element)]

    def depths(self) -> list[int]:
        depths: dict[Any, int] = {}
        for node in self.nodes():
            depths[node] = depths.get(node.getparent(), 0) + 1
        return list(depths.values())

    def texts(self) -> list[str]:
        """The text of every node, whatever scripts stand in the middle of it."""
        own: dict[Any, str] = {node: node.text or "" for node in self.nodes()}
        for node in self.root.iter():
            tail = node.tail
            if tail and not tail.isspace():
                parent = node.getparent()
                if parent in own:
                    own[parent] += tail
        return list(own.values())

    def raw_texts(self) -> list[tuple[str | None, str | None]]:
        return [
            (None if node.tag in _NO_NODES else node.text, node.tail) for node in self.root.iter()
        ]


def is_rebuilt(old: Tree, new: Tree) -> bool:
    """Whether some node has another tag or another number of children."""
    if old.tags != new.tags:
        return True
    return old.child_counts() != new.child_counts() and old.depths() != new.depths()


def changed_parts(old: Tree, new: Tree) -> list[Part]:
    """The parts of the new tree whose text is not that of the old one, once each.

    Nodes are compared in document order; the part is the nearest element around a text that
    gives the page its structure. For trees of the same build. A page of which all is other
    has no parts worth remembering one by one: the list is bounded.
    """
    if old.raw_texts() == new.raw_texts():
        return []
    parts: dict[str, Part] = {}
    tree = new.root.getroottree()
    for node, was, now in zip(new.nodes(), old.texts(), new.texts(), strict=True):
        if was != now and was.split() != now.split():
            element = part_around(node)
            path = tree.getpath(element)
            if path not in parts:
                parts[path] = Part(path, text_of(element))
                if len(parts) >= MOST_PARTS:
                    break
    return list(parts.values())


def changed_among(known: Iterable[Part], root: Any) -> list[Part]:
    """Those of the known parts whose text is another one now, or that are gone."""
    found = []
    tree = root.getroottree()
    for part in known:
        elements = tree.xpath(part.path)
        text = text_of(elements[0]) if elements else ""
        if text != part.text:
            found.append(Part(part.path, text))
    return found


def text_of(element: Any) -> str:
    """The words in an element, scripts and styles left out."""
    return " ".join(" ".join(element.xpath(_TEXT)).split())


def part_around(element: Any) -> Any:
    """The nearest element that gives the page its structure, else the element itself."""
    return next(
        (each for each in (element, *element.iterancestors()) if each.tag in STRUCTURAL), element
    )
