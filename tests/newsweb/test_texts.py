"""The texts of the sample web: rich enough, proper English, and wider than the vectors."""

import re
from random import Random
from statistics import mean

import pytest

from focuscrawl.newsweb.grammar import Cast, PhraseError, phrasebook, speak
from focuscrawl.newsweb.world import World
from focuscrawl.text import counts
from focuscrawl.topics.catalog import load_catalog

CATEGORIES = ("business", "crime", "health", "politics", "sports", "technology")


@pytest.fixture(scope="module")
def world() -> World:
    return World(7, 600)


def test_categories_and_enough_templates() -> None:
    book = phrasebook()
    assert book.categories == CATEGORIES
    assert len(book.off_topics) >= 6
    for name in CATEGORIES:
        topic = book.topics[name]
        sentences = [*topic.sentences, *(s for sub in topic.subtopics for s in sub.sentences)]
        assert len(sentences) == len(set(sentences)) >= 60, name
        assert len(topic.subtopics) >= 5, name


def test_choices_slots_articles_ordinals_and_capitals() -> None:
    who = Cast({"person": "Ada Quill"}, {"org": "Tern Line"}, {"thing": ("apple",)})
    rng = Random(1)
    assert speak("[x|x] a {thing} of {org}", who, rng) == "X an apple of Tern Line"
    assert speak("{person} met {person}.", who, rng) == "Ada Quill met Quill."
    assert speak("a {n:18-18} in the {n:22-22}th year", who, rng) == "An 18 in the 22nd year"
    assert speak("in {n:2016-2016}, {n:9000-9000} came", who, rng) == "In 2016, 9,000 came"
    with pytest.raises(PhraseError, match="missing_list"):
        speak("{missing_list}", who, rng)


def test_every_article_reads_as_english(world: World) -> None:
    for article in world.articles:
        for text in article.first.body():
            assert not re.search(r"[{}\[\]|]|  |\ba [aeio]\w", text), text
            assert text[0] in '"“' or text[0].isupper() or text[0].isdigit(), text


def test_length_of_articles(world: World) -> None:
    lengths = [len(article.first.text().split()) for article in world.articles]
    assert min(lengths) >= 100
    assert max(lengths) <= 600
    assert 200 <= mean(lengths) <= 350


@pytest.mark.parametrize("category", CATEGORIES)
def test_vocabulary_is_wider_than_the_vector(world: World, category: str) -> None:
    terms = load_catalog()[category].terms
    articles = [a for a in world.articles if a.brief.topic.name == category]
    pages = [counts(article.first.text()) for article in articles]
    inside = sum(n for page in pages for stem, n in page.items() if stem in terms)
    share = inside / sum(sum(page.values()) for page in pages)
    assert 0.05 < share < 0.25
    assert len({stem for page in pages for stem in page}) > 8 * len(terms)


def test_some_articles_are_hard(world: World) -> None:
    on_topic = [a for a in world.articles if a.brief.topic.category]
    hard = sum(a.brief.recipe.name != "plain" for a in on_topic) / len(on_topic)
    assert 0.08 < hard < 0.22
