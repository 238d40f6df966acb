from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from focuscrawl.evaluation.archive import Page
from focuscrawl.evaluation.tables import EvaluationError, Start
from focuscrawl.evaluation.trial import Job, Trial, runs_of, workers_for
from focuscrawl.evaluation.web import Web
from focuscrawl.orderings import registry
from focuscrawl.orderings.base import LinkScorer, Topic
from focuscrawl.orderings.registry import Ordering
from focuscrawl.semantics.wordnet import WordNet

START = Start("rail", ("Trains", "rails"), 0, ("http://web.test/a",))


@pytest.fixture
def trial() -> Trial:
    web = Web([Page("http://web.test/a", "<p>seed words <a href=b>b</a>"),
               Page("http://web.test/b", "<p>more")])  # fmt: skip
    return Trial(web, {"rail": frozenset({1})}, None, 10)


@pytest.fixture
def deaf() -> Iterator[None]:
    """Signal handlers as a reactor sets them: a forked worker would inherit them."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    yield
    signal.signal(signal.SIGTERM, before)


def test_workers_end_whatever_handlers_their_parent_has(trial: Trial, deaf: None) -> None:
    jobs = [Job(name, START) for name in ("breadth-first", "vsm", "fish", "hits")]
    found = list(runs_of(trial, jobs, workers=2))
    assert sorted(run.ordering for run in found) == ["breadth-first", "fish", "hits", "vsm"]
    assert {run.hits for run in found} == {(2,)}


def test_a_worker_that_dies_is_told_and_not_waited_for(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(topic: Topic, wordnet: WordNet | None) -> LinkScorer:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    monkeypatch.setitem(registry.ORDERINGS, "deadly", Ordering(die))
    with pytest.raises(EvaluationError, match="ended from outside"):
        list(runs_of(trial, [Job("deadly", START)] * 2, workers=2))


def test_the_vector_is_of_the_seeds_or_of_the_words(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Topic] = []

    def note(topic: Topic, wordnet: WordNet | None) -> LinkScorer:
        given.append(topic)
        return registry.ORDERINGS["breadth-first"].make(topic, wordnet)

    for vector in ("seeds", "words"):
        monkeypatch.setitem(registry.ORDERINGS, "noted", Ordering(note, vector))
        trial.make(Job("noted", START))
    assert [topic.vector for topic in given] == [
        {"seed": 1.0, "word": 1.0}, {"train": 1.0, "rail": 1.0},
    ]  # fmt: skip
    assert given[0].words == ("Trains", "rails")


def test_no_more_workers_than_cores_or_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert [workers_for(jobs) for jobs in (0, 1, 2, 100)] == [1, 1, 2, 2]
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert workers_for(100) == 1
