"""Turns the outcomes of every combination of fixes into a picture: layers by size up to five fixes, a grid above.

The grid is laid out as a Karnaugh map is: cells that touch differ in one fix. The page draws the same with lattice.js.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from analyzer.game_file import CaseGame, Header
from analyzer.rules import number_text, repair_level
from site_builder.drawing import Drawing, Mark, mark, shortened, svg
from site_builder.wording import Outcome, coalition_name, needs_every_combination, outcome

#: Most fixes that are drawn in layers, one box a combination.
MOST_IN_LAYERS = 5
#: Most fixes that are drawn as a grid, one cell a combination.
MOST_IN_GRID = 12
#: Shades of outcomes, from the lowest to the highest.
SHADES = 5

# Of layers: a box with its share of the width, space between layers, around all, and the lines of text.
_BOX, _STEP, _GAP, _MARGIN, _HEAD, _LINE = 98, 106, 40, 8, 32, 15
# Of the grid: width of a cell by columns, of a strip, of the names before strips, and space between.
_CELL = {8: 40, 16: 32, 32: 20, 64: 12}
_STRIP, _NAMES, _SPACE = 16, 136, 8
# Longest number that fits a box; longer ones are in the table.
_LONGEST = 8


class Box(NamedTuple):
    """Where a combination is drawn."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Outcomes:
    """What a picture of all combinations shows.

    Attributes
    ----------
    titles : tuple of str
        Of the fixes.
    shares : tuple of float or None
        The outcome of each coalition by mask, in the unit of the score.
    level : float
        From which one passes.
    worlds : int
        In how many worlds each was run; 1 for graded scores.
    graded : bool
        Whether outcomes are numbers on a scale.
    """

    titles: tuple[str, ...]
    shares: tuple[float | None, ...]
    level: float
    worlds: int
    graded: bool


@dataclass(frozen=True)
class LatticeView:
    """The picture as shown, why there is none, and what its shades mean."""

    svg: Markup
    reason: str
    shades: str


def lattice_view(game: CaseGame, header: Header) -> LatticeView | None:
    """Return the picture of a case as it was run, with no fix switched on; None where no fix was tried."""
    titles = header.player_titles
    if not titles:
        return None
    reason = needs_every_combination(game, len(titles)) or too_many(len(titles))
    if reason:
        return LatticeView(svg(Drawing(0, 0, ()), **_ATTRIBUTES), reason, "")
    found = outcomes_of(game, header)
    return LatticeView(svg(lattice_drawing(found), **_ATTRIBUTES), "", shades_text(found))


# The table of outcomes says the same, so the picture is hidden from screen readers.
_ATTRIBUTES = {"class_": "lattice", "data_part": "lattice-picture", "aria_hidden": "true", "focusable": "false"}


def outcomes_of(game: CaseGame, header: Header) -> Outcomes:
    """Return the outcomes of a game that lists every coalition."""
    worlds, score = game.denominator or 1, header.scenario.score
    shares = tuple(None if worth is None else worth / worlds for worth in game.worth)
    level = repair_level(score.threshold, game.denominator)
    return Outcomes(header.player_titles, shares, level, worlds, score.graded)


def too_many(players: int) -> str:
    """Return why so many fixes have no picture, or nothing."""
    if players <= MOST_IN_GRID:
        return ""
    return f"There are {2**players} combinations, too many for a picture. The table below lists them."


def shades_text(found: Outcomes) -> str:
    """Return what the shades mean; nothing where outcomes are only pass or fail."""
    low, high = _range(found)
    if found.graded:
        ends = f"Shades run from {number_text(low)} to {number_text(high)}"
        return f"{ends}: the deeper the green or the red, the farther from what passes just so."
    if found.worlds == 1:
        return ""
    return f"Shades: the deeper the green, the more of the {found.worlds} worlds pass; the deeper the red, the fewer."


def lattice_drawing(found: Outcomes, mask: int = 0, edited: Collection[int] = ()) -> Drawing:
    """Return the picture of all combinations of at most `MOST_IN_GRID` fixes.

    Parameters
    ----------
    found : Outcomes
        What they are.
    mask : int
        The combination that is switched on.
    edited : collection of int
        Those whose outcome is hypothetical.
    """
    draw = _layers if len(found.titles) <= MOST_IN_LAYERS else _grid
    return draw(found, mask, edited)


def box_of(players: int, mask: int) -> Box:
    """Return where a combination is drawn."""
    return _box_in_layers(players, mask) if players <= MOST_IN_LAYERS else _box_in_grid(players, mask)


