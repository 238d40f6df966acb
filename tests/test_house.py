"""The rules of the house that a reader would otherwise have to check by eye."""

from __future__ import annotations

import ast
import configparser
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "focuscrawl"
SCRAPY_FACING = {
    "spiders", "pipelines", "middlewares", "extensions", "commands",
    "scheduler.py", "settings.py", "items.py", "engine_hooks.py", "scrapy_ring.py",
    "scrapy_options.py", "scrapy_contracts.py", "scrapy_sources.py", "scrapy_made.py",
    "scrapy_archive.py", "scrapy_orderings.py", "scoring.py",
}  # fmt: skip
FRAMEWORKS = {"scrapy", "twisted"}
LONGEST_MODULE = 300
MODULES = sorted(PACKAGE.rglob("*.py"))
DOMAIN = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] not in SCRAPY_FACING]
# One letter in brackets each, so that this file does not find itself.
MACHINE_PATH = re.compile(rb"(?<![\w.:/-])/(?:[w]ork|[r]oot|[h]ome/\w+|[U]sers/\w+|[t]mp/\w+)/")
REGISTRY = re.compile(rb"[p]ypi\.(?:org|python)|files\.[p]ythonhosted")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> set[str]:
    """Top-level packages that a module imports anywhere, also inside its functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def project_files() -> list[Path]:
    """What a clone holds: tracked files, and new ones that are not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs git and a checkout")
    paths = (ROOT / name for name in listed.decode().split("\0") if name)
    return [path for path in paths if path.is_file()]


@pytest.mark.parametrize("module", DOMAIN, ids=name_of)
def test_domain_modules_know_neither_scrapy_nor_twisted(module: Path) -> None:
    assert not imported(module) & FRAMEWORKS


def test_domain_modules_do_not_reach_scrapy_through_ours() -> None:
    facing = {f"focuscrawl.{name.removesuffix('.py')}" for name in SCRAPY_FACING}
    offenders = []
    for module in DOMAIN:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            source = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if any(source == name or source.startswith(name + ".") for name in facing):
                offenders.append(f"{name_of(module)}: {source}")
    assert offenders == []


def test_modules_stay_short_enough_to_read() -> None:
    lengths = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: n for name, n in lengths.items() if n > LONGEST_MODULE} == {}


def test_no_file_names_a_machine_or_a_package_registry() -> None:
    found = [
        f"{name_of(path)}: {match.group().decode()}"
        for path in project_files()
        for pattern in (MACHINE_PATH, REGISTRY)
        if (match := pattern.search(path.read_bytes()))
    ]
    assert found == []


def test_scrapy_cfg_names_the_settings_and_a_target_without_a_slash_at_its_end() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "scrapy.cfg", encoding="utf-8")
    assert config["settings"]["default"] == "focuscrawl.settings"
    assert config["deploy"]["project"] == "focuscrawl"
    assert config["deploy"]["url"] == "http://localhost:6800"
    assert config.has_section("deploy:local")


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_requirements_are_pinned(name: str) -> None:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith(("#", "-r "))]
    loose = [line for line in wanted if not re.fullmatch(r"[\w.-]+(\[[\w,]+\])?==[\w.]+", line)]
    assert wanted
    # scrapyd needs pkg_resources, which newer releases of setuptools no longer have.
    assert [line for line in loose if line != "setuptools<81"] == []
