"""A category's words from a few given ones, from WordNet and from pages, each with its reason.

What is proposed here is meant to be read and edited: a term is a word as people write it, never a
stem, and beside it stands why it was taken.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from statistics import fmean

from focuscrawl.blocks import parse_html, partition
from focuscrawl.relevance.thresholds import Method, Threshold, initial_threshold
from focuscrawl.relevance.vectors import Scheme, TopicVectors
from focuscrawl.semantics.expansion import Expansion
from focuscrawl.text import common_stems, counts, stems, tokens
from focuscrawl.topics.category import Category

Expand = Callable[[str], list[Expansion]]

RELATIONS = {
    "synonym": "synonym of {} (WordNet)",
    "base form": "base form of {} (WordNet)",
    "derived": "derived from {} (WordNet)",
    "hyponym": "kind of {} (WordNet)",
    "field": "field of {} (WordNet)",
    "used in the field": "used in the field of {} (WordNet)",
}
"""Relations that bring a term in, as a reason. What is wider than the topic (hypernyms) or only
stands in a definition would draw in pages of other topics."""

PAGE_WEIGHT = 0.8
"""Weight of the stem that marks the pages most; the others' fall with their marks."""

WORDNET_WEIGHT = 0.5
"""Share of a relation's score that becomes the weight: less than what the user or pages say."""

UNSEEN_SHARE = 0.5
"""What such a term keeps of its weight when there are seed pages and none of them uses it."""

RARITY = {"rare in common English": 1.0, "common English": 0.25, "written as a name": 0.25}
"""How much a word's kind lets it tell of a topic. Names of places, people, months and the site
itself mark the seed pages, but not the topic's other pages."""

FITTING_SHARE = 0.5
"""A meaning fits when its words stand on the pages half as densely as those of the best one."""

LEAST_WEIGHT = 0.05
SHORTEST_PAGE_TERM = 3


_CAPITALISED = re.compile(r"\b[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]\w*")


class BuildingError(ValueError):
    """No category can be made of what was given; the message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the new category; ``why`` is for the reader."""

    word: str
    stem: str
    weight: float
    why: str


@dataclass(frozen=True, slots=True)
class SeedPage:
    """A page of the topic: stem counts of all its text, and word counts of its main text.

    ``plain`` are the words that stand there at least once in small letters, or all in capitals.
    """

    name: str
    counts: Mapping[str, int]
    words: Mapping[str, int]
    plain: frozenset[str]


def seed_page(name: str, html: str) -> SeedPage:
    """Read a page; its menus and footers count for the threshold, as in a crawl, but not as words
    of the topic."""
    outline = partition(parse_html(html))
    main = f"{outline.title}\n{outline.main_text()}"
    return SeedPage(
        name,
        counts(f"{outline.title}\n{outline.text()}"),
        Counter(tokens(main)),
        frozenset(tokens(_CAPITALISED.sub(" ", main))),
    )


def phrases(text: str) -> list[str]:
    """The given words; what commas part may be names of several words ("coral reef, fish")."""
    found = [" ".join(tokens(part)) for part in text.split(",")]
    usable = [phrase for phrase in dict.fromkeys(found) if stems(phrase)]
    if not usable:
        raise BuildingError(
            f'--words: {text!r} holds no word that tells a topic; write --words "coral reef, ocean"'
        )
    return usable


def build_terms(
    given: Sequence[str], expand: Expand, pages: Sequence[SeedPage], limit: int
) -> list[Term]:
    """The given words and the heaviest others, ``limit`` in all; a given word is never cut."""
    spread = _Spread(pages)
    own = {term.stem: term for term in _own(given)}
    others: dict[str, Term] = {}
    for term in (*_from_wordnet(given, expand, spread), *spread.terms()):
        if term.stem not in own:
            others[term.stem] = _joined(others.get(term.stem), term)
    heaviest = sorted(others.values(), key=lambda term: (-term.weight, term.word))
    chosen = [*own.values(), *heaviest[: max(0, limit - len(own))]]
    return [spread.explained(term) for term in chosen]


def seed_threshold(
    category: Category,
    categories: Mapping[str, Category],
    pages: Iterable[SeedPage],
    scheme: Scheme = "weighted",
    method: Method = "split",
) -> Threshold | None:
    """What the first phase of a crawl would take from these pages; None where they say nothing."""
    vectors = TopicVectors({**categories, category.name: category}.values(), scheme)
    found = [vectors.similarity(category.name, page.counts) for page in pages]
    return initial_threshold(found, category, method) if any(found) else None


def _own(given: Iterable[str]) -> Iterator[Term]:
    for phrase in given:
        for word in phrase.split():
            for stem in stems(word):
                yield Term(word, stem, 1.0, "one of the words")


