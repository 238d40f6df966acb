"""What a record of an archive says, once it is read."""

from __future__ import annotations

from dataclasses import dataclass

from focuscrawl.archive.content import decoded

Headers = tuple[tuple[str, str], ...]
"""Names and values in their order, each a character per byte (latin-1), so that none is lost."""


class ArchiveError(RuntimeError):
    """An archive cannot be used; the message names the file and says what to do."""


def header(headers: Headers, name: str) -> str:
    """The first header of that name (in lower case), or an empty text."""
    return next((value for key, value in headers if key.lower() == name), "")


@dataclass(frozen=True, slots=True)
class Capture:
    """An answer that a site gave at a time; ``payload`` is its body as sent, content coding and
    all, without the chunks of its transfer."""

    url: str
    time: float
    status: int
    headers: Headers
    payload: bytes
    digest: str = ""

    @property
    def content_type(self) -> str:
        return header(self.headers, "content-type")

    @property
    def body(self) -> bytes:
        return decoded(self.payload, header(self.headers, "content-encoding"))


@dataclass(frozen=True, slots=True)
class Original:
    """The capture whose payload a revisit record leaves out; the time is not always told."""

    url: str
    time: float | None


@dataclass(frozen=True, slots=True)
class Record:
    """A response, or (with an ``original``) a revisit, as it stands in a file."""

    capture: Capture
    original: Original | None = None
