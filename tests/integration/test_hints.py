"""Whole crawls of small sites that speak about their pages: truly, falsely or with malice."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path

import pytest

from focuscrawl.frontier.hinting import AUDIT_SHARE, AUDITS
from focuscrawl.trust import BELIEVED, Record, trust
from focuscrawl.urls import url_id
from tests.integration.sites import (
    TOPIC,
    Answer,
    Hit,
    Run,
    Says,
    Site,
    ask,
    crawl,
    paths,
    running_sites,
    story,
)

HOUR = 3_600.0
LONG_AGO = "2020-02-02T02:02:02Z"
PAGES = [f"/{number}" for number in range(12)]
NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
FEED_LINK = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'


def rows(site: Site, names: list[str], more: str = "") -> str:
    return "".join(f"<url><loc>{site.url(name)}</loc>{more}</url>" for name in names)


def sitemap(site: Site, names: list[str], more: str = "") -> Answer:
    return Answer(f'<?xml version="1.0"?><urlset>{rows(site, names, more)}</urlset>')


def lastmod(moment: str) -> str:
    return f"<lastmod>{moment}</lastmod>"


def sitemap_index(site: Site, *names: str) -> Answer:
    listed = "".join(f"<sitemap><loc>{site.url(name)}</loc></sitemap>" for name in names)
    return Answer(f"<sitemapindex>{listed}</sitemapindex>")


def naming(site: Site, *names: str) -> str:
    return "".join(f"Sitemap: {site.url(name)}\n" for name in names)


def iso(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


# -- what sitemaps and feeds look like ------------------------------------------------------


def publish_forms(sites: dict[str, Site], secret: Path) -> None:
    """On each site the page /hidden, which no link leads to; the home page links to /linked."""
    for name, site in sites.items():
        home = story(f"home of {name}", ["/linked"])
        linked, hidden = story(f"a link of {name}"), story(f"a hint of {name}")
        pages: dict[str, str | Says] = {"/": home, "/linked": linked, "/hidden": hidden}
        site.publish(pages, robots=naming(site, "/map.xml"))
        site.answers["/map.xml"] = sitemap(site, ["/hidden"])
    _publish_kinds(sites)
    _publish_malice(sites, secret)
    feed = sites["feed"]
    items = f"<item><title>The lighthouse</title><link>{feed.url('/hidden')}</link></item>"
    feed.publish(
        {
            "/": story("home of feed", ["/linked"], head=FEED_LINK),
            "/feed.xml": Answer(f'<rss version="2.0"><channel>{items}</channel></rss>'),
        }
    )


def _publish_kinds(sites: dict[str, Site]) -> None:
    index, zipped, news = sites["index"], sites["zipped"], sites["news"]
    index.answers["/map.xml"] = sitemap_index(index, "/one.xml", "/two.xml")
    index.answers["/one.xml"] = sitemap(index, ["/linked"])
    index.answers["/two.xml"] = sitemap(index, ["/hidden"])
    packed = gzip.compress(str(sitemap(zipped, ["/hidden"]).body).encode())
    zipped.publish(
        {"/map.xml.gz": Answer(packed, headers={"Content-Type": "application/gzip"})},
        robots=naming(zipped, "/map.xml.gz"),
    )
    story_of = "<news:news><news:title>Keeper</news:title><news:publication_date>"
    entry = rows(news, ["/hidden"], f"{story_of}{LONG_AGO}</news:publication_date></news:news>")
    news.answers["/map.xml"] = Answer(f"<urlset {NEWS}>{entry}</urlset>")
    moved = sites["moved"]
    moved.answers["/map.xml"] = Answer("", 302, {"Location": "/elsewhere.xml"})
    moved.answers["/elsewhere.xml"] = sitemap(moved, ["/hidden"])
    away, page = sites["out of order"], sites["no sitemap"]
    away.answers["/map.xml"] = Answer("broken", 500)
    page.answers["/map.xml"] = Answer(story("not a sitemap"))


def _publish_malice(sites: dict[str, Site], secret: Path) -> None:
    own, outer, bomb = sites["index of itself"], sites["entities"], sites["bomb"]
    own.answers["/map.xml"] = sitemap_index(own, "/map.xml", "/other.xml", "/good.xml")
    own.answers["/other.xml"] = sitemap_index(own, "/map.xml", "/other.xml")
    own.answers["/good.xml"] = sitemap(own, ["/hidden"])
    outer.answers["/map.xml"] = Answer(
        f'<!DOCTYPE urlset SYSTEM "{outer.url("/outer.dtd")}" [\n'
        f'<!ENTITY net SYSTEM "{outer.url("/entity")}">\n'
        f'<!ENTITY disk SYSTEM "{secret.as_uri()}">\n'
        f'<!ENTITY % inner SYSTEM "{outer.url("/inner.dtd")}"> %inner; ]>\n'
        '<urlset xmlns:xi="http://www.w3.org/2001/XInclude">'
        "<url><loc>&disk;</loc></url><url><loc>&net;</loc></url>"
        f'<url><loc><xi:include parse="text" href="{outer.url("/included")}"/></loc></url>'
        f"{rows(outer, ['/hidden'])}</urlset>"
    )
    laughs = "".join(
        f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">\n' for number in range(1, 10)
    )
    bomb.answers["/map.xml"] = Answer(
        f'<!DOCTYPE urlset [<!ENTITY l0 "laugh">\n{laughs}]>\n<urlset>'
        f"<url><loc>{bomb.url('/')}&l9;</loc></url>{rows(bomb, ['/hidden'])}</urlset>"
    )


FORMS = ("robots.txt", "index", "zipped", "news", "moved", "feed")
MALICE = ("index of itself", "entities", "bomb")
USELESS = ("out of order", "no sitemap")


@dataclass
class Crawled:
    """Some sites, the store of their crawl, and what each phase of it did."""

    folder: Path
    sites: dict[str, Site]
    runs: list[Run] = field(default_factory=list)
    hits: list[dict[str, list[Hit]]] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)

    def phase(self, **settings: float) -> None:
        self.runs.append(crawl(self.folder, self.sites.values(), **settings))
        self.hits.append({name: site.take_hits() for name, site in self.sites.items()})
        ((stored,),) = ask(self.folder, "repository", "SELECT count(*) FROM copies")
        self.copies.append(stored)

    def pages(self, phase: int, name: str) -> list[Hit]:
        """The hits on a site's stories: neither its home page nor what speaks about them."""
        return [hit for hit in self.hits[phase - 1][name] if hit.path in PAGES]

    def changes_found(self, phase: int, name: str) -> int:
        query = (
            "SELECT count(*) FROM visits JOIN pages ON pages.id = visits.page "
            "WHERE phase = ? AND change = 'content' AND url LIKE ?"
        )
        ((number,),) = ask(self.folder, "repository", query, phase, self.sites[name].url("/_%"))
        return int(number)


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("forms")
    with running_sites(FORMS + MALICE + USELESS) as sites:
        secret = folder / "secret"
        secret.write_text(sites["entities"].url("/stolen"), "utf-8")
        publish_forms(sites, secret)
        crawled = Crawled(folder, sites)
        crawled.phase()
        yield crawled


