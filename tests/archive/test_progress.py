from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from focuscrawl.archive import progress as module
from focuscrawl.archive.progress import IndexProgress

PATH = Path("news.warc.gz")


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def run(progress: IndexProgress, clock: Clock, seconds: int) -> None:
    for second in range(seconds):
        clock.now += 1
        progress(PATH, second, seconds)
    progress(PATH, seconds, seconds)


def test_what_is_quick_is_not_worth_a_word(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    run(IndexProgress(Console(file=StringIO())), clock, 3)
    assert capsys.readouterr().err == ""


def test_a_line_now_and_then_where_nobody_looks(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    run(IndexProgress(Console(file=StringIO())), clock, 20)
    assert capsys.readouterr().err.splitlines() == [
        "indexing news.warc.gz: 25%",
        "indexing news.warc.gz: 50%",
        "indexing news.warc.gz: 75%",
    ]


def test_a_bar_on_a_terminal_which_goes_in_the_end(clock: Clock) -> None:
    out = StringIO()
    progress = IndexProgress(Console(file=out, force_terminal=True))
    run(progress, clock, 10)
    assert "indexing news.warc.gz" in out.getvalue()
    assert progress._bar is None
