from __future__ import annotations

import json
import random
from collections import defaultdict

import pytest

from focuscrawl.relevance.classifier import Classifier
from focuscrawl.relevance.thresholds import (
    DEFAULT_THRESHOLD,
    SEED_CEILING,
    SEED_FLOOR,
    Histogram,
    Method,
    Observations,
    Threshold,
    best_split,
    initial_threshold,
    next_threshold,
    observe,
    resting_thresholds,
)
from focuscrawl.relevance.vectors import TopicVectors
from focuscrawl.topics.category import Category, parse_category


def category(threshold: str = "") -> Category:
    return parse_category("reef", f'terms = ["coral"]\n{threshold}', "reef.toml")


def histogram(*similarities: float) -> Histogram:
    result = Histogram()
    result.extend(similarities)
    return result


def test_the_file_has_the_first_word() -> None:
    found = initial_threshold([0.2, 0.3], category("threshold = 0.07"))
    assert found == Threshold(0.07, "given in reef.toml", 0.07)


def test_without_seed_pages_the_default() -> None:
    assert initial_threshold([], category()).value == DEFAULT_THRESHOLD
    assert initial_threshold([0.0, 0.0], category()).value == DEFAULT_THRESHOLD


def test_mean_of_seed_pages_as_in_the_documents() -> None:
    found = initial_threshold([0.1, 0.2, 0.3], category(), "mean")
    assert found.value == pytest.approx(0.2)
    assert found.source == "mean of 3 seed pages"


def test_seed_pages_suggest_mean_minus_deviation() -> None:
    assert initial_threshold([0.06, 0.10], category()).value == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("seeds", "bound"), [([0.01, 0.02, 0.2], SEED_FLOOR), ([0.5, 0.5, 0.52], SEED_CEILING)]
)
def test_odd_seed_pages_cannot_push_it_far(seeds: list[float], bound: float) -> None:
    assert initial_threshold(seeds, category()).value == bound


def test_histogram_keeps_exact_mean_and_deviation() -> None:
    seen = histogram(0.1, 0.2, 0.3, 0.4)
    assert seen.count == 4
    assert seen.mean == pytest.approx(0.25)
    assert seen.deviation == pytest.approx(0.1118033988749895)
    assert Histogram().mean == Histogram().deviation == 0
    assert histogram(-0.1, 1.0, 1.5).count == 3


def test_observations_survive_json() -> None:
    seen = Observations()
    seen.add(0.3, own=True, kept=True)
    seen.add(0.1, own=True, kept=False)
    seen.add(0.2, own=False, kept=False)
    assert (seen.kept.count, seen.missed.count, seen.second.count) == (1, 1, 1)
    assert Observations.from_dict(json.loads(json.dumps(seen.as_dict()))) == seen


def test_split_parts_two_heaps_in_the_middle_of_the_gap() -> None:
    assert best_split(histogram(0.4, 0.5, 0.6), histogram(0.1, 0.15, 0.2)) == pytest.approx(
        0.3, abs=0.01
    )


def test_split_is_not_swayed_by_numbers() -> None:
    few = best_split(histogram(*[0.4] * 5), histogram(*[0.1] * 5))
    assert best_split(histogram(*[0.4] * 5), histogram(*[0.1] * 5000)) == few


def test_too_few_pages_change_nothing() -> None:
    seen = Observations(kept=histogram(*[0.3] * 19), second=histogram(*[0.1] * 500))
    previous = Threshold(0.05, "before", 0.05)
    assert next_threshold(previous, seen) is previous
    assert next_threshold(previous, Observations(), "mean") is previous


@pytest.mark.parametrize(("own", "bound"), [(0.9, 0.1), (0.008, 0.025)])
def test_it_stays_within_a_factor_of_two_of_the_first(own: float, bound: float) -> None:
    seen = Observations(
        kept=histogram(*[own] * 50), second=histogram(*[0.8 if own > 0.5 else 0.001] * 50)
    )
    assert next_threshold(Threshold(0.07, "before", 0.05), seen).value == bound


def test_heaps_that_cannot_be_told_apart_change_nothing() -> None:
    alike = histogram(*[0.02, 0.1] * 50)
    previous = Threshold(0.07, "before", 0.05)
    assert best_split(alike, alike) is None
    assert next_threshold(previous, Observations(kept=alike, second=alike)) is previous


def phases(method: Method, rounds: int = 6) -> tuple[list[float], list[float]]:
    """Thresholds and recall, phase by phase, on pages about the topic and pages about others."""
    chance = random.Random(4)
    current, values, recalls = Threshold(0.06, "start", 0.06), [], []
    for _ in range(rounds):
        seen, kept = Observations(), 0
        for _ in range(400):
            own = chance.betavariate(4, 26)
            passes = own >= current.value
            kept += passes
            seen.add(own, own=True, kept=passes)
            seen.add(chance.betavariate(2, 58), own=False, kept=False)
        recalls.append(kept / 400)
        current = next_threshold(current, seen, method)
        values.append(current.value)
    return values, recalls


def test_the_documents_mean_climbs_and_loses_pages() -> None:
    values, recalls = phases("mean")
    assert values == sorted(values)
    assert values[-1] > 0.2
    assert recalls[-1] < 0.2


def test_the_split_stands_still_and_keeps_them() -> None:
    values, recalls = phases("split")
    assert max(values) - min(values) <= 0.03
    assert min(recalls) > 0.8


def test_observe_feeds_the_nearest_and_the_runner_up() -> None:
    topics = [
        parse_category(name, f"terms = {terms}", name)
        for name, terms in [("a", '["x", "y"]'), ("b", '["y", "z"]'), ("c", '["q"]')]
    ]
    classifier = Classifier(TopicVectors(topics, "unit"), dict.fromkeys("abc", 0.9))
    seen: dict[str, Observations] = defaultdict(Observations)
    observe(seen, classifier.decide({"x": 1, "y": 1}))
    observe(seen, classifier.decide({"x": 1}))
    observe(seen, classifier.decide({"none": 1}))
    assert (seen["a"].kept.count, seen["a"].missed.count) == (1, 1)
    assert seen["b"].second.mean == pytest.approx(0.5)
    assert set(seen) == {"a", "b"}


def test_resting_thresholds() -> None:
    assert resting_thresholds([category()]) == {"reef": DEFAULT_THRESHOLD}
    assert resting_thresholds([category("threshold = 0.2")]) == {"reef": 0.2}
