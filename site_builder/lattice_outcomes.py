"""Turns the outcomes of every combination of fixes into what a picture shows of each: a shade, and what shades mean.

The page does the same with lattice_outcomes.js.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from analyzer.game_file import CaseGame, Header
from analyzer.rules import number_text, repair_level

#: Shades of outcomes, from the lowest to the highest.
SHADES = 5


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


def outcomes_of(game: CaseGame, header: Header) -> Outcomes:
    """Return the outcomes of a game that lists every coalition."""
    worlds, score = game.denominator or 1, header.scenario.score
    shares = tuple(None if worth is None else worth / worlds for worth in game.worth)
    level = repair_level(score.threshold, game.denominator)
    return Outcomes(header.player_titles, shares, level, worlds, score.graded)


def shades_text(found: Outcomes) -> str:
    """Return what the shades mean; nothing where outcomes are only pass or fail."""
    low, high = ends_of(found)
    if found.graded:
        ends = f"Shades run from {number_text(low)} to {number_text(high)}"
        return f"{ends}: the deeper the green or the red, the farther from what passes just so."
    if found.worlds == 1:
        return ""
    return f"Shades: the deeper the green, the more of the {found.worlds} worlds pass; the deeper the red, the fewer."


def ends_of(found: Outcomes) -> tuple[float, float]:
    """Return the outcomes that have the outermost shades."""
    if not found.graded:
        return 0.0, 1.0
    known = [share for share in found.shares if share is not None]
    return min(known, default=0.0), max(known, default=0.0)


def kind_of(share: float | None, found: Outcomes, ends: tuple[float, float]) -> str:
    """Return the classes of an outcome: whether it passes, and its shade."""
    if share is None:
        return "is-missing"
    return f"is-{'pass' if share >= found.level else 'fail'} shade-{_shade(share, *ends)}"


def _shade(share: float, low: float, high: float) -> int:
    # Divided by the largest first, so that the range of two huge values cannot overflow.
    largest = max(abs(low), abs(high))
    if not low < high:
        return SHADES // 2
    from_low, span = share / largest - low / largest, high / largest - low / largest
    return math.floor(from_low / span * (SHADES - 1) + 0.5)
