from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.evaluation.archive import Page
from focuscrawl.evaluation.simulation import Fetch, crawl, most_frequent
from focuscrawl.evaluation.web import Web
from focuscrawl.orderings.base import PageView, Scored, Topic
from focuscrawl.orderings.classic import BreadthFirst, DepthFirst

TOPIC = Topic((), {})


def web_of(**links: str) -> Web:
    """Pages named by letters: ``a="bc"`` links from a to b and c."""
    return Web(
        Page(f"http://web.test/{name}", "".join(f"<a href=/{to}>{to}</a>" for to in targets))
        for name, targets in links.items()
    )


def order(web: Web, fetches: list[Fetch]) -> str:
    names = {key: url[-1] for url, key in web.keys.items()}
    return "".join(names[fetch.key] for fetch in fetches)


class Fixed:
    """Places by key that may change from page to page."""

    names = ()

    def __init__(self, *answers: Mapping[int, float]) -> None:
        self.answers = list(answers)
        self.seen: list[PageView] = []

    def fetched(self, page: PageView) -> Mapping[int, Scored]:
        self.seen.append(page)
        places = self.answers.pop(0) if self.answers else {}
        return {key: Scored(score) for key, score in places.items()}


def test_breadth_and_depth_first_on_a_small_web() -> None:
    web = web_of(a="bc", b="de", c="f", d="", e="", f="")
    seeds = [web.keys["http://web.test/a"]]
    assert order(web, crawl(web, BreadthFirst(TOPIC), seeds, 10)) == "abcdef"
    assert order(web, crawl(web, DepthFirst(TOPIC), seeds, 10)) == "abdecf"


def test_seeds_come_first_and_count_and_the_budget_ends_it() -> None:
    web = web_of(a="c", b="d", c="", d="")
    fetches = crawl(web, BreadthFirst(TOPIC), [1, 0, 1], 3)
    assert order(web, fetches) == "bad"
    assert order(web, crawl(web, BreadthFirst(TOPIC), [1, 0], 1)) == "b"


def test_a_page_lies_as_deep_as_where_it_was_first_found() -> None:
    web = web_of(a="bc", b="d", c="", d="c")
    assert crawl(web, DepthFirst(TOPIC), [0], 9) == [
        Fetch(0, 0), Fetch(1, 1), Fetch(3, 2), Fetch(2, 1),
    ]  # fmt: skip


def test_a_new_place_takes_the_place_of_the_old_one_up_or_down() -> None:
    web = web_of(a="bcd", b="", c="", d="")
    scorer = Fixed({1: 0.9, 2: 0.5, 3: 0.4}, {2: 0.1, 3: 0.4})
    assert order(web, crawl(web, scorer, [0], 9)) == "abdc"


def test_among_equals_the_first_found_goes_first_and_fetched_pages_do_not_come_again() -> None:
    web = web_of(a="bc", b="", c="")
    scorer = Fixed({2: 1.0, 1: 1.0}, {0: 5.0, 2: 9.0})
    assert order(web, crawl(web, scorer, [0], 9)) == "acb"


def test_orderings_see_depth_and_examples() -> None:
    web = web_of(a="b", b="")
    scorer = Fixed({1: 1.0})
    crawl(web, scorer, [0], 9)
    assert [(page.depth, page.example) for page in scorer.seen] == [(0, True), (1, False)]
    assert not web.pages[0].example


def test_links_that_leave_the_archive_or_stay_on_the_page_are_no_links() -> None:
    web = Web(
        [
            Page(
                "http://web.test/a",
                "<title>Trains</title><h1>Rails</h1><p>old <b>trains</b> on <a href=/b#x>rails</a> "
                "here <a href=/gone>gone</a> <a href=?utm_source=x>self</a> "
                "<a href='http://WEB.test:80/b'>again</a>",
            ),
            Page("http://web.test/b", ""),
        ]
    )
    page = web.pages[0]
    assert [(link.target, link.anchor) for link in page.links] == [(1, "rails"), (1, "again")]
    assert page.links[0].context == ["rail", "old", "train", "gone", "self"]
    assert page.links[0].block == 1
    assert page.text == {"train": 2, "rail": 2, "old": 1, "gone": 1, "self": 1}
    assert page.title == {"train": 1}
    assert page.headings == {"rail": 1}
    assert page.bold == {"train": 1}
    assert page.anchors == {"rail": 1, "gone": 1, "self": 1}


def test_the_base_of_a_page_is_used() -> None:
    head = "<head><base href='/deep/'></head>"
    web = Web(
        [Page("http://web.test/a", f"{head}<a href=b>b</a>"), Page("http://web.test/deep/b", "")]
    )
    assert [link.target for link in web.pages[0].links] == [1]


def test_the_most_frequent_stems_of_the_seeds() -> None:
    pages = [PageView(0, {"a": 2, "b": 1, "c": 1}, [], []), PageView(1, {"b": 3}, [], [])]
    assert most_frequent(pages, 2) == {"b": 1.0, "a": 1.0}
