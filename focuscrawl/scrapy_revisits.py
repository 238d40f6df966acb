"""The revisit policy that a crawl's settings name."""

from __future__ import annotations

import importlib
from typing import Any, cast

from focuscrawl.budget import Budget
from focuscrawl.frontier.picking import RevisitPlan
from focuscrawl.revisit.policy import Policy
from focuscrawl.revisit.registry import POLICIES

ALL = "order"
"""No policy: every known page in each phase, in the order of FOCUSCRAWL_ORDERING."""


def load_policy(settings: Any) -> Policy | None:
    """By its short name or its class path; None for :data:`ALL`."""
    name = settings["FOCUSCRAWL_REVISIT_POLICY"]
    if name == ALL:
        return None
    max_age = settings.getfloat("FOCUSCRAWL_MAX_AGE_DAYS") or float("inf")
    return _policy_class(name)(max_age_days=max_age)


def load_plan(settings: Any, budget: Budget) -> RevisitPlan | None:
    """The policy, and its part of the run's budget."""
    policy = load_policy(settings)
    if policy is None:
        return None
    share = settings.getfloat("FOCUSCRAWL_REVISIT_SHARE")
    if not 0 < share <= 1:
        raise ValueError(
            f"FOCUSCRAWL_REVISIT_SHARE = {share}: a part of the budget, above 0 and up to 1"
        )
    return RevisitPlan(policy, budget.share(share), settings.getint("FOCUSCRAWL_HOST_CAP"))


def _policy_class(name: str) -> type[Policy]:
    if name in POLICIES:
        return POLICIES[name]
    module, _, attribute = name.rpartition(".")
    try:
        return cast("type[Policy]", getattr(importlib.import_module(module), attribute))
    except (ImportError, AttributeError, ValueError) as error:
        known = ", ".join((*POLICIES, ALL))
        raise ValueError(
            f"FOCUSCRAWL_REVISIT_POLICY = {name!r}: {error}; use one of {known}, or a class path"
        ) from None