@pytest.mark.parametrize("name", FORMS + MALICE)
def test_what_a_source_names_is_fetched_though_no_link_leads_there(
    forms: Crawled, name: str
) -> None:
    assert {"/", "/linked", "/hidden"} <= paths(forms.hits[0][name])
    hidden = forms.sites[name].url("/hidden")
    kept = "SELECT 1 FROM pages WHERE url = ? AND category = ?"
    assert ask(forms.folder, "repository", kept, hidden, TOPIC) == [(1,)]


@pytest.mark.parametrize("name", USELESS)
def test_a_source_of_no_use_holds_nothing_up(forms: Crawled, name: str) -> None:
    assert {"/", "/linked", "/map.xml"} == paths(forms.hits[0][name])


def test_a_source_is_read_before_the_pages_of_its_host(forms: Crawled) -> None:
    for name in ("robots.txt", "index", "zipped", "news", "feed"):
        order = [hit.path for hit in forms.hits[0][name]]
        last_source = max(at for at, path in enumerate(order) if ".xml" in path)
        assert last_source < min(order.index("/linked"), order.index("/hidden")), name


def test_entities_of_a_sitemap_reach_neither_net_nor_disk(forms: Crawled) -> None:
    asked = paths(forms.hits[0]["entities"])
    assert not asked & {"/outer.dtd", "/inner.dtd", "/entity", "/included", "/stolen"}


