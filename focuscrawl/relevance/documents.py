"""Documents to classify that come from outside a crawl: files and JSON lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from focuscrawl.blocks import visible_text
from focuscrawl.text import counts


class DocumentError(ValueError):
    """A document cannot be read; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text reduced to what the classifier needs. ``id`` is the sender's own, string or number."""

    id: str | int
    counts: dict[str, int]
    anchor: dict[str, int] | None = None


def from_json_line(line: bytes) -> Document:
    """Read ``{"id": …, "html" or "text": "…", "anchor": "…"}``; the anchor may be left out."""
    try:
        fields = json.loads(line.decode())
    except UnicodeDecodeError:
        raise DocumentError("not UTF-8; write the file as UTF-8") from None
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "nested too deeply or too large")
        raise DocumentError(f"not JSON ({reason}); write one object a line") from None
    if not isinstance(fields, dict):
        raise DocumentError("not a JSON object; write one object a line")
    name = fields.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise DocumentError("'id' is missing; give a string or a whole number")
    anchor = _string(fields, "anchor")
    return Document(name, _body_counts(fields), counts(anchor) if anchor else None)


def from_body(name: str, body: bytes | str, is_html: bool | None = None) -> Document:
    """A file's or response's content; what begins with ``<`` is HTML unless said otherwise."""
    if is_html is None:
        head = body[:1024] if isinstance(body, str) else body[:1024].decode("utf-8", "replace")
        is_html = head.lstrip("\ufeff \t\r\n").startswith("<")
    if is_html:
        return Document(name, counts(visible_text(body)))
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    return Document(name, counts(text))


def _body_counts(fields: dict[str, Any]) -> dict[str, int]:
    html, text = _string(fields, "html"), _string(fields, "text")
    if html is not None:
        return counts(visible_text(html))
    if text is not None:
        return counts(text)
    raise DocumentError("neither 'html' nor 'text'; give one of them")


def _string(fields: dict[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise DocumentError(f"{key!r} is no string; put it in quotes")
    return value
