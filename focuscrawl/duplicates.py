"""When two pages say the same: a digest of the prose, blind to spacing and case.

A story looks different on every page that carries it: dates, bylines, captions and
footers come and go with the template. Its paragraphs do not, so where a page is mostly
prose, the prose alone is compared.
"""

from __future__ import annotations

from hashlib import blake2b

FEWEST_WORDS = 8
PARAGRAPH_WORDS = 10
PROSE_WORDS = 40
PROSE_SHARE = 0.5
_CLOSING = "\"'\u2019\u201d\u00bb)] "
_SENTENCE_ENDS = (".", "!", "?", "\u2026", "\u3002")


def prose(text: str) -> str:
    """The paragraphs of a text (lines of full sentences), or all of it where they are few."""
    lines = [(len(line.split()), line) for line in text.split("\n")]
    paragraphs = [
        (words, line)
        for words, line in lines
        if words >= PARAGRAPH_WORDS and line.rstrip(_CLOSING).endswith(_SENTENCE_ENDS)
    ]
    found = sum(words for words, _ in paragraphs)
    if found < PROSE_WORDS or found < PROSE_SHARE * sum(words for words, _ in lines):
        return text
    return "\n".join(line for _, line in paragraphs)


def text_digest(text: str) -> str:
    """The digest of a page's text; empty where there is too little text to compare.

    Error pages and empty shells all read alike: they are no duplicates of each other.
    """
    words = text.casefold().split()
    if len(words) < FEWEST_WORDS:
        return ""
    return blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=16).hexdigest()
