"""The state of the sample web: deterministic, balanced, and true to its own change log."""

import re
from collections import Counter

import lxml.html
import pytest

from focuscrawl.newsweb.links import Links
from focuscrawl.newsweb.records import Page
from focuscrawl.newsweb.render import Renderer
from focuscrawl.newsweb.sites import site_plans
from focuscrawl.newsweb.timeline import START
from focuscrawl.newsweb.world import World, clean

BASES = {name: f"http://127.0.0.1:{9001 + i}" for i, name in enumerate(site_plans())}
FLICKER = (
    "//*[contains(@class,'trending') or contains(@class,'advert') or contains(@class,'count')]"
)


def rendered(world: World) -> dict[tuple[str, str], str]:
    renderer = Renderer(world, Links(BASES))
    pages = [page for page in world.pages() if page.kind != "trap" and _served(world, page)]
    return {(page.plan.name, page.target): renderer.html(page) for page in pages}


def _served(world: World, page: Page) -> bool:
    article = page.article
    end = article.end(world.now) if article else None
    return end is None or (article is not None and page.target == article.moved_target)


def content(html: str) -> tuple[str, ...]:
    """Tags and text of a page without what flickers: boxes, dates, the partner link."""
    tree = lxml.html.fromstring(html)
    for node in tree.xpath(FLICKER):
        node.drop_tree()
    for anchor in tree.xpath("//a[starts-with(@href,'http') and not(ancestor::li)]"):
        if anchor.text in {plan.title for plan in site_plans().values()}:
            anchor.drop_tree()
    text = re.sub(r"\w+day \d+ \w+ \d{4}, \d\d:00", "", tree.text_content())
    return (*(str(node.tag) for node in tree.iter()), text)


def test_the_same_seed_makes_the_same_web_and_another_seed_another() -> None:
    one, two, other = World(7, 300), World(7, 300), World(8, 300)
    assert rendered(one) == rendered(two)
    assert rendered(one).keys() != rendered(other).keys()


def test_time_may_be_cut_in_any_way() -> None:
    once, often = World(7, 300), World(7, 300)
    once.advance(72)
    for hours in (1, 5, 18, 24, 23.5, 0.5):
        often.advance(hours)
    assert once.now == often.now == START + 72 * 3600
    assert once.changes == often.changes
    assert rendered(once) == rendered(often)


def test_size_and_balance_of_the_default_web() -> None:
    world = World(7)
    kinds = Counter(page.kind for page in world.pages())
    assert kinds["article"] + kinds["section"] + kinds["tag"] + kinds["home"] >= 2400
    assert len(world.plans) >= 5
    topics = Counter(article.brief.topic.category for article in world.articles)
    total = topics.total()
    assert 0.33 < topics.pop(None) / total < 0.42
    assert set(topics) == set(world.book.categories)
    assert all(0.08 < count / total < 0.13 for count in topics.values())


def test_true_changes_change_the_content_and_nothing_else_does() -> None:
    world = World(7, 300)
    before = {key: content(html) for key, html in rendered(world).items()}
    world.advance(48)
    after = {key: content(html) for key, html in rendered(world).items()}
    logged = {(change.site, change.target) for change in world.changes}
    differ = {key for key in before.keys() & after.keys() if before[key] != after[key]}
    new_or_lost = before.keys() ^ after.keys()
    assert differ | new_or_lost == logged
    kinds = Counter(change.kind for change in world.changes)
    assert {"new", "roll", "correction", "update", "structure"} <= kinds.keys()


def test_boxes_flicker_with_the_hour() -> None:
    world = World(7, 300)
    renderer = Renderer(world, Links(BASES))
    page = world.resolve("tarn-wire", "/about")
    assert page is not None
    first = renderer.html(page)
    world.advance(1)
    assert renderer.html(page) != first
    assert content(renderer.html(page)) == content(first)


def test_articles_end_as_the_log_says() -> None:
    world = World(7, 600)
    world.advance(24 * 20)
    ends = {change.kind for change in world.changes}
    assert {"gone", "removed", "moved"} <= ends
    for article in world.articles:
        if article.end(world.now) and article.end(world.now).kind != "moved":  # type: ignore[union-attr]
            assert all(article not in it.items for it in world.lists[article.plan.name])


def test_tunnels_are_reached_through_off_topic_pages_only() -> None:
    world = World(7, 300)
    hidden = {id(a) for a in world.articles if a.tunnel}
    assert {a.brief.topic.name for a in world.articles if a.tunnel} == set(world.book.categories)
    for article in world.articles:
        if not article.tunnel:
            assert not {id(a) for a in [*article.related, *article.inline]} & hidden
            assert not article.files or article.brief.topic.category is None
    assert all(
        id(a) not in hidden for lists in world.lists.values() for it in lists for a in it.items
    )


def test_mirrors_repeat_their_source_also_after_changes() -> None:
    world = World(7, 600)
    world.advance(24 * 10)
    mirrors = [a for a in world.articles if a.source]
    assert len(mirrors) > 20
    for mirror in mirrors:
        assert mirror.source is not None
        theirs = mirror.source.story(world.book, world.now)
        ours = mirror.story(world.book, world.now)
        assert (ours == theirs) is not mirror.edited


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/a/./b/../c", "/a/c"),
        ("/a%2Db", "/a-b"),
        ("/x?utm_source=box&id=3&sid=9f", "/x?id=3"),
        ("/x?ref=ad4", "/x"),
        ("/../..", "/"),
    ],
)
def test_one_form_for_many_spellings(target: str, expected: str) -> None:
    assert clean(target) == expected


def test_too_small_a_web_is_refused() -> None:
    with pytest.raises(ValueError, match="--pages 10 is too few"):
        World(7, 10)
