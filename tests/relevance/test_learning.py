from __future__ import annotations

import pytest

from focuscrawl.relevance import learning
from focuscrawl.relevance.learning import LEARNED_WEIGHT, LearnedTerm, NearMisses, learn

VECTORS = {
    "chess": {"pawn": 1.0, "rook": 1.0},
    "choir": {"hymn": 1.0, "bishop": 1.0, "score": 1.0},
    "church": {"altar": 1.0, "bishop": 1.0, "score": 1.0},
}


def stems_learned(counts: dict[str, int], limit: int = 10) -> list[str]:
    return [term.stem for term in learn("chess", counts, VECTORS, phase=2, limit=limit)]


def test_the_most_frequent_join_with_their_provenance() -> None:
    assert learn("chess", {"gambit": 9, "castl": 12}, VECTORS, phase=2) == [
        LearnedTerm("castl", LEARNED_WEIGHT, 12, 2),
        LearnedTerm("gambit", LEARNED_WEIGHT, 9, 2),
    ]


def test_ten_at_most_and_ties_by_alphabet() -> None:
    counts = {f"stem{letter}": 5 for letter in "mlkjihgfedcba"}
    assert stems_learned(counts) == [f"stem{letter}" for letter in "abcdefghij"]
    assert len(stems_learned(counts, limit=3)) == 3


def test_a_stem_of_two_other_categories_stays_out_of_one_other_may_join() -> None:
    assert stems_learned({"bishop": 50, "score": 40, "hymn": 30}) == ["hymn"]


def test_known_short_and_common_stems_stay_out() -> None:
    assert stems_learned({"pawn": 9, "ok": 8, "x": 7, "said": 60, "year": 50, "check": 3}) == [
        "check"
    ]


def test_near_misses_add_up_per_category() -> None:
    misses = NearMisses()
    misses.add("chess", {"gambit": 2})
    misses.add("chess", {"gambit": 3, "castl": 1})
    misses.add("choir", {"alto": 1})
    assert dict(misses.counts("chess")) == {"gambit": 5, "castl": 1}
    assert dict(misses.counts("church")) == {}


def test_near_misses_forget_the_rare_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learning, "NEAR_MISS_STEMS", 10)
    misses = NearMisses()
    misses.add("chess", {"gambit": 7})
    misses.add("chess", {f"junk{n}": 1 for n in range(40)})
    assert len(misses.counts("chess")) == 5
    assert misses.counts("chess")["gambit"] == 7
