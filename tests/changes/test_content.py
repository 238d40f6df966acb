from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from focuscrawl.blocks import parse_html
from focuscrawl.changes.content import Content, Line, main_region, place_of, read_content

STORY = "Boats are late and the harbour waits for them since the early morning."


def content(html: str) -> Content:
    return read_content(main_region(parse_html(html)))


def lines(html: str) -> list[str]:
    return [line.text for line in content(html).lines]


def region(html: str) -> Any:
    return main_region(parse_html(html))


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<h1>Harbour</h1>", ["# Harbour"]),
        ("<h2>Harbour</h2>", ["## Harbour"]),
        ("<h6>Harbour</h6>", ["###### Harbour"]),
        ("<ul><li>one</li><li>two</li></ul>", ["- one", "- two"]),
        ("<table><tr><th>a<td>b<tr><td>c<td>d</table>", ["| a| b", "| c| d"]),
        ("<p>a <b>bold</b> and <strong>strong</strong></p>", ["a **bold** and **strong**"]),
        ("<p><em>soft</em> <i>voice</i></p>", ["_soft_ _voice_"]),
        ("<p>run <code>make</code></p>", ["run `make`"]),
        ("<p>un<span>believ</span>able <u>x</u></p>", ["unbelievable x"]),
    ],
)
def test_marks(html: str, found: list[str]) -> None:
    assert lines(html) == found


def test_blocks_part_lines_and_white_space_does_not_count() -> None:
    assert lines("<div> one\n two</div>three<section><p>four</p>\tfive </section>six") == [
        "one two", "three", "four", "five", "six",
    ]  # fmt: skip


def test_br_leaves_an_empty_line_and_hr_a_rule() -> None:
    assert lines("<p>one<br>two<br><br>three</p>") == ["one", "", "two", "", "", "three"]
    assert lines("<p>one</p><hr><p>two</p>") == ["one", "---", "two"]


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ("<a href=/boats>here</a>", "here(/boats)"),
        ("<a href='/boats#late-7f3a'>here</a>", "here(/boats)"),
        ("<a href='/boats?page=2#x'>here</a>", "here(/boats?page=2)"),
        ("<a href='#top'>here</a>", "here(#top)"),
        ("<a href=' /boats '>here</a>", "here(/boats)"),
        ("<a href=/boats title=Timetable>here</a>", "here(/boats Timetable)"),
        ("<a name=here>here</a>", "here"),
        ("<a href=''>here</a>", "here"),
    ],
)
def test_where_a_link_leads(link: str, found: str) -> None:
    assert lines(f"<p>{link} and on</p>") == [f"{found} and on"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>x</p>",
        "<p aria-hidden=true>x</p>",
        "<p style='color: red; display:none'>x</p>",
        "<p style='display: none'>x</p>",
        "<p style='visibility: hidden'>x</p>",
        "<script>x</script>",
        "<style>x</style>",
        "<noscript>x</noscript>",
        "<template>x</template>",
        "<svg><text>x</text></svg>",
        "<!-- x -->",
    ],
)
def test_what_no_reader_sees_is_left_out_but_not_what_follows_it(hidden: str) -> None:
    assert lines(f"<div>before</div>{hidden}<div>after</div>") == ["before", "after"]
    assert lines(f"<div>before {hidden}after</div>") == ["before after"]


@pytest.mark.parametrize("shown", ["<p aria-hidden=false>x</p>", "<p style='display: block'>x</p>"])
def test_what_only_looks_hidden_is_kept(shown: str) -> None:
    assert lines(f"<div>before</div>{shown}") == ["before", "x"]


@pytest.mark.parametrize(
    "control",
    [
        "<button>Send</button>",
        "<select><option>one</option><option>two</option></select>",
        "<textarea>draft</textarea>",
        "<input value=x>",
        "<video>no video</video>",
        "<audio>no audio</audio>",
        "<canvas>no canvas</canvas>",
    ],
)
def test_controls_are_left_out(control: str) -> None:
    assert lines(f"<p>before {control} after</p>") == ["before after"]


@pytest.mark.parametrize(
    "furniture",
    [
        "<nav>Home</nav>",
        "<aside>Box</aside>",
        "<footer>Imprint</footer>",
        "<form>Search</form>",
        "<div class='box related'>More</div>",
        "<div id=cookie-consent>We bake</div>",
        "<div role=navigation>Home</div>",
        "<header><p>Masthead</p></header>",
    ],
)
def test_furniture_is_left_out(furniture: str) -> None:
    assert lines(f"{furniture}<p>{STORY}</p>{furniture}") == [STORY]


def test_a_wrapper_is_kept_whatever_its_name() -> None:
    page = f"<div class=layout-with-sidebar><p>{STORY}</p><div class=sidebar>Box</div></div>"
    assert lines(page) == [STORY]


