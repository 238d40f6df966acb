"""One contestant of benchmarks/frontier.py at one number of hosts, alone in this process."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

from scrapy import Request, Spider
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.test import get_crawler

from _common import resident_bytes

DIFFERENT_PRIORITIES = 100_000
BATCH = 1000
LEASES = 32

Link = tuple[str, str, int]


class Contestant(Protocol):
    def prepare(self, links: list[Link]) -> list[Any]:
        """What the crawler has in its hands when it adds; not timed."""

    def add(self, batch: list[Any]) -> None: ...

    def dequeue(self, count: int) -> int:
        """Take up to count requests as the engine would get them, and acknowledge them."""

    def held(self) -> int:
        """How many it says are waiting."""

    def outside_bytes(self) -> int:
        """Memory that it takes in another process."""

    def close(self) -> None: ...


class ScrapyScheduler:
    """Scrapy's own scheduler, or scrapy-redis, driven as the engine drives it."""

    def __init__(self, settings: dict[str, Any]) -> None:
        crawler = get_crawler(Spider, settings)
        # All the priority queue asks of a running engine.
        downloader = SimpleNamespace(slots={}, get_slot_key=lambda request: host_of(request.url))
        crawler.engine = SimpleNamespace(downloader=downloader)  # type: ignore[assignment]
        crawler.spider = crawler._create_spider("benchmark")
        self.scheduler = build_from_crawler(load_object(settings["SCHEDULER"]), crawler)
        self.scheduler.open(crawler.spider)

    def prepare(self, links: list[Link]) -> list[Request]:
        return [Request(url, priority=priority) for url, _, priority in links]

    def add(self, batch: list[Request]) -> None:
        for request in batch:
            self.scheduler.enqueue_request(request)

    def dequeue(self, count: int) -> int:
        return sum(self.scheduler.next_request() is not None for _ in range(count))

    def held(self) -> int:
        return len(self.scheduler)

    def outside_bytes(self) -> int:
        server = getattr(self.scheduler, "server", None)
        return int(server.info("memory")["used_memory"]) if server else 0

    def close(self) -> None:
        self.scheduler.close("finished")


class Focuscrawl:
    """Our frontier: leases in batches, each acknowledged on its own, as the ring does."""

    def __init__(self, folder: Path) -> None:
        from focuscrawl.frontier.records import Candidate, Visit
        from focuscrawl.frontier.sqlite import SqliteFrontier

        self.frontier = SqliteFrontier(folder / "frontier.sqlite", "benchmark")
        self.candidate = Candidate
        self.visit = Visit(rule="benchmark", kept=True, importance=0.5)

    def prepare(self, links: list[Link]) -> list[Any]:
        return [
            self.candidate(url, host, block=priority / DIFFERENT_PRIORITIES)
            for url, host, priority in links
        ]

    def add(self, batch: list[Any]) -> None:
        self.frontier.add(batch)

    def dequeue(self, count: int) -> int:
        done = 0
        while done < count and (leases := self.frontier.lease(min(LEASES, count - done))):
            for lease in leases:
                Request(lease.url, priority=round(lease.priority * 1000))
                self.frontier.complete(lease, self.visit)
            done += len(leases)
        return done

    def held(self) -> int:
        return self.frontier.queued

    def outside_bytes(self) -> int:
        return 0

    def close(self) -> None:
        self.frontier.close()


def contestant(name: str, folder: Path) -> Contestant:
    if name == "focuscrawl":
        return Focuscrawl(folder)
    memory = {"SCHEDULER": "scrapy.core.scheduler.Scheduler", "LOG_ENABLED": False}
    if name == "scrapy-memory":
        return ScrapyScheduler(memory)
    if name == "scrapy-jobdir":
        return ScrapyScheduler({**memory, "JOBDIR": str(folder / "job")})
    return ScrapyScheduler(
        {
            "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
            "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
            "REDIS_PARAMS": {"unix_socket_path": os.environ["FOCUSCRAWL_BENCH_REDIS"]},
            "LOG_ENABLED": False,
        }
    )


def host_of(url: str) -> str:
    return url.split("/", 3)[2]


def links(urls: int, hosts: int) -> Iterator[Link]:
    """Distinct URLs over the hosts in turn; every priority is used once before any repeats."""
    priorities = list(range(DIFFERENT_PRIORITIES))
    random.Random(11).shuffle(priorities)
    for number in range(urls):
        host = f"www.site-{number % hosts}.example"
        priority = priorities[number % DIFFERENT_PRIORITIES]
        yield f"http://{host}/news/section/{number}-a-story-of-the-day.html", host, priority


def batches(stream: Iterable[Link]) -> Iterator[list[Link]]:
    source = iter(stream)
    while batch := list(islice(source, BATCH)):
        yield batch


def cpu_seconds() -> float:
    return time.process_time()


def timed(work: Callable[[], object]) -> float:
    start = cpu_seconds()
    work()
    return cpu_seconds() - start


def measure(name: str, hosts: int, urls: int, dequeues: int, seconds: float) -> dict[str, float]:
    folder = Path(os.environ["FOCUSCRAWL_BENCH_FOLDER"])
    queue = contestant(name, folder)
    before, outside = resident_bytes(), queue.outside_bytes()
    adding = 0.0
    for batch in batches(links(urls, hosts)):
        ready = queue.prepare(batch)
        adding += timed(lambda ready=ready: queue.add(ready))  # type: ignore[misc]
    memory = resident_bytes() - before + queue.outside_bytes() - outside
    held, disk = queue.held(), sum(path.stat().st_size for path in folder.rglob("*"))
    done, taking = 0, 0.0
    while done < dequeues and taking < seconds:
        step = min(LEASES, dequeues - done)
        start = cpu_seconds()
        taken = queue.dequeue(step)
        taking += cpu_seconds() - start
        done += taken
        if taken < step:
            break
    with contextlib.suppress(Exception):
        queue.close()
    return {
        "adds_per_s": urls / adding,
        "dequeues_per_s": done / taking if taking else 0.0,
        "urls": held,
        "dequeued": done,
        "bytes_per_url": memory / urls,
        "disk_bytes_per_url": disk / urls,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    for number in ("hosts", "urls", "dequeues"):
        parser.add_argument(number, type=int)
    parser.add_argument("seconds", type=float, help="stop taking after so many CPU seconds")
    print(json.dumps(measure(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
