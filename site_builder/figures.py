"""Turns numbers into bars: one description per bar, drawn here as SVG and kept up to date in the page by figures.js."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

#: Width of a bar's drawing in its own units; the page stretches it.
WIDTH = 1000


@dataclass(frozen=True)
class Scale:
    """The range of worth a column of bars spans; it always holds 0."""

    low: float
    high: float


@dataclass(frozen=True)
class Bar:
    """A diverging bar in whole units: where zero is, where the bar begins, how long it is, and its side."""

    zero: int
    x: int
    width: int
    negative: bool


@dataclass(frozen=True)
class Whiskers:
    """An interval over a bar, in whole units: where it begins and where it ends."""

    low: int
    high: int


def scale(values: Iterable[float], unit: float) -> Scale:
    """Return the scale that holds all `values`, zero, and `unit` upwards."""
    low, high = 0.0, unit
    for value in values:
        low, high = min(low, value), max(high, value)
    return Scale(low, high if high > low else 1.0)


def bar(value: float, span: Scale) -> Bar:
    """Return the bar for a value.

    Whole units, rounded half up, from one sequence of divisions: the page computes the same integers.
    """
    zero, end = _position(0.0, span), _position(value, span)
    return Bar(zero, min(zero, end), abs(end - zero), value < 0)


def whiskers(low: float, high: float, span: Scale) -> Whiskers:
    """Return the whiskers for an interval, computed as a bar's ends are."""
    return Whiskers(_position(low, span), _position(high, span))


def _position(value: float, span: Scale) -> int:
    # Divided by the largest first, so that the range of two huge values cannot overflow.
    largest = max(-span.low, span.high)
    low, high = span.low / largest, span.high / largest
    return math.floor((value / largest - low) / (high - low) * WIDTH + 0.5)


def bar_svg(drawn: Bar, interval: Whiskers | None = None) -> Markup:
    """Return a bar as SVG; the number beside it is the text, so the picture itself is hidden from screen readers."""
    over = Markup("")
    if interval is not None:
        ends = interval.low, interval.low, interval.high, interval.high
        over = Markup('<path class="bar-whiskers" d="M{} 4V16M{} 10H{}M{} 4V16"/>').format(*ends)
    kind = "bar-mark is-negative" if drawn.negative else "bar-mark"
    return Markup(
        '<svg class="bar" viewBox="0 0 {} 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<rect class="bar-track" x="0" y="9" width="{}" height="2"/>'
        '<rect class="{}" x="{}" y="3" width="{}" height="14"/>'
        '<line class="bar-zero" x1="{}" x2="{}" y1="0" y2="20"/>{}</svg>'
    ).format(WIDTH, WIDTH, kind, drawn.x, drawn.width, drawn.zero, drawn.zero, over)
