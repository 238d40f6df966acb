from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from focuscrawl.revisit.pages import NOBODY, Groups, Known, PageTable

LOWEST, HIGHEST = -(2**63), 2**63 - 1
keys = st.one_of(st.integers(-6, 6), st.sampled_from([LOWEST, LOWEST + 1, HIGHEST - 1, HIGHEST]))
pages = st.builds(
    Known,
    key=keys,
    site=st.sampled_from(["a.test", "b.test"]),
    section=st.sampled_from(["", "news", "sport"]),
    weight=st.sampled_from([0.25, 0.5, 1.0, 3.0]),
    visited=st.integers(0, 2**32 - 1).map(float),
)


def rows_of(table: PageTable, *asked: int) -> list[int]:
    return table.rows(np.array(asked, np.int64)).tolist()


class AgainstADictionary(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.table = PageTable({"note": np.int16, "pair": np.dtype((np.float32, 2))})
        self.model: dict[int, Known] = {}
        self.notes: dict[int, int] = {}
        self.rows: dict[int, int] = {}

    @rule(added=st.lists(pages, max_size=8))
    def add(self, added: list[Known]) -> None:
        rows = self.table.add(added)
        assert len(rows) == len(added)
        for page, row in zip(added, rows.tolist(), strict=True):
            self.model[page.key] = page
            self.notes.setdefault(page.key, 0)
            assert self.rows.setdefault(page.key, row) == row, "a known page was moved"

    @rule(dropped=st.lists(keys, max_size=6))
    def drop(self, dropped: list[int]) -> None:
        self.table.drop(np.array(dropped, np.int64))
        for key in dropped:
            for book in (self.model, self.notes, self.rows):
                book.pop(key, None)

    @rule(key=keys, number=st.integers(1, 99))
    def write(self, key: int, number: int) -> None:
        if key in self.model:
            (row,) = rows_of(self.table, key)
            self.table.note[row] = number
            self.table.pair[row] = (number, -number)
            self.notes[key] = number

    @rule(asked=st.lists(keys, max_size=8))
    def ask(self, asked: list[int]) -> None:
        assert rows_of(self.table, *asked) == [self.rows.get(key, NOBODY) for key in asked]

    @invariant()
    def same_as_the_model(self) -> None:
        table = self.table
        assert len(table) == len(self.model)
        living = table.living()
        assert sorted(table.key[living].tolist()) == sorted(self.model)
        assert len(set(self.rows.values())) == len(self.rows)
        for key, page in self.model.items():
            row = self.rows[key]
            assert table.key[row] == key
            assert table.group[row] == table.groups.number(page.site, page.section)
            assert table.weight[row] == page.weight
            assert table.visited[row] == page.visited
            assert table.note[row] == self.notes[key]
            assert table.pair[row].tolist() == [self.notes[key], -self.notes[key]]
        if len(living):
            of_site = table.sites(living)
            expected = [table.groups.find(self.model[key].site) for key in table.key[living]]
            assert of_site.tolist() == expected


TestAgainstADictionary = AgainstADictionary.TestCase
TestAgainstADictionary.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


def test_an_empty_table_knows_nobody() -> None:
    table = PageTable()
    assert len(table) == 0
    assert rows_of(table, 1, -1) == [NOBODY, NOBODY]
    assert table.living().tolist() == []
    table.drop(np.array([4], np.int64))
    assert table.add([]).tolist() == []


def test_rows_of_dropped_pages_are_given_to_new_ones() -> None:
    table = PageTable({"note": np.int16})
    table.add([Known(key, "a.test") for key in range(5)])
    table.note[:] = 7
    table.drop(np.array([1, 3], np.int64))
    rows = table.add([Known(key, "a.test") for key in (10, 11, 12)])
    assert sorted(rows.tolist()) == [1, 3, 5]
    assert table.note[rows].tolist() == [0, 0, 0]
    assert len(table.key) == 6
    assert rows_of(table, 1, 3) == [NOBODY, NOBODY]


def test_new_pages_get_rows_in_the_order_they_came() -> None:
    table = PageTable()
    assert table.add([Known(key, "a.test") for key in (9, -4, 2)]).tolist() == [0, 1, 2]


def test_a_page_named_twice_in_one_breath_is_one_page() -> None:
    table = PageTable()
    rows = table.add([Known(1, "a.test", weight=0.5), Known(1, "a.test", weight=0.25)])
    assert rows.tolist() == [0, 0]
    assert len(table) == 1
    assert table.weight.tolist() == [0.25]
    table.drop(np.array([1, 1], np.int64))
    assert len(table) == 0
    assert sorted(table.add([Known(5, "a.test"), Known(6, "a.test")]).tolist()) == [0, 1]


def test_the_highest_key_is_not_taken_for_an_empty_row() -> None:
    table = PageTable()
    table.add([Known(3, "a.test"), Known(HIGHEST, "a.test")])
    table.drop(np.array([3], np.int64))
    assert rows_of(table, HIGHEST) == [1]
    table.drop(np.array([HIGHEST], np.int64))
    assert rows_of(table, HIGHEST) == [NOBODY]


def test_a_visit_before_the_epoch_is_at_its_beginning() -> None:
    table = PageTable()
    table.add([Known(1, "a.test", visited=-5.0)])
    assert table.visited.tolist() == [0]


def test_unknown_columns_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match="mood"):
        _ = PageTable().mood


def test_memory_of_many_pages() -> None:
    """18 bytes of columns and 4 of the order by key, and a sixteenth for growth at most."""
    table = PageTable()
    for start in range(0, 20_000, 1_000):
        table.add([Known(key, "a.test") for key in range(start, start + 1_000)])
    rows_of(table, 1)
    assert table.nbytes <= 20_000 * 22 * 17 / 16


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["", "x", "y"]))))
def test_groups_number_sites_and_sections(asked: list[tuple[str, str]]) -> None:
    groups = Groups()
    numbers = {pair: groups.number(*pair) for pair in asked}
    assert len(set(numbers.values())) == len(numbers)
    assert all(groups.number(*pair) == number for pair, number in numbers.items())
    for (site, section), number in numbers.items():
        assert groups.sites[number] == groups.find(site)
        assert groups.names[number] == (f"{site}/{section}" if section else site)
        assert groups.site_of(np.array([number])).tolist() == [groups.find(site)]
    assert len(groups) == len({*numbers, *((site, "") for site, _ in numbers)})
    assert groups.find("elsewhere") == NOBODY
