"""Two versions of a page's tree, node by node: is it built the same, and do its texts differ?

Scripts, styles and comments are no part of either tree; they are kept beside it, because a
change of them is a change of another kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any, NamedTuple

STRUCTURAL = frozenset("div section article main aside table ul ol td li header footer nav".split())
_LOOKS = ("class", "style")
_TEXT = ".//text()[not(parent::script or parent::style)]"


class Part(NamedTuple):
    """A part of a page whose text changes: the path of its element, and its present text."""

    path: str
    text: str


class Tree:
    """What one pass over a tree finds, in document order.

    ``texts`` are all texts that are not blank; ``looks`` are classes, styles and style sheets,
    ``behaviour`` scripts and event handlers.
    """

    __slots__ = ("_holders", "behaviour", "looks", "nodes", "root", "tags", "texts")

    def __init__(self, root: Any) -> None:
        nodes: list[Any] = []
        tags: list[str] = []
        texts: list[str] = []
        holders: list[tuple[Any, bool]] = []
        looks: list[str] = []
        behaviour: list[str] = []
        for node in root.iter():
            tag = node.tag
            if tag == "script":
                behaviour += (node.get("src", ""), node.text or "")
            elif tag == "style":
                looks.append(node.text or "")
            elif tag.__class__ is str:
                nodes.append(node)
                tags.append(tag)
                text = node.text
                if text and not text.isspace():
                    texts.append(text)
                    holders.append((node, False))
                _read_attributes(tag, node, looks, behaviour)
            tail = node.tail
            if tail and not tail.isspace():
                texts.append(tail)
                holders.append((node, True))
        self.root, self.nodes, self.tags = root, nodes, tags
        self.texts, self._holders = texts, holders
        self.looks, self.behaviour = looks, behaviour

    def holder(self, number: int) -> Any:
        """The element in which a text stands."""
        node, is_tail = self._holders[number]
        return node.getparent() if is_tail else node


def _read_attributes(tag: str, node: Any, looks: list[str], behaviour: list[str]) -> None:
    for name, value in node.items():
        if name in _LOOKS:
            looks.append(value)
        elif name[:2] == "on":
            behaviour.append(value)
    if tag == "link" and "stylesheet" in node.get("rel", ""):
        looks.append(node.get("href", ""))


def is_rebuilt(old: Tree, new: Tree) -> bool:
    """Whether some node has another tag or another number of children."""
    return old.tags != new.tags or _depths(old.nodes) != _depths(new.nodes)


def changed_parts(old: Tree, new: Tree) -> list[Part]:
    """The parts of the new tree whose text is not that of the old one, once each.

    Texts are compared in document order; the part is the nearest element around a text that
    gives the page its structure. For trees of the same build.
    """
    if old.texts == new.texts:
        return []
    parts: dict[str, Part] = {}
    tree = new.root.getroottree()
    for number, (was, now) in enumerate(zip_longest(old.texts, new.texts, fillvalue="")):
        if was != now and was.split() != now.split():
            element = part_around(new.holder(min(number, len(new.texts) - 1)))
            path = tree.getpath(element)
            if path not in parts:
                parts[path] = Part(path, text_of(element))
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


def _depths(nodes: list[Any]) -> list[int]:
    depths: dict[Any, int] = {}
    for node in nodes:
        depths[node] = depths.get(node.getparent(), 0) + 1
    return list(depths.values())
