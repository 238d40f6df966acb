"""When two pages say the same: a digest of the text, blind to spacing and case."""

from __future__ import annotations

from hashlib import blake2b

FEWEST_WORDS = 8


def text_digest(text: str) -> str:
    """The digest of a page's main text; empty where there is too little text to compare.

    Error pages and empty shells all read alike: they are no duplicates of each other.
    """
    words = text.casefold().split()
    if len(words) < FEWEST_WORDS:
        return ""
    return blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=16).hexdigest()
