"""Fifth station alone."""

from __future__ import annotations

from typing import Any

from focuscrawl.pipelines.changes import ChangesPipeline
from focuscrawl.pipelines.repository import RepositoryPipeline

STORY = "<p>goal striker referee stadium goal striker referee stadium and more</p>"


def test_first_visit_is_new(ring: Any, page: Any, through: Any) -> None:
    item = through(page(STORY), ChangesPipeline)
    assert item.change == "new"
    assert not item.visit().changed
    assert ring.stat("change/new") == 1


def test_furniture_alone_is_no_change(ring: Any, page: Any, through: Any) -> None:
    through(page(STORY), RepositoryPipeline)
    item = through(page(f"{STORY}<aside>Most read now</aside>"), ChangesPipeline)
    assert item.change == "none"
    assert not item.visit().changed
    assert ring.stat("change/none") == 1


def test_other_words_are_a_change(ring: Any, page: Any, through: Any) -> None:
    through(page(STORY), RepositoryPipeline)
    item = through(page(STORY.replace("more", "less")), ChangesPipeline)
    assert item.change == "text"
    assert item.visit().changed
    assert ring.stat("change/text") == 1
