from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.archive.reader import BadRecord, parse_record, read_at, read_file
from focuscrawl.archive.records import ArchiveError, Capture, Original, Record
from tests.archive.samples import DAY, HTML, MONDAY, http, record, response, revisit, written


def parsed(data: bytes) -> Record:
    found = parse_record(data)
    assert found is not None
    return found


def capture(data: bytes) -> Capture:
    return parsed(data).capture


# -- responses ------------------------------------------------------------------------------


def test_a_response_is_read() -> None:
    block = http(HTML, 200, ETag='"a"', Content_Type="text/html; charset=utf-8")
    found = parsed(response("https://a.test/x?y=1", block=block, WARC_Payload_Digest="sha1:ABC"))
    assert found == Record(
        Capture(
            "https://a.test/x?y=1",
            MONDAY,
            200,
            (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"a"')),
            HTML,
            "sha1:ABC",
        )
    )
    assert found.capture.content_type == "text/html; charset=utf-8"
    assert found.capture.body == HTML


@pytest.mark.parametrize("version", ["1.0", "1.1", "0.18"])
def test_versions(version: str) -> None:
    data = response().replace(b"WARC/1.1", b"WARC/" + version.encode())
    assert capture(data).payload == HTML


@pytest.mark.parametrize(
    ("date", "time"),
    [("2026-11-17T00:00:00.25Z", MONDAY + 0.25), ("2026-11-18T00:00:00Z", MONDAY + DAY)],
)
def test_dates_to_the_fraction_of_a_second(date: str, time: float) -> None:
    assert capture(response(date=date)).time == time


def test_chunks_are_joined() -> None:
    chunks = b"5\r\n<html\r\n1;name=value\r\n>\r\n0\r\n\r\n"
    assert capture(response(block=http(chunks, Transfer_Encoding="Chunked"))).payload == b"<html>"


def test_chunks_that_were_joined_before_are_left_alone() -> None:
    assert capture(response(block=http(HTML, Transfer_Encoding="chunked"))).payload == HTML


def test_chunks_of_a_packed_body() -> None:
    packed = gzip.compress(HTML, mtime=0)
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed)
    block = http(chunks, Transfer_Encoding="chunked", Content_Encoding="gzip")
    found = capture(response(block=block))
    assert found.payload == packed
    assert found.body == HTML


def test_headers_keep_their_bytes_and_their_repetitions() -> None:
    block = (
        b"HTTP/1.1 301 Moved\r\nLocation: /caf\xc3\xa9\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n"
    )
    found = capture(response(block=block))
    assert found.status == 301
    assert [value.encode("latin-1") for _, value in found.headers] == [
        b"/caf\xc3\xa9",
        b"a",
        b"b",
    ]


def test_an_address_in_angle_brackets() -> None:
    assert capture(response("<http://a.test/1>")).url == "http://a.test/1"


@pytest.mark.parametrize(
    "line", [b"HTTP/1.0 200 OK", b"HTTP/1.1 200", b"HTTP/2 200", b"HTTP/2.0 200 "]
)
def test_status_lines(line: bytes) -> None:
    assert capture(response(block=line + b"\r\n\r\n" + HTML)).status == 200


@pytest.mark.parametrize("kind", ["request", "metadata", "warcinfo", "resource", "conversion"])
def test_other_kinds_are_passed_over(kind: str) -> None:
    other = record(
        kind, http(), WARC_Target_URI="http://a.test/1", WARC_Date="2026-11-17T00:00:00Z"
    )
    assert parse_record(other) is None


def test_other_schemes_are_passed_over() -> None:
    assert parse_record(response("dns:a.test", block=b"a.test. 300 IN A 192.0.2.1")) is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (response(block=b""), "bad HTTP head"),
        (response(block=b"<html>"), "bad HTTP head"),
        (response(block=b"HTTP/1.1 OK\r\n\r\n"), "bad HTTP head"),
        (response(block=b"HTTP/1.1 20\r\n\r\n"), "bad HTTP head"),
        (response(block=b"\r\n\r\n"), "bad HTTP head"),
        (response(date="yesterday"), "bad record head"),
        (response(date=""), "bad record head"),
        (b"", "bad record head"),
        (b"WARC/9.9\r\n\r\n", "bad record head"),
    ],
)
def test_bad_records_say_why(data: bytes, reason: str) -> None:
    with pytest.raises(BadRecord, match=reason):
        parse_record(data)


@given(st.binary(max_size=300))
def test_any_block_is_read_or_refused(block: bytes) -> None:
    try:
        parse_record(response(block=block))
    except BadRecord:
        return


@given(st.binary(max_size=300))
def test_any_record_is_read_or_refused(data: bytes) -> None:
    try:
        parse_record(b"WARC/1.0\r\nWARC-Type: response\r\n" + data)
    except BadRecord:
        return


# -- revisits -------------------------------------------------------------------------------


def test_a_revisit_names_its_original() -> None:
    found = parsed(
        revisit(
            block=http(b"", ETag='"a"'),
            WARC_Refers_To_Target_URI="http://b.test/",
            WARC_Refers_To_Date="2026-11-17T00:00:00Z",
            WARC_Payload_Digest="sha1:ABC",
        )
    )
    assert found.original == Original("http://b.test/", MONDAY)
    assert (found.capture.status, found.capture.digest) == (200, "sha1:ABC")


def test_a_revisit_may_name_nothing_and_hold_nothing() -> None:
    found = parsed(revisit("http://a.test/1"))
    assert found.original == Original("http://a.test/1", None)
    assert (found.capture.status, found.capture.headers) == (304, ())


# -- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_a_file_is_read_and_what_is_bad_is_counted(tmp_path: Path, name: str) -> None:
    path = written(
        tmp_path / name,
        record("warcinfo", b"software: x\r\n"),
        response("http://a.test/1"),
        response("http://a.test/2", block=b"no head"),
        record("response", http(), Content_Length="7"),
        revisit("http://a.test/3"),
        record("metadata", b"via: x\r\n"),
    )
    skipped: Counter[str] = Counter()
    found = list(read_file(path, skipped))
    assert [each.record.capture.url for each in found] == ["http://a.test/1", "http://a.test/3"]
    assert skipped == {"bad HTTP head": 1, "wrong length": 1}
    for each in found:
        assert read_at(path, each.offset) == each.record


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = written(tmp_path / "a.warc.gz", response("http://a.test/1"), response("http://a.test/2"))
    path.write_bytes(path.read_bytes()[:-10])
    skipped: Counter[str] = Counter()
    assert [each.record.capture.url for each in read_file(path, skipped)] == ["http://a.test/1"]
    assert skipped == {"cut off": 1}


def test_a_file_that_was_killed_at_birth_is_no_error(tmp_path: Path) -> None:
    path = written(tmp_path / "a.warc.gz", response())
    path.write_bytes(path.read_bytes()[:30])
    assert list(read_file(path, Counter())) == []


def test_a_file_compressed_as_a_whole_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(response() * 3))
    with pytest.raises(ArchiveError, match=r"warcio recompress a\.warc\.gz"):
        list(read_file(path, Counter()))


@pytest.mark.parametrize(
    "data", [b"hello\n" * 20, gzip.compress(b"hello", mtime=0), b"PK\x03\x04" * 9]
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match=r"a\.warc\.gz: holds no WARC record"):
        list(read_file(path, Counter()))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"nothing\.warc: cannot be read \(No such file"):
        list(read_file(tmp_path / "nothing.warc", Counter()))
    assert read_at(tmp_path / "nothing.warc", 0) is None