@pytest.mark.parametrize(
    ("opening", "tag"),
    [("<main>", "main"), ("<div role=main>", "div"), ("<article>", "article")],
)
def test_the_main_part_that_a_page_names(opening: str, tag: str) -> None:
    page = f"<p>Ticker</p>{opening}<p>{STORY}</p></{tag}><p>Weather</p>"
    assert region(page).tag == tag
    assert lines(page) == [STORY]


@pytest.mark.parametrize(
    "page",
    [
        f"<main>Skip to</main><p>{STORY}</p>",
        f"<article>Teaser</article><div>{STORY}</div>",
        f"<article>{STORY}</article><article>{STORY}</article>",
        f"<main>{STORY}</main><main>{STORY}</main>",
        f"<div>{STORY}</div>",
    ],
    ids=["small main", "small article", "two articles", "two mains", "none"],
)
def test_no_main_part_when_it_is_small_or_not_alone(page: str) -> None:
    assert region(page).tag == "body"


def test_the_share_of_the_text_that_makes_a_main_part() -> None:
    assert region(f"<main>{'a' * 40}</main><p>{'b' * 60}</p>").tag == "main"
    assert region(f"<main>{'a' * 39}</main><p>{'b' * 61}</p>").tag == "body"


def test_main_goes_before_an_article_within_it() -> None:
    page = f"<main><p>Lead</p><article>{STORY}</article></main>"
    assert lines(page) == ["Lead", STORY]


def test_an_article_stands_in_for_a_main_that_is_small() -> None:
    assert region(f"<main>x</main><article>{STORY}</article>").tag == "article"


def test_a_tree_without_a_body_is_its_own_main_part() -> None:
    root = etree.fromstring("<html><p>x</p></html>")
    assert main_region(root) is root
    body = etree.fromstring(f"<body><main>{STORY}</main></body>")
    assert main_region(body).tag == "main"


def test_header_and_footer_inside_the_main_part_belong_to_it() -> None:
    page = (
        f"<main><header><h1>Harbour</h1></header><p>{STORY}</p><footer>By Ada</footer>"
        "<p class=story-footer>Sources</p></main>"
    )
    assert lines(page) == ["# Harbour", STORY, "By Ada", "Sources"]


def test_header_and_footer_of_a_page_do_not() -> None:
    page = f"<header><h1>The Gazette</h1></header><p>{STORY}</p><footer>Imprint</footer>"
    assert lines(page) == [STORY]
    named = f"<header>The Gazette</header><main>{STORY}</main><footer>Imprint</footer>"
    assert lines(named) == [STORY]


def test_other_furniture_inside_the_main_part_is_left_out() -> None:
    assert lines(f"<main><nav>Home</nav><p>{STORY}</p><aside>Box</aside></main>") == [STORY]


def test_what_follows_the_main_part_is_not_its_text() -> None:
    assert lines(f"<main>{STORY}</main> and this") == [STORY]


def test_lines_stand_under_the_last_heading() -> None:
    page = "<p>intro</p><h1>One</h1><p>a</p><div><h3>Two <i>b</i></h3></div><p>c</p>"
    assert content(page).lines == [
        Line("", "intro"),
        Line("One", "# One"),
        Line("One", "a"),
        Line("Two b", "### Two _b_"),
        Line("Two b", "c"),
    ]


def test_beside_each_line_stands_its_element() -> None:
    page = content("<div><h2>One</h2><p>a <b>b</b></p><ul><li>c</li></ul></div>")
    assert [element.tag for element in page.elements] == ["h2", "p", "li"]


def test_a_place_is_told_by_tags_and_names_without_positions() -> None:
    page = content(
        "<div id=all><div class=page><div class=rail><p class=count>1</p><p class=count>2</p>"
        "</div></div></div>"
    )
    (place,) = {place_of(element) for element in page.elements}
    assert place == "p.count < div.rail < div.page < div.all"
    assert place_of(content("<p>x</p>").elements[0]) == "p."


def test_without_noise() -> None:
    page = content(f"<p>{STORY}</p><p class=views>17 views</p><h2>Boats</h2><p class=views>3</p>")
    assert page.without(frozenset()) is page
    left = page.without({"p.views"})
    assert left.lines == [Line("", STORY), Line("Boats", "## Boats")]
    assert [element.tag for element in left.elements] == ["p", "h2"]
    assert page.without({"p.other"}) == page


@pytest.mark.parametrize("page", ["", "<!-- x -->", "<body></body>", "<script>x</script>", "<br>"])
def test_pages_without_content(page: str) -> None:
    assert lines(page) in ([], [""])


def test_deep_nesting_of_5000_divs() -> None:
    root = etree.Element("html")
    place = etree.SubElement(root, "body")
    for _ in range(5_000):
        place = etree.SubElement(place, "div")
    place.text = STORY
    assert read_content(main_region(root)).lines == [Line("", STORY)]
    assert isinstance(lines("<div>" * 5_000 + STORY), list)