def _joined(known: Term | None, term: Term) -> Term:
    """One term that was proposed twice: the larger weight, the form on the pages, the relation."""
    if known is None:
        return term
    if term.why:
        return max(known, term, key=lambda each: each.weight)
    return Term(term.word, term.stem, max(known.weight, term.weight), known.why)


class _Spread:
    """Which stems stand on which pages, how often, and in what form."""

    def __init__(self, pages: Sequence[SeedPage]) -> None:
        self.size = len(pages)
        self._times: defaultdict[str, list[int]] = defaultdict(list)
        self._forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._plain = {stem for page in pages for word in page.plain for stem in stems(word)}
        for page in pages:
            on_page: Counter[str] = Counter()
            for word, times in page.words.items():
                for stem in stems(word):
                    on_page[stem] += times
                    self._forms[stem][word] += times
            for stem, times in on_page.items():
                self._times[stem].append(times)

    def __contains__(self, stem: str) -> bool:
        return stem in self._times

    def terms(self) -> Iterator[Term]:
        """The stems that mark the pages; the given words are among them and set the measure."""
        marks = {stem: self._mark(stem) for stem in self._times}
        highest = max(marks.values(), default=0.0)
        for stem, mark in marks.items():
            weight = round(PAGE_WEIGHT * mark / highest, 2) if highest else 0.0
            if weight >= LEAST_WEIGHT:
                forms = self._forms[stem]
                commonest = max(sorted(forms), key=forms.__getitem__)
                yield Term(commonest, stem, weight, "")

    def _mark(self, stem: str) -> float:
        """Mean log frequency × rarity; 0 for what may stand there by accident."""
        times = self._times[stem]
        if sum(times) < 2 or len(times) < min(2, self.size - 1) or len(stem) < SHORTEST_PAGE_TERM:
            return 0.0
        frequency = fmean([*map(log1p, times), *[0.0] * (self.size - len(times))])
        return RARITY[self._kind(stem)] * frequency

    def _kind(self, stem: str) -> str:
        if stem in common_stems():
            return "common English"
        return "rare in common English" if stem in self._plain else "written as a name"

    def explained(self, term: Term) -> Term:
        """With what the pages say of it."""
        times = self._times.get(term.stem)
        if times:
            seen = (
                f"in {len(times)} of {self.size} seed page{'s' * (self.size > 1)}, "
                f"{sum(times)} time{'s' * (sum(times) > 1)}"
            )
            why = f"{term.why}; {seen}" if term.why else f"{seen}; {self._kind(term.stem)}"
        else:
            why = f"{term.why}; on no seed page" if self.size else term.why
        return Term(term.word, term.stem, term.weight, why)


def _from_wordnet(given: Sequence[str], expand: Expand, spread: _Spread) -> Iterator[Term]:
    for name in _entries(given, expand):
        found = expand(name)
        fitting = _fitting_meanings(name, found, given, spread)
        for each in found:
            stem = _single_stem(each.term)
            if each.relation in RELATIONS and each.via in fitting and stem:
                why = RELATIONS[each.relation].format(name)
                share = UNSEEN_SHARE if spread.size and stem not in spread else 1.0
                weight = round(share * WORDNET_WEIGHT * each.score, 2)
                yield Term(each.term, stem, weight, why)


def _entries(given: Iterable[str], expand: Expand) -> Iterator[str]:
    """What is looked up: a phrase that WordNet has as an entry, else each of its words."""
    for phrase in given:
        if expand(phrase):
            yield phrase
        else:
            yield from (word for word in phrase.split() if stems(word) and word != phrase)


def _single_stem(term: str) -> str:
    """Empty for phrases, whose words mean something else alone; names; and common English."""
    found = stems(term) if term.isalpha() and term.islower() else []
    return found[0] if found and found[0] not in common_stems() else ""


def _fitting_meanings(
    name: str, found: Iterable[Expansion], given: Sequence[str], spread: _Spread
) -> set[str]:
    """The meanings of an entry that the pages bear out by their definition or their terms.

    Without pages the other given words are asked; if they say nothing either, all meanings stay.
    """
    evidence: defaultdict[str, set[str]] = defaultdict(set)
    words_given = set(stems(" ".join(given)))
    own = (common_stems() - words_given).union(stems(name))
    for each in found:
        evidence[each.via].update(stems(f"{each.via} {each.term}"))
    context = spread if spread.size else words_given
    shares = {
        via: fmean(stem in context for stem in around) if (around := words - own) else 0.0
        for via, words in evidence.items()
    }
    best = max(shares.values(), default=0.0)
    if not best:
        return set() if spread.size else set(shares)
    return {via for via, share in shares.items() if share >= FITTING_SHARE * best}
