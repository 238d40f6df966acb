"""Fifth station alone."""

from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.pipelines.changes import ChangesPipeline
from focuscrawl.pipelines.repository import RepositoryPipeline

STORY = "<h1>Cup</h1><p>goal striker referee stadium goal striker referee stadium and more</p>"
BOX = "<aside>Most read: {}</aside>"
COUNTERS = "SELECT changes, structural, textual, presentation, behaviour FROM pages"


def test_first_visit_is_new(ring: Any, page: Any, through: Any) -> None:
    item = through(page(STORY), ChangesPipeline)
    assert item.change == "new"
    assert not item.visit().changed
    assert ring.stat("change/new") == 1


def test_the_same_bytes_are_no_change(ring: Any, page: Any, through: Any) -> None:
    through(page(STORY), RepositoryPipeline)
    item = through(page(STORY), ChangesPipeline)
    assert item.change == "none"
    assert item.verdict.kinds == ()
    assert ring.stat("change/none") == 1


def test_furniture_alone_is_a_minor_change(ring: Any, page: Any, through: Any) -> None:
    through(page(STORY + BOX.format("one")), RepositoryPipeline)
    item = through(page(STORY + BOX.format("two")), ChangesPipeline)
    assert item.change == "minor"
    assert item.verdict.kinds == ("textual",)
    assert not item.visit().changed
    assert item.visit(all_changes=True).changed
    assert ring.stat("change/kind/textual") == 1


def test_other_words_change_the_content(ring: Any, page: Any, through: Any) -> None:
    through(page(STORY), RepositoryPipeline)
    item = through(page(STORY.replace("and more", "and a late goal")), ChangesPipeline)
    assert item.change == "content"
    assert item.visit().changed
    (block,) = item.verdict.blocks
    assert block.heading == "Cup"
    assert item.change_weight > 0
    assert ring.stat("change/content") == 1


def test_a_change_off_the_topic_weighs_nothing(page: Any, through: Any) -> None:
    through(page(f"{STORY}<h2>Weather</h2><p>Rain until the evening</p>"), RepositoryPipeline)
    html = f"{STORY}<h2>Weather</h2><p>Sunshine until the evening</p>"
    item = through(page(html), ChangesPipeline)
    assert item.change == "content"
    assert item.change_weight == 0.0


def test_each_kind_has_its_counter(page: Any, through: Any, rows: Any) -> None:
    versions = (
        STORY,
        STORY.replace("<p>", "<p class=big>"),
        STORY.replace("<p>", "<p class=big>") + "<script>run()</script>",
        STORY.replace("<p>", "<p class=big>").replace("more", "less") + "<script>run()</script>",
        STORY.replace("more", "less") + "<p>Another paragraph</p>",
    )
    for at, html in enumerate(versions):
        through(page(html, at=100.0 + at), RepositoryPipeline)
    assert rows(COUNTERS) == [(2, 1, 1, 2, 2)]
    assert rows("SELECT kinds, change FROM visits ORDER BY at") == [
        ("", "new"),
        ("presentation", "minor"),
        ("behaviour", "minor"),
        ("textual", "content"),
        ("structural,presentation,behaviour", "content"),
    ]


def test_parts_that_change_are_counted(page: Any, through: Any, rows: Any) -> None:
    for at, word in enumerate(("one", "two", "three")):
        through(page(STORY + BOX.format(word), at=100.0 + at), RepositoryPipeline)
    assert rows("SELECT path, text, counter FROM parts") == [
        ("/html/body/aside", "Most read: three", 2)
    ]


def test_parts_mode_looks_at_known_parts_alone(
    ring: Any, page: Any, through: Any, rows: Any
) -> None:
    ring.settings.frozen = False
    ring.settings.set("FOCUSCRAWL_CHANGES", "parts")
    through(page(STORY + BOX.format("one")), RepositoryPipeline)
    through(page(STORY + BOX.format("two"), at=101.0), RepositoryPipeline)
    elsewhere = page(STORY.replace("more", "less") + BOX.format("two"), at=102.0)
    assert through(elsewhere, RepositoryPipeline).change == "none"
    there = page(STORY.replace("more", "less") + BOX.format("three"), at=103.0)
    assert through(there, RepositoryPipeline).change == "content"
    assert rows("SELECT counter FROM parts") == [(2,)]


