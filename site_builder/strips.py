"""Turns the values of a fix over many cases into a strip: a small histogram, all fixes on one scale.

The page draws the same strips live: strips.js is the twin, to the last unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from analyzer.rules import number_text
from site_builder.figures import WIDTH

#: Height of a strip's drawing in its own units.
HEIGHT = 100

# A bin is a tenth of the largest value there can be, and one is centred on 0.
_BINS = 10

# What holds a case can be seen.
_LOWEST = 6


@dataclass(frozen=True)
class Bin:
    """The cases whose value lies in one range: its number (0 holds the value 0), place, and height in whole units."""

    number: int
    x: int
    width: int
    height: int
    cases: int
    text: str


@dataclass(frozen=True)
class Strip:
    """The bins of one fix that hold a case, where 0 is, and what the picture shows in words."""

    zero: int
    bins: tuple[Bin, ...]
    text: str


@dataclass(frozen=True)
class Ruler:
    """What all strips share: the width of a bin, the bins in use, and the cases in the fullest."""

    step: float
    first: int
    last: int
    most: int


def ruler(rows: Sequence[Sequence[float]], spread: float | None) -> Ruler:
    """Return the ruler for the values of many cases, one row per case.

    Parameters
    ----------
    rows : sequence of sequences of float
    spread : float or None
        The largest value there can be; None to take the largest there is.
    """
    largest = spread or 0.0
    if spread is None:
        for row in rows:
            for value in row:
                largest = max(largest, abs(value))
    step = (largest or 1.0) / _BINS
    counts: dict[tuple[int, int], int] = {}
    for row in rows:
        for player, value in enumerate(row):
            place = player, bin_of(value, step)
            counts[place] = counts.get(place, 0) + 1
    used = [number for _, number in counts]
    return Ruler(step, min(used, default=0), max(used, default=0), max(counts.values(), default=1))


def bin_of(value: float, step: float) -> int:
    """Return the number of the bin that holds a value."""
    return math.floor(value / step + 0.5)


def bin_text(number: int, step: float) -> str:
    """Return the range of a bin in words; the outermost ones end where values do."""
    low, high = (number - 0.5) * step, (number + 0.5) * step
    end = _BINS * step
    return f"{number_text(max(low, -end))} to {number_text(min(high, end))}"


def strip(values: Sequence[float], on: Ruler) -> Strip:
    """Return the strip of one fix."""
    low, high = min(0, on.first), max(0, on.last)
    bins = high - low + 1
    edges = [math.floor(k * WIDTH / bins + 0.5) for k in range(bins + 1)]
    counts: dict[int, int] = {}
    for value in values:
        number = bin_of(value, on.step)
        counts[number] = counts.get(number, 0) + 1
    drawn = tuple(
        Bin(
            number,
            edges[number - low],
            edges[number - low + 1] - edges[number - low],
            max(_LOWEST, math.floor(counts[number] / on.most * HEIGHT + 0.5)),
            counts[number],
            bin_text(number, on.step),
        )
        for number in sorted(counts)
    )
    zero = math.floor((0.5 - low) * WIDTH / bins + 0.5)
    return Strip(zero, drawn, _text(values))


def _text(values: Sequence[float]) -> str:
    if not values:
        return "no values"
    low, high = number_text(min(values)), number_text(max(values))
    return f"from {low} to {high}" if low != high else f"all at {low}"


def strip_svg(drawn: Strip) -> Markup:
    """Return a strip as SVG; a table behind it holds the numbers, so the picture is hidden from screen readers."""
    bins = [
        Markup('<rect class="{}" data-bin="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
            "strip-bin is-negative" if one.number < 0 else "strip-bin", one.number, one.x, HEIGHT - one.height,
            one.width, one.height,
        )
        for one in drawn.bins
    ]  # fmt: skip
    return Markup(
        '<svg class="strip" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<line class="strip-zero" x1="{}" x2="{}" y1="0" y2="{}"/>{}</svg>'
    ).format(WIDTH, HEIGHT, drawn.zero, drawn.zero, HEIGHT, Markup("").join(bins))
