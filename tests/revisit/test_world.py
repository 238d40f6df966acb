from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit.pages import Known
from focuscrawl.revisit.world import Reports, World, joined

DAY = 86_400.0


def web(site: str, changes: list[list[float]], reports: Reports | None = None) -> World:
    """Pages of a site that are known for ten days, with changes on these."""
    times = [sorted(of_page) for of_page in changes]
    return World(
        pages=[Known(key, site, weight=1 / (key + 1), interval=DAY) for key in range(len(changes))],
        first=np.zeros(len(changes)),
        last=np.full(len(changes), 10 * DAY),
        changes=np.array([day * DAY for of_page in times for day in of_page], np.float64),
        ends=np.cumsum([len(of_page) for of_page in times]),
        sitemaps={} if reports is None else {site: reports},
    )


def reports(*moved: tuple[float, int]) -> Reports:
    return Reports(
        np.array([at for at, _ in moved]), np.array([page for _, page in moved], np.int64)
    )


def changes_of(world: World, page: int) -> list[float]:
    start = world.ends[page - 1] if page else 0
    return [time / DAY for time in world.changes[start : world.ends[page]]]


def test_counts_and_rates() -> None:
    world = web("a.test", [[1, 2, 3, 4, 5], [], [9]])
    assert len(world) == 3
    assert world.counts().tolist() == [5, 0, 1]
    assert world.rates() == pytest.approx([0.5, 0.05, 0.1])
    assert world.weights == pytest.approx([1, 1 / 2, 1 / 3])


def test_a_page_that_was_known_for_a_moment_has_no_endless_rate() -> None:
    world = World(
        [Known(0, "a.test")], np.array([5.0]), np.array([6.0]), np.array([5.5]), np.array([1])
    )
    assert world.rates() == pytest.approx([24])


def test_one_web_joined_is_itself() -> None:
    world = web("a.test", [[1]])
    assert joined([world]) is world


def test_joined_webs_keep_the_changes_of_each_page() -> None:
    world = joined([web("a.test", [[1, 2], []]), web("b.test", [[], [3], [4, 5]])])
    assert [page.key for page in world.pages] == [0, 1, 2, 3, 4]
    assert [page.site for page in world.pages] == ["a.test"] * 2 + ["b.test"] * 3
    assert [changes_of(world, page) for page in range(5)] == [[1, 2], [], [], [3], [4, 5]]
    assert world.weights == pytest.approx([1, 1 / 2, 1, 1 / 2, 1 / 3])
    assert world.pages[4].interval == DAY


def test_joined_sitemaps_speak_of_the_same_pages_as_before() -> None:
    first = web("a.test", [[1], [2]], reports((1.0, 0), (2.0, 1)))
    second = web("b.test", [[3], [4]], reports((3.0, 0), (4.0, 1)))
    world = joined([first, second])
    assert world.sitemaps["a.test"].pages.tolist() == [0, 1]
    assert world.sitemaps["b.test"].pages.tolist() == [2, 3]
    assert world.sitemaps["b.test"].times.tolist() == [3.0, 4.0]


def test_joined_sitemaps_of_one_site_are_one_in_order_of_time() -> None:
    first = web("a.test", [[1], [2]], reports((1.0, 0), (5.0, 1)))
    second = web("a.test", [[3]], reports((3.0, 0)))
    found = joined([first, second]).sitemaps["a.test"]
    assert found.times.tolist() == [1.0, 3.0, 5.0]
    assert found.pages.tolist() == [0, 2, 1]


@given(
    st.lists(
        st.lists(st.lists(st.integers(1, 9), max_size=3, unique=True), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
    )
)
def test_joining_keeps_everything_in_its_place(webs: list[list[list[int]]]) -> None:
    world = joined([web(f"{number}.test", pages) for number, pages in enumerate(webs)])
    expected = [
        (f"{number}.test", sorted(page)) for number, pages in enumerate(webs) for page in pages
    ]
    found = [(page.site, changes_of(world, number)) for number, page in enumerate(world.pages)]
    assert found == expected
