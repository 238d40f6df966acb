"""Whole crawls of hosts that ask for patience; times are lower bounds by the site's own clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest

from focuscrawl.frontier.records import State
from focuscrawl.middlewares.patience import LONGEST_PAUSE
from tests.integration.sites import (
    Answer,
    Hit,
    Run,
    Says,
    Site,
    ask,
    crawl,
    once,
    outcome,
    paths,
    running_site,
    running_sites,
    start,
    story,
)

LATENESS = 0.3
"""A site may see a request so much later than it was sent; the next one then seems too early."""


def busy(status: int, retry_after: str) -> Answer:
    return Answer("come back later", status, {"Retry-After": retry_after})


def sitemap(site: Site, *names: str) -> Answer:
    rows = "".join(f"<url><loc>{site.url(name)}</loc></url>" for name in names)
    return Answer(f"<urlset>{rows}</urlset>")


def sitemap_index(site: Site, *names: str) -> Answer:
    rows = "".join(f"<sitemap><loc>{site.url(name)}</loc></sitemap>" for name in names)
    return Answer(f"<sitemapindex>{rows}</sitemapindex>")


def gaps(hits: list[Hit]) -> list[float]:
    return [after.at - before.at for before, after in pairwise(hits)]


def state_of(folder: Path, url: str) -> State:
    ((state,),) = ask(folder, "frontier", "SELECT state FROM urls WHERE url = ?", url)
    return State(state)


# -- hosts that have too much to do -------------------------------------------------------


@dataclass(frozen=True)
class Crawled:
    folder: Path
    run: Run
    sites: dict[str, Site]
    hits: dict[str, list[Hit]]

    def rest_kept(self, name: str) -> float:
        """The time between a host's first wish for rest and the next request it got."""
        hits = self.hits[name]
        first = next(at for at, hit in enumerate(hits) if hit.status in (429, 503))
        assert len(hits) > first + 1, f"{name} was never asked again"
        return hits[first + 1].at - hits[first].at


def slowly(page: str, seconds: float = 0.1) -> Says:
    def answer() -> Answer:
        time.sleep(seconds)
        return Answer(page)

    return answer


def publish_hour(site: Site, name: str) -> None:
    """Every page but the first asks for an hour's rest."""
    site.publish({"/": story(name, ["/a", "/b", "/c"])})
    site.answers |= dict.fromkeys(("/a", "/b", "/c"), busy(429, "3600"))


def publish_busy(sites: dict[str, Site]) -> None:
    names = [f"/{number}" for number in range(12)]
    chain = {name: slowly(story(name, [after])) for name, after in pairwise(names)}
    sites["free"].publish({"/": story("free", names[:1]), **chain})
    late = once(busy(429, "2"), Answer(story("late")))
    sites["429"].publish({"/": story("limited", ["/late"]), "/late": late})
    sites["503"].publish({"/": once(busy(503, "1"), Answer(story("unavailable")))})
    publish_hour(sites["hour"], "hour")
    tired = iter([busy(429, "1"), busy(429, "1")])
    broken = {"/": lambda: next(tired, Answer("broken", 500))}
    sites["tired, then broken"].publish(broken)
    index = sites["sitemaps"]
    one = once(busy(429, "2"), sitemap(index, "/only-here"))
    parts = {f"/part{number}.xml": one for number in range(3)}
    index.publish(
        {"/": story("sitemaps"), "/index.xml": sitemap_index(index, *parts), **parts},
        robots=f"Sitemap: {index.url('/index.xml')}",
    )
    sites["robots 503"].publish({"/": story("closed")}, robots=busy(503, "1"))
    sites["robots 404"].publish({"/": story("open")}, robots=Answer("none", 404))


BUSY = ("free", "429", "503", "hour", "tired, then broken", "sitemaps", "robots 503", "robots 404")


