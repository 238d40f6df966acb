"""Whether a page that was fetched again is another one than the stored copy."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal

from focuscrawl.changes.verdict import BlockChange, Verdict, compare
from focuscrawl.structure import Part, changed_among

Mode = Literal["full", "parts"]
MODES: tuple[Mode, ...] = ("full", "parts")


def detect(
    old: Any, new: Any, noise: AbstractSet[str], known: Sequence[Part] = (), mode: Mode = "full"
) -> Verdict:
    """``full`` compares the whole trees at every visit.

    ``parts`` is the documents' saving: once parts are known to change, only those with the
    highest counter are looked at. It is quicker, and blind to changes elsewhere.
    """
    if mode == "full" or not known:
        return compare(old, new, noise)
    parts = changed_among(known, new)
    was = {part.path: part.text for part in known}
    blocks = tuple(BlockChange("", (was[part.path],), (part.text,)) for part in parts)
    return Verdict(textual=bool(parts), parts=tuple(parts), blocks=blocks)


def changed_text(verdict: Verdict) -> str:
    """All lines that came or went, for judging whether they are about the topic."""
    return "\n".join(line for block in verdict.blocks for line in (*block.removed, *block.added))
