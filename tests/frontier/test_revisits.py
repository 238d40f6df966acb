"""Pages that come back in later phases, through the whole frontier."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.frontier.hinting import AUDITS, UrlHint
from focuscrawl.frontier.records import Candidate, Lease, Visit
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.hints import PageHints
from focuscrawl.urls import url_id

KEPT = Visit("kept", kept=True, importance=0.5)
DROPPED = Visit("dropped")
HOST = "a.example"
FORMAT_1 = """
CREATE TABLE urls (
    id INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    state INTEGER NOT NULL,
    priority REAL NOT NULL,
    due REAL,
    owner TEXT,
    anchor TEXT NOT NULL DEFAULT '',
    anchor_similarity REAL NOT NULL DEFAULT 0,
    block REAL NOT NULL DEFAULT 0,
    relevance REAL NOT NULL DEFAULT 0,
    parents INTEGER NOT NULL DEFAULT 0,
    parent TEXT NOT NULL DEFAULT '',
    occurrences INTEGER NOT NULL DEFAULT 1,
    level INTEGER NOT NULL DEFAULT 0,
    depth INTEGER NOT NULL DEFAULT 0,
    seed INTEGER NOT NULL DEFAULT 0,
    found REAL NOT NULL DEFAULT 0,
    visits INTEGER NOT NULL DEFAULT 0,
    visited REAL,
    changes INTEGER NOT NULL DEFAULT 0,
    importance REAL NOT NULL DEFAULT 0,
    kept INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    rule TEXT NOT NULL DEFAULT '',
    alias_of TEXT NOT NULL DEFAULT ''
);
CREATE INDEX queue ON urls (category, host, priority DESC) WHERE state = 0;
CREATE INDEX timers ON urls (category, due) WHERE state IN (1, 2);
PRAGMA user_version = 1;
"""


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Crawl:
    """A frontier that goes from phase to phase, as runs of a spider would take it."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.path = folder / "frontier.db"
        self.phase = 1
        self.frontier = self.open()

    def open(self) -> SqliteFrontier:
        return SqliteFrontier(self.path, "chess", phase=self.phase, clock=self.clock)

    def reopen(self) -> None:
        """The process stopped and was started again, in the same phase."""
        self.frontier.close()
        self.frontier = self.open()

    def begin(self, phase: int) -> None:
        self.clock.now += 1_000
        self.phase = phase
        self.reopen()
        self.frontier.begin_phase(phase, lambda _: 0.0)

    def add(self, *names: str, host: str = HOST, **known: Any) -> None:
        self.frontier.add([Candidate(page(name, host), host, **known) for name in names])

    def fetch(self, budget: int = 10_000, visit: Visit = KEPT, batch: int = 7) -> list[str]:
        """Lease and complete as far as the budget goes; the names in their order."""
        fetched: list[str] = []
        while leases := self.frontier.lease(min(batch, budget - len(fetched))):
            for lease in leases:
                self.frontier.complete(lease, visit)
            fetched += names(leases)
        return fetched

    def hint(self, lastmod: float, *pages: str, host: str = HOST) -> list[UrlHint]:
        hints = [UrlHint(page(name, host), lastmod) for name in pages]
        return self.frontier.note_hints(hints, "lastmod")

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path)) as db:
            return db.execute(query).fetchall()


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    running = Crawl(tmp_path)
    yield running
    running.frontier.close()


def page(name: str, host: str = HOST) -> str:
    return f"http://{host}/{name}"


def names(leases: list[Lease]) -> list[str]:
    return [lease.url.rpartition("/")[2] for lease in leases]


def many(number: int) -> list[str]:
    return [f"p{each}" for each in range(number)]


# -- turns --------------------------------------------------------------------------------


def test_a_kept_page_comes_back_in_the_next_phase_and_not_in_this_one(crawl: Crawl) -> None:
    crawl.add("x")
    assert crawl.fetch() == ["x"]
    assert crawl.frontier.lease(5) == []
    crawl.reopen()
    assert crawl.frontier.lease(5) == []
    assert crawl.frontier.is_finished(page("x"))
    for phase in (2, 3):
        crawl.begin(phase)
        assert crawl.frontier.queued == 1
        assert not crawl.frontier.is_finished(page("x"))
        (lease,) = crawl.frontier.lease(5)
        assert (lease.url, lease.visits) == (page("x"), phase - 1)
        crawl.frontier.complete(lease, KEPT)
        assert crawl.fetch() == []


