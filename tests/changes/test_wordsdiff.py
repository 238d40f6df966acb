from __future__ import annotations

import random
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.changes import wordsdiff
from focuscrawl.changes.content import Line
from focuscrawl.changes.wordsdiff import Effort, Piece, diff_blocks, diff_lines, shortened

LINES = st.lists(st.lists(st.sampled_from("a b c d e".split()), max_size=8).map(" ".join))


def words(lines: list[str]) -> list[str]:
    return " ".join(lines).split()


def side(diff: list[Piece], op: str) -> list[str]:
    return words([piece.text for piece in diff if piece.op in ("equal", op)])


@given(LINES, LINES, st.sampled_from([0, 5, 5_000]), st.sampled_from([0, 20, 10**6]))
def test_both_texts_can_be_read_from_the_diff(
    old: list[str], new: list[str], long_block: int, steps: int
) -> None:
    with patch.object(wordsdiff, "LONG_BLOCK", long_block):
        diff = diff_lines(old, new, Effort(steps))
    assert side(diff, "removed") == words(old)
    assert side(diff, "added") == words(new)
    assert all(piece.text for piece in diff)
    kinds = [piece.op for piece in diff]
    assert all(one != other for one, other in pairwise(kinds))


@given(LINES)
def test_a_text_is_equal_to_itself(lines: list[str]) -> None:
    assert all(piece.op == "equal" for piece in diff_lines(lines, lines))


def test_words_of_a_line() -> None:
    assert diff_lines(
        ["The cup final was won by Harbour."], ["The final was lost by Harbour."]
    ) == [
        ("equal", "The"),
        ("removed", "cup"),
        ("equal", "final was"),
        ("removed", "won"),
        ("added", "lost"),
        ("equal", "by Harbour."),
    ]


def test_a_word_shared_by_chance_does_not_break_up_a_rewrite() -> None:
    old = "start one two three the four five six end"
    new = "start uno due tre the quattro cinque sei end"
    assert diff_lines([old], [new]) == [
        ("equal", "start"),
        ("removed", "one two three the four five six"),
        ("added", "uno due tre the quattro cinque sei"),
        ("equal", "end"),
    ]


def test_context_is_shortened() -> None:
    story = [f"w{number}" for number in range(60)]
    other = [*story]
    other[20], other[50] = "new20", "new50"
    short = shortened(diff_lines([" ".join(story)], [" ".join(other)]), context=2)
    assert short == [
        ("equal", "… w18 w19"),
        ("removed", "w20"),
        ("added", "new20"),
        ("equal", "w21 w22 … w48 w49"),
        ("removed", "w50"),
        ("added", "new50"),
        ("equal", "w51 w52 …"),
    ]
    assert (
        shortened([Piece("equal", "a b c d"), Piece("added", "e")], context=4)[0].text == "a b c d"
    )


def test_only_blocks_with_other_words() -> None:
    old = [Line("", "intro"), Line("A", "# A"), Line("A", "one two"), Line("Gone", "bye now")]
    new = [Line("", "intro"), Line("A", "# A"), Line("A", "one"), Line("A", "two"), Line("B", "hi")]
    assert diff_blocks(old, new) == [
        ("B", [("added", "hi")]),
        ("Gone", [("removed", "bye now")]),
    ]


def test_an_edited_headline_keeps_its_story() -> None:
    story = "Harbour took the cup after extra time on Sunday."
    old = [Line("Cup final", "# Cup final"), Line("Cup final", story)]
    new = [Line("Cup won", "# Cup won"), Line("Cup won", story)]
    assert diff_blocks(old, new) == [
        (
            "Cup won",
            [("equal", "# Cup"), ("removed", "final"), ("added", "won"), ("equal", story)],
        )
    ]


def test_a_long_block_is_compared_by_its_lines() -> None:
    rng = random.Random(1)
    vocabulary = [f"w{number}" for number in range(200)]
    old = [" ".join(rng.choices(vocabulary, k=12)) for _ in range(2_000)]
    new = [*old[:500], "fresh " + old[500], *old[501:]]
    assert [piece for piece in diff_lines(old, new) if piece.op != "equal"] == [("added", "fresh")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([f"x{n} a" for n in range(2_000)], [f"y{n} a" for n in range(2_000)]),
        (["x y"] * 20_000 + ["end"], ["start"] + ["x y"] * 20_001),
    ],
    ids=["one word between all others", "the same line over and over"],
)
def test_the_effort_for_a_page_is_bounded(old: list[str], new: list[str]) -> None:
    """Unbounded, these take minutes; the steps of the matcher are counted, not the seconds."""
    taken = []

    class Counted(Effort):
        def allows(self, steps: int) -> bool:
            allowed = super().allows(steps)
            taken.append(steps if allowed else 0)
            return allowed

    diff = diff_lines(old, new, Counted(1_000_000))
    assert sum(taken) <= 1_000_000
    assert side(diff, "removed") == words(old)
    assert side(diff, "added") == words(new)
