from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.frontier.records import Added, Candidate, Lease, Visit
from focuscrawl.frontier.schema import FrontierError
from focuscrawl.frontier.sqlite import LEASE_SECONDS, SqliteFrontier

KEPT = Visit("kept", kept=True, importance=0.5)
DROPPED = Visit("dropped")

KILLED = """
import sys
from focuscrawl.frontier.sqlite import SqliteFrontier
frontier = SqliteFrontier(sys.argv[1], "chess")
print(*(lease.url for lease in frontier.lease(2)), flush=True)
sys.stdin.read()
"""


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Callable[[], SqliteFrontier]]:
    """Opens the same file as often as asked, and closes what is left open."""
    frontiers: list[SqliteFrontier] = []

    def opener() -> SqliteFrontier:
        frontiers.append(SqliteFrontier(tmp_path / "frontier.db", "chess", clock=clock))
        return frontiers[-1]

    yield opener
    for frontier in frontiers:
        try:
            frontier.close()
        except sqlite3.ProgrammingError:
            continue  # the test closed it


@pytest.fixture
def frontier(opened: Callable[[], SqliteFrontier]) -> SqliteFrontier:
    return opened()


def link(name: str, block: float = 0.0, host: str = "a.example", **more: Any) -> Candidate:
    return Candidate(f"http://{host}/{name}", host, block=block, **more)


def names(leases: list[Lease]) -> list[str]:
    return [lease.url.rpartition("/")[2] for lease in leases]


def row(frontier: SqliteFrontier, name: str, columns: str) -> tuple[Any, ...]:
    with closing(sqlite3.connect(frontier.path)) as db:
        found: tuple[Any, ...] = db.execute(
            f"SELECT {columns} FROM urls WHERE url LIKE ?", (f"%/{name}",)
        ).fetchone()
    return found


def test_best_first_over_all_hosts(frontier: SqliteFrontier) -> None:
    added = frontier.add(
        [link("low", 0.1), link("top", 0.9), link("mid", 0.5, "b.example"), link("s", seed=True)]
    )
    assert added == Added(new=4)
    assert frontier.queued == 4
    assert names(frontier.lease(3)) == ["s", "top", "mid"]
    assert names(frontier.lease(3)) == ["low"]
    assert frontier.lease(3) == []
    assert frontier.queued == 0


def test_a_lease_tells_all_that_the_fetch_needs(frontier: SqliteFrontier) -> None:
    known = {
        "anchor": "text",
        "anchor_similarity": 0.2,
        "level": 1,
        "depth": 3,
        "parent": "http://b",
    }
    frontier.add([link("x", 0.4, **known)])
    (lease,) = frontier.lease(1)
    assert lease[1:10] == (
        "http://a.example/x", "a.example", pytest.approx(0.18), "text", 1, 3, False, 0, 0,
    )  # fmt: skip
    assert lease[10:] == (0, pytest.approx(frontier._clock(), abs=1), "", "", "http://b", None)


Step = tuple[str, list[tuple[int, str, float]], int, dict[str, int]]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "lease", "release"]),
        st.lists(
            st.tuples(
                st.integers(0, 40), st.sampled_from("abc"), st.sampled_from([0.0, 0.2, 0.5, 1.0])
            ),
            max_size=6,
            unique_by=lambda each: each[:2],
        ),
        st.integers(0, 6),
        st.fixed_dictionaries({host: st.integers(0, 3) for host in "abc"}),
    ),
    max_size=14,
)


def expected(queue: dict[str, float], count: int, room: dict[str, int]) -> list[float]:
    """Priorities that a plain sorted list would hand out."""
    left, taken = dict(room), []
    for url, priority in sorted(queue.items(), key=lambda item: -item[1]):
        if len(taken) < count and left[url[7]] > 0:
            left[url[7]] -= 1
            taken.append(priority)
    return taken


@settings(max_examples=60)
@given(STEPS)
def test_the_order_is_exactly_that_of_the_priorities(steps: list[Step]) -> None:
    queue: dict[str, float] = {}
    blocks: dict[str, list[float]] = {}
    held: list[Lease] = []
    with tempfile.TemporaryDirectory() as folder:
        frontier = SqliteFrontier(Path(folder) / "f.db", "chess", clock=Clock())
        for action, links, count, room in steps:
            if action == "add":
                frontier.add([link(str(n), block, host) for n, host, block in links])
                leased = {lease.url for lease in held}
                for n, host, block in links:
                    seen = blocks.setdefault(url := f"http://{host}/{n}", [])
                    seen.append(block)
                    if url not in leased:
                        queue[url] = (max(seen) + sum(seen) / len(seen)) / 4
            elif action == "release":
                frontier.release(held)
                for lease in held:
                    seen = blocks[lease.url]
                    queue[lease.url] = (max(seen) + sum(seen) / len(seen)) / 4
                held = []
            else:
                got = frontier.lease(count, room.__getitem__)
                want = expected(queue, count, room)
                assert [lease.priority for lease in got] == pytest.approx(want)
                for lease in got:
                    assert queue.pop(lease.url) == pytest.approx(lease.priority)
                held += got
            assert frontier.queued == len(queue)
        frontier.close()


