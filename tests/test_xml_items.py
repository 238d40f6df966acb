from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.xml_items import (
    DEEPEST_TAG,
    LONGEST_FIELD,
    LONGEST_PROLOG,
    LONGEST_TAG,
    ItemTarget,
    Unpacked,
    decoded,
    read_items,
)

MANY = 1 << 20
STORY = "<list><story><name>Café &amp; bar</name></story></list>"


class Stories(ItemTarget):
    """The plainest target: every field by its own name."""

    def __init__(self) -> None:
        super().__init__(frozenset(("story",)))
        self.heard: list[dict[str, str]] = []

    def field_of(self, tag: str, name: str, attributes: Mapping[str, str]) -> str:
        return name if name in ("name", "date") else ""

    def take(self, item: str, fields: Mapping[str, str]) -> None:
        assert item == "story"
        self.heard.append(dict(fields))


def stories(*pieces: str) -> tuple[list[dict[str, str]], str]:
    """What is heard of a text that comes in these pieces, and the fault that was named."""
    target = Stories()
    fault = read_items(pieces, target)
    assert target.items == len(target.heard)
    return target.heard, fault


def names(*pieces: str) -> list[str]:
    return [fields["name"] for fields in stories(*pieces)[0]]


def story(name: str, more: str = "") -> str:
    return f"<story><name>{name}</name>{more}</story>"


def unpacked(body: bytes, limit: int = MANY) -> tuple[bytes, str]:
    whole = Unpacked(body, limit)
    return b"".join(whole), whole.problem


# -- unpacking ----------------------------------------------------------------------------


def test_bytes_come_in_small_pieces() -> None:
    assert [len(piece) for piece in Unpacked(bytes(200_000), MANY)] == [65_536] * 3 + [3_392]
    packed = gzip.compress(bytes(200_000))
    assert max(len(piece) for piece in Unpacked(packed, MANY)) <= 65_536


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_no_more_is_unpacked_than_the_limit(pack: Callable[[bytes], bytes]) -> None:
    assert unpacked(pack(bytes(MANY))) == (bytes(MANY), "")
    assert unpacked(pack(bytes(MANY + 1))) == (bytes(MANY), "larger than 1 MB unpacked")


def test_a_gzip_file_may_have_several_members_and_padding() -> None:
    body = gzip.compress(b"one, ") + gzip.compress(b"") + gzip.compress(b"two") + bytes(300)
    assert unpacked(body) == (b"one, two", "")
    assert unpacked(gzip.compress(b"one")[:-3]) == (b"one", "gzip cut short")
    assert unpacked(b"\x1f\x8b and nothing else") == (b"", "damaged gzip")
    assert unpacked(b"") == (b"", "")


def test_damage_inside_a_gzip_file_keeps_what_came_before() -> None:
    lines = b"".join(b"%d\n" % (number * number) for number in range(50_000))
    body = bytearray(gzip.compress(lines, 1))
    body[len(body) // 2 : len(body) // 2 + 200] = bytes(200)
    read, problem = unpacked(bytes(body))
    assert problem
    assert read[:100_000] == lines[:100_000]


# -- decoding -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        STORY.encode(),
        b"\n\t " + STORY.encode(),
        STORY.encode("utf-8-sig"),
        STORY.encode("utf-16"),
        STORY.encode("utf-16-be"),
        STORY.encode("utf-16-le"),
        STORY.encode("utf-32"),
    ],
)
def test_text_starts_at_its_first_visible_character(body: bytes) -> None:
    assert "".join(decoded([body])) == STORY


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        ("ISO-8859-1", "latin-1"), ("windows-1252", "cp1252"), ("koi8-r", "koi8-r"),
        ("GB2312", "gb18030"), ("Big5", "big5"), ("EUC-JP", "euc_jp"), ("us-ascii", "cp1252"),
        ("rot13", "utf-8"), ("utf-7", "utf-8"), ("utf-16", "utf-8"), ("idna", "utf-8"),
        ("base64", "utf-8"), ("no-such-thing", "utf-8"),
    ],
)  # fmt: skip
def test_a_declared_encoding_is_used_if_it_is_one_of_texts(declared: str, written: str) -> None:
    letter = {"koi8-r": "Ж", "gb18030": "中", "big5": "中", "euc_jp": "日"}.get(written, "é")
    text = f'<?xml version="1.0" encoding="{declared}"?><list>{letter}</list>'
    assert "".join(decoded([text.encode(written)])) == text


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert (
        "".join(decoded([b"<a>\xff", b"\xc3", b"\xa9</a>"])) == "<a>\N{REPLACEMENT CHARACTER}é</a>"
    )
    assert "".join(decoded([])) == ""


# -- items --------------------------------------------------------------------------------


