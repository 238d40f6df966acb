"""The policies by name."""

from __future__ import annotations

from focuscrawl.revisit.classic import RoundRobin
from focuscrawl.revisit.fresh import Fresh
from focuscrawl.revisit.policy import Policy

POLICIES: dict[str, type[Policy]] = {policy.name: policy for policy in (Fresh, RoundRobin)}
