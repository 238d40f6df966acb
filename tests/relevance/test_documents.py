from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.relevance.documents import Document, DocumentError, from_body, from_json_line


def line(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def test_text_html_and_anchor() -> None:
    assert from_json_line(line(id=7, text="Tennis games")) == Document(7, {"tenni": 1, "game": 1})
    page = "<title>Golf</title><script>var x</script><style>p{}</style><p>Cup</p><!-- no -->"
    assert from_json_line(line(id="a", html=page, anchor="Chess")) == Document(
        "a", {"golf": 1, "cup": 1}, {"chess": 1}
    )


def test_an_empty_anchor_is_none() -> None:
    assert from_json_line(line(id=1, text="x", anchor="")).anchor is None
    assert from_json_line(line(id=1, text="x", anchor=None)).anchor is None


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (b"oops", "not JSON"),
        (b'{"id": 1', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"\xff", "not UTF-8"),
        (line(text="x"), "'id' is missing"),
        (line(id=None, text="x"), "'id' is missing"),
        (line(id=True, text="x"), "'id' is missing"),
        (line(id=1), "neither 'html' nor 'text'"),
        (line(id=1, text=5), "'text' is no string"),
        (line(id=1, html=["x"]), "'html' is no string"),
        (line(id=1, text="x", anchor=1), "'anchor' is no string"),
    ],
)
def test_bad_lines_say_what_is_wrong(bad: bytes, problem: str) -> None:
    with pytest.raises(DocumentError, match=problem):
        from_json_line(bad)


@given(st.text(), st.text())
def test_any_strings_are_documents(html: str, anchor: str) -> None:
    assert from_json_line(line(id="x", html=html, anchor=anchor)).id == "x"


@pytest.mark.parametrize(
    ("body", "is_html", "expected"),
    [
        (b"  <p class='golf'>Tennis</p>", None, {"tenni": 1}),
        (b"\xef\xbb\xbf<p class='golf'>Tennis</p>", None, {"tenni": 1}),
        ("<p class='golf'>Tennis</p>", None, {"tenni": 1}),
        (b"Tennis 3 < 4", None, {"tenni": 1}),
        (b"Tennis <b class='golf'>Chess</b>", True, {"tenni": 1, "chess": 1}),
        (b"caf\xe9 tennis", None, {"caf": 1, "tenni": 1}),
    ],
)
def test_bodies(body: bytes | str, is_html: bool | None, expected: dict[str, int]) -> None:
    assert from_body("n", body, is_html).counts == expected