def test_an_entity_bomb_stays_small(forms: Crawled) -> None:
    assert all(len(hit.path) < 100 for hit in forms.hits[0]["bomb"])


def test_an_index_of_itself_is_read_once(forms: Crawled) -> None:
    order = [hit.path for hit in forms.hits[0]["index of itself"]]
    assert sorted(path for path in order if ".xml" in path) == [
        "/good.xml",
        "/map.xml",
        "/other.xml",
    ]


# -- hints that are true ---------------------------------------------------------------------


def audits(site: Site, phase: int) -> int:
    """How many pages may be fetched at most though a trusted hint says "same"."""
    ids = [url_id(site.url(path), TOPIC) for path in PAGES]
    return AUDITS + sum((key ^ phase) % AUDIT_SHARE == 0 for key in ids)


def publish_stories(
    site: Site, name: str, *, version: int = 0, headers: Mapping[str, str] | None = None
) -> None:
    """Every version changes each page in another place: no part of a template stands out."""
    for number, path in enumerate(PAGES):
        text = story(name + path, version=version, place=(number + version) % 8)
        site.answers[path] = Answer(text, headers=headers or {})
    site.answers["/"] = Answer(story(f"home of {name}", PAGES))


def publish_validated(site: Site, versions: Mapping[str, int]) -> None:
    """A third of the pages have an ETag, a third a date, a third both."""
    for number, path in enumerate(PAGES):
        version = versions.get(path, 0)
        date = formatdate(1.6e9 + version, usegmt=True)
        both = {"ETag": f'"{number}-{version}"', "Last-Modified": date}
        sent = (["ETag"], ["Last-Modified"], list(both))[number % 3]
        headers = {name: both[name] for name in sent}
        site.answers[path] = Answer(story(f"valid {path}", version=version), headers=headers)
    site.answers["/"] = Answer(story("home of the validated", PAGES))


QUIET = ("lastmod", "changefreq", "max-age")
MOVED = ("/5", "/6")