def _range(found: Outcomes) -> tuple[float, float]:
    """Return the outcomes that have the outermost shades."""
    if not found.graded:
        return 0.0, 1.0
    known = [share for share in found.shares if share is not None]
    return min(known, default=0.0), max(known, default=0.0)


def _shade(share: float, low: float, high: float) -> int:
    # Divided by the largest first, so that the range of two huge values cannot overflow.
    largest = max(abs(low), abs(high))
    if not low < high:
        return SHADES // 2
    from_low, span = share / largest - low / largest, high / largest - low / largest
    return math.floor(from_low / span * (SHADES - 1) + 0.5)


def _kind(share: float | None, found: Outcomes, ends: tuple[float, float]) -> str:
    """Return the classes of an outcome: whether it passes, and its shade."""
    if share is None:
        return "is-missing"
    return f"is-{'pass' if share >= found.level else 'fail'} shade-{_shade(share, *ends)}"


# Layers: no fix above, all fixes below; a line joins what differs in one fix.


def _layers(found: Outcomes, mask: int, edited: Collection[int]) -> Drawing:
    players, ends = len(found.titles), _range(found)
    marks = [_edges(found, mask)]
    marks.extend(_node(each, found, ends, on=each == mask, edited=each in edited) for each in range(2**players))
    return Drawing(*_size_in_layers(players), tuple(marks))


