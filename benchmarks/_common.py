"""What every benchmark shares: its options, child processes that are measured, table and JSON."""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent

Value = float | int | str | None
Figures = dict[str, Value]


class ChildFailed(RuntimeError):
    """A measured child process ended badly; the message is the last line it wrote."""


@dataclass(frozen=True, slots=True)
class Options:
    quick: bool
    json: Path | None


def options(description: str, argv: Sequence[str] | None = None) -> Options:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a smaller run, under 45 seconds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as flat keys")
    given = parser.parse_args(argv)
    return Options(quick=given.quick, json=given.json)


def child_environment() -> dict[str, str]:
    """Children import focuscrawl and the benchmark's helpers, wherever they are started from."""
    path = os.pathsep.join([str(ROOT), str(HERE), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path.rstrip(os.pathsep), "PYTHONHASHSEED": "0"}


def measured_child(script: str, *arguments: str, timeout: float) -> Figures:
    """Run benchmarks/<script> in its own process; the last line of its stdout is JSON."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-bench-") as folder:
        try:
            done = subprocess.run(
                [sys.executable, str(HERE / script), *arguments],
                cwd=folder,
                env={**child_environment(), "FOCUSCRAWL_BENCH_FOLDER": folder},
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ChildFailed(f"not done after {timeout:.0f} s") from error
    if done.returncode:
        raise ChildFailed(last_line(done.stderr) or f"exit code {done.returncode}")
    figures: Figures = json.loads(last_line(done.stdout))
    return figures


def resident_bytes() -> int:
    """Memory that this process holds now."""
    gc.collect()
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * resource.getpagesize()


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right")
    for row in rows:
        table.add_row(*(shown(value) for value in row))
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def shown(value: Value) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.1f}"


def finish(figures: Mapping[str, Value], target: Path | None) -> None:
    """Print the flat keys, and write them where --json says."""
    for key, value in figures.items():
        print(f"{key}: {shown(value)}")
    if target is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def ratio(ours: Value, theirs: Value) -> float | None:
    """None when a peer gave no figure: a missing measurement is never a ratio."""
    if not isinstance(ours, (int, float)) or not isinstance(theirs, (int, float)) or not theirs:
        return None
    return ours / theirs