@pytest.fixture(scope="module")
def rested(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """One crawl of several hosts, one request at a time from each."""
    folder = tmp_path_factory.mktemp("busy")
    with running_sites(BUSY) as sites:
        publish_busy(sites)
        run = crawl(folder, sites.values(), CONCURRENT_REQUESTS_PER_DOMAIN=1)
        hits = {name: site.take_hits() for name, site in sites.items()}
        yield Crawled(folder, run, sites, hits)


@pytest.mark.parametrize(("name", "seconds"), [("429", 2.0), ("503", 1.0)])
def test_a_busy_host_is_left_alone_for_as_long_as_it_asks(
    rested: Crawled, name: str, seconds: float
) -> None:
    assert rested.rest_kept(name) >= seconds
    assert rested.hits[name][-1].status == 200


def test_other_hosts_go_on_meanwhile(rested: Crawled) -> None:
    before, after = (hit.at for hit in rested.hits["429"] if hit.path == "/late")
    assert sum(before < hit.at < after for hit in rested.hits["free"]) >= 3
    assert len(rested.hits["free"]) == 13


def test_sitemaps_wait_too_while_their_host_rests(rested: Crawled) -> None:
    assert rested.rest_kept("sitemaps") >= 2.0


def test_an_hour_is_not_waited_for_and_nothing_is_lost(rested: Crawled) -> None:
    assert len(rested.hits["hour"]) == 2
    site = rested.sites["hour"]
    states = sorted(state_of(rested.folder, site.url(path)) for path in ("/a", "/b", "/c"))
    assert states == [State.QUEUED, State.QUEUED, State.WAITING]


def test_a_wish_for_rest_is_no_failed_attempt(rested: Crawled) -> None:
    """Three failed visits and a URL is given up: here there was one, after two wishes."""
    asked = [hit.status for hit in rested.hits["tired, then broken"]]
    assert asked[:3] == [429, 429, 500]
    url = rested.sites["tired, then broken"].url("/")
    assert ask(
        rested.folder, "frontier", "SELECT state, attempts FROM urls WHERE url = ?", url
    ) == [(State.WAITING, 1)]


def test_a_host_without_robots_txt_is_open(rested: Crawled) -> None:
    assert paths(rested.hits["robots 404"]) == {"/"}


def test_a_host_whose_robots_txt_is_out_of_order_is_not_entered(rested: Crawled) -> None:
    assert rested.hits["robots 503"] == []
    state = state_of(rested.folder, rested.sites["robots 503"].url("/"))
    assert state in (State.QUEUED, State.WAITING)


def test_robots_txt_holds_for_all_requests_that_wait_for_it(tmp_path: Path) -> None:
    with running_site() as site:
        names = [f"/closed/{number}" for number in range(6)]
        site.publish(
            {name: story(name) for name in names},
            robots=slowly("User-agent: *\nDisallow: /closed/\n"),
        )
        run = outcome(start(tmp_path, [site.url(name) for name in names]))
        assert site.take_hits() == []
        assert run.stat("failed/given_up") == len(names)


# -- runs with a host that rests for an hour ----------------------------------------------


def test_a_run_does_not_wait_an_hour_for_pages_that_it_has_leased(tmp_path: Path) -> None:
    """Two requests at once, and the slow host has one of them: a page of the other is leased
    ahead when its host asks for rest."""
    with running_sites(("hour", "slow")) as sites:
        publish_hour(sites["hour"], "hour")
        sites["slow"].publish({"/": slowly(story("slow"), 1.0)})
        crawl(tmp_path, sites.values(), patience=20, CONCURRENT_REQUESTS=2)
        states = {state_of(tmp_path, sites["hour"].url(path)) for path in ("/a", "/b", "/c")}
        assert states <= {State.QUEUED, State.WAITING}


def test_a_host_that_rests_for_an_hour_does_not_end_the_rest_of_another(tmp_path: Path) -> None:
    """The host that asked for two seconds is worth waiting for, whatever else is queued."""
    with running_sites(("hour", "slow", "short")) as sites:
        publish_hour(sites["hour"], "hour")
        sites["slow"].publish({"/": slowly(story("slow"), 1.5)})
        sites["short"].publish({"/": once(busy(429, "2"), Answer(story("short")))})
        crawl(tmp_path, sites.values(), CONCURRENT_REQUESTS_PER_DOMAIN=1)
        assert [hit.status for hit in sites["short"].take_hits()] == [429, 200]


def test_not_one_more_request_reaches_a_host_that_asked_for_rest(tmp_path: Path) -> None:
    """Ten hosts ask for it while two others keep the crawl busy."""
    tired = [f"tired {number}" for number in range(10)]
    many = [f"/{number}" for number in range(40)]
    with running_sites((*tired, "one", "two")) as sites:
        for name in tired:
            publish_hour(sites[name], name)
        for name in ("one", "two"):
            pages = {path: story(name + path) for path in many}
            sites[name].publish({"/": story(name, many), **pages})
        crawl(tmp_path, sites.values(), patience=20, CONCURRENT_REQUESTS_PER_DOMAIN=1)
        hits = {name: [hit.status for hit in sites[name].take_hits()] for name in tired}
    assert hits == {name: [200, 429] for name in tired}


# -- values that make no sense -------------------------------------------------------------

ABSURD = {
    "31 years": "999999999",
    "longer than time": "9" * 40,
    "negative": "-5",
    "garbage": "soon, maybe",
    "empty": "",
    "far date": formatdate(4e9, usegmt=True),
    "past date": "Mon, 01 Jan 2001 00:00:00 GMT",
    "no date": "Mon, 99 Foo 2099 99:99:99 GMT",
}


def test_absurd_wishes_are_bounded_and_their_urls_are_fetched_later(tmp_path: Path) -> None:
    """The budget ends the first run before any rest is over."""
    everyone = {"FOCUSCRAWL_BUDGET": len(ABSURD)}
    with running_sites(ABSURD) as sites:
        for name, site in sites.items():
            site.publish({"/": once(busy(429, ABSURD[name]), Answer(story(name)))})
        began = time.time()
        crawl(tmp_path, sites.values(), **everyone)
        ended = time.time()
        assert {name: len(site.take_hits()) for name, site in sites.items()} == dict.fromkeys(
            ABSURD, 1
        )
        for name, site in sites.items():
            ((state, due),) = ask(
                tmp_path, "frontier", "SELECT state, due FROM urls WHERE url = ?", site.url("/")
            )
            assert state == State.WAITING, name
            assert began < due <= ended + LONGEST_PAUSE, name
        later = LONGEST_PAUSE + 60
        run = crawl(tmp_path, sites.values(), FOCUSCRAWL_CLOCK_OFFSET=later, **everyone)
        assert run.stat("kept") == len(ABSURD)
        for name, site in sites.items():
            assert [hit.status for hit in site.take_hits()] == [200], name


def test_a_new_run_also_waits_until_the_host_wants_to_be_asked(tmp_path: Path) -> None:
    with running_site() as site:
        later = once(busy(429, "1800"), Answer(story("later")))
        site.publish({"/": story("home", ["/later"]), "/later": later})
        crawl(tmp_path, [site])
        assert [hit.status for hit in site.take_hits()] == [200, 429]
        crawl(tmp_path, [site], FOCUSCRAWL_CLOCK_OFFSET=900)
        assert site.take_hits() == []
        assert state_of(tmp_path, site.url("/later")) == State.WAITING


# -- how fast, and how much ------------------------------------------------------------------


def test_crawl_delay_is_obeyed(tmp_path: Path) -> None:
    """For pages and for sitemaps, however Scrapy varies delays; a host without is quicker."""
    delay = 0.8
    names = [f"/{number}" for number in range(3)]
    with running_sites(("pages", "more pages", "sitemaps", "quick")) as sites:
        rule = f"User-agent: *\nCrawl-delay: {delay}\n"
        for name, site in sites.items():
            pages = {path: story(name + path) for path in names}
            site.publish({"/": story(name, names), **pages}, robots=rule)
        sites["quick"].answers["/robots.txt"] = Answer("")
        index = sites["sitemaps"]
        parts = {f"/part{number}.xml": sitemap(index, "/0") for number in range(3)}
        index.publish(
            {"/": story("home"), "/index.xml": sitemap_index(index, *parts), **parts},
            robots=f"{rule}Sitemap: {index.url('/index.xml')}\n",
        )
        crawl(tmp_path, sites.values(), DOWNLOAD_DELAY_JITTER=2)
        hits = {name: site.take_hits() for name, site in sites.items()}
    assert hits["quick"][-1].at < hits["pages"][-1].at
    assert {name: len(seen) for name, seen in hits.items()} == {
        "pages": 4,
        "more pages": 4,
        "sitemaps": 6,
        "quick": 4,
    }
    shortest = {name: min(gaps(seen)) for name, seen in hits.items() if name != "quick"}
    assert {name: gap for name, gap in shortest.items() if gap < delay - LATENESS} == {}


@pytest.fixture(scope="module")
def capped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Hit]]:
    """Three hosts with twelve pages each: a delay, and no more than five fetches from each."""
    names = [f"/{number}" for number in range(12)]
    with running_sites(("one", "two", "hinted")) as sites:
        for name, site in sites.items():
            pages = {path: story(name + path) for path in names}
            site.publish({"/": story(name, names), **pages})
        hinted = sites["hinted"]
        hinted.publish(
            {"/map.xml": sitemap(hinted, *names), "/feed.xml": Answer("<rss/>")},
            robots=f"Sitemap: {hinted.url('/map.xml')}",
        )
        feed = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        hinted.answers["/"] = Answer(story("hinted", names, head=feed))
        crawl(
            tmp_path_factory.mktemp("capped"),
            sites.values(),
            FOCUSCRAWL_HOST_CAP=5,
            DOWNLOAD_DELAY=0.5,
            DOWNLOAD_DELAY_JITTER=0,
        )
        return {name: site.take_hits() for name, site in sites.items()}


