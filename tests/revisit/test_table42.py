from __future__ import annotations

import numpy as np
import pytest

from focuscrawl.revisit.table42 import SITES, accuracy, document_samples, formatted, table_4_2


def test_the_table_beside_the_published_one() -> None:
    rows = table_4_2(seed=1, repetitions=100)
    assert [row.sample for row in rows] == [10, 25, 50, 75, 100]
    assert [row.document_greedy for row in rows] == [83.52, 97.11, 97.84, 97.38, 98.39]
    assert [row.document_frequency_greedy for row in rows] == [83.44, 96.70, 98.42, 98.68, 98.72]
    assert [row.greedy for row in rows[1:]] == pytest.approx([97.6, 98.6, 99.0, 99.2], abs=0.3)
    assert [row.frequency_greedy for row in rows[1:]] == pytest.approx(
        [98.9, 99.3, 99.5, 99.6], abs=0.3
    )
    assert rows[0].greedy == pytest.approx(90, abs=3)
    assert rows[-1].frequency_greedy >= 98.72


def test_the_same_seed_gives_the_same_table() -> None:
    assert table_4_2(3, 1) == table_4_2(3, 1)
    assert table_4_2(3, 1) != table_4_2(4, 1)


def test_always_answering_zero_is_often_right() -> None:
    true = np.array([site.percent for site in SITES]) / 100
    assert accuracy(np.zeros(9), true) == pytest.approx(82.4, abs=0.05)
    assert accuracy(true, true) == 100


def test_samples_as_published_with_none_for_small_shares() -> None:
    rates = np.array([0.6, 0.36, 0.04, 0.0])
    assert document_samples(rates, 100).tolist() == [60, 36, 5, 5]
    assert document_samples(rates, 10).tolist() == [6, 0, 0, 0]
    assert document_samples(np.zeros(2), 50).tolist() == [2, 2]


def test_the_sites_are_those_of_the_document() -> None:
    assert sum(site.pages for site in SITES) == 1_140
    assert {site.percent for site in SITES if site.name == "www.nitc.gov.jo"} == {0.09}


def test_the_table_as_text() -> None:
    lines = formatted(table_4_2(1, 1))
    assert lines[0].split() == ["sample", "greedy", "document", "freq.-greedy", "document"]
    assert lines[5].split()[0::2] == ["100", "98.4", "98.7"]
    assert len({len(line) for line in lines}) == 1
