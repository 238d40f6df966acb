"""Harvest-rate curves of all orderings as one HTML file that needs nothing else.

A curve is told from the others by its colour (Okabe and Ito's, which colour-blind readers can tell
apart), by its dashes, and by its name at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from math import ceil, floor, log10

from focuscrawl.evaluation.measures import Figures, curve
from focuscrawl.evaluation.report import Summary

WIDTH, HEIGHT = 960, 560
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 24, 52
LABEL_HEIGHT = 16
MOST_POINTS = 200
FIRST = 10
"""The curve begins after so many fetches: before that there are hardly more than the seeds."""
_COLOURS = (
    ("#0072b2", "#56b4e9"), ("#d55e00", "#e69f00"), ("#009e73", "#2cc79b"),
    ("#cc79a7", "#e29bc3"), ("#595959", "#c8c8c8"),
)  # fmt: skip
"""On light ground, and on dark."""
_DASHES = ("", "9 4", "2 4")

_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1b1b1b; --faint: #d9d9d9; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181c; --ink: #e8e8e8; --faint: #3a3d44; } }
body { background: var(--ground); color: var(--ink); font: 16px/1.45 system-ui, sans-serif;
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font-size: 13px; }
.grid { stroke: var(--faint); } .axis { stroke: var(--ink); }
.curve { fill: none; stroke-width: 2; } .curve:hover { stroke-width: 4; }
.lead { stroke-width: 1; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; }
th, td { padding: .25rem .5rem; text-align: right; border-bottom: 1px solid var(--faint); }
th:first-child, td:first-child { text-align: left; white-space: nowrap; }
td svg { width: 3rem; vertical-align: middle; margin-right: .5rem; }
"""


class _Scale:
    """From (pages fetched, harvest rate) to the place in the drawing.

    Pages are on a logarithmic scale: most differences lie in the first hundreds.
    """

    def __init__(self, first: int, last: int, highest: float) -> None:
        steps = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
        self.x_ticks = [pages for pages in steps if first <= pages <= last]
        self.y_ticks = _ticks(highest)
        self._first, self._decades = first, log10(last / first) or 1.0
        self._top = self.y_ticks[-1]

    def x(self, pages: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * log10(pages / self._first) / self._decades

    def y(self, rate: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rate / self._top


def plot(found: Sequence[Summary], budget: int) -> str:
    """The whole HTML file."""
    places = _places(budget)
    curves = [curve(each.runs, places) for each in found]
    scale = _Scale(places[0], budget, max((max(rates) for rates in curves), default=1.0) or 1.0)
    crawls = len(found[0].runs) if found else 0
    drawing = "\n".join((*_axes(scale), *_curves(found, curves, places, scale)))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Harvest rate of {len(found)} orderings</title>
<style>{_STYLE}{_colour_rules(len(found))}</style>
</head>
<body>
<h1>Harvest rate</h1>
<p>The share of fetched pages that are on the topic, mean of {crawls} crawls for each ordering.</p>
<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Harvest rate over pages fetched">
{drawing}
</svg>
<div class="scroll">
{_table(found)}
</div>
</body>
</html>
"""


def _places(budget: int) -> list[int]:
    first = min(budget, FIRST)
    growth = (budget / first) ** (1 / MOST_POINTS)
    return sorted({round(first * growth**step) for step in range(MOST_POINTS + 1)})


def _ticks(highest: float) -> list[float]:
    """Round steps from 0 up to the highest value or the first step past it."""
    step = 10.0 ** floor(log10(highest))
    for share in (0.1, 0.2, 0.5, 1.0):
        if highest / (step * share) <= 6:
            step *= share
            break
    return [number * step for number in range(ceil(highest / step - 1e-9) + 1)]


def _axes(scale: _Scale) -> Iterable[str]:
    bottom, end = HEIGHT - BOTTOM, WIDTH - RIGHT
    for rate in scale.y_ticks:
        y = scale.y(rate)
        yield f'<line class="grid" x1="{LEFT}" x2="{end}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{rate:.3g}</text>'
    for pages in scale.x_ticks:
        x = scale.x(pages)
        yield f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 5}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{pages:,}</text>'
    yield f'<line class="axis" x1="{LEFT}" x2="{end}" y1="{bottom}" y2="{bottom}"/>'
    middle = (LEFT + end) / 2
    under = f'x="{middle}" y="{HEIGHT - 10}" text-anchor="middle"'
    yield f"<text {under}>pages fetched (logarithmic)</text>"
    turned = (TOP + bottom) / 2
    yield (
        f'<text transform="translate(16 {turned}) rotate(-90)" text-anchor="middle">'
        "harvest rate</text>"
    )


def _curves(
    found: Sequence[Summary],
    curves: Sequence[Sequence[float]],
    places: Sequence[int],
    scale: _Scale,
) -> Iterable[str]:
    ends = [scale.y(rates[-1]) for rates in curves]
    end, label = scale.x(places[-1]), WIDTH - RIGHT + 26
    labels = spread(ends, LABEL_HEIGHT, TOP, HEIGHT - BOTTOM)
    for number, (each, rates) in enumerate(zip(found, curves, strict=True)):
        name = escape(each.ordering)
        line = " ".join(
            f"{scale.x(pages):.1f},{scale.y(rate):.1f}"
            for pages, rate in zip(places, rates, strict=True)
        )
        yield (
            f'<polyline class="curve c{number}" points="{line}">'
            f"<title>{name}: {rates[-1]:.3f} after {places[-1]:,} pages</title></polyline>"
        )
        y1, y2 = ends[number], labels[number]
        lead = f'x1="{end + 2}" y1="{y1:.1f}" x2="{label - 4}" y2="{y2:.1f}"'
        yield f'<line class="lead c{number}" {lead}/>'
        yield f'<text x="{label}" y="{y2 + 4:.1f}">{name}</text>'


def spread(wanted: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Places near the wanted ones, in the same order, that keep a gap and stay inside."""
    gap = min(gap, (bottom - top) / max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    placed = [min(max(wanted[number], top), bottom) for number in order]
    for above, below in pairwise(range(len(placed))):
        placed[below] = max(placed[below], placed[above] + gap)
    if placed:
        placed[-1] = min(placed[-1], bottom)
    for below, above in pairwise(reversed(range(len(placed)))):
        placed[above] = min(placed[above], placed[below] - gap)
    result = [0.0] * len(wanted)
    for number, place in zip(order, placed, strict=True):
        result[number] = place
    return result


def _colour_rules(count: int) -> str:
    light, dark = [], []
    for number in range(count):
        colours = _COLOURS[number % len(_COLOURS)]
        dashes = _DASHES[number // len(_COLOURS) % len(_DASHES)]
        dashed = f" stroke-dasharray: {dashes};" if dashes else ""
        light.append(f".c{number} {{ stroke: {colours[0]};{dashed} }}")
        dark.append(f".c{number} {{ stroke: {colours[1]}; }}")
    return "\n".join((*light, "@media (prefers-color-scheme: dark) {", *dark, "}\n"))


def _table(found: Sequence[Summary]) -> str:
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in ("ordering", *Figures._fields))
    rows = "\n".join(_row(number, each) for number, each in enumerate(found))
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _row(number: int, each: Summary) -> str:
    swatch = f'<svg viewBox="0 0 48 8"><line class="curve c{number}" x2="48" y1="4" y2="4"/></svg>'
    cells = "".join(
        f"<td>{'–' if value is None else f'{value:.3f}'}</td>" for value in each.figures
    )
    return f"<tr><td>{swatch}{escape(each.ordering)}</td>{cells}</tr>"
