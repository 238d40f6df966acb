"""``scrapy topic new``: a category file from a few words, WordNet and the seed pages."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.utils.project import data_path

from focuscrawl.commands.classify import FETCH_SETTINGS, HTML_SUFFIXES, FetchSpider
from focuscrawl.commands.compare import read_page
from focuscrawl.semantics.dictionary import WordNetError
from focuscrawl.semantics.expansion import Expansion, expansions
from focuscrawl.semantics.wordnet import WordNet
from focuscrawl.topics.building import (
    BuildingError,
    Expand,
    SeedPage,
    build_terms,
    phrases,
    seed_page,
    seed_threshold,
)
from focuscrawl.topics.catalog import SUFFIX, load_catalog
from focuscrawl.topics.category import check_name
from focuscrawl.topics.writing import Draft, as_category, as_toml, refuse_existing, write_whole
from focuscrawl.urls import normalise

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


@dataclass(slots=True)
class Seeds:
    """Where the topic's pages are: on the web, or in local files for trying offline."""

    urls: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)


class Command(ScrapyCommand):
    """Writes one file and leaves the stores alone."""

    requires_project = True
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 (declared so by Scrapy)

    def syntax(self) -> str:
        return 'new NAME --words "..." [--seeds URLS_OR_FILE] [-o FILE.toml] [options]'

    def short_desc(self) -> str:
        return "Make a category file from a few words and seed pages"

    def long_desc(self) -> str:
        return (
            "Write NAME.toml, a category to crawl with 'scrapy crawl topic -a category=NAME.toml', "
            "from a few words, what WordNet knows of them, and the words that mark the seed pages; "
            "and tell of each term why it is there. Nothing is overwritten without --force."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="New topic")
        group.add_argument("--words", default="", help='such as "coral reef, ocean, bleaching"')
        group.add_argument(
            "--seeds", default="", help="URLs, a file with one URL a line, or local HTML files"
        )
        group.add_argument("-o", "--output", metavar="FILE", help="NAME.toml, here or elsewhere")
        group.add_argument(
            "--terms", type=int, default=60, metavar="N", help="terms at most (%(default)s)"
        )
        group.add_argument("--force", action="store_true", help="overwrite the file")
        group.add_argument("--json", action="store_true", help="answer with one JSON object")

    def run(self, args: list[str], opts: Namespace) -> None:
        if not args:
            raise UsageError
        if len(args) != 2 or args[0] != "new":
            raise UsageError('say: scrapy topic new NAME --words "..."')
        try:
            path = output_path(args[1], opts.output, force=opts.force)
            draft = self._draft(args[1], path, opts)
            write_whole(path, as_toml(draft), overwrite=opts.force)
        except (ValueError, WordNetError) as error:
            return self._complain(str(error))
        except OSError as error:
            place = opts.output or f"{args[1]}{SUFFIX}"
            return self._complain(f"{place}: {error.strerror}; choose another place with -o")
        if opts.json:
            print(json.dumps(_as_json(draft, path), ensure_ascii=False))
        else:
            _print_table(draft, path)
        return None

    def _draft(self, name: str, path: Path, opts: Namespace) -> Draft:
        assert self.settings is not None
        given = phrases(opts.words)
        if opts.terms < 1:
            raise BuildingError(f"--terms: {opts.terms} is too few; give a number above 0")
        seeds = parse_seeds(opts.seeds)
        pages = self._pages(seeds)
        draft = Draft(
            name,
            build_terms(given, self._expand(), list(pages.values()), opts.terms),
            seeds.urls,
            unread=frozenset(seeds.urls).difference(pages),
        )
        threshold = seed_threshold(
            as_category(draft, str(path)),
            load_catalog(),
            pages.values(),
            self.settings["FOCUSCRAWL_WEIGHTS"],
            self.settings["FOCUSCRAWL_THRESHOLD"],
        )
        whole = Draft(name, draft.terms, draft.seeds, threshold, draft.unread)
        as_category(whole, str(path))
        return whole

    def _expand(self) -> Expand:
        """WordNet's suggestions; without WordNet none, which is said."""
        try:
            wordnet = WordNet.find(Path(data_path("semantics")))
        except WordNetError as error:
            self._complain(str(error))
            return lambda word: []
        known: dict[str, list[Expansion]] = {}

        def expand(word: str) -> list[Expansion]:
            if word not in known:
                known[word] = expansions(wordnet, word)
            return known[word]

        return expand

    def _pages(self, seeds: Seeds) -> dict[str, SeedPage]:
        """Those that can be read and hold words; the others are complained about."""
        pages: dict[str, SeedPage] = {}
        if seeds.urls:
            assert self.settings is not None
            settings = self.settings.copy()
            settings.setdict(FETCH_SETTINGS, priority="cmdline")
            process = AsyncCrawlerProcess(settings)
            process.crawl(
                FetchSpider,
                urls=seeds.urls,
                fetched=pages,
                complain=self._complain,
                read=lambda name, text, is_html: seed_page(name, text),
            )
            process.start()
        for path in seeds.files:
            pages[str(path)] = seed_page(str(path), read_page(path))
        for name in [name for name, page in pages.items() if not page.counts]:
            del pages[name]
            self._complain(f"{name}: no words on it; left out")
        return {
            name: pages[name] for name in (*seeds.urls, *map(str, seeds.files)) if name in pages
        }

    def _complain(self, message: str) -> None:
        print(message, file=sys.stderr)
        self.exitcode = 1


