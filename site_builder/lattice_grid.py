"""Turns outcomes of every combination of many fixes into a grid: a Karnaugh map, whose neighbours differ in one fix.

The first half of the fixes runs along it, the rest down; strips show where each is on. The page draws the same with
lattice_grid.js.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from site_builder.drawing import Box, Drawing, Mark, mark, shortened
from site_builder.lattice_outcomes import Outcomes, ends_of, kind_of

#: Most fixes whose combinations are drawn so, one cell each.
MOST_IN_GRID = 12

# Width of a cell by columns, of a strip, of the names before strips, and space between.
_CELL = {8: 40, 16: 32, 32: 20, 64: 12}
_STRIP, _NAMES, _SPACE = 16, 136, 8


def grid_drawing(found: Outcomes, mask: int, edited: Collection[int]) -> Drawing:
    """Return all combinations as cells; one is switched on, the outcomes of some are hypothetical."""
    players = len(found.titles)
    along, down = _split(players)
    cell, (left, top) = _CELL[1 << along], _corner(players)
    right, bottom = left + (cell << along), top + (cell << down)
    marks = [_strip_along(bit, found.titles, mask) for bit in range(along)]
    marks.extend(_strip_down(bit, found.titles, mask, bottom) for bit in range(down))
    marks.append(mark("rect", "ground", x=left, y=top, width=right - left, height=bottom - top))
    marks.extend(_cells(found))
    corners = [box_in_grid(players, each) for each in sorted(edited)]
    size = cell // 2
    if corners:
        path = "".join(f"M{box.x + cell} {box.y}v{size}l-{size} -{size}z" for box in corners)
        marks.append(mark("path", "edited-corner", d=path))
    x, y, width, height = box_in_grid(players, mask)
    marks.append(mark("rect", "ring", x=x - 2, y=y - 2, width=width + 4, height=height + 4, rx=3))
    return Drawing(right + _SPACE, bottom + down * _STRIP + _SPACE, tuple(marks))


def box_in_grid(players: int, mask: int) -> Box:
    """Return where a combination is drawn."""
    along, down = _split(players)
    cell, (left, top) = _CELL[1 << along], _corner(players)
    column, row = _place_of(mask & (1 << along) - 1, along), _place_of(mask >> along, down)
    return Box(left + column * cell, top + row * cell, cell, cell)


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


def _cells(found: Outcomes) -> list[Mark]:
    """Return one path per kind of outcome: whole cells pass, small ones fail, crosses have none."""
    players, ends = len(found.titles), ends_of(found)
    paths: dict[str, list[str]] = {}
    for mask, share in enumerate(found.shares):
        x, y, cell, _ = box_in_grid(players, mask)
        kind = kind_of(share, found, ends)
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
