"""How many fetches a run may still make: of its own budget, and of the day's."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

DAY = 86_400.0


@dataclass(slots=True)
class Budget:
    """0 means no limit; ``spent_today`` is what earlier runs made in the last 24 hours."""

    run: int = 0
    day: int = 0
    spent_today: int = 0
    spent: int = 0

    @property
    def size(self) -> float:
        """What the run had when it began."""
        today = max(self.day - self.spent_today, 0) if self.day else inf
        return min(self.run or inf, today)

    @property
    def left(self) -> float:
        return max(self.size - self.spent, 0)

    def share(self, part: float) -> int:
        """A part of what the run had, one at least; 0 where there is no limit."""
        return 0 if self.size == inf else max(round(self.size * part), 1)