def output_path(name: str, output: str | None, *, force: bool) -> Path:
    """Where the category goes; it is called as its file, so the two names must agree."""
    check_name(name, "topic new")
    path = Path(output or ".")
    if path.is_dir():
        path /= f"{name}{SUFFIX}"
    if path.name != f"{name}{SUFFIX}":
        raise BuildingError(
            f"-o {path}: a category is called as its file; end the path with {name}{SUFFIX}"
        )
    if not force:
        refuse_existing(path)
    return path


def parse_seeds(text: str) -> Seeds:
    """URLs and files, parted by commas or blanks; one that is neither ends it."""
    seeds = Seeds()
    whole = Path(text.strip())
    for entry in (
        [str(whole)] if text.strip() and _is_file(whole) else text.replace(",", " ").split()
    ):
        url = normalise(entry)
        if url:
            seeds.urls.append(url)
        elif not _is_file(Path(entry)):
            raise BuildingError(
                f"--seeds: {entry!r} is neither an http(s) URL nor a file; "
                "give full addresses, a file with one a line, or local HTML files"
            )
        elif _is_html(Path(entry)):
            seeds.files.append(Path(entry))
        else:
            seeds.urls += _listed(Path(entry))
    seeds.urls = list(dict.fromkeys(seeds.urls))
    return seeds


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _is_html(path: Path) -> bool:
    return (
        path.suffix.lower() in HTML_SUFFIXES or read_page(path).lstrip("\ufeff \t\r\n")[:1] == "<"
    )


def _listed(path: Path) -> list[str]:
    """The URLs in a file; empty lines and lines with # at their beginning are passed over."""
    urls = []
    for number, line in enumerate(read_page(path).lstrip("\ufeff").splitlines(), 1):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        url = normalise(entry)
        if url is None:
            raise BuildingError(f"{path}: line {number}: {entry!r} is no http(s) URL; mend it")
        urls.append(url)
    return urls


def _as_json(draft: Draft, path: Path) -> dict[str, Any]:
    threshold = draft.threshold
    return {
        "name": draft.name,
        "file": str(path),
        "title": draft.title,
        "seeds": list(draft.seeds),
        "unread": sorted(draft.unread),
        "domains": draft.domains,
        "threshold": round(threshold.value, 4) if threshold else None,
        "threshold_from": threshold.source if threshold else None,
        "terms": [{"term": t.word, "weight": t.weight, "why": t.why} for t in draft.terms],
    }


def _print_table(draft: Draft, path: Path) -> None:
    table = Table("term", "weight", "why")
    for term in draft.terms:
        table.add_row(Text(term.word), f"{term.weight:.2f}", Text(term.why))
    Console().print(table)
    threshold = draft.threshold
    print(
        f"threshold: {threshold.value:.4f} ({threshold.source})"
        if threshold
        else "threshold: left out; the first crawl finds it from the seed pages"
    )
    print(f"written: {path}; take out what does not belong there, then")
    crawl = f"scrapy crawl topic -a category={path}"
    if draft.seeds:
        print(f"  {crawl}")
    else:
        print(f"put URLs of pages of the topic under seeds, and\n  {crawl}")
