"""A change as it is told to others: short, and safe wherever it is shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from focuscrawl.changes.verdict import Verdict

LONGEST_TEXT = 500
MOST_BLOCKS = 20
_STEERING = (range(32), range(127, 160), range(0x202A, 0x202F), range(0x2066, 0x206A))
_SHOWN_INSTEAD = {code: "\ufffd" for codes in _STEERING for code in codes}


class ReportedBlock(NamedTuple):
    """A block that changed, its lines cut to what an alert can hold."""

    heading: str
    removed: str
    added: str


@dataclass(frozen=True, slots=True)
class Change:
    """The content of a kept page changed; ``more_blocks`` counts those that are not shown."""

    url: str
    title: str
    category: str
    at: float
    kinds: tuple[str, ...]
    blocks: tuple[ReportedBlock, ...]
    more_blocks: int
    weight: float
    similarity: float

    def as_json(self) -> dict[str, Any]:
        at = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="seconds")
        blocks = [block._asdict() for block in self.blocks]
        return {"event": "content_changed", **asdict(self), "at": at, "blocks": blocks}


def reported_change(
    verdict: Verdict,
    *,
    url: str,
    title: str,
    category: str,
    at: float,
    weight: float,
    similarity: float,
) -> Change:
    """Cut at once: changes wait in memory while the receiver is slow."""
    return Change(
        url=url,
        title=shorten(title),
        category=category,
        at=at,
        kinds=verdict.kinds,
        blocks=tuple(
            ReportedBlock(
                shorten(block.heading),
                shorten("\n".join(block.removed)),
                shorten("\n".join(block.added)),
            )
            for block in verdict.blocks[:MOST_BLOCKS]
        ),
        more_blocks=max(0, len(verdict.blocks) - MOST_BLOCKS),
        weight=round(weight, 6),
        similarity=round(similarity, 6),
    )


def shorten(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def for_terminal(text: str) -> str:
    """With a sign in place of the characters by which a page could steer the terminal."""
    return text.translate(_SHOWN_INSTEAD)
