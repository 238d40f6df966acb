"""The frontier against Scrapy's schedulers and scrapy-redis: adds, dequeues, memory per URL.

Every contestant runs in its own process and is charged its CPU seconds (scrapy-redis is not
charged those of the Redis server, but is charged its memory). A dequeue of ours is lease, Request
and acknowledgement. Where taking everything would last too long, the rate is that of the part
taken. Making the Request objects for Scrapy's queues is not charged.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from _common import ChildFailed, Figures, finish, measured_child, options, ratio, show

PEERS = ("focuscrawl", "scrapy-memory", "scrapy-jobdir", "scrapy-redis")
FULL = 100_000
QUICK_JOBDIR = 1_000
HOSTS = (1, 100, 10_000)
SHOWN = ("adds_per_s", "dequeues_per_s", "bytes_per_url", "urls", "dequeued")

Results = dict[tuple[str, int], Figures | str]


@contextmanager
def private_redis() -> Iterator[None]:
    """A Redis of our own on a unix socket, saving nothing; without one its rows are skipped."""
    program = shutil.which("redis-server")
    if program is None:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="fc-redis-") as folder:
        socket = Path(folder, "redis.sock")
        command = [
            program,
            "--port",
            "0",
            "--unixsocket",
            str(socket),
            "--save",
            "",
            "--dir",
            folder,
        ]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            for _ in range(500):
                if socket.exists():
                    break
                time.sleep(0.01)
            os.environ["FOCUSCRAWL_BENCH_REDIS"] = str(socket)
            yield
        finally:
            server.terminate()
            server.wait(timeout=10)


def one(name: str, hosts: int, urls: int, dequeues: int, seconds: float) -> Figures | str:
    if name == "scrapy-redis":
        if "FOCUSCRAWL_BENCH_REDIS" not in os.environ:
            return "skipped: no redis-server here"
        flush_redis()
    if name == "scrapy-jobdir" and urls < FULL:
        urls = QUICK_JOBDIR  # a folder and an open file per host and priority: slow long before
    numbers = (str(hosts), str(urls), str(dequeues), str(seconds))
    try:
        return measured_child("_frontier_child.py", name, *numbers, timeout=900)
    except ChildFailed as error:
        return f"failed: {error}"[:70]


def flush_redis() -> None:
    import redis

    redis.Redis(unix_socket_path=os.environ["FOCUSCRAWL_BENCH_REDIS"]).flushall()


def compare(urls: int, dequeues: int, seconds: float) -> Results:
    with private_redis():
        return {
            (name, hosts): one(name, hosts, urls, dequeues, seconds)
            for hosts in HOSTS
            for name in PEERS
        }


def figure(results: Results, name: str, hosts: int, key: str) -> float | None:
    measured = results[name, hosts]
    value = None if isinstance(measured, str) else measured[key]
    return float(value) if isinstance(value, (int, float)) else None


def main(argv: Sequence[str] | None = None) -> None:
    chosen = options(__doc__ or "", argv)
    urls, dequeues, seconds, held = (
        (20_000, 5_000, 1.0, 200_000) if chosen.quick else (FULL, 100_000, 10.0, 1_000_000)
    )
    results = compare(urls, dequeues, seconds)
    big = one("focuscrawl", HOSTS[-1], held, 2_000, seconds)
    show(
        "Queues of URLs with different priorities; rates per CPU second",
        ("contestant", "hosts", *SHOWN),
        [
            (name, hosts, *([got] if isinstance(got, str) else [got[key] for key in SHOWN]))
            for (name, hosts), got in results.items()
        ],
    )
    print(f"{held:,} URLs held on {HOSTS[-1]:,} hosts: {big}")
    many = HOSTS[-1]
    ours, scrapy = (
        {key: figure(results, name, many, key) for key in ("adds_per_s", "dequeues_per_s")}
        for name in ("focuscrawl", "scrapy-memory")
    )
    flat: Figures = {
        "dequeue_ratio_10k_hosts": ratio(ours["dequeues_per_s"], scrapy["dequeues_per_s"]),
        "add_ratio": ratio(ours["adds_per_s"], scrapy["adds_per_s"]),
        "bytes_per_url": None if isinstance(big, str) else big["bytes_per_url"],
        "lease_ack_per_s": ours["dequeues_per_s"],
        "adds_per_s": ours["adds_per_s"],
        "urls_held": None if isinstance(big, str) else big["urls"],
        "disk_bytes_per_url": None if isinstance(big, str) else big["disk_bytes_per_url"],
    }
    for hosts in HOSTS:
        for name in PEERS:
            for key in ("adds_per_s", "dequeues_per_s", "bytes_per_url"):
                label = f"{name.replace('-', '_')}_{key}_{hosts}_hosts"
                flat[label] = figure(results, name, hosts, key)
    finish(flat, chosen.json)


if __name__ == "__main__":
    main()
