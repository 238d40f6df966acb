"""A recorded web: some WARC files, asked by address and time, or read from end to end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from focuscrawl.archive.index import Index
from focuscrawl.archive.indexing import Place, Watch, key_of, place_of
from focuscrawl.archive.progress import show_progress
from focuscrawl.archive.reader import read_at, read_file, with_payload
from focuscrawl.archive.records import ArchiveError, Capture, Record

ENDINGS = (".warc", ".warc.gz")
UNREADABLE = "no longer there"
UNRESOLVED = "revisit of nothing here"


def archive_files(path: Path) -> list[Path]:
    """The file itself, or the WARC files of a folder in the order of their names."""
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.name.endswith(ENDINGS))
    if not files:
        raise ArchiveError(f"{path}: no *.warc or *.warc.gz in this folder")
    return files


class Archive:
    """Opens nothing before it is asked; the index is made at the first question that needs it.

    ``skipped`` counts what its answers had to leave out, by reason. What the files hold that
    nobody can read, ``index.skipped()`` tells.
    """

    def __init__(
        self, paths: Sequence[Path], cache_dir: Path, watch: Watch | None = show_progress
    ) -> None:
        self._paths = list(paths)
        self._cache_dir = cache_dir
        self._watch = watch
        self._index: Index | None = None
        self.skipped: Counter[str] = Counter()

    @property
    def index(self) -> Index:
        if self._index is None:
            self._index = Index(self._paths, self._cache_dir, self._watch)
        return self._index

    def capture(self, url: str, at: float) -> Capture | None:
        """What the URL gave at a time: the newest capture not after it, else the earliest.

        Where all captures only say "not modified" (304), the newest of these.
        """
        key = key_of(url)
        if key is None:
            return None
        for place in self.index.candidates(key, at):
            record = self._read(place)
            capture = self._whole(record) if record else None
            if capture is not None:
                return capture
        return None

    def pages(self) -> Iterator[Capture]:
        """All captures, file by file, in the order in which they stand there."""
        for path in self._paths:
            for _, record in read_file(path, self.skipped):
                capture = self._whole(record)
                if capture is not None:
                    yield capture

    def _read(self, place: Place) -> Record | None:
        """The record at a place, if it still is the one that the index saw there."""
        record = read_at(self.index.files[place.file], place.offset)
        if record is None or key_of(record.capture.url) != place.key:
            self.skipped[UNREADABLE] += 1
            return None
        return record

    def _whole(self, record: Record) -> Capture | None:
        """The record's answer, for a revisit with the body of the original."""
        if record.original is None:
            return record.capture
        place = place_of(record, 0, 0)
        for original in self.index.originals(place) if place else ():
            found = self._read(original)
            if found is not None:
                return with_payload(record.capture, found.capture)
        self.skipped[UNRESOLVED] += 1
        return None

    def close(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