def test_items_and_their_fields() -> None:
    text = (
        "<list><name>Of the list</name>"
        + story("One", "<date> 2024 </date><name>again</name><other>x</other>")
        + story("<b>T</b>wo <!-- not this -->and a half")
        + "<story/></list>"
    )
    assert stories(text) == (
        [{"name": "One", "date": "2024"}, {"name": "Two and a half"}, {}],
        "",
    )


def test_the_name_of_the_root_without_prefix_and_in_lower_case() -> None:
    for text in ("<LIST/>", "<x:List xmlns:x='urn:x'/>", "<?xml version='1.0'?><!-- --><list>"):
        target = Stories()
        read_items([text], target)
        assert target.root == "list"


def test_an_item_whose_end_is_missing_is_handed_over() -> None:
    assert names("<list><story><name>One</name>", story("Two"), "</list>") == ["One", "Two"]
    assert stories("<list>", story("One"), "<story><date>now</date>")[0] == [
        {"name": "One"},
        {"date": "now"},
    ]


def test_the_first_fault_is_named_and_reading_goes_on() -> None:
    text = f"<list>\n{story('One')}\n<story><name>Two</story>\n{story('A &amp; B')}</list>"
    assert [fields.get("name", "") for fields in stories(text)[0]] == ["One", "Two", "A & B"]
    assert stories(text)[1] == "broken XML in line 3"
    assert stories("") == ([], "broken XML in line 1")


def test_a_prefix_that_nobody_declared_is_no_fault() -> None:
    assert stories("<x:list><x:story><x:name>One</x:name></x:story></x:list>") == (
        [{"name": "One"}],
        "",
    )


# -- references ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("&amp;&lt;&gt;&quot;&apos;", "&<>\"'"),
        ("&#233; &#xE9;", "é é"),
        ("a&b&c=1", "a&b&c=1"),
        ("&eacute;&nope;", "&eacute;&nope;"),
        ("&amp;amp;", "&amp;"),
        ("1 < 2", "1 < 2"),
        ("<![CDATA[ a & b &amp; <i> ]]> &amp; c", "a & b &amp; <i>  & c"),
    ],
)
def test_references(written: str, read: str) -> None:
    assert stories(f"<list>{story(written)}</list>") == ([{"name": read}], "")


@given(
    st.lists(
        st.sampled_from(
            "<story> </story> <name> </name> <![CDATA[ ]]> &amp; & &#65; &lol; < > a é <!-- --> "
            "<date/> ]] ]".split()
        ),
        max_size=30,
    ),
    st.lists(st.integers(0, 200), max_size=8),
)
def test_it_does_not_matter_where_a_text_is_torn(parts: list[str], cuts: list[int]) -> None:
    text = "".join(["<list>", *parts])
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert stories(*pieces) == stories(text)


# -- limits -------------------------------------------------------------------------------


def test_fields_are_cut() -> None:
    (name,) = names("<list>", story("&#65;" * 9_000), "</list>")
    assert name == "A" * LONGEST_FIELD


def test_an_entity_bomb_does_not_go_off() -> None:
    entities = ["lol", *(f"lol{number}" for number in range(1, 12))]
    laughs = "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(entities)
    )
    body = f'<!DOCTYPE list [<!ENTITY lol "lol">{laughs}]><list>{story("&lol11;")}</list>'
    began = time.process_time()
    assert names(body) == ["&lol11;"]
    hidden = body.replace("<list>", "<!-- <![CDATA[ --><list>", 1)
    assert "lollol" not in repr(stories(hidden))
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "body",
    [
        "<!DOCTYPE list [" + "".join(f"<!ENTITY a{n} 'b'>" for n in range(500_000)),
        "<list>" + "<a>" * 4_000_000,
        "<list " + "".join(f"a{n}='>' " for n in range(500_000)) + "/>",
        "<list><!--" + " " * 8_000_000,
    ],
    ids=["declarations", "depth", "attributes", "comment"],
)
def test_files_built_to_fill_the_memory_are_left_early(body: str) -> None:
    read = 0
    target = Stories()
    began = time.process_time()

    def pieces() -> Iterator[str]:
        nonlocal read
        for start in range(0, len(body), 65_536):
            read += 65_536
            yield body[start : start + 65_536]

    read_items(pieces(), target)
    assert read <= LONGEST_TAG + LONGEST_PROLOG + 65_536
    assert target.depth <= 65_536
    assert time.process_time() - began < 0.5


def test_tags_may_lie_deep_but_not_deeper() -> None:
    def nested(depth: int) -> str:
        return "<list>" + "<a>" * depth + story("Deep") + "</a>" * depth + "</list>"

    assert names(nested(DEEPEST_TAG - 3)) == ["Deep"]
    assert names(*nested(DEEPEST_TAG + 1).partition("<story>")) == []
