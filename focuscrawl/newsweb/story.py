"""The text of an article, and how corrections and updates alter it.

A story is a pure function of its brief (topic, difficulty, random key) and its version, so any
past or future state of a page can be written again from nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from focuscrawl.newsweb.grammar import Cast, Phrasebook, Subtopic, Topic, cast, speak

_NUMBER = re.compile(r"\b\d{1,3}\b")
MOST_UPDATES = 5
"""A live article keeps its latest updates only; otherwise it would grow for ever."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an article mixes its own sentences with filler and with another topic's."""

    name: str
    sentences: tuple[int, int]
    filler: float
    foreign: float
    metaphor: float


PLAIN = Recipe("plain", (12, 34), 0.22, 0.04, 0.02)
THIN = Recipe("thin", (12, 15), 0.56, 0.05, 0.08)
MIXED = Recipe("mixed", (12, 24), 0.20, 0.36, 0.03)
OFFTOPIC = Recipe("plain", (14, 30), 0.28, 0.04, 0.10)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading (None for the opening) and paragraphs of sentences."""

    heading: str | None
    paragraphs: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Story:
    """An article as written, before any site sets it in its own markup."""

    headline: str
    summary: str
    author: str
    sections: tuple[Section, ...]
    updates: tuple[str, ...] = ()

    def text(self) -> str:
        """The main text as plain words; what a copy of the article shares with it."""
        return "\n".join([self.headline, *self.body()])

    def body(self) -> Iterator[str]:
        """Headings and paragraphs in reading order."""
        for section in self.sections:
            if section.heading:
                yield section.heading
            yield from (" ".join(sentences) for sentences in section.paragraphs)
        yield from self.updates


@dataclass(frozen=True, slots=True)
class Brief:
    """What the writer is told: with the same brief the same story is written."""

    key: str
    topic: Topic
    subtopic: Subtopic
    foreign: Topic
    recipe: Recipe


def write(book: Phrasebook, brief: Brief) -> Story:
    """The article as first published."""
    rng = Random(brief.key)
    who = cast(book, brief.topic, brief.subtopic, rng)
    headline = speak(_headline(book, brief, rng), Cast(who.people, who.words, who.lists), rng)
    guest = _guest_cast(book, brief, who, rng)
    templates = _choose(book, brief, rng)
    sentences = [speak(text, who if own else guest, rng) for text, own in templates]
    return Story(
        headline,
        sentences[0],
        " ".join(rng.choice(book.shared[part]) for part in ("first_names", "surnames")),
        tuple(_sections(sentences, brief, who, rng)),
    )


def corrected(book: Phrasebook, brief: Brief, story: Story, key: str) -> Story:
    """One number altered, or one sentence put differently."""
    rng = Random(key)
    spots = [
        (s, p, i)
        for s, section in enumerate(story.sections)
        for p, paragraph in enumerate(section.paragraphs)
        for i in range(len(paragraph))
    ]
    s, p, i = rng.choice(spots)
    old = story.sections[s].paragraphs[p][i]
    new = _NUMBER.sub(lambda found: str(int(found[0]) + rng.randint(1, 9)), old, count=1)
    if new == old:
        templates = [*brief.subtopic.sentences, *brief.topic.sentences]
        new = speak(rng.choice(templates), _known_cast(book, brief), rng)
    return _with_sentence(story, s, p, i, new if new != old else f"{new} The wording was changed.")


def updated(book: Phrasebook, brief: Brief, story: Story, key: str) -> Story:
    """A further paragraph at the end, as a running story gets it."""
    rng = Random(key)
    who = _known_cast(book, brief)
    parts = [
        speak(rng.choice(book.shared["update_openings"]), who, rng),
        speak(rng.choice([*brief.subtopic.sentences, *brief.topic.sentences]), who, rng),
        speak(rng.choice(book.shared["filler"]), who, rng),
    ]
    return replace(story, updates=(*story.updates, " ".join(parts))[-MOST_UPDATES:])


def edited_copy(story: Story) -> Story:
    """Wire copy as a desk prints it: another headline and a line of credit at the end."""
    last = story.sections[-1]
    credit = ("This report was supplied by an agency and lightly edited.",)
    sections = (*story.sections[:-1], replace(last, paragraphs=(*last.paragraphs, credit)))
    return replace(story, headline=f"{story.headline}: report", sections=sections)


def _headline(book: Phrasebook, brief: Brief, rng: Random) -> str:
    if rng.random() < 0.14:
        return rng.choice(book.shared["blank_headlines"])
    own = brief.subtopic.headlines
    return rng.choice(own if rng.random() < 0.75 else brief.topic.headlines)


def _guest_cast(book: Phrasebook, brief: Brief, who: Cast, rng: Random) -> Cast:
    """The same people, for sentences out of the other topic, with that topic's organisations."""
    org, rival = rng.sample(rng.choice(brief.foreign.subtopics).orgs, 2)
    words = {**who.words, "org": org, "rival": rival}
    return Cast(who.people, words, {**book.shared, **brief.foreign.lists}, who.introduced)


