from __future__ import annotations

import pytest

from focuscrawl.orderings.base import Topic
from focuscrawl.orderings.texts import Texts, Vocabulary
from focuscrawl.orderings.topicmodel import TopicModel

TRAINS = Topic(["railway"], {"railway": 1.0})
TRAIN_PAGE = {"railway": 4, "locomot": 3, "track": 2, "year": 3}
OTHER_PAGES = [
    {"flower": 3, "garden": 2, "year": 2},
    {"king": 3, "battl": 2, "year": 1},
    {"river": 4, "valley": 2, "year": 2},
    {"song": 3, "album": 2, "year": 2},
]


def model_of(*pages: dict[str, int], example: dict[str, int] = TRAIN_PAGE) -> TopicModel:
    model = TopicModel(TRAINS, Vocabulary())
    model.add(example, example=True)
    for page in pages:
        model.add(page, example=False)
    model.learn()
    return model


def similarity(model: TopicModel, counts: dict[str, int]) -> float:
    texts = Texts(model.vocabulary)
    texts.add(counts)
    return float(model.similarities(texts)[0])


def test_the_words_alone_make_a_topic() -> None:
    model = TopicModel(TRAINS, Vocabulary())
    assert similarity(model, {"railway": 1}) > similarity(model, {"flower": 1}) == 0


def test_the_example_lends_its_words() -> None:
    model = model_of()
    assert similarity(model, {"locomot": 1}) > similarity(model, {"flower": 1})


def test_pages_of_the_topic_teach_further_words() -> None:
    new = [{"railway": 3, "locomot": 2, "signal": 3}, {"railway": 2, "signal": 2, "track": 1}]
    before = model_of(*OTHER_PAGES * 3)
    after = model_of(*OTHER_PAGES * 3, *new)
    assert similarity(before, {"signal": 1}) == 0
    assert similarity(after, {"signal": 1}) > 0.1


def test_a_usual_page_is_0_and_the_nearest_are_about_1() -> None:
    model = model_of(*OTHER_PAGES * 4, {"railway": 3, "locomot": 2}, {"railway": 4, "track": 1})
    relevance = model.relevance()
    assert sorted(relevance)[len(relevance) // 2] == pytest.approx(0, abs=0.05)
    assert relevance[0] > 0.8
    assert relevance[-1] > 0.8
    assert max(relevance[1:17]) < 0.5


def test_a_word_on_every_page_tells_nothing() -> None:
    model = model_of(*OTHER_PAGES * 5)
    assert similarity(model, {"locomot": 1}) > 3 * similarity(model, {"year": 1})


def test_stems_that_came_since_the_last_lesson_can_be_met() -> None:
    model = model_of(*OTHER_PAGES)
    assert similarity(model, {"railway": 1, "never": 1, "met": 1}) > 0
    row = model.add({"railway": 2, "quite": 1, "new": 1}, example=False)
    assert model.relevance(row).shape == (1,)
