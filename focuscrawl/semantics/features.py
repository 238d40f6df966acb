"""The parts of a page that are scored each for itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Features(NamedTuple):
    """Each part as stem → count; ``anchor`` is the text of the page's links."""

    title: Mapping[str, int]
    headings: Mapping[str, int]
    bold: Mapping[str, int]
    anchor: Mapping[str, int]
    text: Mapping[str, int]
