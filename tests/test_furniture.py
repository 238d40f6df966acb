from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.blocks import parse_html
from focuscrawl.furniture import WRAPPER_SHARE, Furniture, is_furniture_name

STORY = "<p>" + "a long story about boats " * 10 + "</p>"


def judged(html: str, around: str = STORY) -> bool:
    """Whether the element marked with ``data-it`` is furniture on a page with a story."""
    root = parse_html(f"<body>{around}{html}</body>")
    (element,) = root.xpath("//*[@data-it]")
    return Furniture(root).is_furniture(element.tag, element)


@pytest.mark.parametrize("tag", ["nav", "aside", "footer", "form", "dialog", "menu"])
def test_tags_that_say_it(tag: str) -> None:
    assert judged(f"<{tag} data-it>x</{tag}>")


@pytest.mark.parametrize("tag", ["div", "p", "main", "article", "header", "h1", "table"])
def test_tags_that_say_nothing(tag: str) -> None:
    assert not judged(f"<{tag} data-it>x</{tag}>")


@pytest.mark.parametrize("role", ["navigation", "contentinfo", "search", "banner", "alert"])
def test_roles_that_say_it_on_any_element(role: str) -> None:
    assert judged(f"<article data-it role={role}>x</article>")


@pytest.mark.parametrize("role", ["main", "article", "presentation"])
def test_roles_that_say_nothing(role: str) -> None:
    assert not judged(f"<div data-it role={role}>x</div>")


@pytest.mark.parametrize(
    "name",
    ["nav", "navbar", "top_menu", "Sidebar", "col ad", "ad-slot", "share", "cookie-consent",
     "most-read", "sponsored", "lang-switch", "breadcrumbs", "box related"],
)  # fmt: skip
def test_names_that_say_it(name: str) -> None:
    assert is_furniture_name(name)
    assert judged(f"<div data-it class='{name}'>x</div>")
    assert judged(f"<div data-it id='{name}'>x</div>")


@pytest.mark.parametrize(
    "name", ["", "story", "adhesive", "download", "shareholders", "skipper", "correlated", "unread"]
)
def test_names_that_only_look_like_it(name: str) -> None:
    assert not is_furniture_name(name)
    assert not judged(f"<div data-it class='{name}'>x</div>")


def test_class_and_id_do_not_run_together() -> None:
    assert not judged("<div data-it class=si id=debar>x</div>")


@pytest.mark.parametrize("tag", ["article", "main", "h2", "li", "a"])
def test_a_name_says_nothing_on_elements_that_are_content_themselves(tag: str) -> None:
    assert not judged(f"<{tag} data-it class=related>x</{tag}>")


def test_an_element_with_much_of_the_text_is_a_wrapper() -> None:
    assert not judged(f"<div data-it class=layout-with-sidebar>{STORY}</div>", around="<p>x</p>")
    assert not judged(f"<div data-it class='with sidebar'>{STORY}</div>", around="<p>x</p>")
    assert judged("<div data-it class='with sidebar'>small</div>")


def test_the_share_that_makes_a_wrapper() -> None:
    length = round(100 * WRAPPER_SHARE)
    exactly = f"<div data-it class=ad>{'a' * length}</div>"
    assert judged(exactly, around="b" * (100 - length))
    assert not judged(exactly, around="b" * (99 - length))


def test_tags_and_roles_say_it_however_much_they_hold() -> None:
    assert judged(f"<nav data-it>{STORY}</nav>", around="")
    assert judged(f"<div data-it role=navigation>{STORY}</div>", around="")


def test_one_judge_for_many_elements_of_a_page() -> None:
    root = parse_html(f"<div class=page-nav>{STORY}<div class=nav>x</div></div><aside>y</aside>")
    judge = Furniture(root)
    found: list[Any] = [each for each in root.iter() if judge.is_furniture(each.tag, each)]
    assert [(each.tag, each.get("class")) for each in found] == [("div", "nav"), ("aside", None)]
