"""How far the hints of a site are believed, learned from what visits found.

Every visit of a page that a hint spoke about is an answer: the hint said "changed" or
"same", and the page was one or the other. Counted are the four outcomes, per site and
kind of hint; :func:`trust` makes one number of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["lastmod", "changefreq", "feed", "headers", "meta"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BELIEVED = 0.5
"""From this trust on, a hint decides about a visit."""

MEMORY = 400
"""So many answers are kept at full weight; a site that begins to lie is found out in time."""
_PRIOR_RIGHT = 4.0
_PRIOR_ALL = 6.0
_MISS_WEIGHT = 2.0
_FALSE_ALARM_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Record:
    """The answers of one kind of hint on one site: what it said, and what the page was."""

    said_changed_was_changed: int = 0
    said_changed_was_same: int = 0
    said_same_was_same: int = 0
    said_same_was_changed: int = 0

    @property
    def answers(self) -> int:
        return (
            self.said_changed_was_changed
            + self.said_changed_was_same
            + self.said_same_was_same
            + self.said_same_was_changed
        )

    def after(self, *, said_changed: bool, was_changed: bool) -> Record:
        """The record with one more answer; once memory is full, all older ones weigh half."""
        kept = self._halved() if self.answers >= MEMORY else self
        return Record(
            kept.said_changed_was_changed + (said_changed and was_changed),
            kept.said_changed_was_same + (said_changed and not was_changed),
            kept.said_same_was_same + (not said_changed and not was_changed),
            kept.said_same_was_changed + (not said_changed and was_changed),
        )

    def _halved(self) -> Record:
        return Record(
            self.said_changed_was_changed // 2,
            self.said_changed_was_same // 2,
            self.said_same_was_same // 2,
            self.said_same_was_changed // 2,
        )


def trust(record: Record) -> float:
    """How far the hint is to be believed, between 0 and 1; two thirds for a site that is new.

    The geometric mean of two smoothed shares: of its "changed" that were true, and of its
    "same" that were true. A hint that says only one thing would keep the prior of the
    other, and be believed for the pages' own habits. So a change that it was silent about
    also counts against its "changed" (twice: it left an old page with the reader), and a
    false alarm also against its "same" (half: it cost one fetch). A hint that knows
    nothing then ends below one half at any rate of change.
    """
    misses, false_alarms = record.said_same_was_changed, record.said_changed_was_same
    changed = _smoothed_share(record.said_changed_was_changed, false_alarms + _MISS_WEIGHT * misses)
    same = _smoothed_share(record.said_same_was_same, misses + _FALSE_ALARM_WEIGHT * false_alarms)
    return math.sqrt(changed * same)


def _smoothed_share(right: float, wrong: float) -> float:
    return (right + _PRIOR_RIGHT) / (right + wrong + _PRIOR_ALL)
