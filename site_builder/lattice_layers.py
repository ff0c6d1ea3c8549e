"""Turns outcomes of every combination of few fixes into layers of boxes: no fix above, all below, as a Hasse diagram.

A line joins what differs in one fix. The page draws the same with lattice_layers.js.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from site_builder.drawing import Box, Drawing, Mark, mark, shortened
from site_builder.lattice_outcomes import Outcomes, ends_of, kind_of
from site_builder.wording import Outcome, coalition_name, outcome

#: Most fixes whose combinations are drawn so, one box each.
MOST_IN_LAYERS = 5

# A box with its share of the width, space between layers, around all, and the lines of text.
_BOX, _STEP, _GAP, _MARGIN, _HEAD, _LINE = 98, 106, 40, 8, 32, 15
# Longest number that fits a box; longer ones are in the table.
_LONGEST = 8


def layers_drawing(found: Outcomes, mask: int, edited: Collection[int]) -> Drawing:
    """Return all combinations as boxes; one is switched on, the outcomes of some are hypothetical."""
    players, ends = len(found.titles), ends_of(found)
    marks = [_edges(found, mask)]
    marks.extend(_node(each, found, ends, on=each == mask, edited=each in edited) for each in range(2**players))
    return Drawing(*_size(players), tuple(marks))


def box_in_layers(players: int, mask: int) -> Box:
    """Return where a combination is drawn."""
    size = mask.bit_count()
    before = sum(each.bit_count() == size for each in range(mask))
    left = (_most_in_layer(players) - math.comb(players, size)) * (_STEP // 2)
    x = _MARGIN // 2 + left + before * _STEP + (_STEP - _BOX) // 2
    return Box(x, _MARGIN + size * (_height(players) + _GAP), _BOX, _height(players))


def _most_in_layer(players: int) -> int:
    return math.comb(players, players // 2)


def _lines(players: int) -> int:
    """Return how many lines the longest name of a box takes."""
    return (1, 1, 1, 2, 2, 3)[players]


def _height(players: int) -> int:
    return _HEAD + _LINE * _lines(players) + 6


def _size(players: int) -> tuple[int, int]:
    rows = players + 1
    return _STEP * _most_in_layer(players) + _MARGIN, rows * _height(players) + players * _GAP + 2 * _MARGIN


def _edges(found: Outcomes, mask: int) -> Mark:
    """Return the lines: which fix added where repairs, which breaks, and those of the combination that is on."""
    players, lines = len(found.titles), []
    for lower in range(2**players):
        for player in range(players):
            upper = lower | 1 << player
            if upper != lower:
                kind = _turn(found.shares[lower], found.shares[upper], found.level)
                near = " is-near" if mask in (lower, upper) else ""
                a, b = box_in_layers(players, lower), box_in_layers(players, upper)
                x1, x2 = a.x + _BOX // 2, b.x + _BOX // 2
                lines.append(mark("line", f"edge{kind}{near}", x1=x1, y1=a.y + a.height, x2=x2, y2=b.y))
    return mark("g", "edges", tuple(lines))


def _turn(before: float | None, after: float | None, level: float) -> str:
    if before is None or after is None or (before >= level) == (after >= level):
        return ""
    return " turns-pass" if after >= level else " turns-fail"


def _node(mask: int, found: Outcomes, ends: tuple[float, float], *, on: bool, edited: bool) -> Mark:
    titles, share = found.titles, found.shares[mask]
    players = len(titles)
    x, y, width, height = box_in_layers(players, mask)
    said = outcome(share, found.worlds, found.level)
    marks = [mark("title", "", f"{coalition_name(mask, titles)}: {said.word}{', edited' if edited else ''}")]
    if on:
        marks.append(mark("rect", "ring", x=x - 4, y=y - 4, width=width + 8, height=height + 8, rx=11))
    marks.append(mark("rect", f"box {kind_of(share, found, ends)}", x=x, y=y, width=width, height=height, rx=8))
    marks.extend(_sign(said.state, x + 16, y + 17))
    marks.append(mark("text", f"said is-{said.state}", _short(said, found), x=x + 30, y=y + 22))
    names = _names(mask, titles)
    first = y + _HEAD + 11 + (_lines(players) - len(names)) * _LINE // 2
    marks.extend(
        mark("text", "name", shortened(name, 14), x=x + width // 2, y=first + k * _LINE, text_anchor="middle")
        for k, name in enumerate(names)
    )
    if edited:
        middle = x + width // 2
        marks.append(mark("rect", "edited-box", x=middle - 24, y=y + height - 7, width=48, height=14, rx=7))
        marks.append(mark("text", "edited-text", "edited", x=middle, y=y + height + 4, text_anchor="middle"))
    return mark("g", "node", tuple(marks), data_coalition=mask)


def _short(said: Outcome, found: Outcomes) -> str:
    """Return a plain pass or fail in a word, anything else as its number."""
    if said.state == "missing":
        return "Missing"
    plain = found.worlds == 1 and not found.graded and said.number in ("0", "1")
    return said.word if plain or len(said.number) > _LONGEST else said.number


def _names(mask: int, titles: Sequence[str]) -> list[str]:
    players, size = len(titles), mask.bit_count()
    if size == 0 or (size == players and players > 1):
        return [coalition_name(mask, titles)]
    off = [title for player, title in enumerate(titles) if not mask >> player & 1]
    if players > 3 and len(off) == 1:
        return ["all but", off[0]]
    return [title for player, title in enumerate(titles) if mask >> player & 1]


def _sign(state: str, x: int, y: int) -> list[Mark]:
    """Return the sign of a state around a point, as the page's icons are: round, square, or broken."""
    if state == "pass":
        tick = mark("path", "sign-line", d=f"M{x - 4} {y}l3 3 5 -6")
        return [mark("circle", "sign is-pass", cx=x, cy=y, r=8), tick]
    if state == "fail":
        cross = mark("path", "sign-line", d=f"M{x - 3} {y - 3}l6 6m0 -6l-6 6")
        return [mark("rect", "sign is-fail", x=x - 8, y=y - 8, width=16, height=16, rx=3), cross]
    return [mark("circle", "sign is-missing", cx=x, cy=y, r=7)]
