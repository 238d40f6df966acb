from __future__ import annotations

from typing import Any

import pytest

from focuscrawl import judge as judging
from focuscrawl.judge import NEAR_MISS_TERMS, Judge, near_miss_counts
from focuscrawl.relevance.thresholds import DEFAULT_THRESHOLD, SEED_CEILING
from focuscrawl.topics.category import parse_category

CHESS = parse_category("chess", 'terms = ["pawn", "rook", "bishop", "mate"]', "chess.toml")
CHOIR = parse_category("choir", 'terms = ["alto", "tenor", "hymn", "psalm"]', "choir.toml")
TOPICS = {"chess": CHESS, "choir": CHOIR}
STORED = {"chess": {"value": 0.4, "source": "earlier", "first": 0.3}}


def a_judge(stored: dict[str, Any] | None = None, **options: Any) -> Judge:
    return Judge(CHESS, TOPICS, {}, stored or {}, "unit", **options)


def test_before_any_seed_the_default_holds() -> None:
    thresholds = a_judge().thresholds
    assert {name: each.value for name, each in thresholds.items()} == {
        "chess": DEFAULT_THRESHOLD,
        "choir": DEFAULT_THRESHOLD,
    }


def test_seed_pages_set_the_first_threshold_by_their_mean() -> None:
    judge = a_judge(method="mean")
    judge.decide({"pawn": 1}, {}, seed=True)
    assert judge.thresholds["chess"].value == pytest.approx(0.5)
    decision = judge.decide({"pawn": 1, "rook": 1, "bishop": 1, "mate": 1}, {}, seed=True)
    assert judge.thresholds["chess"].value == pytest.approx(0.75)
    assert decision.threshold == pytest.approx(0.75), "the page is judged by the moved threshold"
    assert judge.thresholds["chess"].source == "mean of 2 seed pages"
    assert judge.thresholds["choir"].value == DEFAULT_THRESHOLD


def test_the_default_method_bounds_what_seeds_suggest() -> None:
    judge = a_judge()
    judge.decide({"pawn": 1}, {}, seed=True)
    assert judge.thresholds["chess"].value == SEED_CEILING


def test_other_pages_move_nothing() -> None:
    judge = a_judge(method="mean")
    judge.decide({"pawn": 1}, {})
    assert judge.thresholds["chess"].value == DEFAULT_THRESHOLD


def test_later_phases_carry_their_threshold_and_seeds_do_not_move_it() -> None:
    judge = a_judge(STORED, method="mean")
    judge.decide({"pawn": 1}, {}, seed=True)
    assert judge.thresholds["chess"].value == 0.4
    assert judge.present_thresholds()["chess"] == STORED["chess"]
    assert judge.decide({"pawn": 1, "other": 1}, {}).kept is False


def test_the_next_phase_starts_from_what_this_one_kept() -> None:
    judge = a_judge(STORED, method="mean")
    judge.decide({"pawn": 1}, {})
    judge.decide({"pawn": 1, "rook": 1, "bishop": 1, "mate": 1}, {})
    judge.decide({"pawn": 1, "other": 9}, {})
    after = judge.next_thresholds()
    assert after["chess"]["value"] == pytest.approx(0.75)
    assert after["chess"]["first"] == 0.3
    assert after["choir"]["value"] == DEFAULT_THRESHOLD
    assert Judge(CHESS, TOPICS, {}, after, "unit").present_thresholds() == after


def test_each_decision_is_observed() -> None:
    judge = a_judge()
    judge.decide({"pawn": 2, "alto": 1}, {})
    judge.decide({"pawn": 1, "other": 30}, {})
    assert judge.seen["chess"].kept.count == 1
    assert judge.seen["chess"].missed.count == 1
    assert judge.seen["choir"].second.count == 1


def test_an_anchor_counts_half_and_an_empty_one_not_at_all() -> None:
    judge = a_judge()
    assert judge.decide({"pawn": 1}, {"elsewher": 1}).similarity == 0.25
    assert judge.decide({"pawn": 1}, {}).similarity == 0.5


def test_relevance_of_blocks() -> None:
    judge = a_judge(STORED)
    assert judge.relevance({}) == 0.0
    assert judge.relevance({"pawn": 1}) == 0.5
    assert judge.is_relevant(0.2)
    assert not judge.is_relevant(0.19)


def test_learned_terms_join_the_vector() -> None:
    judge = Judge(CHESS, TOPICS, {"chess": {"gambit": 0.5}}, {}, "unit")
    assert judge.relevance({"gambit": 1}) == pytest.approx(1 / 5**0.5)


def test_an_anchor_text_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(text: str) -> dict[str, int]:
        asked.append(text)
        return {"pawn": 1}

    monkeypatch.setattr(judging, "counts", counted)
    monkeypatch.setattr(judging, "_ANCHORS_REMEMBERED", 2)
    judge = a_judge()
    assert [judge.anchor_similarity(text) for text in ("a", "a", "b", "a")] == [0.5] * 4
    assert asked == ["a", "b"]
    judge.anchor_similarity("c")
    judge.anchor_similarity("a")
    assert asked == ["a", "b", "c", "a"], "the memo is bounded"


def test_near_misses_teach_terms_that_kept_pages_bear_out() -> None:
    kept = [("chess", "A gambit and an endgame")] * 9 + [("choir", "A hymn")] * 9
    near = {"gambit": 5, "endgam": 3, "pawn": 9, "harbour": 20}
    learned = a_judge().learn(near, kept, phase=2, limit=1)
    assert [(term.stem, term.count, term.phase) for term in learned] == [("gambit", 5, 2)]


def test_of_a_near_miss_the_most_frequent_stems_are_kept() -> None:
    page = {f"stem{number:03}": 1 for number in range(100)} | {"zenith": 2}
    kept = near_miss_counts(page)
    assert len(kept) == NEAR_MISS_TERMS
    assert list(kept)[:2] == ["zenith", "stem000"]
