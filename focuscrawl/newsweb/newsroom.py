"""Who writes what and who links to whom: the articles of a site, made in order of their numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha1
from random import Random

from focuscrawl.newsweb.grammar import Phrasebook
from focuscrawl.newsweb.records import Article
from focuscrawl.newsweb.sites import SitePlan
from focuscrawl.newsweb.story import MIXED, OFFTOPIC, PLAIN, THIN, Brief, Recipe, write
from focuscrawl.newsweb.timeline import DAY, HOUR, START, Timeline, stamp

BACKLOG_DAYS = 90
MIRROR_SHARE = 0.06
MEMBERS_SHARE = 0.015
SAME_TOPIC = 0.86
"""Share of links in an article's own boxes that stay with its topic; the rest is noise."""

_NO_SLUG = re.compile(r"[^a-z0-9]+")


class Newsroom:
    """Makes articles and their links; keeps the pools from which links are drawn."""

    def __init__(self, book: Phrasebook, plans: Sequence[SitePlan], seed: int) -> None:
        self._book = book
        self._plans = plans
        self._seed = seed
        self._targets: set[tuple[str, str]] = set()
        self._by_topic: dict[str, list[Article]] = defaultdict(list)
        self._by_site: dict[tuple[str, str], list[Article]] = defaultdict(list)
        self._count: dict[str, int] = defaultdict(int)

    def backlog(self, articles: int) -> list[Article]:
        """Everything published before the clock starts, linked."""
        made = [a for plan in self._plans for a in self._site_backlog(plan, articles)]
        made += self._mirrors(made)
        for article in made:
            self._link(article)
        return made + self._tunnels(made, articles)

    def day(self, plan: SitePlan, day: int, rate: float) -> list[Article]:
        """What one site publishes on one day after the start."""
        rng = Random(f"{self._seed}/{plan.name}/day{day}")
        count = max(1, int(rate) + (rng.random() < rate % 1))
        times = sorted(START + day * DAY + rng.randrange(DAY) for _ in range(count))
        made = [self._article(plan, at) for at in times]
        for article in made:
            self._link(article)
        return made

    def _site_backlog(self, plan: SitePlan, articles: int) -> list[Article]:
        total = sum(other.weight for other in self._plans)
        count = round(articles * plan.weight / total)
        step = BACKLOG_DAYS * DAY // count
        times = [START - step * (count - i) + step // 2 for i in range(count)]
        members = max(3, round(count * MEMBERS_SHARE)) if plan.disallow else 0
        hidden = set(range(2, count, max(1, count // members))) if members else set()
        return [self._article(plan, at, members=i in hidden) for i, at in enumerate(times)]

    def _article(
        self,
        plan: SitePlan,
        at: int,
        *,
        topic: str = "",
        beat: str = "",
        members: bool = False,
        tunnel: bool = False,
        source: Article | None = None,
    ) -> Article:
        self._count[plan.name] += 1
        number = self._count[plan.name]
        key = f"{self._seed}/{plan.name}/{number}"
        brief = source.brief if source else self._brief(plan, key, topic, beat)
        first = source.first if source else write(self._book, brief)
        article = Article(
            plan,
            number,
            self._target(plan, number, brief, first.headline, at, members),
            brief,
            at,
            source.timeline if source else Timeline(key, at, plan.liveliness),
            first,
            source=source,
            edited=source is not None and number % 2 == 0,
            tunnel=tunnel,
            disallowed=members,
        )
        if article.listed:
            self._by_topic[brief.topic.name].append(article)
            self._by_site[plan.name, brief.topic.name].append(article)
        return article

    def _brief(self, plan: SitePlan, key: str, topic: str, beat: str) -> Brief:
        rng = Random(f"{key}/brief")
        own = [name for name in self._book.categories if name in plan.topics]
        off = [name for name in self._book.off_topics if name in plan.topics]
        drawn = rng.choice(own if rng.random() < plan.on_topic else off)
        chosen = self._book.topics[topic or drawn]
        others = [name for name in self._book.topics if name != chosen.name]
        if not chosen.category:
            others = list(self._book.categories)
        beats = [sub for sub in chosen.subtopics if beat in ("", sub.name)]
        recipe = _recipe(chosen.category is not None, rng)
        return Brief(key, chosen, rng.choice(beats), self._book.topics[rng.choice(others)], recipe)

    def _target(
        self, plan: SitePlan, number: int, brief: Brief, headline: str, at: int, members: bool
    ) -> str:
        slug = _NO_SLUG.sub("-", headline.lower()).strip("-")
        year, month, day = stamp(at)[:10].split("-")
        fields = {"n": number, "slug": slug, "y": year, "m": month, "d": day}
        fields["hex"] = sha1(brief.key.encode(), usedforsecurity=False).hexdigest()[:10]
        fields["section"] = plan.section_of(brief.topic.name).slug
        pattern = f"{plan.disallow}{{n}}-{{slug}}" if members else plan.article
        target = pattern.format(**fields)
        if (plan.name, target) in self._targets:
            target = pattern.format(**{**fields, "slug": f"{slug}-{number}"})
        self._targets.add((plan.name, target))
        return target

    def _mirrors(self, made: Sequence[Article]) -> list[Article]:
        """Wire copy: the same text on another site a few hours later."""
        rng = Random(f"{self._seed}/mirrors")
        sources = [a for a in made if a.listed and a.published < START - DAY]
        mirrors = []
        for source in rng.sample(sources, round(len(made) * MIRROR_SHARE)):
            topic = source.brief.topic.name
            hosts = [p for p in self._plans if p is not source.plan and topic in p.topics]
            at = source.published + rng.randint(1, 20) * HOUR
            mirrors.append(self._article(rng.choice(hosts), at, source=source))
        return mirrors

    def _tunnels(self, made: Sequence[Article], articles: int) -> list[Article]:
        """Clusters of one category that only an off-topic page links to."""
        rng = Random(f"{self._seed}/tunnels")
        doors = [a for a in made if a.brief.topic.name in ("travel", "obituaries") and a.listed]
        rng.shuffle(doors)
        found: list[Article] = []
        for category in self._book.categories:
            for _ in range(max(1, round(articles / 1200))):
                found += self._cluster(category, doors.pop(), min(7, 3 + articles // 300), rng)
        return found

    def _cluster(self, category: str, door: Article, size: int, rng: Random) -> list[Article]:
        plan = rng.choice([plan for plan in self._plans if category in plan.topics])
        beat = rng.choice(self._book.topics[category].subtopics).name
        times = [START - rng.randint(5, BACKLOG_DAYS) * DAY for _ in range(size)]
        members = [self._article(plan, at, topic=category, beat=beat, tunnel=True) for at in times]
        door.files = members[:3]
        for article in members:
            article.related = [other for other in members if other is not article]
            article.inline = rng.sample(self._by_topic[category], 2)
        return members

    def _link(self, article: Article) -> None:
        rng = Random(f"{self._seed}/{article.plan.name}/{article.number}/links")
        article.related = self._draw(article, rng.randint(4, 6), 0.85, rng)
        article.inline = self._draw(article, rng.randint(1, 3), 0.6, rng)

    def _draw(self, article: Article, count: int, at_home: float, rng: Random) -> list[Article]:
        """Distinct link targets: mostly of the same topic, at home or on another site."""
        topic = article.brief.topic.name
        drawn: dict[int, Article] = {}
        for _ in range(count):
            name = topic
            if rng.random() > SAME_TOPIC:
                name = rng.choice(sorted(self._by_topic))
            home = self._by_site[article.plan.name, name]
            pool = home if rng.random() < at_home and len(home) > 1 else self._by_topic[name]
            target = rng.choice(pool)
            if target is not article and target.published <= max(START, article.published):
                drawn[id(target)] = target
        return list(drawn.values())


def _recipe(on_topic: bool, rng: Random) -> Recipe:
    draw = rng.random()
    if not on_topic:
        return OFFTOPIC if draw > 0.10 else MIXED
    return PLAIN if draw > 0.14 else THIN if draw > 0.07 else MIXED