def test_a_page_without_a_copy_is_compared_by_its_digest(page: Any, through: Any) -> None:
    off_topic = "<p>A quiet evening by the lake, with tea and a book for everybody there</p>"
    through(page(off_topic), RepositoryPipeline)
    assert through(page(off_topic + "<br>"), ChangesPipeline).change == "none"
    item = through(page(off_topic.replace("lake", "river")), ChangesPipeline)
    assert item.change == "content"


def test_reclassified_pages_move_with_their_counters(page: Any, through: Any, rows: Any) -> None:
    through(page(STORY), RepositoryPipeline)
    through(page(STORY.replace("more", "less"), at=101.0), RepositoryPipeline)
    moved = "<p>vaccine nurse hospital surgeon vaccine nurse hospital surgeon and so on</p>"
    through(page(moved, at=102.0), RepositoryPipeline)
    assert rows("SELECT category, changes FROM pages") == [("health", 2)]
    gone = "<p>Nothing of all this is left on the page but a word of farewell to all</p>"
    through(page(gone, at=103.0), RepositoryPipeline)
    assert rows("SELECT category, changes FROM pages") == [(None, 3)]
    assert rows("SELECT category FROM visits ORDER BY at") == [
        ("sport",),
        ("sport",),
        ("health",),
        (None,),
    ]


@pytest.mark.parametrize("keep", [1, 2])
def test_old_versions_are_kept_up_to_a_number(
    ring: Any, page: Any, through: Any, rows: Any, keep: int
) -> None:
    ring.repository.history._keep_copies = keep
    for at in range(4):
        through(page(STORY.replace("more", f"goal {at}"), at=100.0 + at), RepositoryPipeline)
    assert rows("SELECT count(*) FROM copies") == [(keep,)]
    assert rows("SELECT count(*) FROM visits WHERE copy IS NOT NULL") == [(keep,)]


def test_old_versions_are_kept_up_to_an_age(ring: Any, page: Any, through: Any, rows: Any) -> None:
    ring.repository.history._keep_days = 2
    day = 86_400.0
    for number in range(4):
        item = page(STORY.replace("more", f"goal {number}"), at=day * number)
        through(item, RepositoryPipeline)
    assert rows("SELECT at / 86400.0 FROM visits WHERE copy IS NOT NULL ORDER BY at") == [
        (1.0,),
        (2.0,),
        (3.0,),
    ]


def test_a_copy_that_only_looked_different_leaves_no_version(
    page: Any, through: Any, rows: Any
) -> None:
    for at, word in enumerate(("one", "two", "three")):
        through(page(STORY + BOX.format(word), at=100.0 + at), RepositoryPipeline)
    assert rows("SELECT count(*) FROM copies") == [(2,)]
    assert rows("SELECT at FROM visits WHERE copy IS NOT NULL") == [(100.0,)]


def test_a_place_that_changes_on_all_pages_of_a_site_is_noise(
    ring: Any, page: Any, through: Any
) -> None:
    def html(number: int, clock: str) -> str:
        return f"<p class=clock>It is {clock} now</p>{STORY.replace('more', f'goal {number}')}"

    for number in range(4):
        url = f"http://news.test/{number}"
        through(page(html(number, "eight"), url, at=100.0), RepositoryPipeline)
    seen = []
    for round_, clock in enumerate(("nine", "ten", "noon")):
        for number in range(4):
            item = page(html(number, clock), f"http://news.test/{number}", at=200.0 + round_)
            seen.append(through(item, RepositoryPipeline).change)
    assert seen == ["content"] * 6 + ["minor"] * 6
    assert ring.repository.history.noise("news.test") == {"p.clock"}
    assert ring.repository.history.noise("other.test") == frozenset()
