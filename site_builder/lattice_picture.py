"""Turns the outcomes of every combination of fixes into a picture: layers of boxes for few fixes, a grid for more.

The page draws the same with lattice_picture.js.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from markupsafe import Markup

from analyzer.game_file import CaseGame, Header
from site_builder.drawing import Box, Drawing, svg
from site_builder.lattice_grid import MOST_IN_GRID, box_in_grid, grid_drawing
from site_builder.lattice_layers import MOST_IN_LAYERS, box_in_layers, layers_drawing
from site_builder.lattice_outcomes import Outcomes, outcomes_of, shades_text
from site_builder.wording import needs_every_combination


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


def too_many(players: int) -> str:
    """Return why so many fixes have no picture, or nothing."""
    if players <= MOST_IN_GRID:
        return ""
    return f"There are {2**players} combinations, too many for a picture. The table below lists them."


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
    draw = layers_drawing if len(found.titles) <= MOST_IN_LAYERS else grid_drawing
    return draw(found, mask, edited)


def box_of(players: int, mask: int) -> Box:
    """Return where a combination is drawn."""
    return (box_in_layers if players <= MOST_IN_LAYERS else box_in_grid)(players, mask)