def test_what_was_dropped_stays_away(crawl: Crawl) -> None:
    crawl.add("x")
    assert crawl.fetch(visit=DROPPED) == ["x"]
    crawl.begin(2)
    assert crawl.fetch() == []
    assert crawl.frontier.is_finished(page("x"))


def test_a_page_dropped_at_its_second_visit_does_not_come_a_third_time(crawl: Crawl) -> None:
    crawl.add("x")
    crawl.fetch()
    crawl.begin(2)
    assert crawl.fetch(visit=DROPPED) == ["x"]
    crawl.begin(3)
    assert crawl.fetch() == []


def test_what_the_budget_left_out_keeps_its_turn(crawl: Crawl) -> None:
    crawl.add(*many(10))
    crawl.fetch()
    crawl.begin(2)
    first = crawl.fetch(budget=4)
    crawl.begin(3)
    assert sorted(crawl.fetch()) == sorted(many(10))
    turns = dict(crawl.ask("SELECT turn, count(*) FROM urls GROUP BY turn"))
    assert turns == {3: 10}
    assert len(first) == 4


def test_many_old_turns_become_one(crawl: Crawl) -> None:
    for phase in range(1, 13):
        if phase > 1:
            crawl.begin(phase)
            turns = [turn for (turn,) in crawl.ask("SELECT DISTINCT turn FROM urls")]
            assert len(turns) <= 6
            assert max(turns) == phase - 1
        crawl.add(f"p{phase}", block=1.0)
        assert crawl.fetch(budget=1) == [f"p{phase}"]
    crawl.begin(13)
    assert crawl.frontier.queued == 12
    assert sorted(crawl.fetch()) == sorted(f"p{phase}" for phase in range(1, 13))


def test_other_categories_keep_their_turns(crawl: Crawl) -> None:
    crawl.add("x")
    crawl.fetch()
    other = SqliteFrontier(crawl.path, "choir", clock=crawl.clock)
    other.add([Candidate(page("y"), HOST)])
    for lease in other.lease(1):
        other.complete(lease, KEPT)
    crawl.begin(2)
    assert crawl.fetch() == ["x"]
    other.refresh()
    assert other.lease(5) == []
    other.begin_phase(2, lambda _: 0.0)
    assert names(other.lease(5)) == ["y"]
    other.close()


def test_validators_of_the_last_answer_travel_with_the_lease(crawl: Crawl) -> None:
    crawl.add("x")
    hints = PageHints('"v1"', "Sun, 06 Nov 1994 08:49:37 GMT", None, None, None)
    crawl.fetch(visit=Visit("kept", kept=True, importance=0.5, hints=hints))
    crawl.begin(2)
    (lease,) = crawl.frontier.lease(1)
    assert (lease.etag, lease.modified) == (hints.etag, hints.last_modified)


# -- hints --------------------------------------------------------------------------------


def with_dates(crawl: Crawl, *pages: str) -> None:
    """Phase 1 visits the pages, whose date is 500; then phase 2 begins."""
    crawl.add(*pages)
    crawl.hint(500.0, *pages)
    crawl.fetch()
    crawl.begin(2)


def test_a_page_skipped_by_a_trusted_hint_is_counted_and_comes_back(crawl: Crawl) -> None:
    with_dates(crawl, *many(40))
    crawl.hint(500.0, *many(40))
    audited = crawl.fetch()
    skipped = sorted(set(many(40)) - set(audited))
    assert AUDITS <= len(audited) < 20
    assert crawl.frontier.hints.saved == len(skipped) == 40 - len(audited)
    assert crawl.frontier.lease(50) == []
    rows = crawl.ask("SELECT url FROM urls WHERE saved = 1 AND visits = 1 ORDER BY url")
    assert rows == [(page(name),) for name in skipped]
    crawl.reopen()
    assert crawl.frontier.lease(50) == []
    crawl.begin(3)
    crawl.hint(600.0, *many(40))
    assert sorted(crawl.fetch()) == sorted(many(40))


