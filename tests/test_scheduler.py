"""The scheduler alone: a frontier in a temporary folder, an engine that is only a stub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, Spider, signals
from scrapy.utils.test import get_crawler

from focuscrawl.frontier.records import Candidate, Lease, Visit
from focuscrawl.scheduler import FrontierScheduler
from focuscrawl.scrapy_options import DEFAULTS, META_LEASE, META_SEED
from focuscrawl.scrapy_ring import Ring
from focuscrawl.topics.catalog import Catalog
from focuscrawl.topics.category import parse_category
from focuscrawl.urls import site_of

SPORT = parse_category("sport", 'words = ["goal", "striker"]\nthreshold = 0.3\n', "sport.toml")


class Clock:
    """Monotonic time that passes only when told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """A scheduler, and short names for what the engine and the spider do to it."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        known = {**DEFAULTS, "FOCUSCRAWL_DIR": str(folder), "DOWNLOAD_DELAY": 0}
        self.crawler: Any = get_crawler(Spider, {**known, **settings})
        self.delays: dict[str, dict[str, float]] = {}
        downloader = SimpleNamespace(slots={}, per_slot_settings=self.delays)
        self.scheduler = FrontierScheduler.from_crawler(self.crawler)
        self.crawler.engine = SimpleNamespace(downloader=downloader, scheduler=self.scheduler)
        self.scheduler.open(Spider.from_crawler(self.crawler, name="sport"))
        self.ring = Ring.of(self.crawler)

    def begin(self) -> Bench:
        self.ring.open(SPORT, Catalog([SPORT]))
        return self

    def queue(self, *urls: str) -> None:
        """The first is the best."""
        self.ring.frontier.add(
            Candidate(url, site_of(url), block=1 - number / 1000) for number, url in enumerate(urls)
        )

    def take(self) -> str | None:
        request = self.scheduler.next_request()
        return request.url if request else None

    def take_all(self) -> list[str]:
        return list(iter(self.take, None))

    def is_over(self) -> bool:
        """What the engine sees: nothing to fetch, nothing to wait for."""
        return self.take() is None and not self.scheduler.has_pending_requests()

    def left(self, request: Request) -> None:
        self.crawler.signals.send_catch_log(
            signals.request_left_downloader, request=request, spider=None
        )

    def finish(self, request: Request) -> None:
        self.left(request)
        self.scheduler.settle(request.meta[META_LEASE], Visit("done"))

    def states(self) -> Counter[int]:
        return Counter(
            state for (state,) in self.ring.frontier._db.execute("SELECT state FROM urls")
        )


def pages(host: str, number: int) -> list[str]:
    return [f"http://{host}/{page}" for page in range(number)]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake = Clock()
    monkeypatch.setattr("focuscrawl.scheduler.monotonic", fake)
    return fake


@pytest.fixture
def bench(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def make(**settings: Any) -> Bench:
        made.append(Bench(tmp_path, **settings))
        return made[-1]

    yield make
    for each in made:
        each.scheduler.close("finished")
        each.ring.close()


# -- order and budget -----------------------------------------------------------------


def test_the_best_comes_first(bench: Any) -> None:
    crawl = bench().begin()
    crawl.queue("http://a.test/1", "http://b.test/2", "http://a.test/3")
    assert crawl.take_all() == ["http://a.test/1", "http://b.test/2", "http://a.test/3"]
    assert crawl.ring.stat("fetches") == 3


@pytest.mark.parametrize("budget", [1, 7, 40])
def test_the_budget_is_exact(bench: Any, budget: int) -> None:
    crawl = bench(FOCUSCRAWL_BUDGET=budget).begin()
    crawl.queue(*(url for host in range(30) for url in pages(f"h{host}.test", 3)))
    taken = 0
    while request := crawl.scheduler.next_request():
        taken += 1
        crawl.finish(request)
    assert taken == budget
    assert crawl.is_over()
    assert crawl.states() == {3: budget, 0: 90 - budget}


def test_no_budget_is_no_limit(bench: Any) -> None:
    crawl = bench(FOCUSCRAWL_BUDGET=0).begin()
    crawl.queue(*(f"http://h{host}.test/" for host in range(50)))
    taken = 0
    while request := crawl.scheduler.next_request():
        crawl.finish(request)
        taken += 1
    assert taken == 50


def test_no_more_is_on_its_way_than_may_be_asked_for_at_once(bench: Any) -> None:
    """A page that waits for the pipelines would have to be fetched again after a crash."""
    crawl = bench(CONCURRENT_REQUESTS=3).begin()
    crawl.queue(*(f"http://h{host}.test/" for host in range(9)))
    first, *_ = requests = [crawl.scheduler.next_request() for _ in range(3)]
    for request in requests:
        crawl.left(request)
    assert crawl.take() is None
    assert not crawl.is_over()
    crawl.finish(first)
    assert crawl.take() == "http://h3.test/"
    assert crawl.take() is None


# -- hosts ------------------------------------------------------------------------------


def test_a_host_gets_no_more_at_once_than_the_setting_says(bench: Any) -> None:
    crawl = bench(CONCURRENT_REQUESTS_PER_DOMAIN=3).begin()
    crawl.queue(*pages("a.test", 10))
    requests = [crawl.scheduler.next_request() for _ in range(3)]
    assert crawl.take() is None
    assert crawl.scheduler.has_pending_requests()
    crawl.left(requests[0])
    assert crawl.take() == "http://a.test/3"
    assert crawl.take() is None


def test_a_host_with_a_delay_gets_one_at_a_time(bench: Any, clock: Clock) -> None:
    crawl = bench().begin()
    crawl.delays["a.test"] = {"delay": 5.0}
    crawl.queue(*pages("a.test", 4))
    first = crawl.scheduler.next_request()
    assert crawl.take() is None
    crawl.finish(first)
    assert crawl.take() is None, "the delay has not passed"
    clock.now += 5.1
    second = crawl.scheduler.next_request()
    assert second.url == "http://a.test/1"
    clock.now += 5.1
    assert crawl.take() is None, "the first answer is not here yet"
    crawl.finish(second)
    assert crawl.take() == "http://a.test/2"


def test_a_busy_host_never_stalls_others(bench: Any) -> None:
    crawl = bench(CONCURRENT_REQUESTS=4).begin()
    crawl.delays["slow.test"] = {"delay": 60.0}
    crawl.queue(*pages("slow.test", 200), *(f"http://h{host}.test/" for host in range(40)))
    taken = []
    while request := crawl.scheduler.next_request():
        taken.append(request.url)
        if "slow" not in request.url:
            crawl.finish(request)
    assert taken[0] == "http://slow.test/0"
    assert taken[1:] == [f"http://h{host}.test/" for host in range(40)]


def test_a_host_is_never_asked_beyond_its_cap(bench: Any) -> None:
    crawl = bench(FOCUSCRAWL_HOST_CAP=3).begin()
    crawl.queue(*pages("a.test", 9), *pages("b.test", 2))
    taken: list[str] = []
    while request := crawl.scheduler.next_request():
        taken.append(request.url)
        crawl.finish(request)
    assert sorted(taken) == [*pages("a.test", 3), *pages("b.test", 2)]


def test_a_crawl_whose_hosts_are_all_at_their_cap_is_over(bench: Any) -> None:
    crawl = bench(FOCUSCRAWL_HOST_CAP=3).begin()
    crawl.queue(*pages("a.test", 9))
    while request := crawl.scheduler.next_request():
        crawl.finish(request)
    assert crawl.is_over()


def test_a_request_refused_before_the_downloader_frees_its_host(bench: Any) -> None:
    """robots.txt says no: the errback runs, but no request ever left the downloader."""
    crawl = bench(CONCURRENT_REQUESTS_PER_DOMAIN=1).begin()
    crawl.queue(*pages("a.test", 2))
    refused = crawl.scheduler.next_request()
    crawl.scheduler.failed(refused.meta[META_LEASE], "dropped: robots.txt", for_good=True)
    assert crawl.take() == "http://a.test/1"


def test_a_retry_counts_for_its_host(bench: Any) -> None:
    crawl = bench(CONCURRENT_REQUESTS_PER_DOMAIN=1).begin()
    crawl.queue(*pages("a.test", 3))
    first = crawl.scheduler.next_request()
    crawl.left(first)
    assert crawl.scheduler.enqueue_request(first.replace(dont_filter=True))
    assert crawl.take() == "http://a.test/0"
    assert crawl.take() is None, "the retry is under way"


# -- what others make -------------------------------------------------------------------


def test_foreign_requests_come_first_by_priority(bench: Any) -> None:
    crawl = bench().begin()
    crawl.queue("http://a.test/1")
    post = Request("http://a.test/form", method="POST", body=b"x=1")
    own = Request("http://a.test/own", callback=print, priority=5)
    last = Request("http://a.test/late", cb_kwargs={"x": 1}, priority=-5)
    for request in (last, post, own):
        assert crawl.scheduler.enqueue_request(request)
    taken = [crawl.scheduler.next_request() for _ in range(3)]
    assert taken == [own, post, last]
    assert taken[0] is own
    assert crawl.take() == "http://a.test/1"


def test_a_plain_get_goes_to_the_frontier(bench: Any) -> None:
    crawl = bench().begin()
    assert crawl.scheduler.enqueue_request(Request("http://a.test/x?utm_source=feed#top"))
    assert crawl.ring.frontier.queued == 1
    request = crawl.scheduler.next_request()
    assert request.url == "http://a.test/x"
    assert isinstance(request.meta[META_LEASE], Lease)
    assert request.meta["download_slot"] == "a.test"


def test_the_same_request_twice_is_filtered(bench: Any) -> None:
    crawl = bench().begin()
    assert crawl.scheduler.enqueue_request(Request("http://a.test/x", callback=print))
    assert not crawl.scheduler.enqueue_request(Request("http://a.test/x", callback=print))
    free = Request("http://a.test/x", callback=print, dont_filter=True)
    assert crawl.scheduler.enqueue_request(free)


def test_a_seed_is_known_as_one(bench: Any) -> None:
    crawl = bench().begin()
    crawl.queue("http://a.test/1")
    crawl.scheduler.enqueue_request(Request("http://a.test/seed", meta={META_SEED: True}))
    request = crawl.scheduler.next_request()
    assert request.url == "http://a.test/seed"
    assert request.meta[META_LEASE].seed


def test_a_retry_comes_back_under_its_lease_and_costs_no_budget(bench: Any) -> None:
    crawl = bench(FOCUSCRAWL_BUDGET=1).begin()
    crawl.queue(*pages("a.test", 2))
    first = crawl.scheduler.next_request()
    retry = first.replace(dont_filter=True, priority=first.priority - 1)
    assert crawl.scheduler.enqueue_request(retry)
    assert crawl.scheduler.has_pending_requests()
    assert crawl.scheduler.next_request() is retry
    assert crawl.take() is None
    assert crawl.states() == {0: 1, 1: 1}


def test_a_redirect_to_a_new_page_is_fetched(bench: Any) -> None:
    crawl = bench().begin()
    crawl.queue("http://a.test/old")
    target = crawl.scheduler.next_request().replace(url="http://a.test/new")
    assert crawl.scheduler.enqueue_request(target)
    assert crawl.scheduler.next_request() is target


def test_a_redirect_to_a_finished_page_is_settled_without_a_fetch(bench: Any) -> None:
    crawl = bench().begin()
    crawl.queue("http://a.test/new", "http://a.test/old")
    crawl.finish(crawl.scheduler.next_request())
    old = crawl.scheduler.next_request()
    assert not crawl.scheduler.enqueue_request(old.replace(url="http://a.test/new"))
    assert crawl.is_over()
    assert crawl.ring.stat("dropped/redirect_to_known") == 1
    row = crawl.ring.frontier._db.execute(
        "SELECT state, alias_of FROM urls WHERE url = 'http://a.test/old'"
    ).fetchone()
    assert row == (3, "http://a.test/new")


# -- ends ----------------------------------------------------------------------------------


def test_close_gives_back_every_lease(bench: Any) -> None:
    crawl = bench(CONCURRENT_REQUESTS=8, CONCURRENT_REQUESTS_PER_DOMAIN=2).begin()
    crawl.queue(*(url for host in range(6) for url in pages(f"h{host}.test", 3)))
    crawl.finish(crawl.scheduler.next_request())
    crawl.take()
    crawl.take()
    assert crawl.states()[1] >= 2
    crawl.scheduler.close("shutdown")
    assert crawl.states() == {3: 1, 0: 17}


def test_nothing_is_pulled_before_the_crawl_began(bench: Any) -> None:
    """scrapy shell makes a scheduler too: it must neither crawl nor leave files."""
    before = bench().begin()
    before.queue(*pages("a.test", 3))
    shell = bench()
    assert not shell.scheduler.has_pending_requests()
    assert shell.take() is None
    request = Request("http://a.test/shell", callback=print)
    assert shell.scheduler.enqueue_request(request)
    assert shell.scheduler.next_request() is request
    assert before.states() == {0: 3}


def test_a_scheduler_alone_leaves_no_files(bench: Any, tmp_path: Path) -> None:
    bench()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("for_good", "state", "stat"), [(True, 4, "given_up"), (False, 2, "later")]
)
def test_a_failed_fetch_waits_or_is_given_up(
    bench: Any, for_good: bool, state: int, stat: str
) -> None:
    crawl = bench().begin()
    crawl.queue("http://a.test/1")
    request = crawl.scheduler.next_request()
    crawl.left(request)
    crawl.scheduler.failed(request.meta[META_LEASE], "failed: x", for_good=for_good)
    assert crawl.states() == {state: 1}
    assert crawl.ring.stat(f"failed/{stat}") == 1
    assert crawl.is_over()
