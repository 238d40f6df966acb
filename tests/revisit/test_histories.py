from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from focuscrawl.revisit.histories import COLUMNS, HistoryError, read_histories

HEADING = "\t".join(COLUMNS)
GOOD = [
    "a.test/news/1\ta.test\t1000\t9000\t12\t2000 3000.5 4000",
    "a.test/\ta.test\t1000\t9000\t12\t",
    "b.test/x\tb.test\t0\t5\t1\t5",
]


def written(folder: Path, *lines: str, heading: str = HEADING) -> Path:
    path = folder / "histories.tsv"
    path.write_text("\n".join([heading, *lines]) + "\n", encoding="utf-8")
    return path


def test_a_good_table(tmp_path: Path) -> None:
    world = read_histories(written(tmp_path, *GOOD))
    assert [(page.key, page.site, page.section) for page in world.pages] == [
        (0, "a.test", "news"),
        (1, "a.test", ""),
        (2, "b.test", ""),
    ]
    assert world.first.tolist() == [1_000, 1_000, 0]
    assert world.last.tolist() == [9_000, 9_000, 5]
    assert world.changes.tolist() == [2_000, 3_000.5, 4_000, 5]
    assert world.ends.tolist() == [3, 3, 4]
    assert world.weights.tolist() == [1, 1, 1]
    assert dict(world.sitemaps) == {}


def test_a_gzipped_table_is_the_same(tmp_path: Path) -> None:
    plain = written(tmp_path, *GOOD)
    packed = tmp_path / "histories.tsv.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    one, other = read_histories(plain), read_histories(packed)
    assert one.pages == other.pages
    assert one.changes.tolist() == other.changes.tolist()
    assert one.ends.tolist() == other.ends.tolist()


def test_further_columns_empty_lines_and_line_ends_of_others(tmp_path: Path) -> None:
    path = tmp_path / "histories.tsv"
    path.write_bytes(f"{HEADING}\tmood\r\n\r\np\ta.test\t1\t9\t3\t4 5\tcalm\r\n".encode())
    world = read_histories(path)
    assert world.changes.tolist() == [4, 5]


def test_changes_are_sorted_and_those_outside_the_time_are_left_out(tmp_path: Path) -> None:
    """The first sight is no change; what is seen at the last moment is one."""
    world = read_histories(written(tmp_path, "p\ta.test\t10\t50\t9\t50 20 20 10 5 51 nan 30"))
    assert world.changes.tolist() == [20, 30, 50]
    assert world.ends.tolist() == [3]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("p\ta.test\t10\t50", "not enough values to unpack"),
        ("p\ta.test\tmonday\t50\t1\t20", "monday"),
        ("p\ta.test\t10\t50\t1\t20 soon", "soon"),
        ("p\ta.test\t50\t10\t1\t20", "first must be before last"),
        ("p\ta.test\t10\t10\t1\t", "first must be before last"),
        ("p\ta.test\t-5\t10\t1\t", "first must be before last"),
        ("p\ta.test\tnan\t10\t1\t", "first must be before last"),
        ("p\ta.test\t10\tinf\t1\t", "seconds of the epoch"),
        ("p\ta.test\t1700000000000\t1700000900000\t1\t", "seconds of the epoch"),
        ("no table at all", "expected 6 columns"),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, bad: str, reason: str) -> None:
    path = written(tmp_path, GOOD[0], "", GOOD[1], bad, GOOD[2])
    with pytest.raises(HistoryError, match=reason) as caught:
        read_histories(path)
    assert str(caught.value).startswith(f"{path}:5: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("heading", ["", "page site first", "\t".join(reversed(COLUMNS))])
def test_a_table_without_the_heading(tmp_path: Path, heading: str) -> None:
    with pytest.raises(HistoryError, match="the first line must name the columns page site first"):
        read_histories(written(tmp_path, *GOOD, heading=heading))


def test_an_empty_table(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="no histories in it"):
        read_histories(written(tmp_path))
    (tmp_path / "nothing.tsv").touch()
    with pytest.raises(HistoryError, match="the first line must name"):
        read_histories(tmp_path / "nothing.tsv")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join([HEADING, *GOOD * 200]).encode())
    files = {
        "cut.tsv.gz": packed[: len(packed) // 2],
        "damaged.tsv.gz": packed[:30] + bytes(20) + packed[50:],
        "plain.tsv.gz": HEADING.encode(),
        "latin.tsv": f"{HEADING}\ncafé\ta.test\t1\t2\t1\t".encode("latin-1"),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    for name in [*files, "missing.tsv", "missing.tsv.gz", "."]:
        with pytest.raises(HistoryError, match="cannot be read") as caught:
            read_histories(tmp_path / name)
        assert str(caught.value).startswith(str(tmp_path))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
@example(b"p\ta\t1\t2\t3\t\x00")
@example("p\ta\t١\t٢\t3\t٢".encode())
@example(b"p\ta\t1\t2\t3\t1e400 -1e400 1_5 0x1")
@example(b"\t\t1\t2\t\t\x85\x1c2")
def test_any_bytes_are_a_world_or_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.tsv"
    path.write_bytes(HEADING.encode() + b"\n" + content)
    try:
        world = read_histories(path)
    except HistoryError as error:
        message = str(error)
    else:
        message = ""
    if message:
        assert message.startswith(str(path))
        return
    assert len(world) == len(world.ends) == len(world.first) == len(world.last) > 0
    assert np.isfinite(world.changes).all()
    assert (world.counts() >= 0).all()


names = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), max_size=8)
histories = st.builds(
    lambda page, site, first, length, offsets: (
        page,
        site,
        first,
        first + length,
        sorted(offset for offset in offsets if offset <= length),
    ),
    names.map(lambda name: f"p{name}"),
    names.map(lambda name: f"s{name}"),
    st.integers(0, 10**9),
    st.integers(1, 10**8),
    st.sets(st.integers(1, 10**8), max_size=5),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(histories, min_size=1, max_size=5))
def test_what_was_written_is_read(
    tmp_path: Path, tables: list[tuple[str, str, int, int, list[int]]]
) -> None:
    lines = [
        f"{page}\t{site}\t{first}\t{last}\t7\t{' '.join(str(first + at) for at in offsets)}"
        for page, site, first, last, offsets in tables
    ]
    world = read_histories(written(tmp_path, *lines))
    assert [page.site for page in world.pages] == [site for _, site, *_ in tables]
    assert world.first.tolist() == [first for _, _, first, *_ in tables]
    assert world.last.tolist() == [last for *_, last, _ in tables]
    assert world.counts().tolist() == [len(offsets) for *_, offsets in tables]
    assert world.changes.tolist() == [
        first + at for _, _, first, _, offsets in tables for at in offsets
    ]
