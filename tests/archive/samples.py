"""WARC records made by hand, so that nothing but the format is taken for granted."""

from __future__ import annotations

import gzip
from pathlib import Path

DAY = 86_400.0
MONDAY = 1_794_873_600.0  # 2026-11-17T00:00:00Z
HTML = b"<html><body><p>A page.</p></body></html>"


def record(kind: str, block: bytes, version: str = "1.1", **fields: str) -> bytes:
    """Fields by their names, with ``_`` for ``-``; Content-Length unless it is given."""
    named = {"WARC-Type": kind, "WARC-Record-ID": "<urn:uuid:0>"}
    named |= {name.replace("_", "-"): value for name, value in fields.items()}
    named.setdefault("Content-Length", str(len(block)))
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"WARC/{version}\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


def http(body: bytes = HTML, status: int = 200, **headers: str) -> bytes:
    named = {"Content-Type": "text/html"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return f"HTTP/1.1 {status} Fine\r\n{lines}\r\n".encode("latin-1") + body


def response(
    url: str = "http://a.test/1",
    date: str = "2026-11-17T00:00:00Z",
    block: bytes | None = None,
    **fields: str,
) -> bytes:
    block = http() if block is None else block
    return record("response", block, WARC_Target_URI=url, WARC_Date=date, **fields)


def revisit(
    url: str = "http://a.test/1",
    date: str = "2026-11-18T00:00:00Z",
    block: bytes = b"",
    **fields: str,
) -> bytes:
    return record("revisit", block, WARC_Target_URI=url, WARC_Date=date, **fields)


def zipped(*records: bytes) -> bytes:
    return b"".join(gzip.compress(each, mtime=0) for each in records)


def written(path: Path, *records: bytes) -> Path:
    """A file of these records, compressed if its name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zipped(*records) if path.suffix == ".gz" else b"".join(records))
    return path
