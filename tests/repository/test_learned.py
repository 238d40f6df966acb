from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from focuscrawl.relevance.learning import LearnedTerm
from focuscrawl.repository.learned import Learned
from focuscrawl.repository.records import Phase
from focuscrawl.repository.store import Repository

THRESHOLDS = {"chess": {"value": 0.2, "source": "seeds", "first": 0.2}}


@pytest.fixture
def learned(tmp_path: Path) -> Iterator[Learned]:
    repository = Repository(tmp_path / "pages.db")
    yield repository.learned
    repository.close()


def term(stem: str, weight: float = 0.5, phase: int = 1) -> LearnedTerm:
    return LearnedTerm(stem, weight, 7, phase)


def test_the_first_phase(learned: Learned) -> None:
    assert learned.last_phase("chess") == 0
    assert learned.begin_phase("chess") == Phase("chess", 1, False, {})
    assert learned.last_phase("chess") == 1
    assert learned.last_phase("choir") == 0


def test_an_open_phase_is_resumed_where_it_stood(learned: Learned) -> None:
    phase = learned.begin_phase("chess")
    learned.note_phase(phase, THRESHOLDS, fetched=10, kept=4)
    assert learned.begin_phase("chess") == Phase("chess", 1, True, THRESHOLDS)
    assert learned.last_phase("chess") == 1


def test_after_an_ended_phase_the_next_takes_its_thresholds(learned: Learned) -> None:
    phase = learned.begin_phase("chess")
    learned.note_phase(phase, THRESHOLDS, fetched=10, kept=4, ended="budget spent")
    assert learned.begin_phase("chess") == Phase("chess", 2, False, THRESHOLDS)
    assert learned.begin_phase("choir") == Phase("choir", 1, False, {})


def test_a_phase_survives_a_restart(tmp_path: Path) -> None:
    first = Repository(tmp_path / "pages.db")
    first.learned.begin_phase("chess")
    first.close()
    second = Repository(tmp_path / "pages.db")
    phase = second.learned.begin_phase("chess")
    second.close()
    assert phase == Phase("chess", 1, True, {})


def test_terms_in_force_by_category(learned: Learned) -> None:
    assert learned.terms() == {}
    learned.add_terms("chess", [term("gambit"), term("endgam", 0.25)])
    learned.add_terms("choir", [term("gambit")])
    learned.add_terms("choir", [])
    assert learned.terms() == {
        "chess": {"gambit": 0.5, "endgam": 0.25},
        "choir": {"gambit": 0.5},
    }


def test_a_term_learned_again_keeps_its_first_weight(learned: Learned) -> None:
    learned.add_terms("chess", [term("gambit", 0.5, phase=1)])
    learned.add_terms("chess", [term("gambit", 0.9, phase=2)])
    assert learned.terms() == {"chess": {"gambit": 0.5}}


def test_withdrawn_terms_stay_withdrawn(learned: Learned) -> None:
    learned.add_terms("chess", [term("gambit"), term("club")])
    learned.add_terms("choir", [term("club")])
    assert learned.withdraw("chess", ["club", "never-learned"]) == 1
    learned.add_terms("chess", [term("club", phase=2)])
    assert learned.terms() == {"chess": {"gambit": 0.5}, "choir": {"club": 0.5}}
