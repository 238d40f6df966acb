from __future__ import annotations

import pytest

from focuscrawl.evaluation.measures import Named, Run, curve, figures_of, mean, run_of
from focuscrawl.evaluation.report import as_json, summaries
from focuscrawl.evaluation.simulation import Fetch


def run(topic: str = "rail", budget: int = 1000, **values: object) -> Run:
    given = {"fetched": budget, "hits": (), "lengths": (), "targets": 10, "seconds": 1.0} | values
    return Run("vsm", topic, 0, budget, **given)  # type: ignore[arg-type]


def test_a_tiny_crawl() -> None:
    fetches = [Fetch(7, 0), Fetch(3, 1), Fetch(4, 1), Fetch(5, 3)]
    made = run_of(Named("vsm", "rail", 2), fetches, {7, 4, 5, 99}, 10, 0.5)
    assert made == Run("vsm", "rail", 2, 10, 4, (1, 3, 4), (1, 3), 4, 0.5)
    figures = figures_of(made)
    assert figures.precision == 0.75
    assert figures.irrelevance == 0.25
    assert figures.recall == 0.75
    assert figures.target_length == 2.0
    assert figures.harvest_100 is None
    assert figures.recall_1000 is None


def test_harvest_at_the_milestones() -> None:
    figures = figures_of(run(hits=(1, 100, 101, 500, 1000)))
    assert figures[:4] == (0.02, 0.015, 0.008, 0.005)
    assert figures.recall_1000 == 0.5


def test_a_crawl_that_ran_out_of_links_is_measured_over_the_budget() -> None:
    figures = figures_of(run(fetched=50, hits=tuple(range(1, 26))))
    assert figures.harvest_100 == 0.25
    assert figures.precision == 0.5


def test_milestones_past_the_budget_have_no_figure() -> None:
    figures = figures_of(run(budget=200, hits=(1,)))
    assert figures[:4] == (0.01, 0.005, None, None)
    assert figures.recall_1000 is None
    assert figures.recall == 0.1


def test_nothing_found_has_no_length_and_leaves_the_mean_alone() -> None:
    nothing, something = run(), run(lengths=(2, 4), hits=(5, 9))
    assert figures_of(nothing).target_length is None
    both = mean([figures_of(nothing), figures_of(something)])
    assert both.target_length == 3
    assert both.recall == pytest.approx(0.1)


def test_the_curve_is_the_mean_of_the_crawls() -> None:
    assert curve([run(hits=(1, 2)), run(hits=(2,))], [1, 2, 4]) == [0.5, 0.75, 0.375]


def test_json_has_means_over_all_and_over_every_topic() -> None:
    runs = [run("rail", hits=(1,)), run("rail", hits=(1, 2)), run("food", hits=tuple(range(1, 7)))]
    found = as_json(summaries(["fish", "vsm"], runs))
    assert list(found) == ["vsm"]
    assert found["vsm"]["harvest_100"] == 0.03
    assert found["vsm"]["topics"]["rail"]["harvest_100"] == 0.015
    assert found["vsm"]["topics"]["food"]["recall_1000"] == 0.6
