"""The policy that settings name."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from focuscrawl.budget import Budget
from focuscrawl.revisit.classic import RoundRobin
from focuscrawl.revisit.fresh import Fresh
from focuscrawl.revisit.registry import POLICIES
from focuscrawl.scrapy_options import DEFAULTS
from focuscrawl.scrapy_revisits import load_plan, load_policy


def settings(**changes: object) -> Settings:
    return Settings({**DEFAULTS, **changes})


def test_ours_is_the_default_with_half_of_the_budget() -> None:
    plan = load_plan(settings(), Budget(run=1000))
    assert plan is not None
    assert isinstance(plan.policy, Fresh)
    assert plan.at_once == 500


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_every_policy_goes_by_its_name(name: str) -> None:
    policy = load_policy(settings(FOCUSCRAWL_REVISIT_POLICY=name))
    assert type(policy) is POLICIES[name]


def test_a_class_path_is_a_policy_too() -> None:
    path = "focuscrawl.revisit.classic.RoundRobin"
    assert isinstance(load_policy(settings(FOCUSCRAWL_REVISIT_POLICY=path)), RoundRobin)


def test_order_means_no_policy() -> None:
    assert load_plan(settings(FOCUSCRAWL_REVISIT_POLICY="order"), Budget(run=10)) is None


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"FOCUSCRAWL_REVISIT_POLICY = 'fersh'.*fresh.*order"):
        load_policy(settings(FOCUSCRAWL_REVISIT_POLICY="fersh"))


@pytest.mark.parametrize("share", [0, -1, 1.5])
def test_a_share_is_a_part(share: float) -> None:
    with pytest.raises(ValueError, match="FOCUSCRAWL_REVISIT_SHARE"):
        load_plan(settings(FOCUSCRAWL_REVISIT_SHARE=share), Budget(run=10))


def test_no_maximum_age_is_none() -> None:
    policy = load_policy(
        settings(FOCUSCRAWL_REVISIT_POLICY="round-robin", FOCUSCRAWL_MAX_AGE_DAYS=0)
    )
    assert policy is not None
    assert policy.next(1, 1e9) == []