def test_a_page_whose_date_moved_goes_before_its_equals(crawl: Crawl) -> None:
    with_dates(crawl, *many(30))
    crawl.hint(500.0, *many(30))
    crawl.hint(501.0, "p17")
    first, *others = crawl.frontier.lease(30)
    assert first.url == page("p17")
    assert first.said == ("lastmod", True)
    # importance ½ · (½ + the trust of ⅔, halved)
    assert first.priority == pytest.approx(0.25 + 0.5 * (2 / 3) / 2)
    assert {lease.priority for lease in others} == {0.25}
    assert {lease.said for lease in others} == {("lastmod", False)}


def test_a_date_that_moves_after_its_page_was_skipped_counts_in_the_next_phase(
    crawl: Crawl,
) -> None:
    with_dates(crawl, *many(30))
    fetched = crawl.fetch()
    skipped = next(name for name in many(30) if name not in fetched)
    crawl.hint(501.0, skipped)
    assert crawl.frontier.lease(1) == []
    crawl.begin(3)
    assert names(crawl.frontier.lease(1)) == [skipped]


def test_a_date_seen_at_the_last_visit_says_nothing_new(crawl: Crawl) -> None:
    """The site's clock is an hour fast: its dates lie after our visits."""
    crawl.add(*many(30))
    crawl.hint(9_000.0, *many(30))
    crawl.fetch()
    crawl.begin(2)
    assert len(crawl.fetch()) < 15
    assert crawl.frontier.hints.saved > 15


def test_a_liar_is_fetched_as_if_it_had_said_nothing(crawl: Crawl) -> None:
    with_dates(crawl, *many(40))
    caught = crawl.fetch(visit=Visit("kept", kept=True, importance=0.5, changed=True))
    assert AUDITS <= len(caught) < 40
    assert crawl.frontier.hints.trust(HOST, "lastmod") < 0.5
    crawl.begin(3)
    assert sorted(crawl.fetch()) == sorted(many(40))


def test_seeds_are_always_due(crawl: Crawl) -> None:
    crawl.add("seed", seed=True)
    with_dates(crawl, *many(40))
    crawl.hint(500.0, "seed")
    for phase in (2, 3, 4):
        if phase > 2:
            crawl.begin(phase)
        assert crawl.fetch()[0] == "seed"


@pytest.mark.parametrize(
    ("hints", "word"),
    [
        (PageHints(None, None, None, 2_500.0, None), "headers"),
        (PageHints(None, None, None, None, 1_500.0), "changefreq"),
    ],
)
def test_freshness_and_intervals_keep_pages_back_for_their_time(
    crawl: Crawl, hints: PageHints, word: str
) -> None:
    crawl.add(*many(40))
    crawl.fetch(visit=Visit("kept", kept=True, importance=0.5, hints=hints))
    crawl.begin(2)  # at 2,000 by the clock
    audits = crawl.frontier.lease(40)
    assert AUDITS <= len(audits) < 20
    assert {lease.said for lease in audits} == {(word, False)}
    crawl.begin(3)  # at 3,000
    assert sorted(crawl.fetch()) == sorted(many(40))


# -- order --------------------------------------------------------------------------------


def test_new_urls_and_revisits_come_in_exact_order(crawl: Crawl) -> None:
    shares = [number / 40 for number in range(1, 41)]
    for number, share in enumerate(shares):
        crawl.add(f"old{number}", host="ab"[number % 2] + ".example")
        crawl.fetch(visit=Visit("kept", kept=True, importance=share))
    crawl.begin(2)
    for number, share in enumerate(shares):
        crawl.add(f"new{number}", host="bc"[number % 2] + ".example", block=share + 0.01)
    assert crawl.frontier.queued == 80
    taken: list[Lease] = []
    while batch := crawl.frontier.lease(3):
        taken += batch
    found = [lease.priority for lease in taken]
    assert found == sorted(found, reverse=True)
    assert found[:4] == pytest.approx([0.505, 0.5, 0.4925, 0.4875])
    assert names(taken)[:4] == ["new39", "old39", "new38", "old38"]
    assert len(taken) == len({lease.id for lease in taken}) == 80
    assert crawl.frontier.queued == 0