def test_a_new_parent_updates_the_score(frontier: SqliteFrontier) -> None:
    frontier.add([link("x", 0.2, level=2, depth=5, anchor="weak", anchor_similarity=0.1)])
    added = frontier.add([link("x", 0.6, level=0, depth=3, anchor="good", anchor_similarity=0.3)])
    assert added == Added(rescored=1)
    (lease,) = frontier.lease(1)
    # ½ (½·0.6 + ½·mean(0.2, 0.6) + 0.3)
    assert lease.priority == pytest.approx(0.4)
    assert (lease.anchor, lease.level, lease.depth) == ("good", 0, 3)
    assert row(frontier, "x", "parents, occurrences") == (2, 2)


def test_a_poor_parent_lowers_the_score(frontier: SqliteFrontier) -> None:
    frontier.add([link("x", 0.8), link("y", 0.7, "b.example")])
    frontier.add([link("x", 0.0)])
    leases = frontier.lease(2)
    assert names(leases) == ["y", "x"]
    assert leases[1].priority == pytest.approx((0.5 * 0.8 + 0.5 * 0.4) / 2)


def test_completing_records_the_visit_and_its_links(frontier: SqliteFrontier) -> None:
    frontier.add([link("x")])
    (lease,) = frontier.lease(1)
    assert not frontier.is_finished(lease.url)
    assert frontier.complete(lease, KEPT, [link("y"), link("x")]) == Added(new=1, known=1)
    assert frontier.is_finished(lease.url)
    assert row(frontier, "x", "visits, kept, importance, rule, visited") == (
        1, 1, 0.5, "kept", 1000.0,
    )  # fmt: skip
    assert names(frontier.lease(5)) == ["y"]


def test_visit_and_links_are_recorded_both_or_neither(frontier: SqliteFrontier) -> None:
    frontier.add([link("x")])
    (lease,) = frontier.lease(1)
    broken = link("z")._replace(anchor=None)  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        frontier.complete(lease, KEPT, [link("y"), broken])
    assert not frontier.is_finished(lease.url)
    assert row(frontier, "y", "1") is None
    assert frontier.complete(lease, KEPT, [link("y")]) == Added(new=1)
    assert names(frontier.lease(5)) == ["y"]


def test_released_leases_come_again(frontier: SqliteFrontier) -> None:
    frontier.add([link("x", 0.9), link("y", 0.1)])
    leases = frontier.lease(2)
    frontier.release(leases)
    assert frontier.queued == 2
    assert frontier.lease(2) == leases


def test_retry_later_waits_its_time(frontier: SqliteFrontier, clock: Clock) -> None:
    frontier.add([link("x")])
    (lease,) = frontier.lease(1)
    frontier.retry_later(lease, 30, "timeout")
    clock.now += 29
    assert frontier.lease(1) == []
    clock.now += 1
    (again,) = frontier.lease(1)
    assert (again.url, again.attempts) == (lease.url, 1)
    assert row(frontier, "x", "rule") == ("timeout",)


def test_a_url_given_up_does_not_come_again(frontier: SqliteFrontier, clock: Clock) -> None:
    frontier.add([link("x")])
    (lease,) = frontier.lease(1)
    frontier.give_up(lease, "404")
    clock.now += 10 * LEASE_SECONDS
    assert frontier.add([link("x")]) == Added(known=1)
    assert frontier.lease(1) == []
    assert frontier.is_finished(lease.url)


def test_a_lease_runs_out(frontier: SqliteFrontier, clock: Clock) -> None:
    frontier.add([link("x")])
    frontier.lease(1)
    clock.now += LEASE_SECONDS - 1
    assert frontier.lease(1) == []
    clock.now += 1
    assert names(frontier.lease(1)) == ["x"]


def test_what_a_closed_owner_held_is_free_on_reopening(
    opened: Callable[[], SqliteFrontier],
) -> None:
    first = opened()
    first.add([link("x")])
    first.lease(1)
    first.close()
    assert names(opened().lease(1)) == ["x"]


