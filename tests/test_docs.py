"""The reference says what the code does: every setting, table, column and command is in it."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.frontier.schema import connect
from focuscrawl.repository.schema import metadata
from focuscrawl.scrapy_options import OPTIONS, Option

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
COMMANDS = sorted(
    path.stem for path in (ROOT / "focuscrawl/commands").glob("*.py") if path.stem != "__init__"
)


def words_in_code(name: str) -> set[str]:
    """All names that the page sets in code type."""
    text = re.sub(r"```.*?```", "", (DOCS / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    quoted = re.findall(r"`([^`]+)`", text)
    return {word for text in quoted for word in re.findall(r"\w+", text)}


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_settings_stand_with_default_and_meaning(option: Option) -> None:
    default = "empty" if option.default == "" else f"`{option.default}`"
    line = f"| `{option.name}` | {default} | {option.meaning} |"
    assert line in (DOCS / "settings.md").read_text(encoding="utf-8").splitlines()


def test_no_setting_is_documented_that_does_not_exist() -> None:
    documented = set()
    for page in [*DOCS.glob("*.md"), ROOT / "README.md"]:
        documented |= set(re.findall(r"FOCUSCRAWL_[A-Z_]+", page.read_text(encoding="utf-8")))
    assert documented == {option.name for option in OPTIONS} & documented


def test_every_table_and_column_of_the_repository() -> None:
    known = words_in_code("schema.md")
    text = (DOCS / "schema.md").read_text(encoding="utf-8")
    for table in metadata.tables.values():
        assert re.search(rf"^### .*\b{table.name}\b", text, re.MULTILINE)
        assert not {column.name for column in table.columns} - known, table.name


def test_every_column_of_the_frontier(tmp_path: Path) -> None:
    connect(tmp_path / "f.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "f.sqlite")) as db:
        columns = {row[1] for row in db.execute("PRAGMA table_info(urls)")}
    assert not columns - words_in_code("schema.md")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_chapter(command: str) -> None:
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert f"\n## {command}\n" in text


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*DOCS.glob("*.md"), *ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
