from __future__ import annotations

import os
from pathlib import Path

import pytest

from focuscrawl.evaluation import results
from focuscrawl.evaluation.measures import Named, Run
from focuscrawl.evaluation.results import KEPT_DAYS, Results, identity

NOW = 1_800_000_000.0
RUN = Run("vsm", "rail", 0, 100, 100, (1, 5), (2,), 9, 0.25)


def test_what_was_added_is_there_again(tmp_path: Path) -> None:
    kept = Results(tmp_path / "new" / "runs.jsonl")
    kept.add(RUN)
    again = Results(tmp_path / "new" / "runs.jsonl")
    assert again.runs == {Named("vsm", "rail", 0): RUN}
    again.clear()
    assert Results(tmp_path / "new" / "runs.jsonl").runs == {}


def test_a_new_file_drops_those_that_are_old(tmp_path: Path) -> None:
    for name, days in (("old.jsonl", KEPT_DAYS + 1), ("late.jsonl", 1), ("table.npz", 99)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (NOW - days * 86_400,) * 2)
    kept = Results(tmp_path / "runs.jsonl", lambda: NOW)
    assert (tmp_path / "old.jsonl").exists()
    kept.add(RUN)
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"late.jsonl", "table.npz", "runs.jsonl"}


@pytest.mark.parametrize("size", [1, 40, -1])
def test_a_line_that_was_cut_off_does_not_spoil_the_rest(tmp_path: Path, size: int) -> None:
    path = tmp_path / "runs.jsonl"
    Results(path).add(RUN)
    whole = path.read_text()
    path.write_text(whole + whole[:size])
    kept = Results(path)
    assert list(kept.runs.values()) == [RUN]
    other = Run("fish", "rail", 0, 100, 100, (), (), 9, 0.25)
    kept.add(other)
    assert list(Results(path).runs.values()) == [RUN, other]


@pytest.mark.parametrize("line", ['{"ordering": "vsm"}', "[]", "7"])
def test_lines_that_are_no_runs_are_dropped(tmp_path: Path, line: str) -> None:
    (tmp_path / "runs.jsonl").write_text(line)
    assert Results(tmp_path / "runs.jsonl").runs == {}


def test_anything_that_matters_changes_the_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, table = tmp_path / "a.warc", tmp_path / "labels.tsv"
    archive.write_bytes(b"one")
    table.write_bytes(b"x")
    names = [identity(archive, [table], 100), identity(archive, [table], 200)]
    table.write_bytes(b"y")
    names.append(identity(archive, [table], 100))
    archive.write_bytes(b"other")
    names.append(identity(archive, [table], 100))
    monkeypatch.setattr(results, "__version__", "next")
    names.append(identity(archive, [table], 100))
    assert len(set(names)) == len(names)
    assert identity(archive, [table], 100) == names[-1]
