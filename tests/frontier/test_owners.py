from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from focuscrawl.frontier.owners import Owner

pytest.importorskip("fcntl")

HOLD = """
import sys
from pathlib import Path
from focuscrawl.frontier.owners import Owner
print(Owner(Path(sys.argv[1])).name, flush=True)
owner = Owner(Path(sys.argv[1]))
print(owner.name, flush=True)
sys.stdin.read()
"""


def test_the_living_are_told_from_the_dead(tmp_path: Path) -> None:
    one, two = Owner(tmp_path / "f.db"), Owner(tmp_path / "f.db")
    assert one.name != two.name
    assert not one.is_dead(one.name)
    assert not one.is_dead(two.name)
    two.close()
    assert one.is_dead(two.name)
    assert one.is_dead("never-was")
    one.close()
    assert list((tmp_path / "f.db-owners").iterdir()) == []


def test_a_killed_process_is_dead_at_once_and_can_be_buried(
    tmp_path: Path, project_root: Path
) -> None:
    owner = Owner(tmp_path / "f.db")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "f.db")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=project_root,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        name = process.stdout.readline().strip()
        alive = not owner.is_dead(name)
        process.kill()
        process.wait()
    assert alive
    left = tmp_path / "f.db-owners" / name
    assert left.exists()
    assert owner.is_dead(name)
    owner.bury(name)
    owner.bury(name)
    assert not left.exists()
    owner.close()
