"""One category: what it is called, the stems that describe it, where its crawl starts.

A category is written by hand in a file of a few lines, so every mistake in it is answered by one
line that names the file, the key and the remedy.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NoReturn
from urllib.parse import urlsplit

from focuscrawl.text import stems

GRADES = {"strong": 1.0, "usual": 0.5}
"""Weights of the two lists of a wide vocabulary: words that point to the topic almost alone, and
words that are usual in it but not rare elsewhere."""

KEYS = ("title", "terms", "words", *GRADES, "contrast", "seeds", "domains", "threshold")

_NAME = re.compile(r"[a-z0-9_-]+")
_DOMAIN = re.compile(r"[^\s/?#@:*]+(?::\d{1,5})?")


class CategoryError(ValueError):
    """A category cannot be used; the message is one line with file, key and remedy."""


@dataclass(frozen=True, slots=True)
class Category:
    """A topic to crawl for; ``origin`` says where it was read.

    ``terms`` maps stem → weight. ``vocabulary`` does so for a file with graded words, else it is
    empty. With ``contrast`` the words of fields far from the news topics count against it.
    """

    name: str
    title: str
    terms: Mapping[str, float]
    seeds: tuple[str, ...]
    domains: tuple[str, ...]
    threshold: float | None
    origin: str
    vocabulary: Mapping[str, float] = field(default_factory=dict)
    contrast: bool = False


def parse_category(name: str, toml_text: str, origin: str) -> Category:
    """Read a category file.

    ``terms`` are stems and taken as they are, ``words`` are plain words and get stemmed; either
    is a list (weight 1 each) or a table with weights. ``strong`` and ``usual`` are lists of plain
    words, several to a string if one likes; they are the terms too where none are given.
    ``domains`` default to the seeds' hosts.
    """
    check_name(name, origin)
    reader = _Reader(origin, toml_text)
    seeds = reader.seeds()
    vocabulary = reader.vocabulary()
    return Category(
        name=name,
        title=reader.title(default=name.replace("_", " ").replace("-", " ").capitalize()),
        terms=reader.vector(default=vocabulary),
        seeds=seeds,
        domains=reader.domains() or tuple(dict.fromkeys(urlsplit(url).netloc for url in seeds)),
        threshold=reader.threshold(),
        origin=origin,
        vocabulary=vocabulary,
        contrast=reader.contrast(),
    )


def check_name(name: str, origin: str) -> None:
    """Refuse what cannot be the name of a category, and so of its file."""
    if not _NAME.fullmatch(name):
        raise CategoryError(
            f"{origin}: name: {name!r} is no category name; "
            "use small letters, digits, '_' and '-' in the file name"
        )


class _Reader:
    """Takes the values out of one category file, refusing what is wrong."""

    def __init__(self, origin: str, toml_text: str) -> None:
        self.origin = origin
        try:
            self.table: dict[str, Any] = tomllib.loads(toml_text)
        except tomllib.TOMLDecodeError as error:
            raise CategoryError(f"{origin}: not valid TOML: {error}; mend that line") from None
        for key in self.table:
            if key not in KEYS:
                near = get_close_matches(key, KEYS, n=1)
                hint = f"did you mean '{near[0]}'?" if near else f"use one of {', '.join(KEYS)}"
                self.fail(key, f"unknown key; {hint}")

    def fail(self, key: str, problem: str) -> NoReturn:
        shown = key if key.isprintable() else repr(key)
        raise CategoryError(f"{self.origin}: {shown}: {problem}")

    def title(self, default: str) -> str:
        title = self.table.get("title", default)
        if not isinstance(title, str) or not title.strip():
            self.fail("title", f'{title!r} is no text; write title = "Sports"')
        return " ".join(title.split())

    def vocabulary(self) -> dict[str, float]:
        """The graded words by stem; one that stands in both lists is strong."""
        vocabulary: dict[str, float] = {}
        for grade, weight in GRADES.items():
            for word in " ".join(self._strings(grade)).split():
                for stem in self._stems(grade, word):
                    vocabulary.setdefault(stem, weight)
        if vocabulary and "words" in self.table:
            self.fail("words", f"stands beside {' or '.join(GRADES)}; put its words there")
        return vocabulary

    def vector(self, default: dict[str, float]) -> dict[str, float]:
        vector: dict[str, float] = {}
        for word, weight in self._weights("words"):
            vector.update(dict.fromkeys(self._stems("words", word), weight))
        for term, weight in self._weights("terms"):
            if not term or term != "".join(term.split()).lower():
                self.fail("terms", f"{term!r} is no stem; put plain words under 'words'")
            vector[term] = weight
        vector = vector or default
        if not vector:
            self.fail("terms", 'the vector is empty; write words = ["ocean", "coral"] or more')
        return vector

    def _stems(self, key: str, word: str) -> list[str]:
        found = stems(word)
        if not found:
            self.fail(key, f"{word!r} is a stop word or has no letters; take it out")
        return found

    def _weights(self, key: str) -> Iterator[tuple[str, float]]:
        """(word, weight) of a list of words or of a table word = weight."""
        value = self.table.get(key, [])
        if isinstance(value, list):
            value = dict.fromkeys(self._strings(key), 1.0)
        elif not isinstance(value, dict):
            self.fail(key, f'{value!r} is neither a list nor a table; write {key} = ["ocean"]')
        for word, weight in value.items():
            if not _is_number(weight) or weight <= 0:
                self.fail(key, f"weight {weight!r} of {word!r} is no number above 0; mend it")
            yield word, float(weight)

    def _strings(self, key: str) -> list[str]:
        value = self.table.get(key, [])
        if not isinstance(value, list):
            self.fail(key, f"{value!r} is no list; put it in [square brackets]")
        for entry in value:
            if not isinstance(entry, str):
                self.fail(key, f"{entry!r} is no text; put it in quotes")
        return value

    def seeds(self) -> tuple[str, ...]:
        seeds = dict.fromkeys(url.strip() for url in self._strings("seeds"))
        for url in seeds:
            if not _is_web_url(url):
                self.fail("seeds", f"{url!r} is no URL; write it as https://www.example.org/path")
        return tuple(seeds)

    def domains(self) -> tuple[str, ...]:
        domains = dict.fromkeys(name.strip().lower() for name in self._strings("domains"))
        for name in domains:
            if not _DOMAIN.fullmatch(name):
                self.fail(
                    "domains",
                    f"{name!r} is no host name; write example.org alone (subdomains are included)",
                )
        return tuple(domains)

    def contrast(self) -> bool:
        value = self.table.get("contrast", False)
        if not isinstance(value, bool):
            self.fail("contrast", f"{value!r} is no answer; write contrast = true or leave it out")
        return value

    def threshold(self) -> float | None:
        value = self.table.get("threshold")
        if value is None:
            return None
        if not _is_number(value) or not 0 < value <= 1:
            self.fail("threshold", f"{value!r} is no similarity; use a number above 0, up to 1")
        return float(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_web_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", url)
