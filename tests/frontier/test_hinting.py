from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.hinting import AUDIT_SHARE, AUDITS, Known, UrlHint, said
from focuscrawl.frontier.records import Candidate, Said, Visit
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.trust import BELIEVED
from focuscrawl.urls import url_id

NOW = 1_000.0
VISITED = 900.0
SILENT = Known(VISITED, None, None, None, None, "")
SAME = SILENT._replace(lastmod=VISITED - 1, kind="lastmod")
MOVED = SILENT._replace(lastmod=VISITED + 1, kind="lastmod")
HOST = "a.example"
Open = Callable[[], SqliteFrontier]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens the same file as often as asked, and closes what is left open."""
    frontiers: list[SqliteFrontier] = []

    def opener() -> SqliteFrontier:
        frontiers.append(SqliteFrontier(tmp_path / "frontier.db", "chess", clock=lambda: NOW))
        return frontiers[-1]

    yield opener
    for frontier in frontiers:
        try:
            frontier.close()
        except sqlite3.ProgrammingError:
            continue  # the test closed it


@pytest.fixture
def frontier(opened: Open) -> SqliteFrontier:
    return opened()


def page(name: str, host: str = HOST) -> str:
    return f"http://{host}/{name}"


def add(frontier: SqliteFrontier, *names: str) -> None:
    frontier.add([Candidate(page(name), HOST) for name in names])


def visit(frontier: SqliteFrontier, number: int, *, changed: bool = False) -> None:
    for lease in frontier.lease(number):
        frontier.complete(lease, Visit("kept", kept=True, importance=0.5, changed=changed))


def row(frontier: SqliteFrontier, name: str, columns: str) -> tuple[Any, ...]:
    with closing(sqlite3.connect(frontier.path)) as db:
        found: tuple[Any, ...] = db.execute(
            f"SELECT {columns} FROM urls WHERE url = ?", (page(name),)
        ).fetchone()
    return found


# -- what a hint says -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "word"),
    [
        (SILENT, None),
        (MOVED, ("lastmod", True)),
        (SAME, ("lastmod", False)),
        (SILENT._replace(lastmod=VISITED), ("lastmod", False)),
        (MOVED._replace(kind="feed"), ("feed", True)),
        (SAME._replace(kind="feed"), ("feed", False)),
        (SILENT._replace(fresh_until=NOW + 1), ("headers", False)),
        (SILENT._replace(fresh_until=NOW), None),
        (SILENT._replace(interval=99.0), ("changefreq", True)),
        (SILENT._replace(interval=100.0), ("changefreq", True)),
        (SILENT._replace(interval=101.0), ("changefreq", False)),
        (SILENT._replace(interval=0.0), ("changefreq", True)),
        (SILENT._replace(interval=math.inf), ("changefreq", False)),
    ],
)
def test_each_kind_of_hint(known: Known, word: Said) -> None:
    assert said(known, NOW) == word


@pytest.mark.parametrize(
    ("known", "word"),
    [
        (MOVED._replace(fresh_until=NOW + 1, interval=math.inf), ("lastmod", True)),
        (SAME._replace(interval=0.0), ("lastmod", False)),
        (SILENT._replace(fresh_until=NOW + 1, interval=0.0), ("headers", False)),
        (SILENT._replace(fresh_until=NOW - 1, interval=0.0), ("changefreq", True)),
    ],
)
def test_a_date_goes_before_freshness_and_freshness_before_an_interval(
    known: Known, word: Said
) -> None:
    assert said(known, NOW) == word


@pytest.mark.parametrize(
    ("lastmod", "seen", "changed"),
    [
        (VISITED - 400, VISITED - 500, True),  # the site's clock is slow
        (VISITED + 500, VISITED + 500, False),  # the site's clock is fast
        (VISITED + 500, VISITED + 499, True),
        (VISITED - 500, VISITED - 400, False),  # the date went back
        (VISITED + 1, None, True),
    ],
)
def test_a_date_is_set_against_the_date_that_the_last_visit_saw(
    lastmod: float, seen: float | None, changed: bool
) -> None:
    known = Known(VISITED, lastmod, seen, None, None, "lastmod")
    assert said(known, NOW) == ("lastmod", changed)


def test_nothing_is_said_of_a_page_that_was_never_visited() -> None:
    assert said(Known(None, 500.0, None, 10.0, None, "lastmod"), NOW) is None


moments = st.none() | st.floats(0, 2_000)


@given(st.builds(Known, moments, moments, moments, moments, moments, st.just("feed")))
def test_only_a_hint_that_is_there_speaks(known: Known) -> None:
    word = said(known, NOW)
    present = {
        "feed": known.lastmod,
        "headers": known.fresh_until,
        "changefreq": known.interval,
    }
    assert word is None or present[word[0]] is not None


# -- whether a page is due ------------------------------------------------------------------


def test_a_page_of_which_nothing_is_said_is_due(frontier: SqliteFrontier) -> None:
    assert frontier.hints.is_due(7, HOST, SILENT, 2) == (True, None)


def test_a_page_that_is_said_to_have_changed_is_due(frontier: SqliteFrontier) -> None:
    for key in range(100):
        assert frontier.hints.is_due(key, HOST, MOVED, 2) == (True, ("lastmod", True))


def test_a_new_site_is_believed(frontier: SqliteFrontier) -> None:
    assert frontier.hints.trust(HOST, "lastmod") == pytest.approx(2 / 3)
    answers = [frontier.hints.is_due(key, HOST, SAME, 2) for key in range(1, 100)]
    assert (False, ("lastmod", False)) in answers


def test_a_hint_without_trust_keeps_no_page_back(frontier: SqliteFrontier) -> None:
    hints = frontier.hints
    for _ in range(2):
        hints.check(HOST, ("lastmod", False), was_changed=True)
    assert hints.trust(HOST, "lastmod") < BELIEVED
    for key in range(100):
        assert hints.is_due(key, HOST, SAME, 2) == (True, ("lastmod", False))
    feed = SAME._replace(kind="feed")
    others = [hints.is_due(key, HOST, feed, 2)[0] for key in range(100)]
    elsewhere = [hints.is_due(key, "b.example", SAME, 2)[0] for key in range(100)]
    assert not all(others)
    assert not all(elsewhere)


# -- audits ---------------------------------------------------------------------------------


def due(frontier: SqliteFrontier, keys: range, host: str = HOST, phase: int = 2) -> set[int]:
    return {key for key in keys if frontier.hints.is_due(key, host, SAME, phase)[0]}


FEW = range(10_005, 10_012)
"""Keys of which none is the one in twenty, in the first phases."""


def test_of_few_unchanged_pages_four_are_fetched_all_the_same(frontier: SqliteFrontier) -> None:
    assert due(frontier, FEW) == set(FEW[:4])
    assert AUDITS == 4


def test_of_many_one_in_twenty_besides(frontier: SqliteFrontier) -> None:
    checked = len(due(frontier, range(4_000)))
    assert 4_000 / AUDIT_SHARE <= checked <= 4_000 / AUDIT_SHARE + AUDITS


def test_each_site_has_its_own_audits(frontier: SqliteFrontier) -> None:
    assert len(due(frontier, FEW, "a.example")) == AUDITS
    assert len(due(frontier, FEW, "b.example")) == AUDITS


def test_the_answer_is_the_same_when_asked_again_in_the_phase(frontier: SqliteFrontier) -> None:
    first = due(frontier, range(500))
    assert due(frontier, range(499, -1, -1)) == first
    assert due(frontier, range(500)) == first


def test_a_new_phase_audits_other_pages(frontier: SqliteFrontier) -> None:
    due(frontier, FEW)
    assert due(frontier, FEW[::-1]) == set(FEW[:4])
    frontier.begin_phase(3, lambda _: 0.0)
    assert due(frontier, FEW[::-1], phase=3) == set(FEW[-4:])


def test_no_page_is_left_unchecked_for_ever(frontier: SqliteFrontier) -> None:
    due(frontier, FEW)  # its four audits are used up
    checked: set[int] = set()
    for phase in range(1, 65):
        checked |= due(frontier, range(-300, 300), phase=phase)
    assert checked == set(range(-300, 300))


# -- trust is kept --------------------------------------------------------------------------


def test_answers_are_written_and_survive_reopening(opened: Open) -> None:
    first = opened()
    for word, was_changed in [
        (("lastmod", True), True),
        (("lastmod", True), False),
        (("lastmod", False), False),
        (("lastmod", False), False),
        (("lastmod", False), True),
        (("feed", True), True),
        (None, True),
    ]:
        first.hints.check(HOST, word, was_changed)
    trusted = first.hints.trust(HOST, "lastmod")
    assert trusted != pytest.approx(2 / 3)
    first.close()
    with closing(sqlite3.connect(first.path)) as db:
        rows = db.execute("SELECT * FROM trust ORDER BY kind").fetchall()
    assert rows == [(HOST, "feed", 1, 0, 0, 0), (HOST, "lastmod", 1, 1, 2, 1)]
    assert opened().hints.trust(HOST, "lastmod") == trusted


def test_what_another_process_learned_counts_from_the_next_phase_on(opened: Open) -> None:
    one, other = opened(), opened()
    before = one.hints.trust(HOST, "lastmod")
    other.hints.check(HOST, ("lastmod", False), was_changed=True)
    assert one.hints.trust(HOST, "lastmod") == before
    one.begin_phase(2, lambda _: 0.0)
    assert one.hints.trust(HOST, "lastmod") == other.hints.trust(HOST, "lastmod") < before


def test_a_visit_checks_the_hint_under_which_the_page_was_leased(frontier: SqliteFrontier) -> None:
    add(frontier, "x")
    frontier.note_hints([UrlHint(page("x"), 500.0)], "lastmod")
    visit(frontier, 1)
    with closing(sqlite3.connect(frontier.path)) as db:
        assert db.execute("SELECT * FROM trust").fetchall() == []
    frontier.begin_phase(2, lambda _: 0.0)
    frontier.note_hints([UrlHint(page("x"), 501.0)], "lastmod")
    visit(frontier, 1, changed=True)
    with closing(sqlite3.connect(frontier.path)) as db:
        assert db.execute("SELECT * FROM trust").fetchall() == [(HOST, "lastmod", 1, 0, 0, 0)]


# -- noting ---------------------------------------------------------------------------------


def test_hints_are_written_beside_known_urls_and_the_unknown_are_returned(
    frontier: SqliteFrontier,
) -> None:
    add(frontier, "x", "y")
    fresh = UrlHint(page("z"), 300.0, 60.0)
    unknown, moved = frontier.hints.note(
        [UrlHint(page("x"), 100.0, None), fresh, UrlHint(page("y"), None, 3_600.0)], "lastmod"
    )
    assert (unknown, moved) == ([fresh], [])
    assert row(frontier, "x", "lastmod, change_interval, hint") == (100.0, None, "lastmod")
    assert row(frontier, "y", "lastmod, change_interval, hint") == (None, 3_600.0, "lastmod")
    assert row(frontier, "z", "1") is None


def test_silence_takes_nothing_back(frontier: SqliteFrontier) -> None:
    add(frontier, "x")
    frontier.hints.note([UrlHint(page("x"), 100.0, 60.0)], "lastmod")
    frontier.hints.note([UrlHint(page("x"))], "lastmod")
    assert row(frontier, "x", "lastmod, change_interval") == (100.0, 60.0)


def test_only_visited_pages_move_and_only_forward(frontier: SqliteFrontier) -> None:
    add(frontier, "later", "same", "earlier", "silent")
    before = [UrlHint(page(name), 100.0) for name in ("later", "same", "earlier", "silent")]
    frontier.hints.note(before, "lastmod")
    visit(frontier, 4)
    add(frontier, "new")
    after = [
        UrlHint(page("later"), 101.0),
        UrlHint(page("same"), 100.0),
        UrlHint(page("earlier"), 99.0),
        UrlHint(page("silent"), None),
        UrlHint(page("new"), 500.0),
    ]
    assert frontier.hints.note(after, "lastmod") == ([], [url_id(page("later"), "chess")])


def test_a_url_of_another_category_is_unknown(frontier: SqliteFrontier) -> None:
    add(frontier, "x")
    other = SqliteFrontier(frontier.path, "choir", clock=lambda: NOW)
    hint = UrlHint(page("x"), 100.0)
    assert other.hints.note([hint], "lastmod") == ([hint], [])
    other.close()
    assert row(frontier, "x", "lastmod") == (None,)


def test_as_many_hints_as_a_sitemap_may_hold(frontier: SqliteFrontier) -> None:
    add(frontier, *(str(number) for number in range(0, 3_000, 2)))
    hints = [UrlHint(page(str(number)), 100.0 + number) for number in range(3_000)]
    unknown, moved = frontier.hints.note(hints, "lastmod")
    assert unknown == hints[1::2]
    assert moved == []
    assert row(frontier, "2998", "lastmod") == (3_098.0,)
