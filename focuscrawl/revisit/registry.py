"""The policies by name."""

from __future__ import annotations

from focuscrawl.revisit.classic import Importance, RoundRobin
from focuscrawl.revisit.fresh import Fresh
from focuscrawl.revisit.intervals import Nutch, Sitemap
from focuscrawl.revisit.policy import Policy
from focuscrawl.revisit.sampling import Adaptive, FrequencyGreedy, Greedy, Proportional

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy
    for policy in (
        Fresh,
        RoundRobin,
        Proportional,
        Greedy,
        Adaptive,
        FrequencyGreedy,
        Importance,
        Sitemap,
        Nutch,
    )
}
