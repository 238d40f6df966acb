"""Where the records of a WARC file begin and end, also where the file is damaged.

Files are cut off by kills and full disks, joined by scripts and carried over bad wires. A reader
that trusts each record to end where the next begins loses all that comes after the first fault.
Here a fault costs one record: the next sound beginning is searched for, and found.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

LONGEST_RECORD = 64 * 1024 * 1024
"""Bytes of a record, unzipped; larger ones (films, disk images) are passed over."""
LONGEST_HEAD = 64 * 1024
CUT_OFF = "cut off"
DAMAGED = "damaged"
GARBAGE = "garbage"
TOO_LARGE = "too large"
WRONG_LENGTH = "wrong length"
SEVERAL_IN_ONE = "several in one gzip member"

_BLOCK = 16 * 1024
_SEARCH_BLOCK = 1024 * 1024
_LONGEST_MARK = 16
_START = b"WARC/"
_GZIP = b"\x1f\x8b\x08"
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*([0-9]{1,18})[ \t]*\r?$")
_ZIPPED_START = re.compile(re.escape(_GZIP))
_PLAIN_START = re.compile(rb"WARC/[01]\.[0-9]{1,2}\r?\n")


class Frame(NamedTuple):
    """One record as it stands in the file, unzipped; empty where there is a problem."""

    offset: int
    record: bytes
    problem: str = ""


class _Step(NamedTuple):
    """A frame, and where to go on; None: nobody knows, search."""

    frame: Frame
    end: int | None


def frames(file: BinaryIO) -> Iterator[Frame]:
    """All records of a file in order, and a frame with a problem for each fault between them."""
    size = file.seek(0, 2)
    zipped = is_zipped(file)
    step_at, search = (_zipped_step, _next_zipped) if zipped else (_plain_step, _next_plain)
    at: int | None = 0
    while at is not None and at < size:
        frame, end = step_at(file, at)
        yield frame
        at = search(file, at + 1) if end is None else end


def frame_at(file: BinaryIO, offset: int) -> Frame:
    """The record that begins exactly there."""
    step_at: Callable[[BinaryIO, int], _Step] = (
        _zipped_step if _read(file, offset, 3) == _GZIP else _plain_step
    )
    return step_at(file, offset).frame


def is_zipped(file: BinaryIO) -> bool:
    """By how the file begins or, where that is garbage, by what can be found in it."""
    beginning = _read(file, 0, len(_START))
    if beginning.startswith(_GZIP) or beginning == _START:
        return beginning.startswith(_GZIP)
    return _next_zipped(file, 0) is not None


def _read(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


# -- a gzip member for each record ---------------------------------------------------------


def _zipped_step(file: BinaryIO, offset: int) -> _Step:
    if _read(file, offset, len(_GZIP)) != _GZIP:
        return _Step(Frame(offset, b"", GARBAGE), None)
    data, end, problem = _member(file, offset)
    if not problem:
        problem = _check_whole(data)
    elif problem == TOO_LARGE and _check_whole(data) == SEVERAL_IN_ONE:
        problem = SEVERAL_IN_ONE
    return _Step(Frame(offset, b"" if problem else data, problem), end)


def _member(file: BinaryIO, offset: int) -> tuple[bytes, int | None, str]:
    """The unzipped bytes of the member there, where it ends, and what is wrong with it."""
    file.seek(offset)
    unzip = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    size, end = 0, offset
    while not unzip.eof:
        block = file.read(_BLOCK)
        if not block:
            return b"", None, CUT_OFF
        end += len(block)
        try:
            parts.append(unzip.decompress(block))
        except zlib.error:
            return b"", None, DAMAGED
        size += len(parts[-1])
        if size > LONGEST_RECORD:
            return b"".join(parts), None, TOO_LARGE
    return b"".join(parts), end - len(unzip.unused_data), ""


def _check_whole(data: bytes) -> str:
    """What is wrong with the bytes of one member, which should be one record."""
    head = _END_OF_HEAD.search(data, 0, LONGEST_HEAD)
    if not data.startswith(_START) or head is None:
        return GARBAGE
    length = _length(data[: head.end()])
    if length is None or len(data) < head.end() + length:
        return WRONG_LENGTH
    rest = data[head.end() + length :][:LONGEST_HEAD].lstrip(b"\r\n")
    if rest.startswith(_START):
        return SEVERAL_IN_ONE
    return WRONG_LENGTH if rest else ""


def _length(head: bytes) -> int | None:
    found = _LENGTH.search(head)
    return int(found[1]) if found else None


def _next_zipped(file: BinaryIO, offset: int) -> int | None:
    """The next gzip member that holds a WARC record: the mark of gzip alone is too common."""
    for at in _occurrences(file, offset, _ZIPPED_START):
        try:
            opened = zlib.decompressobj(wbits=31).decompress(_read(file, at, _BLOCK), 64)
        except zlib.error:
            continue
        if opened.startswith(_START):
            return at
    return None


# -- no compression ---------------------------------------------------------------------------


def _plain_step(file: BinaryIO, offset: int) -> _Step:
    beginning = _read(file, offset, LONGEST_HEAD)
    head = _END_OF_HEAD.search(beginning)
    if not beginning.startswith(_START) or head is None:
        problem = CUT_OFF if _START.startswith(beginning[: len(_START)]) else GARBAGE
        return _Step(Frame(offset, b"", problem), None)
    length = _length(beginning[: head.end()])
    if length is None:
        return _Step(Frame(offset, b"", WRONG_LENGTH), None)
    end = offset + head.end() + length
    if file.seek(0, 2) < end:
        return _Step(Frame(offset, b"", CUT_OFF), None)
    after = _read(file, end, 64)
    blank = len(after) - len(after.lstrip(b"\r\n"))
    is_whole = after.startswith(b"\r\n\r\n") or _START.startswith(after[blank:][: len(_START)])
    if not is_whole:
        return _Step(Frame(offset, b"", WRONG_LENGTH), None)
    if length > LONGEST_RECORD:
        return _Step(Frame(offset, b"", TOO_LARGE), end + blank)
    return _Step(Frame(offset, _read(file, offset, end - offset)), end + blank)


def _next_plain(file: BinaryIO, offset: int) -> int | None:
    return next(_occurrences(file, offset, _PLAIN_START), None)


# -- searching ----------------------------------------------------------------------------------


def _occurrences(file: BinaryIO, offset: int, mark: re.Pattern[bytes]) -> Iterator[int]:
    """Where a mark of a few bytes stands in the file, from an offset on; blocks overlap."""
    while block := _read(file, offset, _SEARCH_BLOCK):
        is_last = len(block) < _SEARCH_BLOCK
        end = len(block) if is_last else len(block) - _LONGEST_MARK
        yield from (offset + at for found in mark.finditer(block) if (at := found.start()) < end)
        if is_last:
            return
        offset += end
