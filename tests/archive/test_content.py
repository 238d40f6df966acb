from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.archive.content import decoded

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def bare_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZIP", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "bare deflate": ("deflate", bare_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
}
EVERY_PACKER = pytest.mark.parametrize(("coding", "pack"), PACKERS.values(), ids=PACKERS)
PAGE = b"<html><body>" + b"<p>All the news.</p>" * 20_000 + b"</body></html>"


@EVERY_PACKER
def test_every_coding_is_undone(coding: str, pack: Callable[[bytes], bytes]) -> None:
    assert decoded(pack(PAGE), coding) == PAGE


@EVERY_PACKER
def test_a_small_packet_grows_no_further_than_the_bound(
    coding: str, pack: Callable[[bytes], bytes]
) -> None:
    assert decoded(pack(b"0" * 10_000_000), coding, 100_000) == b"0" * 100_000


@EVERY_PACKER
def test_a_body_that_breaks_off_gives_what_came(
    coding: str, pack: Callable[[bytes], bytes]
) -> None:
    noise = bytes((number * number >> 3) & 0xFF for number in range(60_000))
    packed = pack(noise)
    body = decoded(packed[: len(packed) * 3 // 4], coding)
    assert noise.startswith(body) or coding == "zstd"


@EVERY_PACKER
def test_a_body_that_was_stored_unpacked_is_taken_as_it_is(
    coding: str, pack: Callable[[bytes], bytes]
) -> None:
    page = b"<!DOCTYPE html><html><head><title>News</title></head></html>"
    assert decoded(page, coding) == page


def test_codings_on_top_of_each_other() -> None:
    assert decoded(brotli.compress(gzip.compress(PAGE)), "gzip, br") == PAGE


def test_gzip_members_in_a_row() -> None:
    assert decoded(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip") == b"one two"


@pytest.mark.parametrize("coding", ["", "identity", "none", "utf-8"])
def test_no_coding_and_unknown_ones_change_nothing(coding: str) -> None:
    assert decoded(PAGE, coding) == PAGE


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br"]))
def test_any_bytes_give_bytes(payload: bytes, coding: str) -> None:
    assert len(decoded(payload, coding, 1_000)) <= 1_000
