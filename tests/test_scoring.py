from __future__ import annotations

import json

import pytest

from focuscrawl.blocks import parse_html, partition
from focuscrawl.items import PageItem
from focuscrawl.linking import harvest
from focuscrawl.orderings.base import LinkScorer, Topic
from focuscrawl.orderings.classic import BreadthFirst
from focuscrawl.orderings.predictor import GUESS, Predictor
from focuscrawl.reading import Reading
from focuscrawl.scoring import Scoring
from focuscrawl.urls import AllowedSites

TRAINS = Topic(["railway"], {"railway": 1.0})
HTML = "<p>The railway runs <a href=/gauge>railway gauge</a> and <a href=/tulip>tulips</a>"


def item() -> PageItem:
    url = "http://web.test/"
    found = PageItem(url, 200, b"", "utf-8", partition(parse_html(HTML)), 0.0)
    found.reading = Reading(found.outline)
    found.links = harvest(found.outline, url, AllowedSites(["web.test"]))
    return found


def scoring(scorer: LinkScorer, unit: float | None = 0.5) -> Scoring:
    return Scoring(scorer, "trains", unit, reads_parts=False)


def test_links_have_a_score_in_units_and_its_terms() -> None:
    page = item()
    scores = scoring(Predictor(TRAINS)).fetched(page)
    gauge, tulip = (scores[link.target] for link in page.links)
    assert gauge.score > tulip.score
    for row in (gauge, tulip):
        assert sum(json.loads(row.terms)) == pytest.approx(row.score, abs=1e-4)
        assert len(json.loads(row.terms)) == len(GUESS)


def test_scores_without_bounds_are_pressed_between_minus_1_and_1() -> None:
    page = item()
    scores = scoring(BreadthFirst(TRAINS), None).fetched(page)
    assert [scores[link.target].score for link in page.links] == [0.0, -0.5]
    assert {score.terms for score in scores.values()} == {""}


def test_weights_are_shown_of_an_ordering_that_learns_them() -> None:
    assert scoring(Predictor(TRAINS)).weights() == GUESS
    assert scoring(BreadthFirst(TRAINS)).weights() == {}
