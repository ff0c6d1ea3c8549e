"""Turns a case's outcomes along one order of fixes into a waterfall: from no fix to all, one floating bar per fix.

The page draws the same for any order with waterfall.js.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from analyzer.game_file import CaseGame, Header
from analyzer.rules import isolated, number_text, repair_level
from analyzer.rules.verdict import listed
from site_builder.drawing import Drawing, Mark, mark, shortened, svg
from site_builder.figures import Scale, scale
from site_builder.wording import NOT_COMPUTED, Outcome, needs_every_combination, outcome

#: Width of the picture; a row is as high as a line of text and a bar.
WIDTH, ROW = 360, 46
_EDGE, _BAR = 8, 16
#: Most fixes whose orders are counted in the sentence.
MOST_COUNTED = 8


@dataclass(frozen=True)
class Step:
    """A fix that is switched on: the outcome before and after, and the difference, None where one is missing.

    `was_edited` and `is_edited` tell whether the outcome before and after is hypothetical.
    """

    player: int
    before: float | None
    after: float | None
    change: float | None
    was_edited: bool
    is_edited: bool


@dataclass(frozen=True)
class Waterfall:
    """What a waterfall shows.

    Attributes
    ----------
    titles : tuple of str
        Of the fixes.
    start : float or None
        The outcome without any fix.
    start_edited : bool
        Whether that one is hypothetical.
    steps : tuple of Step
        In the order in which the fixes are switched on.
    level : float
        From which an outcome passes.
    worlds : int
        In how many worlds each was run; 1 for graded scores.
    unit : float
        What the scale reaches at least: 1 where outcomes are shares, 0 for scores.
    """

    titles: tuple[str, ...]
    start: float | None
    start_edited: bool
    steps: tuple[Step, ...]
    level: float
    worlds: int
    unit: float


@dataclass(frozen=True)
class WaterfallRow:
    """A row of the table behind the picture."""

    player: int
    title: str
    outcome: Outcome
    edited: bool
    change: str


@dataclass(frozen=True)
class WaterfallView:
    """The waterfall as shown, in the order of the steps; `reason` says why there is none."""

    reason: str
    svg: Markup
    sentence: str
    start: Outcome
    rows: tuple[WaterfallRow, ...]


# The table beside it says the same, so the picture is hidden from screen readers.
_ATTRIBUTES = {"class_": "waterfall", "data_part": "waterfall-picture", "aria_hidden": "true", "focusable": "false"}


def waterfall_view(game: CaseGame, header: Header) -> WaterfallView | None:
    """Return the waterfall of a case in the order of the steps; None where no fix was tried."""
    titles = header.player_titles
    if not titles:
        return None
    reason = needs_every_combination(game, len(titles))
    if reason:
        # Another case of the page may have a table; its rows take the place of these.
        nothing = outcome(None, 1, 0.0)
        empty = tuple(WaterfallRow(player, title, nothing, False, NOT_COMPUTED) for player, title in enumerate(titles))
        return WaterfallView(reason, svg(Drawing(0, 0, ()), **_ATTRIBUTES), "", nothing, empty)
    level = repair_level(header.scenario.score.threshold, game.denominator)
    found = waterfall(titles, game.worth, game.denominator, range(len(titles)), level)
    return WaterfallView(
        "",
        svg(waterfall_drawing(found), **_ATTRIBUTES),
        sentence(found),
        outcome(found.start, found.worlds, level),
        rows(found),
    )


def waterfall(
    titles: Sequence[str],
    worth: Sequence[int | float | None],
    denominator: int | None,
    path: Sequence[int],
    level: float,
    worlds: int | None = None,
    edited: Collection[int] = (),
) -> Waterfall:
    """Return what the fixes add when they are switched on one after another.

    Parameters
    ----------
    titles : sequence of str
        Of the fixes.
    worth : sequence of length 2**n
        v(S) by coalition mask, None where it is missing.
    denominator : int or None
        Of a rational table. A difference is one of whole numbers, divided once.
    path : sequence of int
        The players in the order in which their fixes are switched on.
    level : float
        From which an outcome passes.
    worlds : int, optional
        In how many worlds each was run, where an edit has turned the table real since; else the denominator's.
    edited : collection of int
        The masks whose outcome is hypothetical.
    """
    under = denominator or 1
    steps, mask = [], 0
    for player in path:
        after_mask = mask | 1 << player
        before, after = worth[mask], worth[after_mask]
        known = before is not None and after is not None
        steps.append(
            Step(
                player,
                None if before is None else before / under,
                None if after is None else after / under,
                (after - before) / under if known else None,  # type: ignore[operator]
                mask in edited,
                after_mask in edited,
            )
        )
        mask = after_mask
    start = None if worth[0] is None else worth[0] / under
    unit = 0.0 if denominator is None else 1.0
    return Waterfall(tuple(titles), start, 0 in edited, tuple(steps), level, worlds or under, unit)


def waterfall_drawing(found: Waterfall) -> Drawing:
    """Return the picture: a row for no fix, one per fix, one for all."""
    values = [found.start, *(step.after for step in found.steps)]
    span = scale([value for value in values if value is not None], found.unit)
    height = ROW * (len(found.steps) + 2) + _EDGE
    marks = [_upright("axis", _x(0.0, span), height)]
    if span.low <= found.level <= span.high:
        marks.append(_upright("level", _x(found.level, span), height))
    marks.append(_end("No fix", found.start, found, span, 0, edited=found.start_edited))
    for row, step in enumerate(found.steps, 1):
        marks.append(_floating(step, found.titles[step.player], span, row))
    last = found.steps[-1]
    marks.append(_end("All fixes", last.after, found, span, len(found.steps) + 1, edited=last.is_edited))
    return Drawing(WIDTH, height, tuple(marks))


def _x(value: float, span: Scale) -> int:
    # Divided by the largest first, so that the range of two huge values cannot overflow.
    largest = max(-span.low, span.high)
    low, high = span.low / largest, span.high / largest
    return _EDGE + math.floor((value / largest - low) / (high - low) * (WIDTH - 2 * _EDGE) + 0.5)


def _upright(kind: str, x: int, height: int) -> Mark:
    return mark("line", kind, x1=x, y1=0, x2=x, y2=height)


def _end(name: str, value: float | None, found: Waterfall, span: Scale, row: int, *, edited: bool) -> Mark:
    """Return the row without any fix or with all of them: a bar from zero."""
    top, first = row * ROW, row == 0
    said = outcome(value, found.worlds, found.level)
    text = f"{said.word} {said.number}".rstrip()
    marks = [*_labels(name, _marked(text, edited=edited), top)]
    if value is None:
        marks.append(_hole(top))
    else:
        zero, end = _x(0.0, span), _x(value, span)
        kind = f"fall is-end is-{said.state}"
        marks.append(mark("rect", kind, x=min(zero, end), y=top + 22, width=max(2, abs(end - zero)), height=_BAR))
        if first:
            marks.append(_link(end, top))
    return mark("g", "row", tuple(marks), data_key="start" if first else "end")


def _floating(step: Step, title: str, span: Scale, row: int) -> Mark:
    top = row * ROW
    marks = [mark("title", "", title), *_labels(shortened(title, 30), _number(step), top)]
    if step.before is None or step.after is None:
        marks.append(_hole(top))
    else:
        marks.append(_stretch(step.before, step.after, span, top))
    if step.after is not None:
        marks.append(_link(_x(step.after, span), top))
    return mark("g", "row is-movable", tuple(marks), data_key=step.player)


def _stretch(before: float, after: float, span: Scale, top: int) -> Mark:
    """Return the bar of a change; of none only the line that goes on, which cannot be read as one."""
    a, b = _x(before, span), _x(after, span)
    if before == after:
        return mark("line", "link", x1=a, y1=top + 22, x2=a, y2=top + 22 + _BAR)
    kind = "fall is-lower" if after < before else "fall"
    return mark("rect", kind, x=min(a, b), y=top + 22, width=max(2, abs(b - a)), height=_BAR)


def _labels(name: str, number: str, top: int) -> tuple[Mark, Mark]:
    return (
        mark("text", "name", name, x=_EDGE, y=top + 16),
        mark("text", "number", number, x=WIDTH - _EDGE, y=top + 16, text_anchor="end"),
    )


def _hole(top: int) -> Mark:
    return mark("line", "hole", x1=_EDGE, y1=top + 30, x2=WIDTH - _EDGE, y2=top + 30)


def _link(x: int, top: int) -> Mark:
    """Return the line from the end of a bar to the beginning of the next."""
    return mark("line", "link", x1=x, y1=top + 22 + _BAR, x2=x, y2=top + ROW + 22)


def rows(found: Waterfall) -> tuple[WaterfallRow, ...]:
    """Return the table behind the picture."""
    return tuple(
        WaterfallRow(
            step.player,
            found.titles[step.player],
            outcome(step.after, found.worlds, found.level),
            step.is_edited,
            NOT_COMPUTED if step.change is None else _number(step),
        )
        for step in found.steps
    )


def _number(step: Step) -> str:
    """Return what a fix adds; a change from or to a hypothetical outcome is one itself."""
    return _marked(change_text(step.change), edited=step.change is not None and (step.was_edited or step.is_edited))


def _marked(text: str, *, edited: bool) -> str:
    return f"{text} · edited" if edited else text


def change_text(change: float | None) -> str:
    """Return what a fix adds as shown, with a plus sign above 0."""
    if change is None:
        return "no outcome"
    text = number_text(change)
    return f"+{text}" if change > 0 and not text.startswith("<") else text


def sentence(found: Waterfall) -> str:
    """Return what this order says, and what the Shapley value makes of all orders."""
    return f"{_largest(found)} {_all_orders(len(found.steps))}"


def _largest(found: Waterfall) -> str:
    changes = [step.change for step in found.steps if step.change is not None]
    if len(changes) < len(found.steps):
        return "Outcomes on the way are missing, so the fixes next to them have no number."
    largest = max(changes)
    if largest <= 0:
        return "In this order no fix adds anything."
    first = [step.player for step in found.steps if step.change == largest]
    names = listed([isolated(title) for title in found.titles], first, "and")
    adds, each = ("adds", "") if len(first) == 1 else ("add", " each")
    return f"In this order {names} {adds} most ({change_text(largest)}{each})."


def _all_orders(players: int) -> str:
    if players == 1:
        return "There is one fix, so there is one order: what it adds is its Shapley value."
    orders = f"all {math.factorial(players)} orders" if players <= MOST_COUNTED else "all orders"
    return (
        "In another order the same fix may add more or less; its Shapley value is the mean of what it adds over "
        f"{'both orders' if players == 2 else orders}."
    )
