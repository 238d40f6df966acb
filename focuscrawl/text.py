"""Words, stems and their counts: the vocabulary in which pages and topics are compared.

Every page and every block of it passes through :func:`counts`, so the work is done once per
distinct word: words are counted raw, and only the distinct ones are looked up in a memo that
answers "this stem" or "drop it" (stop words, one-letter words) in a single dict access.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate, chain
from math import sqrt

from nltk.stem import PorterStemmer

from focuscrawl.resources import data_dir

MEMO_LIMIT = 200_000
"""Distinct words remembered. A crawl of hostile or foreign text starts the memo afresh."""

LONGEST_WORD = 40
"""Longer runs of letters are data, not words: they are dropped and never remembered."""

MARK = "\0"
"""A place in a text, see :func:`marked_stems`; parsed pages never hold this character."""

_APOSTROPHES = "'\u2018\u2019\u02bc\uff07\u00b4`"
_JOINERS = "\u00ad\u200c\u200d\u2060\ufeff"
_USUAL = dict.fromkeys("\u2018\u2019", "'") | dict.fromkeys(
    "\u201c\u201d\u2013\u2014\u2026\u00a0\u2022\u00b7\u00a3\u20ac\u00a9\u00ab\u00bb", " "
)
"""The signs of typeset English; replaced first, they leave most pages pure ASCII, and quick."""

_porter = PorterStemmer()


@cache
def stop_words() -> frozenset[str]:
    """The words that are dropped from every text (``data/stopwords.txt``)."""
    return frozenset(_word_list("stopwords.txt"))


@cache
def common_stems() -> frozenset[str]:
    """Stems of common English, which say little about a topic (``data/commonwords.txt``)."""
    return frozenset(stem(word) for word in _word_list("commonwords.txt"))


@cache
def elsewhere_stems() -> frozenset[str]:
    """Stems of fields far from the news topics: film, food, travel … (``data/elsewhere.txt``)."""
    return frozenset(stem(word) for word in _word_list("elsewhere.txt"))


def _word_list(name: str) -> list[str]:
    lines = data_dir().joinpath(name).read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]


class _StemMemo(dict[str, str | None]):
    """word as written (lower-case) → stem, or None when the word is to be dropped."""

    def __missing__(self, word: str) -> str | None:
        if len(word) > LONGEST_WORD:
            return None
        if len(self) >= MEMO_LIMIT:
            self.clear()
        result = self[word] = self._stem_or_none(word)
        return result

    @staticmethod
    def _stem_or_none(word: str) -> str | None:
        folded = _fold(word)
        if len(folded) < 2 or word in stop_words() or folded in stop_words():
            return None
        return str(_porter.stem(folded))


_memo = _StemMemo()


class _LetterTable(dict[int, str]):
    """``str.translate`` table: letters to lower case, apostrophes to ', all else to a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _APOSTROPHES:
            result = "'"
        elif char in _JOINERS:
            result = ""
        else:
            result = "".join(filter(str.isalpha, char.lower())) or " "
        if code < 0x10000:
            self[code] = result
        return result


_letters = _LetterTable()
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_ASCII = b"".join(_letters[code].encode() for code in range(128)) + bytes(range(128, 256))
_ASCII_AND_MARK = MARK.encode() + _ASCII[1:]


def _words(text: str) -> list[str]:
    """Runs of letters in lower case, apostrophes inside and around them still standing."""
    return _letters_of(text, _ASCII).split()


def _letters_of(text: str, ascii_table: bytes) -> str:
    """What is not ASCII goes through the (slow) table of characters, the rest through bytes."""
    if not text.isascii():
        for sign, plain in _USUAL.items():
            text = text.replace(sign, plain)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
        text = _NOT_ASCII.sub(lambda run: run.group().translate(_letters), text)
    return text.encode().translate(ascii_table).decode()


def _fold(word: str) -> str:
    return word.strip("'").removesuffix("'s").replace("'", "")


def tokens(text: str) -> list[str]:
    """The words of a text: letters only, lower-case, ``don't`` → ``dont``, ``Rome's`` → ``rome``.

    One-letter words, numbers and runs longer than :data:`LONGEST_WORD` are left out; stop
    words are still in.
    """
    letters = _letters_of(text, _ASCII)
    words = letters.split()
    if "'" in letters:
        words = list(map(_fold, words))
    return [word for word in words if 2 <= len(word) <= LONGEST_WORD]


def stem(word: str) -> str:
    """The Porter stem of one word, remembered; stop words are stemmed like any other."""
    return _memo[word.lower()] or str(_porter.stem(_fold(word.lower())))


def stems(text: str) -> list[str]:
    """The stems of a text in order, stop words left out."""
    return [found for word in _words(text) if (found := _memo[word])]


def marked_stems(text: str) -> tuple[list[str | None], list[int]]:
    """The stem of every word, None for those left out; and how many words precede each mark."""
    parts = [part.split() for part in _letters_of(text, _ASCII_AND_MARK).split(MARK)]
    found = list(map(_memo.__getitem__, chain.from_iterable(parts)))
    return found, list(accumulate(map(len, parts[:-1])))


def counts(text: str) -> dict[str, int]:
    """How often each stem stands in the text: the page vector."""
    result: dict[str, int] = {}
    get, memo = result.get, _memo
    for word, times in Counter(_words(text)).items():
        found = memo[word]
        if found is not None:
            result[found] = get(found, 0) + times
    return result


def cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Cosine of the angle between two vectors; 0 when either is empty or all zero."""
    norm = sqrt(sum(_squares(a))) * sqrt(sum(_squares(b)))
    if not norm:
        return 0.0
    if len(a) > len(b):
        a, b = b, a
    return min(1.0, sum(weight * b[key] for key, weight in a.items() if key in b) / norm)


def _squares(vector: Mapping[str, float]) -> Iterator[float]:
    return (weight * weight for weight in vector.values())
