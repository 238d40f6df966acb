"""Nouns and their inflected forms: from the form in a text to WordNet's entry, and back."""

from __future__ import annotations

from focuscrawl.semantics.dictionary import Dictionary

DETACHMENT = (
    ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"),
    ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
)  # fmt: skip
"""WordNet's own rules for nouns: an ending, and what stands in its place in the base form."""

PLURALS_APART = (
    ("man", "men"), ("sis", "ses"), ("s", "ses"), ("f", "ves"), ("fe", "ves"),
)  # fmt: skip
"""Singular and plural endings of which a stemmer makes two stems: women, crises, buses, wolves."""


def base_forms(word: str, dictionary: Dictionary) -> list[str]:
    """The entries that a word may be a form of, itself included, as WordNet's morphy finds them.

    Irregular forms come from the copy's list of exceptions, where it has one; else the rules.
    """
    word = word.lower()
    irregular = dictionary.noun_exception(word)
    regular = [word.removesuffix(ending) + to for ending, to in DETACHMENT if word.endswith(ending)]
    forms = dict.fromkeys([word, *(irregular or regular)])
    return [form for form in forms if dictionary.senses(form)]


def plurals_apart(lemma: str) -> list[str]:
    """Plurals under which a noun stands in texts with a stem of its own."""
    return [lemma.removesuffix(end) + to for end, to in PLURALS_APART if lemma.endswith(end)]