def _most_in_layer(players: int) -> int:
    return math.comb(players, players // 2)


def _lines(players: int) -> int:
    """Return how many lines the longest name of a box takes."""
    return (1, 1, 1, 2, 2, 3)[players]


def _height(players: int) -> int:
    return _HEAD + _LINE * _lines(players) + 6


def _size_in_layers(players: int) -> tuple[int, int]:
    rows = players + 1
    return _STEP * _most_in_layer(players) + _MARGIN, rows * _height(players) + players * _GAP + 2 * _MARGIN


def _box_in_layers(players: int, mask: int) -> Box:
    size = mask.bit_count()
    before = sum(each.bit_count() == size for each in range(mask))
    left = (_most_in_layer(players) - math.comb(players, size)) * (_STEP // 2)
    x = _MARGIN // 2 + left + before * _STEP + (_STEP - _BOX) // 2
    return Box(x, _MARGIN + size * (_height(players) + _GAP), _BOX, _height(players))


def _edges(found: Outcomes, mask: int) -> Mark:
    """Return the lines: which fix added where repairs, which breaks, and those of the combination that is on."""
    players, lines = len(found.titles), []
    for lower in range(2**players):
        for player in range(players):
            upper = lower | 1 << player
            if upper != lower:
                kind = _turn(found.shares[lower], found.shares[upper], found.level)
                near = " is-near" if mask in (lower, upper) else ""
                a, b = _box_in_layers(players, lower), _box_in_layers(players, upper)
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
    x, y, width, height = _box_in_layers(players, mask)
    said = outcome(share, found.worlds, found.level)
    marks = [mark("title", "", f"{coalition_name(mask, titles)}: {said.word}")]
    if on:
        marks.append(mark("rect", "ring", x=x - 4, y=y - 4, width=width + 8, height=height + 8, rx=11))
    marks.append(mark("rect", f"box {_kind(share, found, ends)}", x=x, y=y, width=width, height=height, rx=8))
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


# The grid: the first half of the fixes runs along it, the rest down; strips show where each is on.


def _split(players: int) -> tuple[int, int]:
    """Return how many fixes run along the grid, and how many down."""
    return (players + 1) // 2, players // 2


def _gray(place: int) -> int:
    """Return the code of a column or a row: that of a neighbour differs in one bit."""
    return place ^ place >> 1


def _fixes_at(place: int, bits: int) -> int:
    """Return which of `bits` fixes are on in a column or row, as a mask; the first fix changes least often."""
    code = _gray(place)
    return sum(1 << bit for bit in range(bits) if code >> (bits - 1 - bit) & 1)


def _place_of(fixes: int, bits: int) -> int:
    """Return the column or row in which these fixes are on."""
    place, on = 0, 0
    for bit in range(bits):
        on ^= fixes >> bit & 1
        place = 2 * place + on
    return place


def _corner(players: int) -> tuple[int, int]:
    """Return where the cells begin."""
    along, down = _split(players)
    return max(_NAMES, down * _STRIP) + _SPACE, along * _STRIP + _SPACE


def _box_in_grid(players: int, mask: int) -> Box:
    along, down = _split(players)
    cell, (left, top) = _CELL[1 << along], _corner(players)
    column, row = _place_of(mask & (1 << along) - 1, along), _place_of(mask >> along, down)
    return Box(left + column * cell, top + row * cell, cell, cell)


def _grid(found: Outcomes, mask: int, edited: Collection[int]) -> Drawing:
    players = len(found.titles)
    along, down = _split(players)
    cell, (left, top) = _CELL[1 << along], _corner(players)
    right, bottom = left + (cell << along), top + (cell << down)
    marks = [_strip_along(bit, found.titles, mask) for bit in range(along)]
    marks.extend(_strip_down(bit, found.titles, mask, bottom) for bit in range(down))
    marks.append(mark("rect", "ground", x=left, y=top, width=right - left, height=bottom - top))
    marks.extend(_cells(found))
    corners = [_box_in_grid(players, each) for each in sorted(edited)]
    size = cell // 2
    if corners:
        path = "".join(f"M{box.x + cell} {box.y}v{size}l-{size} -{size}z" for box in corners)
        marks.append(mark("path", "edited-corner", d=path))
    x, y, width, height = _box_in_grid(players, mask)
    marks.append(mark("rect", "ring", x=x - 2, y=y - 2, width=width + 4, height=height + 4, rx=3))
    return Drawing(right + _SPACE, bottom + down * _STRIP + _SPACE, tuple(marks))


def _cells(found: Outcomes) -> list[Mark]:
    """Return one path per kind of outcome: whole cells pass, small ones fail, crosses have none."""
    players, ends = len(found.titles), _range(found)
    paths: dict[str, list[str]] = {}
    for mask, share in enumerate(found.shares):
        x, y, cell, _ = _box_in_grid(players, mask)
        kind = _kind(share, found, ends)
        inset = cell // 3 if share is None or share < found.level else 1
        size = cell - 2 * inset
        shape = f"l{size} {size}m0 -{size}l-{size} {size}" if share is None else f"h{size}v{size}h-{size}z"
        paths.setdefault(kind, []).append(f"M{x + inset} {y + inset}{shape}")
    return [mark("path", f"cells {kind}", d="".join(paths[kind]), data_key=kind) for kind in sorted(paths)]


def _runs(bit: int, bits: int, start: int, cell: int) -> list[tuple[int, int]]:
    """Return where a fix is on along an axis: the beginning and length of each run."""
    runs: list[tuple[int, int]] = []
    for place in range(1 << bits):
        if _fixes_at(place, bits) >> bit & 1:
            at = start + place * cell
            if runs and sum(runs[-1]) == at:
                runs[-1] = (runs[-1][0], runs[-1][1] + cell)
            else:
                runs.append((at, cell))
    return runs


def _strip_along(bit: int, titles: Sequence[str], mask: int) -> Mark:
    along, _ = _split(len(titles))
    left, _ = _corner(len(titles))
    y, cell = bit * _STRIP + 4, _CELL[1 << along]
    path = "".join(f"M{x + 1} {y}h{length - 2}v8h-{length - 2}z" for x, length in _runs(bit, along, left, cell))
    name = _name(titles[bit], bool(mask >> bit & 1), x=left - _SPACE, y=y + 9, text_anchor="end")
    return _strip(path, titles[bit], name, on=bool(mask >> bit & 1))


def _strip_down(bit: int, titles: Sequence[str], mask: int, bottom: int) -> Mark:
    along, down = _split(len(titles))
    left, top = _corner(len(titles))
    x, cell = left - _SPACE - (down - bit) * _STRIP + 4, _CELL[1 << along]
    path = "".join(f"M{x} {y + 1}h8v{length - 2}h-8z" for y, length in _runs(bit, down, top, cell))
    # Names stand below, the last one first, so that the lines to them do not cross.
    y = bottom + (down - 1 - bit) * _STRIP + 14
    player = along + bit
    on = bool(mask >> player & 1)
    leader = mark("path", "leader", d=f"M{x + 4} {bottom + 2}V{y - 4}H{left - 2}")
    return _strip(path, titles[player], leader, _name(titles[player], on, x=left + 2, y=y), on=on)


def _name(title: str, on: bool, /, **at: int | str) -> Mark:
    return mark("text", "name", f"{shortened(title, 16)}{' · on' if on else ''}", **at)


def _strip(path: str, title: str, *more: Mark, on: bool) -> Mark:
    drawn = (mark("title", "", title), mark("path", "runs", d=path), *more)
    return mark("g", "strip-axis is-on" if on else "strip-axis", drawn)