@pytest.fixture(scope="module")
def truthful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Two phases, six hours apart; between them two pages change, and their lastmod with them."""
    with running_sites((*QUIET, "validators")) as sites:
        for name in QUIET:
            publish_stories(sites[name], name)
            sites[name].publish({}, robots=naming(sites[name], "/map.xml"))
        dated, weekly = sites["lastmod"], sites["changefreq"]
        dated.answers["/map.xml"] = sitemap(dated, PAGES, lastmod(LONG_AGO))
        weekly.answers["/map.xml"] = sitemap(weekly, PAGES, "<changefreq>weekly</changefreq>")
        publish_stories(sites["max-age"], "fresh", headers={"Cache-Control": "max-age=86400"})
        publish_validated(sites["validators"], {})
        crawled = Crawled(tmp_path_factory.mktemp("truthful"), sites)
        crawled.phase()
        since = [path for path in PAGES if path not in MOVED]
        moved = rows(dated, list(MOVED), lastmod(iso(time.time() + HOUR)))
        same = rows(dated, since, lastmod(LONG_AGO))
        dated.answers["/map.xml"] = Answer(f"<urlset>{same}{moved}</urlset>")
        for path in MOVED:
            dated.answers[path] = Answer(story(f"moved {path}", version=1))
        crawled.phase(FOCUSCRAWL_CLOCK_OFFSET=6 * HOUR)
        yield crawled


@pytest.mark.parametrize("name", QUIET)
def test_a_page_that_a_hint_calls_unchanged_is_not_fetched(truthful: Crawled, name: str) -> None:
    """But for a few: a hint that is never checked cannot be caught lying. The home page, which
    is fetched in any case, may be one of them."""
    moved = set(MOVED) if name == "lastmod" else set()
    fetched = paths(truthful.pages(2, name)) - moved
    assert AUDITS - 1 <= len(fetched) <= audits(truthful.sites[name], 2)


def test_fetches_saved_are_counted(truthful: Crawled) -> None:
    asked = sum(len(truthful.pages(2, name)) for name in QUIET)
    assert truthful.runs[1].stat("saved") == len(QUIET) * len(PAGES) - asked


def test_a_page_whose_lastmod_moved_is_fetched(truthful: Crawled) -> None:
    assert set(MOVED) <= paths(truthful.pages(2, "lastmod"))
    assert truthful.changes_found(2, "lastmod") == len(MOVED)


def test_a_304_is_a_visit_without_a_new_copy(truthful: Crawled) -> None:
    assert [hit.status for hit in truthful.pages(2, "validators")] == [304] * len(PAGES)
    assert truthful.runs[1].stat("not_modified") == len(PAGES)
    visits = ask(
        truthful.folder,
        "repository",
        "SELECT status, bytes, change, visits.copy FROM visits JOIN pages ON pages.id = page "
        "WHERE phase = 2 AND url LIKE ?",
        truthful.sites["validators"].url("/_%"),
    )
    assert visits == [(304, 0, "none", None)] * len(PAGES)
    assert truthful.copies[1] - truthful.copies[0] == len(MOVED)


# -- hints that lie ----------------------------------------------------------------------------


def believed(crawled: Crawled, name: str) -> float:
    site = crawled.sites[name].address.removeprefix("http://")
    query = (
        "SELECT said_changed_was_changed, said_changed_was_same, said_same_was_same, "
        "said_same_was_changed FROM trust WHERE site = ? AND kind = 'lastmod'"
    )
    (answers,) = ask(crawled.folder, "frontier", query, site)
    return trust(Record(*answers))


def test_a_lastmod_of_always_now_gains_nothing(tmp_path: Path) -> None:
    """Two sites that never change. The plain one is a little nearer to the topic, so that under
    a small budget its pages go first, unless the other's false dates put theirs before them."""
    with running_sites(("liar", "plain")) as sites:
        crawled = Crawled(tmp_path, sites)
        liar, plain = sites["liar"], sites["plain"]
        publish_stories(liar, "liar")
        liar.publish({}, robots=naming(liar, "/map.xml"))
        for path in PAGES:
            plain.answers[path] = Answer(story(f"plain {path} lighthouse keeper"))
        plain.publish({"/": story("home of plain", PAGES)})
        for phase in range(4):
            now = time.time() + phase * 24 * HOUR
            liar.answers["/map.xml"] = sitemap(liar, PAGES, lastmod(iso(now)))
            tight = {"FOCUSCRAWL_BUDGET": 11, "CONCURRENT_REQUESTS": 1} if phase == 3 else {}
            crawled.phase(FOCUSCRAWL_CLOCK_OFFSET=phase * 24 * HOUR, **tight)
    assert believed(crawled, "liar") < BELIEVED
    assert crawled.runs[3].stat("fetches") == 11
    assert len(crawled.pages(4, "liar")) <= len(crawled.pages(4, "plain"))


# -- changes, phase after phase ------------------------------------------------------------------

SELDOM = ("no hints", "lastmod", "validators")