@pytest.mark.parametrize("name", ["one", "two"])
def test_a_host_is_asked_no_more_often_than_the_cap(
    capped: dict[str, list[Hit]], name: str
) -> None:
    assert len(capped[name]) == 5


def test_sitemaps_and_feeds_count_against_the_cap(capped: dict[str, list[Hit]]) -> None:
    assert len(capped["hinted"]) == 5


@pytest.mark.parametrize("name", ["one", "two", "hinted"])
def test_the_delay_stands_between_two_requests_to_one_host(
    capped: dict[str, list[Hit]], name: str
) -> None:
    assert min(gaps(capped[name])) >= 0.5 - LATENESS


def test_the_delay_is_per_host(capped: dict[str, list[Hit]]) -> None:
    one, two = ([hit.at for hit in capped[name]] for name in ("one", "two"))
    assert max(one[0], two[0]) < min(one[-1], two[-1])


def test_sitemaps_count_against_the_budget(tmp_path: Path) -> None:
    with running_site() as site:
        maps = {f"/map{number}.xml": sitemap(site, f"/{number}") for number in range(5)}
        pages = {f"/{number}": story(f"page {number}") for number in range(5)}
        robots = "".join(f"Sitemap: {site.url(name)}\n" for name in maps)
        site.publish({"/": story("home"), **maps, **pages}, robots=robots)
        run = crawl(tmp_path, [site], FOCUSCRAWL_BUDGET=3)
        assert len(site.take_hits()) == run.stat("fetches") == 3
