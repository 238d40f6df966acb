"""The parts of a page that are scored each for itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from focuscrawl.blocks import PageOutline
from focuscrawl.text import counts

_BOLD = ("b", "strong")


class Features(NamedTuple):
    """Each part as stem → count; ``anchor`` is the text of the page's links."""

    title: Mapping[str, int]
    headings: Mapping[str, int]
    bold: Mapping[str, int]
    anchor: Mapping[str, int]
    text: Mapping[str, int]


def features_of(outline: PageOutline, root: Any) -> Features:
    """The features of a page, from its outline and the tree that it was made of."""
    bold = (piece for element in root.iter(*_BOLD) for piece in (*element.itertext(), " "))
    return Features(
        title=counts(outline.title),
        headings=counts(" ".join(block.heading for block in outline.blocks)),
        bold=counts("".join(bold)),
        anchor=counts(" ".join(link.anchor for link in outline.links)),
        text=counts(f"{outline.title}\n{outline.text()}"),
    )
