from __future__ import annotations

import pytest

from focuscrawl.relevance.classifier import Classifier
from focuscrawl.relevance.vectors import TopicVectors
from focuscrawl.topics.category import parse_category

TOPICS = [
    parse_category("chess", 'terms = ["pawn", "rook", "bishop", "mate"]', "chess.toml"),
    parse_category("choir", 'terms = ["alto", "tenor", "bishop", "hymn"]', "choir.toml"),
]
CLASSIFIER = Classifier(TopicVectors(TOPICS, "unit"), {"chess": 0.5, "choir": 0.3})


def test_the_page_alone_decides_without_anchor_text() -> None:
    decision = CLASSIFIER.decide({"pawn": 1})
    assert (decision.category, decision.similarity, decision.page) == ("chess", 0.5, 0.5)
    assert decision.anchor is None
    assert decision.scores == {"chess": 0.5, "choir": 0.0}
    assert decision.kept
    assert decision.rule == "kept: chess 0.500 (page alone) ≥ threshold 0.500"


def test_anchor_text_counts_half() -> None:
    decision = CLASSIFIER.decide({"pawn": 1}, {"elsewher": 1})
    assert (decision.similarity, decision.page, decision.anchor) == (0.25, 0.5, 0.0)
    assert not decision.kept
    assert decision.rule == (
        "dropped: chess 0.250 (½ (page 0.500 + anchor 0.000)) < threshold 0.500"
    )


def test_anchor_text_can_turn_the_decision() -> None:
    decision = CLASSIFIER.decide({"pawn": 1, "rook": 1, "alto": 1}, {"hymn": 1, "tenor": 1})
    assert decision.category == "choir"
    assert decision.threshold == 0.3
    assert decision.kept


def test_anchor_text_without_any_stem_is_no_anchor_text() -> None:
    assert CLASSIFIER.decide({"pawn": 1}, {}) == CLASSIFIER.decide({"pawn": 1}, None)


def test_ties_go_by_name() -> None:
    assert CLASSIFIER.decide({"bishop": 1}).category == "chess"


@pytest.mark.parametrize(("anchor", "part"), [(None, None), ({"nothing": 1}, 0.0)])
def test_a_page_without_any_term_belongs_nowhere(
    anchor: dict[str, float] | None, part: float | None
) -> None:
    decision = CLASSIFIER.decide({"weather": 3}, anchor)
    assert decision.category is None
    assert not decision.kept
    assert decision.similarity == 0
    assert decision.anchor == part
    assert decision.scores == {"chess": 0.0, "choir": 0.0}
    assert decision.rule == "dropped: no term of any category stands in it"


def test_every_category_needs_a_threshold() -> None:
    with pytest.raises(ValueError, match="no threshold for choir"):
        Classifier(TopicVectors(TOPICS), {"chess": 0.1})
