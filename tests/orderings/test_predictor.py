from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.orderings.base import LinkView, PageView, Topic
from focuscrawl.orderings.linktable import FEATURES
from focuscrawl.orderings.predictor import CERTAINTY, GUESS, NOTICEABLE, Predictor, fit
from focuscrawl.semantics.meanings import NO_MEANING, Meaning
from focuscrawl.text import counts, stems

TRAINS = Topic(["railway"], {"railwai": 1.0})
ABOUT_TRAINS = "The railway has a steam locomotive on its track near the station"
ABOUT_FLOWERS = "The garden grows roses and tulips for the summer flower show"


def page(key: int, text: str, *links: tuple[int, str, str], example: bool = False) -> PageView:
    block = counts(text)
    views = [LinkView(target, anchor, stems(context), 0) for target, anchor, context in links]
    return PageView(key, block, [block], views, example=example)


def test_a_relevant_parent_and_a_telling_anchor_go_first() -> None:
    predictor = Predictor(TRAINS)
    trains = page(1, ABOUT_TRAINS, (10, "Railway gauge", ""), (11, "Tulip", ""), example=True)
    scores = {**predictor.fetched(trains)}
    scores |= predictor.fetched(page(2, ABOUT_FLOWERS, (12, "Rose", "")))
    assert scores[10].score > scores[11].score > scores[12].score


def test_the_words_around_a_link_count() -> None:
    around = "steam locomotive and railway track"
    scores = Predictor(TRAINS).fetched(
        page(1, ABOUT_TRAINS, (10, "here", around), (11, "here", "of tulips"), example=True)
    )
    assert scores[10].score > scores[11].score


def test_what_a_link_means_counts() -> None:
    known = {"Flying Scotsman": Meaning(0.9, {"railwai": 2}), "Rembrandt": NO_MEANING}
    predictor = Predictor(TRAINS, known.__getitem__)
    links = ((10, "Flying Scotsman", ""), (11, "Rembrandt", ""))
    scores = predictor.fetched(page(1, ABOUT_TRAINS, *links, example=True))
    assert scores[10].score > scores[11].score
    terms = dict(zip(FEATURES, scores[10].terms, strict=True))
    assert terms["meaning"] == pytest.approx(0.9 * GUESS["meaning"])
    assert terms["definition"] > 0


def test_the_terms_sum_to_the_score() -> None:
    links = ((10, "Railway gauge", "a b c"), (11, "Tulip", "x"))
    scores = Predictor(TRAINS).fetched(page(1, ABOUT_TRAINS, *links, example=True))
    for scored in scores.values():
        assert len(scored.terms) == len(FEATURES)
        assert sum(scored.terms) == pytest.approx(scored.score)


def test_a_further_parent_moves_the_links_it_shares() -> None:
    predictor = Predictor(TRAINS)
    start = ((10, "Gauge", ""), (11, "Gauge", ""))
    before = predictor.fetched(page(1, ABOUT_TRAINS, *start, example=True))
    for key in range(2, 6):
        predictor.fetched(page(key, ABOUT_FLOWERS))
    after = predictor.fetched(page(6, ABOUT_FLOWERS, (10, "Gauge", "")))
    assert before[10].score == pytest.approx(before[11].score)
    assert after[10].score < predictor.scores()[11].score


def test_experience_changes_the_weights() -> None:
    """Where anchors lie and parents tell the truth, parents gain."""
    predictor = Predictor(TRAINS)
    predictor.fetched(page(0, ABOUT_TRAINS, example=True))
    for number in range(1, 41):
        lies = number % 2
        text = ABOUT_TRAINS if lies else ABOUT_FLOWERS
        anchor = "Tulip" if not lies else "Railway"
        predictor.fetched(page(number, text, (100 + number, anchor, "")))
    for number in range(1, 41):
        text = ABOUT_FLOWERS if number % 2 else ABOUT_TRAINS
        predictor.fetched(page(100 + number, text))
    weights = dict(zip(FEATURES, predictor.weights, strict=True))
    assert weights["anchor"] < GUESS["anchor"]


def test_a_page_that_was_fetched_is_not_scored_again() -> None:
    predictor = Predictor(TRAINS)
    predictor.fetched(page(1, ABOUT_TRAINS, (2, "Railway", ""), (3, "Rail", ""), example=True))
    scores = predictor.fetched(page(2, ABOUT_TRAINS, (3, "Rail", "")))
    assert 2 not in scores
    assert 1 not in scores
    assert 3 in scores


@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_without_evidence_the_guess_stands_and_with_much_the_truth(size: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    guess, truth = np.array([0.5, 0.1]), np.array([-0.3, 0.8])
    assert fit(np.zeros((size, 2)), np.zeros(size), guess).tolist() == pytest.approx(guess.tolist())
    many = chance.normal(size=(int(CERTAINTY) * 1000, 2))
    assert fit(many, many @ truth, guess).tolist() == pytest.approx(truth.tolist(), abs=0.01)


def test_a_long_crawl_holds_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("focuscrawl.orderings.predictor.MOST_PAGES", 20)
    monkeypatch.setattr("focuscrawl.orderings.predictor.LATEST", 5)
    monkeypatch.setattr("focuscrawl.orderings.topicmodel.NEAREST_MOST", 3)
    predictor = Predictor(TRAINS)
    predictor.fetched(page(0, ABOUT_TRAINS, example=True))
    for number in range(1, 200):
        text = ABOUT_TRAINS if number % 5 == 0 else ABOUT_FLOWERS
        scores = predictor.fetched(page(number, text, (1000 + number, "Railway", "")))
        assert 1000 + number in scores
    good = predictor.fetched(page(500, ABOUT_TRAINS, (600, "Railway", ""), (601, "Tulip", "")))
    assert good[600].score > good[601].score


def test_a_lesson_tells_only_what_moves() -> None:
    predictor = Predictor(TRAINS)
    links = [(100 + number, "Railway", "") for number in range(20)]
    told = dict(predictor.fetched(page(0, ABOUT_TRAINS, *links, example=True)))
    for number in range(1, 60):
        new = predictor.fetched(page(number, ABOUT_FLOWERS, (200 + number, "Tulip", "")))
        told |= new
    now = predictor.scores()
    assert all(abs(told[key].score - now[key].score) < NOTICEABLE + 1e-9 for key in told)
    assert set(told) == set(now)
    assert predictor.scores(least=NOTICEABLE) == {}