def test_pages_of_several_turns_come_in_exact_order(crawl: Crawl) -> None:
    for phase in range(1, 5):
        if phase > 1:
            crawl.begin(phase)
        for number in range(3):
            importance = (number * 4 + phase) / 12
            crawl.add(f"{importance:.3f}", block=1.0 + phase)
            leases = crawl.frontier.lease(1)
            assert names(leases) == [f"{importance:.3f}"]
            for lease in leases:
                crawl.frontier.complete(lease, Visit("kept", kept=True, importance=importance))
    crawl.begin(5)
    expected = [f"{number / 12:.3f}" for number in range(12, 0, -1)]
    assert crawl.fetch(batch=2) == expected


# -- interruptions ------------------------------------------------------------------------


@pytest.mark.parametrize("ends", ["closed", "released", "killed"])
def test_an_interrupted_phase_leases_exactly_the_rest(crawl: Crawl, ends: str) -> None:
    crawl.add(*many(30))
    crawl.fetch()
    crawl.begin(2)
    crawl.add(*(f"new{number}" for number in range(5)), block=0.6)
    first = crawl.fetch(budget=12)
    held = crawl.frontier.lease(6)
    assert len(held) == 6
    if ends == "released":
        crawl.frontier.release(held)
    if ends == "killed":
        crawl.frontier._db.close()
        crawl.frontier._owner.close()
        crawl.frontier = crawl.open()
    else:
        crawl.reopen()
    assert crawl.frontier.queued == 23
    rest = crawl.fetch()
    assert sorted(first + rest) == sorted([*many(30), *(f"new{number}" for number in range(5))])
    assert crawl.frontier.lease(50) == []


def test_a_failed_revisit_comes_back_in_its_time_and_in_the_next_phase(crawl: Crawl) -> None:
    crawl.add("x", "y")
    crawl.fetch()
    crawl.begin(2)
    one, two = crawl.frontier.lease(2)
    crawl.frontier.retry_later(one, 60, "timeout")
    crawl.frontier.retry_later(two, 1e9, "timeout")
    assert crawl.frontier.lease(2) == []
    crawl.clock.now += 61
    assert crawl.fetch() == names([one])
    crawl.begin(3)
    assert sorted(crawl.fetch()) == ["x", "y"]


# -- properties ---------------------------------------------------------------------------

PHASES = st.lists(
    st.fixed_dictionaries(
        {
            "new": st.lists(st.integers(0, 25), max_size=8),
            "budget": st.sampled_from([0, 3, 8, 1_000]),
            "batch": st.integers(1, 6),
            "dropped": st.sets(st.integers(0, 25), max_size=3),
            "reopened_after": st.none() | st.integers(0, 10),
            "released": st.integers(0, 2),
            "lastmod": st.dictionaries(st.integers(0, 25), st.integers(1, 9), max_size=8),
        }
    ),
    min_size=1,
    max_size=5,
)


def host_of(number: int) -> str:
    return "abc"[number % 3] + ".example"


class Replay:
    """Runs phases on a frontier, and keeps a set of what must and what may come."""

    def __init__(self, folder: str) -> None:
        self.crawl = Crawl(Path(folder))
        self.known: set[int] = set()
        self.returning: set[int] = set()
        self.waiting: set[int] = set()

    def phase(self, number: int, plan: dict[str, Any], *, hinted: bool) -> None:
        crawl = self.crawl
        if number > 1:
            crawl.begin(number)
        due = self.waiting | self.returning | (set(plan["new"]) - self.known)
        for name in plan["new"]:
            crawl.add(str(name), host=host_of(name), block=(name + 1) / 30)
        self.known |= set(plan["new"])
        if hinted:
            for name, lastmod in plan["lastmod"].items():
                crawl.hint(500.0 + lastmod, str(name), host=host_of(name))
        fetched = self._fetch(plan)
        assert len(fetched) == len(set(fetched)), "twice in one phase"
        assert set(fetched) <= due
        skipped = {int(name) for name in self._names("saved > 0 AND turn = ?", number)}
        skipped -= set(fetched)
        assert hinted or not skipped
        assert skipped <= self.returning
        left = due - set(fetched) - skipped
        assert not left or len(fetched) == plan["budget"]
        self.waiting = left - self.returning
        self.returning -= set(fetched)
        self.returning |= set(fetched) - plan["dropped"]

    def _fetch(self, plan: dict[str, Any]) -> list[int]:
        crawl, fetched = self.crawl, []
        while len(fetched) < plan["budget"]:
            leases = crawl.frontier.lease(min(plan["batch"], plan["budget"] - len(fetched)))
            if not leases:
                break
            crawl.frontier.release(leases[1:][: plan["released"]])
            for lease in [leases[0], *leases[1:][plan["released"] :]]:
                number = int(names([lease])[0])
                crawl.frontier.complete(lease, DROPPED if number in plan["dropped"] else KEPT)
                fetched.append(number)
            if plan["reopened_after"] is not None and len(fetched) >= plan["reopened_after"]:
                plan["reopened_after"] = None
                crawl.reopen()
        return fetched

    def _names(self, where: str, *values: object) -> list[str]:
        with closing(sqlite3.connect(self.crawl.path)) as db:
            rows = db.execute(f"SELECT url FROM urls WHERE {where}", values).fetchall()
        return [url.rpartition("/")[2] for (url,) in rows]