def _choose(book: Phrasebook, brief: Brief, rng: Random) -> list[tuple[str, bool]]:
    """The templates of one article, each used once, and whether the own cast speaks them."""
    recipe = brief.recipe
    total = rng.randint(*recipe.sentences)
    filler, foreign, metaphor = (
        _rounded(total * share, rng) for share in (recipe.filler, recipe.foreign, recipe.metaphor)
    )
    own = max(2, total - filler - foreign - metaphor)
    near = _sample(brief.subtopic.sentences, round(own * 0.6), rng)
    body = near[1:] + _sample(brief.topic.sentences, own - len(near), rng)
    body += _sample(book.shared["metaphors"], metaphor, rng)
    body += _sample(book.shared["filler"], filler, rng)
    others = [*rng.choice(brief.foreign.subtopics).sentences, *brief.foreign.sentences]
    mixed = [(text, True) for text in body]
    mixed += [(text, False) for text in _sample(others, foreign, rng)]
    rng.shuffle(mixed)
    return [(near[0], True), *mixed]


def _sections(sentences: Sequence[str], brief: Brief, who: Cast, rng: Random) -> Iterator[Section]:
    paragraphs = list(_paragraphs(sentences, rng))
    count = max(1, min(6, len(paragraphs) // 2 + rng.randint(0, 1)))
    headings = rng.sample(brief.topic.headings, count - 1)
    size = -(-len(paragraphs) // count)
    for number, start in enumerate(range(0, len(paragraphs), size)):
        heading = speak(headings[number - 1], who, rng) if number else None
        yield Section(heading, tuple(paragraphs[start : start + size]))


def _paragraphs(sentences: Sequence[str], rng: Random) -> Iterator[tuple[str, ...]]:
    start = 0
    while start < len(sentences):
        size = rng.randint(2, 4)
        if len(sentences) - start - size == 1:
            size += 1
        yield tuple(sentences[start : start + size])
        start += size


def _known_cast(book: Phrasebook, brief: Brief) -> Cast:
    """The article's cast again, everybody introduced."""
    who = cast(book, brief.topic, brief.subtopic, Random(brief.key))
    who.introduced.update(who.people)
    return who


def _with_sentence(story: Story, s: int, p: int, i: int, sentence: str) -> Story:
    section = story.sections[s]
    paragraph = section.paragraphs[p]
    changed = (*paragraph[:i], sentence, *paragraph[i + 1 :])
    paragraphs = (*section.paragraphs[:p], changed, *section.paragraphs[p + 1 :])
    sections = (*story.sections[:s], replace(section, paragraphs=paragraphs))
    return replace(story, sections=(*sections, *story.sections[s + 1 :]))


def _rounded(value: float, rng: Random) -> int:
    """Up or down by chance, so that small shares still occur."""
    return int(value) + (rng.random() < value % 1)


def _sample(items: Sequence[str], count: int, rng: Random) -> list[str]:
    return rng.sample(items, min(count, len(items)))
