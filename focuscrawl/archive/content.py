"""Bodies as a browser would see them: content coding undone, within a bound.

What a header says of the body is not always so: many archives keep the header and store the body
unpacked. A body that does not unpack is therefore taken as it is. brotli and zstd come with Scrapy.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator

import brotli

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError

LONGEST_BODY = 64 * 1024 * 1024
_BLOCK = 64 * 1024


def decoded(payload: bytes, coding: str, limit: int = LONGEST_BODY) -> bytes:
    """The body under its ``Content-Encoding``, cut at ``limit`` bytes.

    A damaged or unfinished body gives what can be had of it.
    """
    for name in reversed([part.strip().lower() for part in coding.split(",")]):
        unpack = _UNPACKERS.get(name)
        if unpack is not None and payload:
            payload = _unpacked(unpack(payload), payload, limit)
    return payload[:limit]


def _unpacked(blocks: Iterator[bytes], payload: bytes, limit: int) -> bytes:
    body = bytearray()
    try:
        for block in blocks:
            body += block
            if len(body) >= limit:
                break
    except (zlib.error, brotli.error, ZstdError):
        return bytes(body) or payload
    return bytes(body)


def _gzip(data: bytes) -> Iterator[bytes]:
    while data:
        unzip = zlib.decompressobj(wbits=31)
        yield from _inflated(unzip, data)
        data = unzip.unused_data


def _deflate(data: bytes) -> Iterator[bytes]:
    """With the wrapper that the standard asks for, or bare as some servers send it."""
    try:
        zlib.decompressobj().decompress(data, 1)
        wrapped = True
    except zlib.error:
        wrapped = False
    yield from _inflated(zlib.decompressobj() if wrapped else zlib.decompressobj(wbits=-15), data)


def _inflated(unzip: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    while data and not unzip.eof:
        yield unzip.decompress(data, _BLOCK)
        data = unzip.unconsumed_tail


def _brotli(data: bytes) -> Iterator[bytes]:
    unpack = brotli.Decompressor()
    yield unpack.process(data, output_buffer_limit=_BLOCK)
    while not unpack.is_finished() and (block := unpack.process(b"", output_buffer_limit=_BLOCK)):
        yield block


def _zstd(data: bytes) -> Iterator[bytes]:
    unpack = ZstdDecompressor()
    yield unpack.decompress(data, _BLOCK)
    while not unpack.eof and (block := unpack.decompress(b"", _BLOCK)):
        yield block


_UNPACKERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
