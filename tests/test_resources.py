from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from focuscrawl.resources import data_dir

READ = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from focuscrawl.resources import data_dir;"
    "print((data_dir() / 'categories' / 'one.toml').read_text(encoding='utf-8'))"
)


def put(target: Path, project_root: Path, *, data: bool) -> None:
    """A package with nothing but the module under test, zipped as an egg is."""
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("focuscrawl/__init__.py", "")
        archive.write(project_root / "focuscrawl" / "resources.py", "focuscrawl/resources.py")
        if data:
            archive.writestr("focuscrawl/data/categories/one.toml", "title = 'Één'")


def read_from(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-c", READ, str(path)],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_a_checkout_has_its_data_beside_the_package(project_root: Path) -> None:
    assert data_dir() == project_root / "data"
    assert (data_dir() / "categories").is_dir()


def test_a_zip_on_the_path_has_its_data_inside(tmp_path: Path, project_root: Path) -> None:
    put(tmp_path / "project.egg", project_root, data=True)
    done = read_from(tmp_path / "project.egg", tmp_path)
    assert done.stdout.strip() == "title = 'Één'", done.stderr


def test_a_package_in_a_folder_prefers_the_data_inside(tmp_path: Path, project_root: Path) -> None:
    put(tmp_path / "project.egg", project_root, data=True)
    with zipfile.ZipFile(tmp_path / "project.egg") as archive:
        archive.extractall(tmp_path / "installed")
    (tmp_path / "installed" / "data").mkdir()
    done = read_from(tmp_path / "installed", tmp_path)
    assert done.stdout.strip() == "title = 'Één'", done.stderr


@pytest.mark.parametrize("zipped", [True, False])
def test_no_data_at_all_is_said_with_the_remedy(
    tmp_path: Path, project_root: Path, zipped: bool
) -> None:
    path = tmp_path / "project.egg"
    put(path, project_root, data=False)
    if not zipped:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(path := tmp_path / "installed")
    last = read_from(path, tmp_path).stderr.strip().splitlines()[-1]
    assert last.startswith("FileNotFoundError: no data folder in ")
    assert "build the egg with setup.py" in last
