"""Whole crawls in which only a part of the known pages can be fetched again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.integration.sites import Site, ask, crawl, paths, running_site, story

DAY = 86_400
PAGES = [f"/news/{number}" for number in range(8)]


def publish(site: Site, edition: int) -> None:
    """The first page is rewritten in every edition, the others never."""
    pages = {path: story(path) for path in PAGES[1:]}
    first = story(PAGES[0], version=edition)
    site.publish({"/": story("home", PAGES), PAGES[0]: first, **pages})


def test_visits_go_where_changes_were_found(tmp_path: Path) -> None:
    fetched: Counter[str] = Counter()
    with running_site() as site:
        for edition in range(9):
            publish(site, edition)
            all_of_them = edition < 4
            crawl(
                tmp_path,
                [site],
                FOCUSCRAWL_CLOCK_OFFSET=edition * DAY,
                FOCUSCRAWL_HINTS=False,
                FOCUSCRAWL_BUDGET=20 if all_of_them else 3,
                FOCUSCRAWL_REVISIT_SHARE=1,
            )
            hits = paths(site.take_hits())
            if all_of_them:
                assert hits == {"/", *PAGES}
            else:
                assert "/" in hits, "a seed is always visited"
                fetched.update(hits - {"/"})
    assert fetched[PAGES[0]] == 5
    assert sum(fetched.values()) == 10
    history = ask(tmp_path, "frontier", "SELECT COUNT(*), SUM(changed) FROM history")
    assert history[0] == (4 * 9 + 5 * 3, 8)


def test_a_day_has_a_budget_of_its_own(tmp_path: Path) -> None:
    with running_site() as site:
        publish(site, 0)
        spent = [
            crawl(
                tmp_path,
                [site],
                FOCUSCRAWL_CLOCK_OFFSET=offset,
                FOCUSCRAWL_HINTS=False,
                FOCUSCRAWL_DAY_BUDGET=6,
                FOCUSCRAWL_BUDGET=4,
            ).stat("fetches")
            for offset in (0, 60, 120, DAY + 300)
        ]
    assert spent == [4, 2, 0, 4]
