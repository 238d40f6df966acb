"""A revisit policy at work inside the frontier."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.frontier import memory
from focuscrawl.frontier.hinting import UrlHint
from focuscrawl.frontier.picking import RevisitPlan
from focuscrawl.frontier.records import Candidate, Lease, Visit
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.revisit.classic import RoundRobin
from focuscrawl.revisit.fresh import Fresh
from focuscrawl.revisit.policy import DAY, Policy
from focuscrawl.urls import url_id

HOST, OTHER = "a.example", "b.example"
BEGIN = 1_700_000_000.0


class Clock:
    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> float:
        return self.now


class Crawl:
    """Runs of one category, a day apart, each with a policy of its own as processes have."""

    def __init__(
        self, path: Path, at_once: int = 0, host_cap: int = 0, policy: type[Policy] = RoundRobin
    ) -> None:
        self.clock = Clock()
        self.path = path / "frontier.sqlite"
        self.at_once, self.host_cap, self.policy = at_once, host_cap, policy
        self.phase = 1
        self.frontier = self.open()

    def open(self) -> SqliteFrontier:
        plan = RevisitPlan(self.policy(), self.at_once, self.host_cap)
        return SqliteFrontier(self.path, "chess", phase=self.phase, clock=self.clock, plan=plan)

    def keep(self, *urls: str, seed: bool = False, importance: float = 0.5) -> None:
        """Find pages and fetch them for the first time."""
        for url in urls:
            self.frontier.add([Candidate(url, url.split("/")[2], seed=seed)])
            (lease,) = self.frontier.lease(1)
            self.frontier.complete(lease, Visit("kept", kept=True, importance=importance))
            self.clock.now += 60

    def next_phase(self) -> None:
        self.frontier.close()
        self.phase += 1
        self.clock.now += DAY
        self.frontier = self.open()
        self.frontier.begin_phase(self.phase, lambda anchor: 0.0)

    def visit(self, leases: Sequence[Lease], changed: bool = False) -> None:
        for lease in leases:
            visit = Visit("kept", kept=True, importance=0.5, changed=changed)
            self.frontier.complete(lease, visit)


Start = Callable[..., Crawl]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    crawls: list[Crawl] = []

    def begin(**options: Any) -> Crawl:
        crawls.append(Crawl(tmp_path, **options))
        return crawls[-1]

    yield begin
    for crawl in crawls:
        crawl.frontier.close()


def page(number: int, host: str = HOST) -> str:
    return f"https://{host}/news/{number}"


def urls(leases: Sequence[Lease]) -> list[str]:
    return [lease.url for lease in leases]


def test_the_policy_says_which_pages_and_new_ones_follow(start: Start) -> None:
    crawl = start(at_once=2)
    crawl.keep(*[page(number) for number in range(5)])
    crawl.next_phase()
    crawl.frontier.add([Candidate(page(9), HOST, anchor_similarity=0.9, block=0.9)])
    leases = crawl.frontier.lease(10)
    assert sorted(urls(leases[:2])) == [page(0), page(1)]
    assert urls(leases[2:]) == [page(9)]


def test_when_nothing_is_left_the_policy_is_asked_for_more(start: Start) -> None:
    crawl = start(at_once=2)
    crawl.keep(*[page(number) for number in range(5)])
    crawl.next_phase()
    fetched: list[str] = []
    for _ in range(3):
        leases = crawl.frontier.lease(10)
        crawl.visit(leases)
        fetched += urls(leases)
        assert crawl.frontier.lease(10) == []
        crawl.frontier.refresh()
    assert sorted(fetched) == [page(number) for number in range(5)]
    assert crawl.frontier.lease(10) == []


def test_seeds_are_always_among_the_picks(start: Start) -> None:
    crawl = start(at_once=2)
    crawl.keep(*[page(number) for number in range(5)])
    crawl.clock.now += DAY
    crawl.keep(page(7), seed=True)
    crawl.next_phase()
    assert urls(crawl.frontier.lease(10))[0] == page(7)


def test_a_host_gets_no_more_than_its_cap(start: Start) -> None:
    crawl = start(at_once=4, host_cap=2)
    crawl.keep(*[page(number) for number in range(5)], page(0, OTHER))
    crawl.next_phase()
    picked = [lease.host for lease in crawl.frontier.lease(10)]
    assert sorted(picked) == [HOST, HOST, OTHER]


def test_pages_that_wait_longest_come_first_over_phases(start: Start) -> None:
    crawl = start(at_once=2)
    crawl.keep(*[page(number) for number in range(4)])
    rounds = []
    for _ in range(3):
        crawl.next_phase()
        leases = crawl.frontier.lease(2)
        crawl.visit(leases)
        rounds.append(sorted(urls(leases)))
    assert rounds == [[page(0), page(1)], [page(2), page(3)], [page(0), page(1)]]


def test_a_page_in_other_hands_is_not_picked_twice(start: Start) -> None:
    crawl = start()
    crawl.keep(page(0), page(1))
    crawl.next_phase()
    second = crawl.open()
    first = crawl.frontier.lease(1)
    assert len(first) == 1
    assert {*urls(first), *urls(second.lease(5))} == {page(0), page(1)}
    second.close()


def test_pages_that_a_trusted_date_calls_the_same_are_saved(start: Start) -> None:
    crawl = start()
    pages = [page(number) for number in range(12)]
    crawl.keep(*pages)
    crawl.frontier.note_hints([UrlHint(url, lastmod=BEGIN - DAY) for url in pages], "lastmod")
    crawl.next_phase()
    moved = UrlHint(page(3), lastmod=crawl.clock.now)
    crawl.frontier.note_hints([moved], "lastmod")
    leases = crawl.frontier.lease(20)
    assert page(3) in urls(leases)
    assert len(leases) < len(pages)
    assert crawl.frontier.hints.saved == len(pages) - len(leases)


@pytest.mark.parametrize("changing", [0, 1])
def test_ours_learns_over_runs_which_page_is_worth_a_fetch(start: Start, changing: int) -> None:
    """One page of ten changes every day: of one visit a day it gets most."""
    crawl = start(at_once=10, policy=Fresh)
    crawl.keep(*[page(number) for number in range(10)])
    for _ in range(12):
        crawl.next_phase()
        for lease in crawl.frontier.lease(10):
            crawl.visit([lease], changed=lease.url == page(changing))
    crawl.at_once = 1
    picked = []
    for _ in range(5):
        crawl.next_phase()
        (lease,) = crawl.frontier.lease(1)
        crawl.visit([lease], changed=lease.url == page(changing))
        picked.append(lease.url)
    assert picked.count(page(changing)) >= 3


def test_what_is_taught_is_what_happened(start: Start) -> None:
    crawl = start()
    crawl.keep(page(0), page(1, OTHER))
    for changed in (True, False):
        crawl.next_phase()
        crawl.visit(crawl.frontier.lease(10), changed=changed)
    with closing(sqlite3.connect(crawl.path)) as db:
        past = list(memory.past_visits(db, "chess", 0.0, crawl.clock.now))
        policy = RoundRobin()
        memory.teach(policy, db, "chess", crawl.clock.now)
    assert [(visit.key, visit.changed) for visit in past] == [
        (url_id(url, "chess"), changed)
        for changed in (True, False)
        for url in (page(0), page(1, OTHER))
    ]
    assert len(policy.pages) == 2
    assert policy.pages.visited.tolist() == [int(crawl.clock.now)] * 2
    assert policy.pages.groups.names == [HOST, f"{HOST}/news", OTHER, f"{OTHER}/news"]


def test_visits_of_long_ago_are_forgotten(start: Start) -> None:
    crawl = start()
    crawl.keep(page(0))
    crawl.clock.now += (memory.MEMORY_DAYS + 1) * DAY
    crawl.next_phase()
    crawl.visit(crawl.frontier.lease(1))
    with closing(sqlite3.connect(crawl.path)) as db:
        assert db.execute("SELECT COUNT(*) FROM history").fetchone() == (1,)


def test_weight_rises_with_similarity_and_with_topical_changes() -> None:
    assert memory.weight(0.6, 1, 0) == pytest.approx(0.6)
    assert memory.weight(0.6, 11, 10) > memory.weight(0.6, 11, 5) > memory.weight(0.6, 11, 0)
    assert memory.weight(0.0, 1, 0) > 0


@pytest.mark.parametrize(
    ("url", "section"),
    [
        ("https://a.example/", ""),
        ("https://a.example/page.html", ""),
        ("https://a.example/sport/page.html", "sport"),
        ("https://a.example/sport/chess/1", "sport"),
        ("https://a.example/sport/", ""),
    ],
)
def test_a_section_is_the_first_folder(url: str, section: str) -> None:
    assert memory.section(url) == section
