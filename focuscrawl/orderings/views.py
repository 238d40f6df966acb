"""From a page that was parsed and stemmed to what orderings see of it."""

from __future__ import annotations

from focuscrawl.blocks import PageOutline
from focuscrawl.orderings.base import PageView
from focuscrawl.reading import Reading
from focuscrawl.text import counts


def view_of(key: int, outline: PageOutline, reading: Reading, *, parts: bool) -> PageView:
    """The view of a page, still without its links; title, headings and so on only if wanted."""
    view = PageView(key, reading.text, reading.blocks, ())
    if parts:
        view.title = counts(outline.title)
        view.headings = counts("\n".join(block.heading for block in outline.blocks))
        view.bold = counts(outline.bold())
        view.anchors = counts("\n".join(link.anchor for link in outline.links))
    return view
