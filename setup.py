"""Builds the egg that scrapyd-deploy uploads; the data folder travels inside the package."""

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"


def version() -> str:
    """Read, not imported: building must not need the packages that the code runs on."""
    source = (HERE / "focuscrawl" / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__\s*=\s*"([^"]+)"', source, re.MULTILINE)
    if match is None:
        raise SystemExit('focuscrawl/__init__.py: no line __version__ = "..."')
    return match.group(1)


setup(
    name="focuscrawl",
    version=version(),
    license="BSD-3-Clause",
    python_requires=">=3.11",
    packages=[*find_packages(include=["focuscrawl", "focuscrawl.*"]), "focuscrawl.data"],
    package_dir={"focuscrawl.data": "data"},
    package_data={
        "focuscrawl.data": [
            path.relative_to(DATA).as_posix() for path in sorted(DATA.rglob("*")) if path.is_file()
        ]
    },
    entry_points={"scrapy": ["settings = focuscrawl.settings"]},
    zip_safe=True,
)
