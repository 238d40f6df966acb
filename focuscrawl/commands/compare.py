"""``scrapy compare``: what changed between stored versions of pages, without a crawl."""

from __future__ import annotations

import gzip
import json
import os
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from w3lib.encoding import html_to_unicode

from focuscrawl.blocks import parse_html
from focuscrawl.changes.verdict import KINDS, BlockChange, Verdict, compare

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

MAX_PAGE_BYTES = 64 * 1024 * 1024
"""A few kB of gzip can unpack to any size; no page is this long."""
SHOWN_LINES = 10
SHOWN_CHARACTERS = 100
_GZIP_MAGIC = b"\x1f\x8b"
_NEEDED = ("old", "new")
_LABELS = {"0": False, "1": True, "": None}


class PageError(ValueError):
    """A file cannot be read; the message names it and the remedy."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of a table of pairs; without a label nobody has said whether the content changed."""

    line: int
    old: str
    new: str
    page: str
    label: str


@dataclass(slots=True)
class Totals:
    """What all pairs come to. Pairs that were skipped count nowhere else."""

    found: Counter[str] = field(default_factory=Counter)
    judged: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    skipped: int = 0

    def add(self, verdict: Verdict, label: bool | None) -> None:
        self.found["pairs"] += 1
        self.found["content_changed"] += verdict.content_changed
        self.found.update(verdict.kinds)
        if label is not None:
            self.judged[label, verdict.content_changed] += 1

    def as_json(self, with_labels: bool) -> dict[str, Any]:
        counts = {key: self.found[key] for key in ("pairs", "content_changed", *KINDS)}
        return {
            **counts,
            "skipped": self.skipped,
            **(precision_and_recall(self.judged) if with_labels else {}),
        }


class Command(ScrapyCommand):
    """Compares each pair for itself: no site teaches it which places are noise."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "[--url URL] [--json] OLD.html NEW.html | --pairs FILE.tsv"

    def short_desc(self) -> str:
        return "Tell what changed between two versions of a page"

    def long_desc(self) -> str:
        return (
            "Compare two files, or with --pairs all that a table of tab-separated values names in "
            "its columns old and new (paths from the table's folder). Each pair of a table is "
            "answered by a line of JSON, the whole table by a last line of totals; a column "
            "content_changed with 0 or 1 adds precision and recall. Files may be gzipped."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="Comparison")
        group.add_argument("--url", help="the page's address, to be named in the answer")
        group.add_argument("--json", action="store_true", help="answer with one JSON object")
        group.add_argument("--pairs", metavar="FILE", help="a table of many pairs to compare")

    def run(self, args: list[str], opts: Namespace) -> None:
        if len(args) != (0 if opts.pairs else 2):
            raise UsageError("give two files, or --pairs and a table that names them")
        try:
            if opts.pairs:
                self._answer_table(Path(opts.pairs))
            else:
                self._answer_pair(args[0], args[1], opts)
            sys.stdout.flush()
        except PageError as error:
            self._complain(str(error))
        except BrokenPipeError:  # the reader has seen enough (`| head`)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _complain(self, message: str) -> None:
        print(message, file=sys.stderr)
        self.exitcode = 1

    def _answer_pair(self, old: str, new: str, opts: Namespace) -> None:
        verdict = compare(parse_html(read_page(Path(old))), parse_html(read_page(Path(new))))
        if opts.json:
            named = {"url": opts.url} if opts.url else {}
            blocks = [block._asdict() for block in verdict.blocks]
            print(json.dumps({**named, **_answer(old, new, verdict), "blocks": blocks}))
        else:
            print("\n".join(_as_lines(verdict, opts.url)))

    def _answer_table(self, table: Path) -> None:
        totals = Totals()
        columns, pairs = read_pairs(table)
        for pair in pairs:
            try:
                verdict = _compare_named(pair, table)
            except PageError as error:
                totals.skipped += 1
                self._complain(str(error))
                continue
            if pair.label not in _LABELS:
                self._complain(
                    f"{table}: line {pair.line}: content_changed is {pair.label!r}; write 0 or 1"
                )
            totals.add(verdict, _LABELS.get(pair.label))
            print(json.dumps(_answer(pair.old, pair.new, verdict)), flush=True)
        print(json.dumps(totals.as_json(with_labels="content_changed" in columns)))


def read_page(path: Path) -> str:
    """The text of a stored page, gzipped or not, in the charset that it names itself."""
    try:
        with path.open("rb") as stored:
            zipped = stored.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC)
            source = gzip.GzipFile(fileobj=stored) if zipped else stored
            body = source.read(MAX_PAGE_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise PageError(f"{path}: a damaged gzip file; fetch it again") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = getattr(error, "strerror", None) or error
        raise PageError(f"{path}: {reason}; give a stored page, gzipped or not") from None
    if len(body) > MAX_PAGE_BYTES:
        limit = MAX_PAGE_BYTES >> 20
        raise PageError(f"{path}: more than {limit} MB unpacked; give a file of a single page")
    return html_to_unicode(None, body, auto_detect_fun=_guess_charset)[1]


def _guess_charset(body: bytes) -> str:
    """For pages that name none: Western, unless it is UTF-8, so that no letter is lost."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def read_pairs(table: Path) -> tuple[list[str], Iterator[Pair]]:
    """The columns of a table and its pairs, which are read as they are asked for."""
    lines = _lines_of(table)
    columns = next(lines, "").split("\t")
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise UsageError(
            f"{table}: no column {' and no column '.join(missing)}; "
            "begin the table with a line of column names, with tabs between them",
            print_help=False,
        )
    return columns, _pairs(columns, lines)


