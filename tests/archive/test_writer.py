from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from focuscrawl.archive.archive import Archive
from focuscrawl.archive.reader import read_file
from focuscrawl.archive.writer import ArchiveWriter, Exchange
from tests.archive.samples import HTML, MONDAY

PACKED = gzip.compress(HTML, mtime=0)
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Name: caf\xe9\r\n"
    b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(PACKED)
)
PAGE = Exchange(
    url="http://a.test/1?b=c",
    time=MONDAY + 0.25,
    request_head=b"GET /1?b=c HTTP/1.1\r\nHost: a.test\r\n\r\n",
    request_body=b"",
    response_head=HEAD,
    response_body=PACKED,
    fields={"category": "sports", "phase": "2", "via": "", "anchor": "One\r\nevil: two"},
    ip="192.0.2.7",
)


def writer(folder: Path, limit: int = 10**9) -> ArchiveWriter:
    return ArchiveWriter(folder, limit, lambda: MONDAY, "crawl of sports, phase 2")


def records(path: Path) -> list[Any]:
    """All of a file as warcio sees it: bodies unpacked, digests checked."""
    found = []
    with path.open("rb") as file:
        for each in ArchiveIterator(file, check_digests="raise"):
            each.body = each.content_stream().read()
            found.append(each)
    return found


def recorded(folder: Path, *exchanges: Exchange) -> list[Any]:
    target = writer(folder)
    for exchange in exchanges:
        target.write(exchange)
    target.close()
    (path,) = folder.iterdir()
    return records(path)


def test_other_tools_read_it(tmp_path: Path) -> None:
    info, answer, request, about = recorded(tmp_path, PAGE)
    assert [each.rec_type for each in (info, answer, request, about)] == [
        "warcinfo",
        "response",
        "request",
        "metadata",
    ]
    assert b"isPartOf: crawl of sports, phase 2\r\n" in info.body
    assert answer.body == HTML
    assert answer.rec_headers.protocol == "WARC/1.1"
    assert answer.rec_headers["WARC-Date"] == "2026-11-17T00:00:00.250000Z"
    assert answer.rec_headers["WARC-Target-URI"] == PAGE.url
    assert answer.rec_headers["WARC-IP-Address"] == "192.0.2.7"
    assert int(answer.http_headers["Content-Length"]) == len(PACKED)
    assert request.http_headers.statusline == "/1?b=c HTTP/1.1"
    assert about.body == b"category: sports\r\nphase: 2\r\nanchor: One evil: two\r\n"
    for each in (request, about):
        assert each.rec_headers["WARC-Concurrent-To"] == answer.rec_headers["WARC-Record-ID"]
        assert each.rec_headers["WARC-Date"] == answer.rec_headers["WARC-Date"]


def test_every_record_is_a_member_of_its_own(tmp_path: Path) -> None:
    recorded(tmp_path, PAGE, PAGE)
    (path,) = tmp_path.iterdir()
    assert path.read_bytes().count(b"\x1f\x8b\x08") >= 7
    skipped: Counter[str] = Counter()
    assert len(list(read_file(path, skipped))) == 2
    assert not skipped


def test_heads_keep_their_bytes(tmp_path: Path) -> None:
    recorded(tmp_path, PAGE)
    with Archive(list(tmp_path.iterdir()), tmp_path / "cache", None) as archive:
        (found,) = archive.pages()
    assert found.payload == PACKED
    assert dict(found.headers)["X-Name"].encode("latin-1") == b"caf\xe9"


def test_a_body_that_came_in_part_is_marked(tmp_path: Path) -> None:
    _, answer, *_ = recorded(tmp_path, replace(PAGE, is_cut=True, ip=""))
    assert answer.rec_headers["WARC-Truncated"] == "unspecified"
    assert answer.rec_headers["WARC-IP-Address"] is None


def test_without_fields_there_is_no_metadata(tmp_path: Path) -> None:
    found = recorded(tmp_path, replace(PAGE, fields={"via": ""}))
    assert [each.rec_type for each in found] == ["warcinfo", "response", "request"]


@given(st.binary(max_size=300), st.sampled_from([200, 304, 404, 503]))
def test_any_body_comes_back(tmp_path_factory, body: bytes, status: int) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("any")
    head = b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
    recorded(folder, replace(PAGE, response_head=head, response_body=body))
    with Archive(list(folder.iterdir()), folder / "cache", None) as archive:
        (found,) = archive.pages()
    assert (found.url, found.time, found.status, found.body) == (PAGE.url, PAGE.time, status, body)


# -- files ------------------------------------------------------------------------------------


def test_files_are_named_by_time_process_and_number(tmp_path: Path) -> None:
    first, second = writer(tmp_path), writer(tmp_path)
    first.write(PAGE)
    second.write(PAGE)
    first.close()
    second.close()
    stem = f"focuscrawl-20261117000000-{os.getpid()}"
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"{stem}-00001.warc.gz", f"{stem}-00002.warc.gz"]


def test_a_full_file_is_followed_by_the_next(tmp_path: Path) -> None:
    target = writer(tmp_path, limit=3_000)
    for number in range(10):
        target.write(replace(PAGE, url=f"http://a.test/{number}"))
    target.close()
    paths = sorted(tmp_path.iterdir())
    assert len(paths) > 2
    assert all(3_000 <= path.stat().st_size < 5_000 for path in paths[:-1])
    urls = [
        each.rec_headers["WARC-Target-URI"]
        for path in paths
        for each in records(path)
        if each.rec_type == "response"
    ]
    assert urls == [f"http://a.test/{number}" for number in range(10)]


def test_nothing_is_made_before_there_is_something_to_write(tmp_path: Path) -> None:
    writer(tmp_path / "folder").close()
    assert list(tmp_path.iterdir()) == []


def test_after_a_failed_write_the_file_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = writer(tmp_path)
    target.write(PAGE)
    (path,) = tmp_path.iterdir()
    before = path.read_bytes()
    real = target._file
    assert real is not None

    class Full:
        """A disk on which there is room for a hundred bytes more."""

        room = 100

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def write(self, data: bytes) -> int:
            if not self.room:
                raise OSError(28, "No space left on device")
            written = real.write(data[: self.room])
            self.room -= written
            return written

    monkeypatch.setattr(target, "_file", Full())
    with pytest.raises(OSError, match="No space"):
        target.write(PAGE)
    target.close()
    assert path.read_bytes() == before


def test_a_killed_process_leaves_all_it_wrote(tmp_path: Path) -> None:
    """Not closed, not flushed by anybody: what write() took is in the file."""
    code = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from tests.archive.test_writer import PAGE, writer\n"
        f"target = writer(Path({str(tmp_path)!r}))\n"
        "for _ in range(20): target.write(PAGE)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, check=False)
    assert done.returncode == -9
    (path,) = tmp_path.iterdir()
    assert sum(each.rec_type == "response" for each in records(path)) == 20
    with path.open("ab") as file:
        file.write(path.read_bytes()[:100])
    skipped: Counter[str] = Counter()
    assert len(list(read_file(path, skipped))) == 20
    assert skipped.total() == 1
