from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.heads import Heads


def nobody(_host: str) -> bool:
    return False


def drained(heads: Heads) -> list[str]:
    order = []
    for host in heads.best_first(nobody):
        order.append(host)
        heads.replace(host, None)
    return order


def test_hosts_come_best_first_and_once() -> None:
    heads = Heads()
    for host, priority in [("a", 1.0), ("b", 3.0), ("c", 2.0), ("a", 2.5), ("b", 0.5)]:
        heads.offer(host, priority)
    assert len(heads) == 3
    assert drained(heads) == ["b", "a", "c"]
    assert len(heads) == 0


def test_a_busy_host_is_passed_over_and_not_lost() -> None:
    heads = Heads()
    heads.offer("busy", 9.0)
    heads.offer("free", 1.0)
    order = []
    for host in heads.best_first("busy".__eq__):
        order.append(host)
        heads.replace(host, None)
    assert order == ["free"]
    assert drained(heads) == ["busy"]


def test_a_busy_host_is_not_lost_when_the_caller_stops_early() -> None:
    heads = Heads()
    heads.offer("busy", 9.0)
    heads.offer("free", 1.0)
    for host in heads.best_first("busy".__eq__):
        heads.replace(host, 0.5)
        break
    assert drained(heads) == ["busy", "free"]


def test_a_replaced_priority_holds_even_when_lower() -> None:
    heads = Heads()
    heads.offer("a", 5.0)
    heads.offer("b", 3.0)
    heads.replace("a", 1.0)
    assert drained(heads) == ["b", "a"]


def test_next_best_skips_what_no_longer_holds() -> None:
    heads = Heads()
    assert heads.next_best() is None
    heads.offer("a", 5.0)
    heads.offer("b", 3.0)
    heads.replace("a", None)
    assert heads.next_best() == 3.0


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abc"), st.none() | st.integers(0, 9))))
def test_against_a_plain_model(steps: list[tuple[bool, str, int | None]]) -> None:
    heads, model = Heads(), dict[str, int]()
    for replace, host, priority in steps:
        if replace:
            heads.replace(host, priority)
            model.pop(host, None)
        if priority is not None:
            heads.offer(host, priority)
            model[host] = max(priority, model.get(host, priority))
    assert len(heads) == len(model)
    assert heads.next_best() == max(model.values(), default=None)
    order = drained(heads)
    assert sorted(order) == sorted(model)
    assert [model[host] for host in order] == sorted(model.values(), reverse=True)