def _lines_of(table: Path) -> Iterator[str]:
    """Lines as they are, also where a file name is not UTF-8."""
    try:
        with table.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
            for line in lines:
                yield line.rstrip("\n")
    except OSError as error:
        raise PageError(f"{table}: {error.strerror}; give a table of pairs") from None


def _pairs(columns: list[str], lines: Iterable[str]) -> Iterator[Pair]:
    for number, line in enumerate(lines, 2):
        if line.strip():
            fields = dict(zip(columns, line.split("\t"), strict=False))
            yield Pair(
                line=number,
                old=fields.get("old", ""),
                new=fields.get("new", ""),
                page=fields.get("page", ""),
                label=fields.get("content_changed", "").strip(),
            )


def _compare_named(pair: Pair, table: Path) -> Verdict:
    for column in _NEEDED:
        if not getattr(pair, column):
            raise PageError(f"{table}: line {pair.line}: no file under {column}; name one")
    old, new = (parse_html(read_page(table.parent / name)) for name in (pair.old, pair.new))
    return compare(old, new)


def precision_and_recall(judged: Counter[tuple[bool, bool]]) -> dict[str, float | None]:
    """From counts of (changed, found changed); None where there is nothing to divide by."""
    right = judged[True, True]
    found, changed = right + judged[False, True], right + judged[True, False]
    return {
        "precision": round(right / found, 4) if found else None,
        "recall": round(right / changed, 4) if changed else None,
    }


def _answer(old: str, new: str, verdict: Verdict) -> dict[str, Any]:
    return {
        "old": old,
        "new": new,
        "content_changed": verdict.content_changed,
        "kinds": list(verdict.kinds),
    }


def _as_lines(verdict: Verdict, url: str | None) -> list[str]:
    number = len(verdict.blocks)
    changed = f"changed in {number} block{'s' * (number > 1)}" if number else "unchanged"
    lines = [url, ""] if url else []
    lines += [f"kinds    {', '.join(verdict.kinds) or 'none'}", f"content  {changed}"]
    for block in verdict.blocks:
        lines += ["", _shortened(block.heading) or "(no heading)", *_block_lines(block)]
    return lines


def _block_lines(block: BlockChange) -> Iterator[str]:
    if not block.removed and not block.added:
        yield "  the same lines in another order"
    for mark, changed in (("-", block.removed), ("+", block.added)):
        for line in changed[:SHOWN_LINES]:
            yield f"  {mark} {_shortened(line)}"
        if len(changed) > SHOWN_LINES:
            yield f"  {mark} … {len(changed) - SHOWN_LINES} more"


def _shortened(text: str) -> str:
    """What fits a line; a page must not send control characters to the terminal."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in text[:SHOWN_CHARACTERS])
    return clean if len(text) <= SHOWN_CHARACTERS else f"{clean[:-1]}…"
