"""Where the shipped data lies: the code runs from a checkout and from a zipped egg alike."""

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path


def data_dir() -> Traversable:
    """The data folder: focuscrawl/data in an egg, the top-level data/ in a checkout.

    Read it through the Traversable; inside an egg there is no file path to open.
    """
    package = resources.files("focuscrawl")
    packaged = package.joinpath("data")
    if packaged.is_dir():
        return packaged
    if isinstance(package, Path) and (package.parent / "data").is_dir():
        return package.parent / "data"
    raise FileNotFoundError(
        f"no data folder in {package} or beside it: "
        "build the egg with setup.py, or run from a complete checkout"
    )
