"""Which words came and went between two versions of a page, block by block, for people to read.

Pages are other people's, so the cost is bounded: a long block is compared by its lines first,
and what is left when the effort for a page is spent counts as rewritten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate, chain
from typing import Literal, NamedTuple

from focuscrawl.changes.content import Line
from focuscrawl.changes.verdict import by_heading

Op = Literal["equal", "removed", "added"]
LONG_BLOCK = 5_000
"""Words of a block beyond which its lines are compared first."""
MOST_STEPS = 20_000_000
"""Pairs of equal words that may be looked at for one page; about a second."""
CONTEXT = 8
_MOST_RENAMED = 50
_RENAMED_SHARE = 0.5
_ISLAND_SHARE = 3


class Piece(NamedTuple):
    """Words in a row that share one fate."""

    op: Op
    text: str


class BlockDiff(NamedTuple):
    """A block that is not what it was; one that was renamed has its new heading."""

    heading: str
    diff: list[Piece]


class Effort:
    """What may still be spent on one page."""

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self._left = steps

    def allows(self, steps: int) -> bool:
        if steps > self._left:
            return False
        self._left -= steps
        return True


def diff_blocks(old: Sequence[Line], new: Sequence[Line]) -> list[BlockDiff]:
    """The blocks with other words, in the order of the new page, then those that are gone."""
    before, after = by_heading(old), by_heading(new)
    former = _renamed(before, after)
    taken = {former.get(heading, heading) for heading in after}
    pairs = [(heading, before.get(former.get(heading, heading), [])) for heading in after]
    pairs += [(heading, before[heading]) for heading in before if heading not in taken]
    effort = Effort()
    diffs = [
        BlockDiff(heading, diff_lines(was, after.get(heading, []), effort))
        for heading, was in pairs
        if was != after.get(heading, [])
    ]
    return [each for each in diffs if any(piece.op != "equal" for piece in each.diff)]


def diff_lines(old: Sequence[str], new: Sequence[str], effort: Effort | None = None) -> list[Piece]:
    """What to take out of the old words, and what to put in, to get the new ones."""
    effort = effort or Effort()
    was, now = _words(old), _words(new)
    if max(len(was), len(now)) <= LONG_BLOCK:
        found = list(_align(was, now, effort))
    else:
        found = [part for run in _align([*old], [*new], effort) for part in _in_words(run, effort)]
    return _pieces(_without_islands(found))


def shortened(diff: Sequence[Piece], context: int = CONTEXT) -> list[Piece]:
    """The same, with no more of what stayed than is needed to find the place."""
    last = len(diff) - 1
    return [
        Piece(op, _cut(text, context if at else 0, context if at < last else 0))
        if op == "equal"
        else Piece(op, text)
        for at, (op, text) in enumerate(diff)
    ]


def _cut(text: str, first: int, final: int) -> str:
    words = text.split()
    if first + final >= len(words):
        return text
    return " ".join([*words[:first], "…", *words[len(words) - final :]])


def _renamed(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, str]:
    """The former headings of blocks that only got another one.

    A headline that was edited must not show the whole story under it as taken out and put in.
    On a page with very many new headings everything is new, and the search would take long.
    """
    gone = {heading: Counter(_words(before[heading])) for heading in before if heading not in after}
    fresh = [heading for heading in after if heading not in before]
    former: dict[str, str] = {}
    if max(len(gone), len(fresh)) > _MOST_RENAMED:
        return former
    for heading in fresh:
        words = Counter(_words(after[heading]))
        shares = {name: _share(words, counted) for name, counted in gone.items()}
        best = max(shares, key=shares.__getitem__, default=None)
        if best is not None and shares[best] >= _RENAMED_SHARE:
            former[heading] = best
            del gone[best]
    return former


def _share(one: Counter[str], other: Counter[str]) -> float:
    larger = max(one.total(), other.total())
    return (one & other).total() / larger if larger else 0.0


def _words(lines: Sequence[str]) -> list[str]:
    return list(chain.from_iterable(line.split() for line in lines))


class _Stretch(NamedTuple):
    """A part of both texts, the same in both or not."""

    same: bool
    old: list[str]
    new: list[str]

    @property
    def size(self) -> int:
        return max(len(self.old), len(self.new))

    def take_in(self, other: _Stretch) -> None:
        self.old.extend(other.old)
        self.new.extend(other.new)


class _Matcher(SequenceMatcher[str]):
    """Finds the longest matches first; when the effort is spent it finds no more."""

    def __init__(self, old: Sequence[str], new: Sequence[str], effort: Effort) -> None:
        super().__init__(None, old, new, autojunk=False)
        self._effort = effort
        equal = Counter(new)
        self._steps = [0, *accumulate(1 + equal[each] for each in old)]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        steps = self._steps[-1 if ahi is None else ahi] - self._steps[alo]
        if not self._effort.allows(steps):
            return Match(alo, blo, 0)
        return super().find_longest_match(alo, ahi, blo, bhi)


def _in_words(lines: _Stretch, effort: Effort) -> Iterator[_Stretch]:
    if lines.same:
        yield _Stretch(True, _words(lines.old), _words(lines.new))
    else:
        yield from _align(_words(lines.old), _words(lines.new), effort)


def _align(old: list[str], new: list[str], effort: Effort) -> Iterator[_Stretch]:
    """Common beginning and end cost nothing to find, and most edits are small."""
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    yield _Stretch(True, old[:start], new[:start])
    was, now = old[start : len(old) - end], new[start : len(new) - end]
    for tag, i, until_i, j, until_j in _Matcher(was, now, effort).get_opcodes():
        yield _Stretch(tag == "equal", was[i:until_i], now[j:until_j])
    yield _Stretch(True, old[len(old) - end :], new[len(new) - end :])


def _without_islands(stretches: Sequence[_Stretch]) -> list[_Stretch]:
    """A word or two that happen to stand in two long rewrites would only break them up."""
    tidy: list[_Stretch] = []
    for part in stretches:
        if not part.size:
            continue
        if not part.same and len(tidy) > 1 and tidy[-1].same:
            before, island = tidy[-2:]
            if island.size * _ISLAND_SHARE <= min(before.size, part.size):
                before.take_in(island)
                tidy.pop()
        if tidy and tidy[-1].same == part.same:
            tidy[-1].take_in(part)
        else:
            tidy.append(part)
    return tidy


def _pieces(stretches: Sequence[_Stretch]) -> list[Piece]:
    pieces: list[Piece] = []
    for part in stretches:
        if part.same:
            pieces.append(Piece("equal", " ".join(part.old)))
            continue
        if part.old:
            pieces.append(Piece("removed", " ".join(part.old)))
        if part.new:
            pieces.append(Piece("added", " ".join(part.new)))
    return pieces
