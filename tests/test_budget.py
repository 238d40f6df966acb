"""What a run may spend."""

from __future__ import annotations

from math import inf

import pytest

from focuscrawl.budget import Budget


@pytest.mark.parametrize(
    ("run", "day", "spent_today", "size"),
    [(0, 0, 500, inf), (100, 0, 500, 100), (0, 300, 100, 200), (100, 300, 250, 50)]
    + [(100, 300, 400, 0)],
)
def test_the_smaller_of_run_and_day(run: int, day: int, spent_today: int, size: float) -> None:
    assert Budget(run, day, spent_today).size == size


def test_what_is_spent_is_gone() -> None:
    budget = Budget(run=3)
    budget.spent += 2
    assert budget.left == 1
    budget.spent += 2
    assert budget.left == 0


def test_a_share_is_one_at_least_and_unlimited_where_the_budget_is() -> None:
    assert Budget(run=100).share(0.25) == 25
    assert Budget(run=1).share(0.1) == 1
    assert Budget().share(0.5) == 0