def test_what_a_killed_process_held_is_free_at_once(
    opened: Callable[[], SqliteFrontier], project_root: Path
) -> None:
    pytest.importorskip("fcntl")
    first = opened()
    first.add([link("x", 0.9), link("y", 0.5), link("z", 0.1)])
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(first.path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=project_root,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        held = process.stdout.readline().split()
        while_alive = names(opened().lease(5))
        process.kill()
        process.wait()
    assert held == ["http://a.example/x", "http://a.example/y"]
    assert while_alive == ["z"]
    assert names(opened().lease(5)) == ["x", "y"]


def test_two_instances_never_lease_the_same_url(opened: Callable[[], SqliteFrontier]) -> None:
    one = opened()
    one.add([link(str(number), number / 40, "ab"[number % 2] + ".example") for number in range(40)])
    two = opened()
    taken: list[str] = []
    while batch := one.lease(3) + two.lease(4):
        taken += names(batch)
    assert sorted(taken, key=int) == [str(number) for number in range(40)]


def test_categories_share_a_file_and_nothing_else(frontier: SqliteFrontier, clock: Clock) -> None:
    other = SqliteFrontier(frontier.path, "choir", clock=clock)
    frontier.add([link("x")])
    other.refresh()
    assert other.lease(1) == []
    assert other.add([link("x")]) == Added(new=1)
    other.close()


def test_occurrences_of_finished_urls_are_counted(frontier: SqliteFrontier) -> None:
    frontier.add([link("x")])
    frontier.complete(frontier.lease(1)[0], DROPPED)
    for _ in range(3):
        assert frontier.add([link("x")]) == Added(known=1)
    frontier.close()
    assert row(frontier, "x", "occurrences, parents, state") == (4, 1, 3)


def test_a_new_phase_queues_kept_pages_and_seeds_only(frontier: SqliteFrontier) -> None:
    frontier.add([link("seed", seed=True), link("kept", 0.9), link("dropped", 0.8)])
    frontier.add([link("copy", 0.7), link("waiting", 0.6, anchor="pawn"), link("new", 0.1)])
    seed, kept, dropped, copy, waiting = frontier.lease(5)
    frontier.complete(seed, DROPPED)
    frontier.complete(kept, KEPT)
    frontier.complete(dropped, DROPPED)
    frontier.complete(copy, Visit("same", kept=True, alias_of=kept.url))
    frontier.retry_later(waiting, 1e6, "timeout")
    similarity = {"pawn": 1.0}
    assert frontier.begin_phase(2, lambda anchor: similarity.get(anchor, 0.0), ["pawn"]) == 1
    assert frontier.queued == 4
    leases = frontier.lease(9)
    assert names(leases) == ["seed", "waiting", "kept", "new"]
    assert [lease.visits for lease in leases] == [1, 0, 1, 0]
    # waiting: ½ (0.6 + the anchor's new 1.0); kept: its importance 0.5, halved
    assert [lease.priority for lease in leases] == pytest.approx([10.0, 0.8, 0.25, 0.05])


def test_a_page_that_changes_comes_sooner_in_the_next_phase(frontier: SqliteFrontier) -> None:
    frontier.add([link("still", 0.9), link("lively", 0.1)])
    for phase, changed in ((2, False), (3, True)):
        for lease in frontier.lease(2):
            lively = changed and lease.url.endswith("lively")
            frontier.complete(lease, Visit("kept", kept=True, importance=0.6, changed=lively))
        frontier.begin_phase(phase, lambda _: 0.0)
    leases = frontier.lease(2)
    assert names(leases) == ["lively", "still"]
    assert [lease.priority for lease in leases] == pytest.approx([0.6 * 2 / 3, 0.6 / 3])


def test_a_redirect_is_recorded_as_an_alias(frontier: SqliteFrontier) -> None:
    frontier.add([link("old", 0.9)])
    (lease,) = frontier.lease(1)
    visit = Visit("kept", kept=True, importance=0.5, final_url="http://b.example/final")
    frontier.complete(lease, visit)
    assert row(frontier, "old", "state, rule, alias_of, importance") == (
        3, "redirected", "http://b.example/final", 0.0,
    )  # fmt: skip
    assert row(frontier, "final", "state, kept, host, parent, visits, alias_of") == (
        3, 1, "b.example", lease.url, 1, "",
    )  # fmt: skip
    assert frontier.is_finished("http://b.example/final")
    frontier.begin_phase(2, lambda _: 0.0)
    assert names(frontier.lease(5)) == ["final"]


def test_a_redirect_to_a_queued_url_takes_it_off_the_queue(frontier: SqliteFrontier) -> None:
    frontier.add([link("old", 0.9), link("final", 0.1)])
    (lease,) = frontier.lease(1)
    frontier.complete(lease, Visit("kept", kept=True, final_url="http://a.example/final"))
    assert frontier.lease(5) == []


def test_all_survives_closing(opened: Callable[[], SqliteFrontier]) -> None:
    first = opened()
    first.add([link("x", 0.3), link("y", 0.6, "b.example")])
    first.close()
    second = opened()
    assert second.queued == 2
    assert names(second.lease(2)) == ["y", "x"]


def test_a_file_that_is_no_frontier(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    path.write_bytes(b"this is no database " * 100)
    with pytest.raises(FrontierError) as caught:
        SqliteFrontier(path, "chess")
    message = str(caught.value)
    assert message.startswith(f"{path}: cannot be opened as a frontier (")
    assert "move it away" in message
    assert "\n" not in message


def test_a_file_of_a_newer_release(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(FrontierError, match=r"newer focuscrawl \(format 99\); upgrade"):
        SqliteFrontier(path, "chess")