@settings(max_examples=40)
@given(PHASES)
def test_without_hints_every_page_comes_exactly_once_in_a_phase(plans: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        replay = Replay(folder)
        for number, plan in enumerate(plans, start=1):
            replay.phase(number, dict(plan), hinted=False)
        assert replay.crawl.frontier.hints.saved == 0
        replay.crawl.frontier.close()


@settings(max_examples=40)
@given(PHASES)
def test_with_hints_every_page_comes_once_or_is_saved(plans: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        replay = Replay(folder)
        for number, plan in enumerate(plans, start=1):
            replay.phase(number, dict(plan), hinted=True)
        replay.crawl.frontier.close()


# -- the format before --------------------------------------------------------------------


@pytest.fixture
def format_1(tmp_path: Path) -> Path:
    """A frontier as the first release left it after a phase: six states of a URL."""
    path = tmp_path / "frontier.db"
    rows = [
        ("kept", 3, 0.30, None, 0, 1, 1, 0.6, ""),
        ("seed", 3, 10.0, None, 1, 1, 0, 0.1, ""),
        ("dropped", 3, 0.20, None, 0, 1, 0, 0.1, ""),
        ("copy", 3, 0.20, None, 0, 1, 1, 0.6, page("kept")),
        ("queued", 0, 0.45, None, 0, 0, 0, 0.0, ""),
        ("waiting", 2, 0.40, 5e9, 0, 0, 0, 0.0, ""),
        ("failed", 4, 0.90, None, 0, 0, 0, 0.0, ""),
    ]
    with closing(sqlite3.connect(path)) as db:
        db.executescript(FORMAT_1)
        db.executemany(
            "INSERT INTO urls (id, category, url, host, state, priority, due, seed, visits, kept, "
            "importance, alias_of, visited, rule, anchor) "
            "VALUES (?, 'chess', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 900, 'a rule', 'an anchor')",
            [(url_id(page(name), "chess"), page(name), HOST, *rest) for name, *rest in rows],
        )
        db.commit()
    return path


def test_a_frontier_of_format_1_keeps_its_rows(format_1: Path) -> None:
    query = "SELECT url, state, priority, due, seed, visits, visited, rule, anchor FROM urls"
    with closing(sqlite3.connect(format_1)) as db:
        before = db.execute(query).fetchall()
    SqliteFrontier(format_1, "chess", clock=Clock()).close()
    SqliteFrontier(format_1, "chess", clock=Clock()).close()
    with closing(sqlite3.connect(format_1)) as db:
        assert db.execute(query).fetchall() == before
        assert db.execute("PRAGMA user_version").fetchone() == (4,)
        again = db.execute("SELECT url FROM urls WHERE revisit ORDER BY url").fetchall()
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert again == [(page("kept"),), (page("seed"),)]


def test_a_frontier_of_format_1_leases_its_kept_pages_in_phase_2(
    format_1: Path, tmp_path: Path
) -> None:
    crawl = Crawl(tmp_path)
    crawl.begin(2)
    assert crawl.frontier.queued == 4
    assert crawl.fetch() == ["seed", "queued", "waiting", "kept"]
    crawl.begin(3)
    assert sorted(crawl.fetch()) == ["kept", "queued", "seed", "waiting"]
    crawl.frontier.close()
