"""A new category as a file: laid out for editing, checked before it is written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from focuscrawl.relevance.thresholds import Threshold
from focuscrawl.topics.building import BuildingError, Term
from focuscrawl.topics.category import Category, parse_category
from focuscrawl.urls import normalise, site_of

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """All that goes into the file; ``unread`` are the seeds that gave no page."""

    name: str
    terms: Sequence[Term]
    seeds: Sequence[str]
    threshold: Threshold | None = None
    unread: Collection[str] = ()

    @property
    def title(self) -> str:
        return self.name.replace("_", " ").replace("-", " ").strip().capitalize() or self.name

    @property
    def domains(self) -> list[str]:
        return list(dict.fromkeys(site_of(normalise(seed) or seed) for seed in self.seeds))


def as_category(draft: Draft, origin: str) -> Category:
    """As the project will read it; CategoryError says what it would not accept."""
    return parse_category(draft.name, as_toml(draft), origin)


def as_toml(draft: Draft) -> str:
    """The file's text, a reason beside every term."""
    return "\n".join(_lines(draft)) + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    yield from (f"title = {_quoted(draft.title)}", "")
    if draft.seeds:
        yield "seeds = ["
        for seed in draft.seeds:
            note = "  # gave no page when this file was made" if seed in draft.unread else ""
            yield f"    {_quoted(seed)},{note}"
        yield from ("]", f"domains = [{', '.join(map(_quoted, draft.domains))}]", "")
    else:
        yield from ("# Pages to start from; a crawl needs at least one.", "seeds = []", "")
    if draft.threshold:
        yield f"# {draft.threshold.source}"
        yield f"threshold = {draft.threshold.value:.4f}"
    else:
        yield "# threshold: left out, the first crawl finds it from the seed pages"
    yield from ("", "# Each word's weight, and why it is here.", "[words]")
    for term in draft.terms:
        key = term.word if _BARE_KEY.fullmatch(term.word) else _quoted(term.word)
        yield f"{key} = {term.weight}  # {term.why}"


def _quoted(text: str) -> str:
    """JSON's quotes and escapes are TOML's too."""
    return json.dumps(text, ensure_ascii=False)


def refuse_existing(path: Path) -> None:
    if path.exists():
        raise BuildingError(f"{path}: is there already; give another NAME or -o, or --force")


def write_whole(path: Path, text: str, *, overwrite: bool) -> None:
    """Into a file beside it, then renamed: nobody meets half a category."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        if not overwrite:
            refuse_existing(path)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
