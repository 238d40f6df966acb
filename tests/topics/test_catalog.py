from __future__ import annotations

import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from focuscrawl.resources import data_dir
from focuscrawl.text import stems
from focuscrawl.topics.catalog import Catalog, load_catalog, load_category
from focuscrawl.topics.category import GRADES, CategoryError

SIZES = {"business": 37, "crime": 73, "health": 35, "politics": 30, "sports": 51, "technology": 63}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture
def ocean(tmp_path: Path) -> Path:
    path = tmp_path / "ocean.toml"
    path.write_text('words = ["ocean"]', encoding="utf-8")
    return path


def test_the_six_shipped_vectors_have_the_documents_sizes(catalog: Catalog) -> None:
    assert catalog.names == tuple(SIZES)
    assert {name: len(catalog[name].terms) for name in catalog} == SIZES
    assert {weight for name in catalog for weight in catalog[name].terms.values()} == {1.0}


@pytest.mark.parametrize("name", SIZES)
def test_shipped_vocabularies_are_wide_and_hold_a_word_once(catalog: Catalog, name: str) -> None:
    file = data_dir() / "categories" / f"{name}.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    listed = [stem for grade in GRADES for stem in stems(" ".join(table[grade]))]
    assert len(listed) == len(set(listed)) > 500
    assert set(catalog[name].vocabulary.values()) == set(GRADES.values())
    assert catalog[name].contrast


@pytest.mark.parametrize("name", SIZES)
def test_shipped_seeds_lie_in_the_shipped_domains(catalog: Catalog, name: str) -> None:
    category = catalog[name]
    hosts = {urlsplit(url).hostname or "" for url in category.seeds}
    assert len(hosts) == 4
    for host in hosts:
        assert any(host == d or host.endswith("." + d) for d in category.domains)


def test_extra_files_join_and_may_replace(ocean: Path, tmp_path: Path) -> None:
    mine = tmp_path / "sports.toml"
    mine.write_text('terms = ["chess"]', encoding="utf-8")
    catalog = load_catalog([ocean, str(mine)])
    assert catalog.names == (
        "business",
        "crime",
        "health",
        "ocean",
        "politics",
        "sports",
        "technology",
    )
    assert dict(catalog["sports"].terms) == {"chess": 1.0}


def test_find_takes_names_and_paths(catalog: Catalog, ocean: Path) -> None:
    assert catalog.find("health") is catalog["health"]
    assert catalog.find(ocean).name == "ocean"
    assert catalog.find(str(ocean)).origin == str(ocean)


def test_an_unknown_name_lists_the_known_ones(catalog: Catalog) -> None:
    with pytest.raises(CategoryError) as caught:
        catalog.find("climate")
    assert "'climate' is not known; known are business, crime, health" in str(caught.value)
    assert "data/categories/sports.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreadable_files_are_named(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(CategoryError, match=r"none\.toml: No such file"):
        catalog.find(tmp_path / "none.toml")
    latin = tmp_path / "latin.toml"
    latin.write_bytes('title = "é"'.encode("latin-1"))
    with pytest.raises(CategoryError, match=r"latin\.toml: not UTF-8"):
        load_category(latin)
