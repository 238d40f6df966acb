"""Policies side by side on one web: each with each budget, on all cores that may be used."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np

from focuscrawl.revisit.classic import Oracle
from focuscrawl.revisit.histories import HistoryError, read_histories
from focuscrawl.revisit.registry import POLICIES
from focuscrawl.revisit.simulation import TICK, Outcome, Simulation
from focuscrawl.revisit.world import World, joined

ORACLE = Oracle.name
_OF_PAGES, _PER_PAGE = "%", "/page"


class ComparisonError(ValueError):
    """What was asked for cannot be compared; the message says why and what to give."""


class Budget(NamedTuple):
    """Fetches per page and day, and how they were written."""

    text: str
    per_page_and_day: float


class Job(NamedTuple):
    policy: str
    budget: Budget


class Result(NamedTuple):
    """What came of one policy with one budget; ``seconds`` are of CPU time."""

    job: Job
    outcome: Outcome
    seconds: float


class Figures(NamedTuple):
    """A policy's share in all; ``ratio`` is its freshness against the oracle's."""

    freshness: float
    ratio: float
    age: float
    change_ratio: float
    caught: float
    wasted: float


class Row(NamedTuple):
    job: Job
    figures: Figures
    seconds: float


def budget_of(text: str) -> Budget:
    """``5%`` of the pages a day, or ``4/page`` a day."""
    written = text.strip()
    unit = _OF_PAGES if written.endswith(_OF_PAGES) else _PER_PAGE
    try:
        number = float(written.removesuffix(unit)) if written.endswith(unit) else 0.0
    except ValueError:
        number = 0.0
    if not (isfinite(number) and number > 0):
        raise ComparisonError(
            f"--budgets: {written!r} is no budget; give a share of the pages to fetch in a day, "
            "as 5%, or fetches of each page, as 4/page"
        )
    return Budget(written, number / 100 if unit == _OF_PAGES else number)


def chosen(names: Iterable[str]) -> list[str]:
    """The policies of these names, each once; the oracle is there anyway."""
    found = dict.fromkeys(name.strip() for name in names)
    for name in found:
        if name not in POLICIES and name != ORACLE:
            raise ComparisonError(
                f"--policies: {name!r} is no policy; known are {', '.join(POLICIES)}"
            )
    return [name for name in found if name != ORACLE]


def read_worlds(paths: Sequence[Path]) -> World:
    """The web of all these files together."""
    try:
        world = joined([read_histories(path) for path in paths])
    except HistoryError as error:
        raise ComparisonError(str(error)) from error
    if not (np.ceil(world.first / TICK) * TICK + TICK <= world.last).any():
        raise ComparisonError(
            f"{paths[0]}: no page is known for a whole hour; give histories of days or weeks"
        )
    return world


def jobs_of(policies: Iterable[str], budgets: Sequence[Budget]) -> list[Job]:
    """The oracle, by which the others are measured, goes first."""
    return [Job(policy, budget) for budget in budgets for policy in (ORACLE, *policies)]


def rows_of(results: Iterable[Result]) -> list[Row]:
    """What the command prints; every budget needs its result of the oracle."""
    known = list(results)
    best = {each.job.budget: each.outcome.freshness for each in known if each.job.policy == ORACLE}
    return [
        Row(
            job,
            Figures(
                outcome.freshness,
                outcome.freshness / max(best[job.budget], 1e-9),
                outcome.age,
                outcome.change_ratio,
                outcome.caught,
                outcome.wasted,
            ),
            seconds,
        )
        for job, outcome, seconds in known
    ]


def as_json(rows: Iterable[Row]) -> dict[str, dict[str, dict[str, float]]]:
    """Policy → budget as it was written → figures."""
    told: dict[str, dict[str, dict[str, float]]] = {}
    for (policy, budget), figures, _ in rows:
        rounded = {name: round(value, 4) for name, value in figures._asdict().items()}
        told.setdefault(policy, {})[budget.text] = rounded
    return told


def result_of(world: World, job: Job) -> Result:
    began = time.process_time()
    policy = Oracle(world.rates()) if job.policy == ORACLE else POLICIES[job.policy]()
    outcome = Simulation(world, policy, job.budget.per_page_and_day).run()
    return Result(job, outcome, time.process_time() - began)


_world: World | None = None


def _begin(world: World) -> None:
    """In a worker: interruptions are the parent's business, and its handlers are its own."""
    global _world
    _world = world
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _work(job: Job) -> Result:
    assert _world is not None
    return result_of(_world, job)


def results_of(world: World, jobs: Sequence[Job], workers: int) -> Iterator[Result]:
    """Results as they are finished, in any order.

    Workers are forked where that is possible: the web is then shared, not copied.
    """
    if min(workers, len(jobs)) <= 1:
        yield from (result_of(world, job) for job in jobs)
        return
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    others = multiprocessing.active_children()
    gc.freeze()  # the collector of a worker would touch, and so copy, every page
    pool = ProcessPoolExecutor(min(workers, len(jobs)), context, _begin, (world,))
    futures: list[Future[Result]] = []
    try:
        futures += [pool.submit(_work, job) for job in jobs]
        for done in as_completed(futures):
            yield done.result()
    except BrokenProcessPool:
        raise ComparisonError(
            "a worker process was ended from outside, perhaps for want of memory; "
            "fewer at a time need less: --jobs 1"
        ) from None
    finally:
        if not all(future.done() for future in futures):
            for child in set(multiprocessing.active_children()) - set(others):
                child.terminate()
        pool.shutdown(cancel_futures=True)
        gc.unfreeze()