def news_of(phase: int) -> list[str]:
    """The pages that were edited between the phase before and this one."""
    return PAGES[3 * phase - 6 : 3 * phase - 3] if phase > 1 else []


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Four phases. Every page of two sites changes between them, under a lastmod that never
    moves and under none; of three others three pages, each time in the first paragraph."""
    with running_sites(("liar", "plain", *SELDOM)) as sites:
        crawled = Crawled(tmp_path_factory.mktemp("edited"), sites)
        frozen = {"/map.xml": sitemap(sites["liar"], PAGES, lastmod(LONG_AGO))}
        sites["liar"].publish(frozen, robots=naming(sites["liar"], "/map.xml"))
        versions: dict[str, int] = {}
        dates = dict.fromkeys(PAGES, LONG_AGO)
        for phase in range(4):
            versions |= dict.fromkeys(news_of(phase + 1), phase)
            dates |= dict.fromkeys(news_of(phase + 1), iso(time.time() + phase * 24 * HOUR))
            for name in ("liar", "plain"):
                publish_stories(sites[name], name, version=phase)
            publish_seldom(sites, versions, dates)
            crawled.phase(FOCUSCRAWL_CLOCK_OFFSET=phase * 24 * HOUR)
        yield crawled


def publish_seldom(
    sites: dict[str, Site], versions: Mapping[str, int], dates: Mapping[str, str]
) -> None:
    for name in ("no hints", "lastmod"):
        pages = {path: story(name + path, version=versions.get(path, 0)) for path in PAGES}
        sites[name].publish({"/": story(name, PAGES), **pages}, robots="")
    dated = sites["lastmod"]
    listed = "".join(rows(dated, [path], lastmod(date)) for path, date in dates.items())
    dated.publish(
        {"/map.xml": Answer(f"<urlset>{listed}</urlset>")}, robots=naming(dated, "/map.xml")
    )
    publish_validated(sites["validators"], versions)


def test_changes_behind_a_lastmod_that_never_moves_are_found_again(edited: Crawled) -> None:
    assert edited.changes_found(2, "liar") < len(PAGES)
    assert believed(edited, "liar") < BELIEVED
    assert edited.changes_found(4, "plain") == len(PAGES)
    assert edited.changes_found(4, "liar") == len(PAGES)


@pytest.mark.parametrize("name", SELDOM)
def test_every_phase_finds_the_pages_that_were_edited(edited: Crawled, name: str) -> None:
    assert [edited.changes_found(phase, name) for phase in (2, 3, 4)] == [3, 3, 3]


def test_validators_outlive_a_304(edited: Crawled) -> None:
    """A 304 need not repeat them, and this site does not."""
    for phase in (2, 3, 4):
        hits = edited.pages(phase, "validators")
        assert len(hits) == len(PAGES)
        assert {hit.path for hit in hits if hit.status != 304} == set(news_of(phase))
    url = edited.sites["validators"].url("/_%")
    visits = "SELECT DISTINCT visits FROM pages WHERE url LIKE ?"
    assert ask(edited.folder, "repository", visits, url) == [(4,)]


# -- hints switched off -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def switched_off(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """A first phase that learns all hints of its sites, and a second that may use none."""
    with running_sites(("dated", "fresh", "validators")) as sites:
        dated = sites["dated"]
        publish_stories(dated, "dated")
        publish_stories(sites["fresh"], "fresh", headers={"Cache-Control": "max-age=86400"})
        publish_validated(sites["validators"], {})
        home = story("home", PAGES, head=FEED_LINK)
        maps = {"/map.xml": sitemap(dated, PAGES, lastmod(LONG_AGO)), "/feed.xml": Answer("<rss/>")}
        dated.publish({"/": home, **maps}, robots=naming(dated, "/map.xml"))
        crawled = Crawled(tmp_path_factory.mktemp("off"), sites)
        crawled.phase()
        crawled.phase(FOCUSCRAWL_HINTS=False, FOCUSCRAWL_CLOCK_OFFSET=HOUR)
        yield crawled


def test_without_hints_no_source_is_read(switched_off: Crawled) -> None:
    first, second = (paths(hits["dated"]) for hits in switched_off.hits)
    assert {"/map.xml", "/feed.xml"} <= first
    assert not {"/map.xml", "/feed.xml"} & second
    assert switched_off.runs[1].stat("sources/read") == 0


def test_without_hints_no_request_is_conditional(switched_off: Crawled) -> None:
    hits = switched_off.hits[1]["validators"]
    assert [hit.status for hit in hits] == [200] * (1 + len(PAGES))
    conditions = {name for hit in hits for name in hit.headers if name.startswith("if-")}
    assert conditions == set()


@pytest.mark.parametrize("name", ["dated", "fresh"])
def test_without_hints_every_page_is_fetched(switched_off: Crawled, name: str) -> None:
    assert paths(switched_off.pages(2, name)) == set(PAGES)
