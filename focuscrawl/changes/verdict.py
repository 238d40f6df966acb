"""The verdict on two versions of a page: which kinds of change, in which blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple

from lxml import etree

from focuscrawl.changes.content import Content, Line, main_region, place_of, read_content
from focuscrawl.structure import Part, Tree, changed_parts, is_rebuilt

KINDS = ("structural", "textual", "presentation", "behaviour")


class BlockChange(NamedTuple):
    """A block of the main content that is not what it was: its heading and the lines."""

    heading: str
    removed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What changed. ``blocks`` and ``content_changed`` are about the main content alone;
    ``places`` are the spots in the site's template where it changed.
    """

    structural: bool = False
    textual: bool = False
    presentation: bool = False
    behaviour: bool = False
    parts: tuple[Part, ...] = ()
    blocks: tuple[BlockChange, ...] = ()
    places: frozenset[str] = frozenset()

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(kind for kind in KINDS if getattr(self, kind))

    @property
    def content_changed(self) -> bool:
        return bool(self.blocks)


def compare(old: Any, new: Any, noise: AbstractSet[str] = frozenset()) -> Verdict:
    """Compare two trees; ``noise`` are places of the site that change without meaning."""
    before, after = Tree(old), Tree(new)
    structural = is_rebuilt(before, after)
    parts = () if structural else tuple(changed_parts(before, after))
    blocks, places = content_changes(old, new, noise)
    return Verdict(
        structural=structural,
        textual=bool(parts),
        presentation=before.looks != after.looks,
        behaviour=before.behaviour != after.behaviour,
        parts=parts,
        blocks=blocks,
        places=places,
    )


def content_changes(
    old: Any, new: Any, noise: AbstractSet[str] = frozenset()
) -> tuple[tuple[BlockChange, ...], frozenset[str]]:
    """The blocks of the main content that are not what they were, and the places of their lines.

    Places that are noise are named all the same: they stay noise only as long as they change.
    """
    was, now = main_region(old), main_region(new)
    if etree.tostring(was, with_tail=False) == etree.tostring(now, with_tail=False):
        return (), frozenset()
    before, after = read_content(was), read_content(now)
    if before.lines == after.lines:
        return (), frozenset()
    blocks = changed_blocks(before.without(noise).lines, after.without(noise).lines)
    return blocks, _places(before, after)


def _places(old: Content, new: Content) -> frozenset[str]:
    """Where lines stand that the other version does not have."""
    common = set(old.lines) & set(new.lines)
    return frozenset(
        place_of(element)
        for content in (old, new)
        for line, element in zip(content.lines, content.elements, strict=True)
        if line not in common
    )


def changed_blocks(old: Sequence[Line], new: Sequence[Line]) -> tuple[BlockChange, ...]:
    """Blocks by heading, in the order of the new page, then those that are gone."""
    if old == new:
        return ()
    before, after = by_heading(old), by_heading(new)
    changes = []
    for heading in dict.fromkeys([*after, *before]):
        was, now = before.get(heading, []), after.get(heading, [])
        if was != now:
            gone, fresh = Counter(was), Counter(now)
            changes.append(
                BlockChange(
                    heading,
                    tuple((gone - fresh).elements()),
                    tuple((fresh - gone).elements()),
                )
            )
    if not changes:
        changes.append(BlockChange("", (), ()))
    return tuple(changes)


def by_heading(lines: Sequence[Line]) -> dict[str, list[str]]:
    """The lines of each block; blocks of the same heading are one."""
    blocks: dict[str, list[str]] = {}
    for line in lines:
        blocks.setdefault(line.heading, []).append(line.text)
    return blocks
