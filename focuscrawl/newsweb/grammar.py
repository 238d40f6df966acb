"""Sentences out of templates: the words of the sample web lie in ``data/newsweb``, not here.

A template holds ``[one|another]`` choices and ``{slots}``. A slot is a number (``{n:3-90}``), a
member of the article's cast (``{person}``, ``{place}``, ``{org}`` ...), or a word of a list.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from focuscrawl.resources import data_dir

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_SLOT = re.compile(r"\{([a-z_]+)(?::(\d+)-(\d+))?\}")
_ARTICLE = re.compile(
    r"\b([Aa]) (?=(?:[aeioAEIO]|u(?!ni|s[eu]|ti)|U(?!ni)|8|11\b|18\b|hour|honest))"
)
_CONSONANT_ONE = re.compile(r"\b([Aa])n (?=(?:one|once|eu|Eu))")

FIRST_GROUPED = 2101
"""Numbers up to here are written without a comma: they are years, or might be."""

_ORDINAL = re.compile(r"(\d+)th\b")

Words = Mapping[str, tuple[str, ...]]


class PhraseError(ValueError):
    """A template names a slot that no list fills."""


@dataclass(frozen=True, slots=True)
class Subtopic:
    """One beat within a topic, say rowing within sports: its own headlines and sentences."""

    name: str
    headlines: tuple[str, ...]
    sentences: tuple[str, ...]
    orgs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """What the pages are truly about; ``category`` is None for the off-topic kinds."""

    name: str
    category: str | None
    headlines: tuple[str, ...]
    sentences: tuple[str, ...]
    headings: tuple[str, ...]
    lists: Words
    subtopics: tuple[Subtopic, ...]


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """All texts of the sample web."""

    topics: Mapping[str, Topic]
    shared: Words

    @property
    def categories(self) -> tuple[str, ...]:
        """The topics that are categories of the product, in name order."""
        return tuple(sorted(t.name for t in self.topics.values() if t.category))

    @property
    def off_topics(self) -> tuple[str, ...]:
        """The topics that no category wants."""
        return tuple(sorted(t.name for t in self.topics.values() if not t.category))


@dataclass(slots=True)
class Cast:
    """Who and where: fixed for one article, so that its sentences hang together.

    A person is given in full once and by surname afterwards.
    """

    people: Mapping[str, str]
    words: Mapping[str, str]
    lists: Words
    introduced: set[str] = field(default_factory=set)

    def person(self, role: str) -> str:
        """The name as running text would have it at this point."""
        name = self.people[role]
        if role in self.introduced:
            return name.split(" ", 1)[1]
        self.introduced.add(role)
        return name


@cache
def phrasebook() -> Phrasebook:
    """Read once per process; the texts never change while it runs."""
    folder = data_dir().joinpath("newsweb")
    shared = tomllib.loads(folder.joinpath("shared.toml").read_text(encoding="utf-8"))
    files = sorted(folder.joinpath("topics").iterdir(), key=lambda file: file.name)
    topics = [
        _topic(file.name.removesuffix(".toml"), tomllib.loads(file.read_text(encoding="utf-8")))
        for file in files
        if file.name.endswith(".toml")
    ]
    return Phrasebook({topic.name: topic for topic in topics}, _words(shared))


def cast(book: Phrasebook, topic: Topic, subtopic: Subtopic, rng: Random) -> Cast:
    """Draw the people, places and organisations of one article."""
    firsts = rng.sample(book.shared["first_names"], 3)
    lasts = rng.sample(book.shared["surnames"], 3)
    names = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]
    place, town = rng.sample(book.shared["places"], 2)
    org, rival = rng.sample(subtopic.orgs, 2)
    words = {"place": place, "town": town, "org": org, "rival": rival}
    words["day"] = rng.choice(book.shared["days"])
    people = dict(zip(("person", "other", "third"), names, strict=True))
    return Cast(people, words, {**book.shared, **topic.lists})


def speak(template: str, who: Cast, rng: Random) -> str:
    """One sentence or headline: choices made, slots filled, a/an and the capital put right."""
    while _CHOICE.search(template):
        template = _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), template)
    text = _SLOT.sub(lambda found: _fill(found, who, rng), template)
    text = _CONSONANT_ONE.sub(r"\1 ", _ARTICLE.sub(r"\1n ", text))
    text = _ORDINAL.sub(lambda found: found[1] + _ending(int(found[1])), text)
    return text[:1].upper() + text[1:]


def _ending(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _fill(slot: re.Match[str], who: Cast, rng: Random) -> str:
    name, low, high = slot.groups()
    if low is not None:
        number = rng.randint(int(low), int(high))
        return str(number) if number < FIRST_GROUPED else f"{number:,}"
    if name in who.people:
        return who.person(name)
    if name in who.words:
        return who.words[name]
    if name in who.lists:
        return rng.choice(who.lists[name])
    raise PhraseError(f"data/newsweb: no list fills the slot {{{name}}}; add one or mend the slot")


def _topic(name: str, table: Mapping[str, Any]) -> Topic:
    beats = tuple(
        Subtopic(beat, tuple(t["headlines"]), tuple(t["sentences"]), tuple(t["orgs"]))
        for beat, t in table["sub"].items()
    )
    return Topic(
        name=name,
        category=name if table["category"] else None,
        headlines=tuple(table["headlines"]),
        sentences=tuple(table["sentences"]),
        headings=tuple(table["headings"]),
        lists=_words(table.get("lists", {})),
        subtopics=beats,
    )


def _words(table: Mapping[str, Any]) -> Words:
    return {key: tuple(values) for key, values in table.items()}
