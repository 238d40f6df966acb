"""All categories at hand: the shipped ones and the user's own files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.resources import data_dir
from focuscrawl.topics.category import Category, CategoryError, parse_category

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

SUFFIX = ".toml"


class Catalog(Mapping[str, Category]):
    """Categories by name, in name order."""

    def __init__(self, categories: Iterable[Category]) -> None:
        by_name = {category.name: category for category in categories}
        self._by_name = dict(sorted(by_name.items()))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def __getitem__(self, name: str) -> Category:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def find(self, name_or_path: str | Path) -> Category:
        """The category of that name, or the one written in that file."""
        wanted = str(name_or_path)
        if wanted in self._by_name:
            return self._by_name[wanted]
        if wanted.endswith(SUFFIX) or Path(wanted).is_file():
            return load_category(wanted)
        raise CategoryError(
            f"category {wanted!r} is not known; known are {', '.join(self.names)}. "
            f"For a topic of your own write a file like data/categories/sports{SUFFIX} "
            "and give its path"
        )


def load_category(path: str | Path) -> Category:
    """The category in one file; its name is the file's name without ``.toml``."""
    path = Path(path)
    return parse_category(path.name.removesuffix(SUFFIX), _read(path), str(path))


def load_catalog(extra: Iterable[str | Path] = ()) -> Catalog:
    """The shipped categories and ``extra`` files; a file of a shipped name takes its place."""
    folder = data_dir().joinpath("categories")
    shipped = (entry for entry in folder.iterdir() if entry.name.endswith(SUFFIX))
    categories = [
        parse_category(
            entry.name.removesuffix(SUFFIX), _read(entry), f"data/categories/{entry.name}"
        )
        for entry in shipped
    ]
    return Catalog([*categories, *(load_category(path) for path in extra)])


def _read(entry: Path | Traversable) -> str:
    try:
        return entry.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise CategoryError(f"{entry}: {reason}; give the path of a category file") from None
    except UnicodeDecodeError:
        raise CategoryError(f"{entry}: not UTF-8 text; save the file as UTF-8") from None
