from __future__ import annotations

from focuscrawl.changes.noise import PlaceRecord, noisy

CLOCK, BODY, ONE = PlaceRecord("clock", 7, 5), PlaceRecord("body", 5, 4), PlaceRecord("live", 10, 1)


def test_only_what_changes_everywhere_most_times() -> None:
    assert noisy([CLOCK, BODY, ONE], 10) == {"clock"}


def test_a_few_comparisons_prove_nothing() -> None:
    assert noisy([PlaceRecord("clock", 5, 5)], 5) == frozenset()
    assert noisy([], 100) == frozenset()
