"""What crawls have taught: phases, thresholds, terms. All of it can be listed and withdrawn."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from focuscrawl.relevance.learning import LearnedTerm
from focuscrawl.repository.engine import transaction
from focuscrawl.repository.records import Phase
from focuscrawl.repository.schema import blocks, near_misses, pages, phases, terms

SAMPLE = 300


class Learned:
    """The learned part of a repository."""

    def __init__(self, connection: Connection, clock: Callable[[], float] = time.time) -> None:
        self._db = connection
        self._clock = clock

    def begin_phase(self, crawl: str) -> Phase:
        """The phase that a killed or interrupted run left open, else a new one."""
        with transaction(self._db):
            row = self._db.execute(
                select(phases.c.number, phases.c.ended, phases.c.thresholds)
                .where(phases.c.crawl == crawl)
                .order_by(phases.c.number.desc())
                .limit(1)
            ).first()
            if row is not None and row.ended is None:
                return Phase(crawl, row.number, True, row.thresholds)
            number, thresholds = (row.number + 1, row.thresholds) if row else (1, {})
            self._db.execute(
                insert(phases).values(
                    crawl=crawl,
                    number=number,
                    started=self._clock(),
                    thresholds=thresholds,
                    fetched=0,
                    kept=0,
                )
            )
        return Phase(crawl, number, False, thresholds)

    def note_phase(
        self,
        phase: Phase,
        thresholds: Mapping[str, Any],
        fetched: int,
        kept: int,
        ended: str | None = None,
    ) -> None:
        """Write down how the phase stands; ``ended`` closes it and says why."""
        values: dict[str, Any] = {
            "thresholds": dict(thresholds),
            "fetched": phases.c.fetched + fetched,
            "kept": phases.c.kept + kept,
        }
        if ended is not None:
            values |= {"ended": self._clock(), "reason": ended}
        with transaction(self._db):
            self._db.execute(
                update(phases)
                .where(phases.c.crawl == phase.crawl, phases.c.number == phase.number)
                .values(**values)
            )

    def near_miss_counts(self, category: str, phase: int) -> Counter[str]:
        """The stems of the category's near misses of one phase, summed."""
        total: Counter[str] = Counter()
        rows = self._db.execute(
            select(near_misses.c.counts).where(
                near_misses.c.category == category, near_misses.c.phase == phase
            )
        )
        for counts in rows.scalars():
            total.update(counts)
        return total

    def kept_texts(self, per_category: int = SAMPLE) -> Iterator[tuple[str, str]]:
        """The main text of the pages of every category last visited, with its name."""
        names = self._db.execute(
            select(pages.c.category).where(pages.c.category.is_not(None)).distinct()
        )
        for name in names.scalars().all():
            newest = (
                select(pages.c.id)
                .where(pages.c.category == name, pages.c.alias_of.is_(None))
                .order_by(pages.c.last_visit.desc())
                .limit(per_category)
            )
            text = func.group_concat(func.coalesce(blocks.c.main_text, blocks.c.text), "\n")
            rows = self._db.execute(
                select(text).where(blocks.c.page.in_(newest)).group_by(blocks.c.page)
            )
            for found in rows.scalars():
                yield name, found

    def add_terms(self, category: str, learned: Iterable[LearnedTerm]) -> None:
        """Let terms join a category's vector; one that was withdrawn stays so."""
        rows = [
            {
                "category": category,
                "stem": term.stem,
                "weight": term.weight,
                "count": term.count,
                "phase": term.phase,
                "withdrawn": False,
            }
            for term in learned
        ]
        if rows:
            with transaction(self._db):
                self._db.execute(upsert(terms).on_conflict_do_nothing(), rows)

    def terms(self) -> dict[str, dict[str, float]]:
        """The learned terms in force, by category."""
        found: dict[str, dict[str, float]] = {}
        for row in self._db.execute(select(terms).where(~terms.c.withdrawn)):
            found.setdefault(row.category, {})[row.stem] = row.weight
        return found

    def stems_of(self, category: str, phase: int) -> list[str]:
        """What one phase taught a category."""
        rows = self._db.execute(
            select(terms.c.stem).where(terms.c.category == category, terms.c.phase == phase)
        )
        return list(rows.scalars())

    def withdraw(self, category: str, stems: Iterable[str]) -> int:
        """Take learned terms out of a vector for good; returns how many there were."""
        with transaction(self._db):
            result = self._db.execute(
                update(terms)
                .where(terms.c.category == category, terms.c.stem.in_(list(stems)))
                .values(withdrawn=True)
            )
        return int(result.rowcount)

    def fetched_since(self, crawl: str, time: float) -> int:
        """The fetches of the crawl's phases that began since."""
        total = select(func.coalesce(func.sum(phases.c.fetched), 0)).where(
            phases.c.crawl == crawl, phases.c.started > time
        )
        return int(self._db.execute(total).scalar_one())

    def last_phase(self, crawl: str) -> int:
        """The number of the newest phase; 0 before the first."""
        newest = select(func.max(phases.c.number)).where(phases.c.crawl == crawl)
        return int(self._db.execute(newest).scalar() or 0)
