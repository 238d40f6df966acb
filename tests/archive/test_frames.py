from __future__ import annotations

import gzip
from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.archive import frames as module
from focuscrawl.archive.frames import Frame, frame_at, frames
from tests.archive.samples import http, record, response, zipped

ONE, TWO, THREE = (response(f"http://a.test/{name}", block=http(b"x" * 300)) for name in "123")
Pack = Callable[..., bytes]


def joined(*records: bytes) -> bytes:
    return b"".join(records)


PACKINGS = pytest.mark.parametrize("pack", [zipped, joined])


def found(data: bytes) -> list[Frame]:
    return list(frames(BytesIO(data)))


def sound(data: bytes) -> list[bytes]:
    return [frame.record.rstrip(b"\r\n") for frame in found(data) if not frame.problem]


def problems(data: bytes) -> list[str]:
    return [frame.problem for frame in found(data) if frame.problem]


def bare(*records: bytes) -> list[bytes]:
    return [each.rstrip(b"\r\n") for each in records]


# -- sound files ------------------------------------------------------------------------


@PACKINGS
def test_all_records_in_their_order(pack: Pack) -> None:
    data = pack(ONE, TWO, THREE)
    assert sound(data) == bare(ONE, TWO, THREE)
    assert problems(data) == []


@PACKINGS
def test_a_record_is_found_again_by_its_offset(pack: Pack) -> None:
    data = pack(ONE, TWO, THREE)
    for frame in found(data):
        assert frame_at(BytesIO(data), frame.offset) == frame


def test_an_empty_file_has_no_records() -> None:
    assert found(b"") == []


def test_lines_may_end_without_carriage_return() -> None:
    lean = ONE.removesuffix(b"\r\n\r\n").replace(b"\r\n", b"\n") + b"\n\n"
    block = lean.split(b"\n\n", 1)[1].removesuffix(b"\n\n")
    length = len(ONE.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n\r\n"))
    lean = lean.replace(b"Length: %d" % length, b"Length: %d" % len(block))
    assert sound(lean + TWO) == bare(lean, TWO)


def test_records_need_not_be_parted_by_empty_lines() -> None:
    assert sound(ONE.rstrip(b"\r\n") + TWO) == bare(ONE, TWO)


@given(st.lists(st.binary(max_size=200), max_size=5), st.booleans())
def test_any_body_comes_back(bodies: list[bytes], is_zipped: bool) -> None:
    records = [record("response", body) for body in bodies]
    data = zipped(*records) if is_zipped else b"".join(records)
    read = [frame for frame in found(data) if not frame.problem]
    assert len(read) == len(records)
    assert all(
        frame.record.startswith(each.removesuffix(b"\r\n\r\n"))
        for frame, each in zip(read, records, strict=True)
    )


# -- damage -------------------------------------------------------------------------------


@given(st.sampled_from([zipped, joined]), st.floats(0, 1))
def test_a_file_may_end_anywhere(pack: Pack, share: float) -> None:
    whole = pack(ONE, TWO, THREE)
    length = round(share * len(whole))
    offsets = [frame.offset for frame in found(whole)][1:] + [len(whole)]
    complete = sum(offset <= length for offset in offsets)
    read = sound(whole[:length])
    assert read[:complete] == bare(ONE, TWO, THREE)[:complete]
    assert len(problems(whole[:length])) <= 1


@PACKINGS
@pytest.mark.parametrize("garbage", [b"\0" * 50, b"nonsense\r\n\r\n", b"\x1f\x8b\x08 no gzip"])
def test_garbage_between_records_costs_none(pack: Pack, garbage: bytes) -> None:
    data = pack(ONE) + garbage + pack(TWO) + garbage
    assert sound(data) == bare(ONE, TWO)
    assert len(problems(data)) == 2


@PACKINGS
def test_garbage_before_the_first_record(pack: Pack) -> None:
    data = b"not found\n" + pack(ONE, TWO)
    assert sound(data) == bare(ONE, TWO)
    assert problems(data) == ["garbage"]


def test_a_damaged_member_costs_one_record() -> None:
    first, second = zipped(ONE), zipped(TWO)
    middle = len(second) // 2
    broken = second[:middle] + bytes(each ^ 0xFF for each in second[middle:])
    data = first + broken + zipped(THREE)
    assert sound(data) == bare(ONE, THREE)
    assert len(problems(data)) == 1


def test_a_member_that_breaks_off_before_the_next() -> None:
    data = zipped(ONE) + zipped(TWO)[:-40] + zipped(THREE)
    assert sound(data) == bare(ONE, THREE)
    assert len(problems(data)) == 1


@PACKINGS
@pytest.mark.parametrize("length", ["3", "100000", "", "-1", "many"])
def test_a_wrong_length_costs_one_record(pack: Pack, length: str) -> None:
    wrong = record("response", http(), Content_Length=length)
    data = pack(ONE, wrong, THREE)
    assert sound(data) == bare(ONE, THREE)
    assert problems(data) == [
        "cut off" if length == "100000" and pack is joined else "wrong length"
    ]


def test_a_member_that_holds_no_record() -> None:
    data = zipped(ONE, b"hello", TWO)
    assert sound(data) == bare(ONE, TWO)
    assert problems(data) == ["garbage"]


def test_several_records_in_one_member_are_told() -> None:
    data = zipped(ONE) + gzip.compress(TWO + THREE)
    assert problems(data) == ["several in one gzip member"]


@PACKINGS
def test_what_is_too_large_is_passed_over(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_RECORD", 10_000)
    data = pack(ONE, record("response", b"x" * 20_000), THREE)
    assert sound(data) == bare(ONE, THREE)
    assert problems(data) == ["too large"]


@pytest.mark.parametrize("block", [20, 64, 1000])
def test_a_mark_may_lie_across_blocks_of_the_search(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SEARCH_BLOCK", block)
    for width in range(1, 70):
        for pack in (zipped, joined):
            data = b"z" * width + b"\n" + pack(ONE, TWO)
            assert sound(data) == bare(ONE, TWO)


@given(st.binary(max_size=400))
def test_no_bytes_are_too_strange(data: bytes) -> None:
    for frame in found(data):
        assert frame.problem
