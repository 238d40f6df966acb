from __future__ import annotations

from focuscrawl.relevance.learning import LEARNED_WEIGHT, LearnedTerm, Spread, learn

VECTORS = {
    "chess": {"pawn": 1.0, "rook": 1.0},
    "choir": {"hymn": 1.0, "bishop": 1.0, "score": 1.0},
    "church": {"altar": 1.0, "bishop": 1.0, "score": 1.0},
}


def spread(pages: int, **holding: int) -> Spread:
    found = Spread(pages)
    found.holding.update(holding)
    return found


def learned_from(counts: dict[str, int], limit: int = 10) -> list[LearnedTerm]:
    """With every stem borne out: it stands in all kept pages and in no other."""
    kept = spread(30, **dict.fromkeys(counts, 30))
    return learn("chess", counts, VECTORS, 2, limit, kept, spread(30))


def stems_learned(counts: dict[str, int], limit: int = 10) -> list[str]:
    return [term.stem for term in learned_from(counts, limit)]


def test_the_most_frequent_join_with_their_provenance() -> None:
    assert learned_from({"gambit": 9, "castl": 12}) == [
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


def test_kept_pages_must_bear_a_term_out() -> None:
    near = {"castl": 40, "gambit": 12, "endgam": 9, "saltwick": 70, "beetroot": 30}
    kept = spread(50, castl=30, gambit=8, endgam=2, saltwick=25)
    others = spread(99, castl=6, gambit=0, saltwick=40)
    learned = learn("chess", near, VECTORS, 1, 10, kept, others)
    assert [term.stem for term in learned] == ["castl", "gambit"]


def test_a_share_of_few_pages_is_modest() -> None:
    assert spread(0).share("x") == 1.0
    assert spread(3, x=1).share("x") == 0.5
    assert spread(99, x=9).share("x") == 0.1
