"""A page's words, stemmed once: all that scoring asks of them is cut from one row of stems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from focuscrawl.blocks import PageOutline
from focuscrawl.text import marked_stems, stems

CONTEXT_WORDS = 10
"""How many words before a link, and after it, are its context."""

Counts = dict[str, int]


class Reading:
    """The stems of a page counted, as a whole (title included) and block by block.

    What is around links is put together when somebody asks for it.
    """

    def __init__(self, outline: PageOutline) -> None:
        marked = outline.marked()
        self._stems, place = marked_stems(marked.text)
        self._blocks = [(place[first], place[last]) for first, last in marked.blocks]
        self._links = [
            (link.block, place[first], place[last])
            for link, (first, last) in zip(outline.links, marked.links, strict=True)
        ]
        self.blocks = [_counted(self._stems[start:end]) for start, end in self._blocks]
        self.text = _counted([*stems(outline.title), *self._stems])

    def contexts(self) -> list[list[str]]:
        """For each link the stems around it in its block, :data:`CONTEXT_WORDS` words a side.

        The link's own text is no part of it; stop words count as words, but are left out.
        """
        found = []
        for block, start, end in self._links:
            first, last = self._blocks[block]
            before = self._stems[max(first, start - CONTEXT_WORDS) : start]
            after = self._stems[end : min(last, end + CONTEXT_WORDS)]
            found.append(list(filter(None, before + after)))
        return found


def _counted(row: Sequence[str | None]) -> Counts:
    counts: Counter[str | None] = Counter(row)
    counts.pop(None, None)
    return counts  # type: ignore[return-value]


NOT_READ = Reading(PageOutline())
