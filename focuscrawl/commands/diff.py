"""``scrapy diff URL``: which words of a page came and went between two stored versions."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.blocks import parse_html
from focuscrawl.changes.content import Line, main_region, read_content
from focuscrawl.changes.report import for_terminal
from focuscrawl.changes.wordsdiff import BlockDiff, Op, diff_blocks, shortened
from focuscrawl.repository.changelog import (
    Version,
    VersionError,
    page_versions,
    two_versions,
    version_body,
)
from focuscrawl.repository.engine import RepositoryError
from focuscrawl.repository.report import PageReport, page_report, reading, utc
from focuscrawl.scrapy_ring import store_dir
from focuscrawl.urls import normalise

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from sqlalchemy import Connection

_COLOURS: dict[Op, str] = {"equal": "", "removed": "red strike", "added": "green"}
_BRACKETS: dict[Op, tuple[str, str]] = {
    "equal": ("", ""),
    "removed": ("[-", "-]"),
    "added": ("{+", "+}"),
}


class Command(ScrapyCommand):
    """Reads the repository; changes nothing, also while a crawl runs."""

    requires_project = True
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return "[--from N] [--to M] [--json] URL"

    def short_desc(self) -> str:
        return "Show which words of a page changed between two stored versions"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--from", dest="older", type=int, metavar="N",
            help="number of the older version, 1 the first, -1 the newest (default: before --to)",
        )  # fmt: skip
        parser.add_argument(
            "--to", dest="newer", type=int, metavar="M",
            help="number of the newer version (default: the newest)",
        )  # fmt: skip
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def run(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give one URL")
        assert self.settings is not None
        url = normalise(args[0])
        if url is None:
            return self._complain(f"{args[0]}: no http(s) URL; give the full address of a page")
        try:
            with reading(store_dir(self.settings) / "repository.sqlite") as db:
                old, new = _choose(db, url, opts)
                blocks = diff_blocks(_main_lines(db, old), _main_lines(db, new))
        except (VersionError, RepositoryError) as error:
            return self._complain(str(error))
        if opts.json:
            print(json.dumps(_as_json(url, old, new, blocks), ensure_ascii=False))
        else:
            _show(url, old, new, blocks)
        return None

    def _complain(self, message: str) -> None:
        print(message, file=sys.stderr)
        self.exitcode = 1


def _choose(db: Connection, url: str, opts: Namespace) -> tuple[Version, Version]:
    versions = page_versions(db, url)
    if len(versions) > 1:
        return two_versions(versions, opts.older, opts.newer)
    if versions:
        when = utc(versions[0].at)
        raise VersionError(f"{url}: one version is stored, of {when}; there is none to compare")
    page = page_report(db, url)
    if page is None:
        raise VersionError(f"{url}: not in the store; no crawl has fetched it")
    raise VersionError(f"{url}: no version is stored; {_why_none(page)}")


def _why_none(page: PageReport) -> str:
    if page.alias_of:
        return f"it has the same text as {page.alias_of}"
    return "none of its visits left one" if page.category else "no category keeps the page"


def _main_lines(db: Connection, version: Version) -> list[Line]:
    return read_content(main_region(parse_html(*version_body(db, version)))).lines


def _as_json(url: str, old: Version, new: Version, blocks: list[BlockDiff]) -> dict[str, Any]:
    return {
        "url": url,
        "from": {"version": old.number, "at": utc(old.at)},
        "to": {"version": new.number, "at": utc(new.at)},
        "blocks": [block._asdict() for block in blocks],
    }


def _show(url: str, old: Version, new: Version, blocks: list[BlockDiff]) -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    in_colour = console.color_system is not None and not console.no_color
    paragraphs = [
        Text(f"{url}\nversion {old.number} of {utc(old.at)}\nversion {new.number} of {utc(new.at)}")
    ]
    for block in blocks:
        heading = for_terminal(block.heading) or "(before the first heading)"
        paragraphs += [Text(f"\n{heading}", style="bold"), _words(block, in_colour)]
    if not blocks:
        paragraphs.append(Text("\nthe main text has the same words in both"))
    for paragraph in paragraphs:
        console.print(paragraph, soft_wrap=not in_colour)


def _words(block: BlockDiff, in_colour: bool) -> Text:
    shown = Text()
    for number, (op, words) in enumerate(shortened(block.diff)):
        text = for_terminal(words)
        opening, closing = ("", "") if in_colour else _BRACKETS[op]
        shown.append(" " if number else "")
        shown.append(f"{opening}{text}{closing}", style=_COLOURS[op] if in_colour else "")
    return shown
