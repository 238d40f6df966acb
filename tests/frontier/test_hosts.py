from __future__ import annotations

from collections.abc import Callable

import pytest

from focuscrawl.frontier.hosts import LONGEST_WAIT, HostGate

A, B = "a.example", "b.example"
Gate = Callable[..., HostGate]


class Clock:
    def __init__(self) -> None:
        self.now = 5_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gate(clock: Clock) -> Gate:
    def make(per_host: int = 3, cap: int = 0, **delays: float) -> HostGate:
        known = {name.replace("_", "."): delay for name, delay in delays.items()}
        return HostGate(per_host, cap, lambda host: known.get(host, 0.0), clock)

    return make


# -- room -----------------------------------------------------------------------------------


def test_a_host_gets_so_many_at_once(gate: Gate) -> None:
    hosts = gate(3)
    for key in range(3):
        assert hosts.room(A) == 3 - key
        hosts.ask_first(key, A)
    assert hosts.room(A) == 0
    assert hosts.room(B) == 3
    hosts.free(1)
    assert hosts.room(A) == 1


def test_freeing_twice_or_what_never_was_asked_does_no_harm(gate: Gate) -> None:
    hosts = gate(2)
    hosts.ask_first(1, A)
    hosts.ask_first(2, A)
    hosts.free(1)
    hosts.free(1)
    hosts.free(99)
    assert hosts.room(A) == 1


def test_a_retry_takes_a_place_and_no_share_of_the_cap(gate: Gate) -> None:
    hosts = gate(3, cap=2)
    hosts.ask_first(1, A)
    hosts.free(1)
    hosts.ask(1, A)
    assert hosts.room(A) == 1
    hosts.free(1)
    assert hosts.room(A) == 1


def test_a_request_that_moves_to_another_host_is_freed_there(gate: Gate) -> None:
    hosts = gate(1)
    hosts.ask_first(1, A)
    hosts.free(1)
    hosts.ask(1, B)
    assert (hosts.room(A), hosts.room(B)) == (1, 0)
    hosts.free(1)
    assert (hosts.room(A), hosts.room(B)) == (1, 1)


# -- cap ------------------------------------------------------------------------------------


def test_a_cap_counts_all_that_was_asked(gate: Gate) -> None:
    hosts = gate(3, cap=4)
    for key, room in enumerate((3, 3, 2, 1, 0)):
        assert hosts.room(A) == room
        if room:
            hosts.ask_first(key, A)
            hosts.free(key)
    assert hosts.room(B) == 3


# -- delay ----------------------------------------------------------------------------------


def test_a_host_with_a_delay_gets_one_at_a_time_and_then_rests(gate: Gate, clock: Clock) -> None:
    hosts = gate(3, a_example=2.0)
    assert (hosts.room(A), hosts.room(B)) == (1, 3)
    hosts.ask_first(1, A)
    hosts.free(1)
    assert hosts.room(A) == 0
    assert hosts.next_ready() == pytest.approx(2.0)
    clock.now += 1.5
    assert hosts.room(A) == 0
    assert hosts.next_ready() == pytest.approx(0.5)
    clock.now += 0.5
    assert hosts.room(A) == 1
    assert hosts.next_ready() is None


def test_the_delay_may_pass_before_the_answer_is_here(gate: Gate, clock: Clock) -> None:
    hosts = gate(3, a_example=2.0)
    hosts.ask_first(1, A)
    clock.now += 9
    assert hosts.room(A) == 0
    hosts.free(1)
    assert hosts.room(A) == 1


def test_a_host_without_delay_is_never_waited_for(gate: Gate) -> None:
    hosts = gate(3)
    hosts.ask_first(1, A)
    assert hosts.next_ready() is None


# -- holding back ---------------------------------------------------------------------------


def test_a_host_is_held_until_it_was_let_go_as_often(gate: Gate) -> None:
    hosts = gate(3)
    hosts.hold(A)
    hosts.hold(A)
    assert (hosts.room(A), hosts.room(B)) == (0, 3)
    hosts.let_go(A)
    assert hosts.room(A) == 0
    hosts.let_go(A)
    assert hosts.room(A) == 3


# -- rest -----------------------------------------------------------------------------------


def test_a_host_that_asks_for_rest_gets_it(gate: Gate, clock: Clock) -> None:
    hosts = gate(3)
    hosts.rest(A, 30)
    assert (hosts.room(A), hosts.room(B)) == (0, 3)
    assert hosts.next_ready() == pytest.approx(30)
    clock.now += 29.9
    assert hosts.room(A) == 0
    clock.now += 0.1
    assert hosts.room(A) == 3


def test_of_two_wishes_the_longer_counts(gate: Gate, clock: Clock) -> None:
    hosts = gate(3, a_example=1.0)
    hosts.rest(A, 30)
    hosts.rest(A, 10)
    hosts.ask_first(1, A)
    hosts.free(1)
    clock.now += 29
    assert hosts.room(A) == 0
    clock.now += 1
    assert hosts.room(A) == 1


def test_a_rest_that_is_too_long_is_not_waited_for(gate: Gate, clock: Clock) -> None:
    hosts = gate(3)
    hosts.rest(A, LONGEST_WAIT + 0.1)
    assert hosts.next_ready() is None
    assert hosts.room(A) == 0
    hosts.rest(B, LONGEST_WAIT)
    assert hosts.next_ready() == pytest.approx(LONGEST_WAIT)
    clock.now += 0.2
    assert hosts.next_ready() == pytest.approx(LONGEST_WAIT - 0.2)
    assert hosts.room(A) == 0


def test_the_first_of_many_is_named_and_the_past_is_forgotten(gate: Gate, clock: Clock) -> None:
    hosts = gate(3)
    for number in range(1_000):
        hosts.rest(f"h{number}.example", 1 + number / 1_000)
    hosts.rest(A, 3_600)
    assert hosts.next_ready() == pytest.approx(1)
    clock.now += 1.9905
    assert hosts.next_ready() == pytest.approx(0.0005)
    assert hosts.room("h990.example") == 3
    assert hosts.room("h991.example") == 0
    assert hosts.room(A) == 0
    assert len(hosts._ready_at) == 10
