"""Turns a case's scores under all coalitions into a game: players, a worth table, and the rule values it supports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.rules import fix_alone, last_touch, leave_one_out, shapley

#: The rules every game carries, by the name they have in game files, in the order they are shown.
RULES = ("shapley", "fix_alone", "leave_one_out", "last_touch")


@dataclass(frozen=True)
class Game:
    """One failing case as a cooperative game of its fixes.

    Attributes
    ----------
    players : tuple of str
        Step ids of the steps that have a fix, in run order; player ``i`` is bit ``1 << i`` of a coalition's mask.
    worth : tuple of int, float or None
        ``2**n`` entries in mask order; integers in units of ``1 / denominator`` when the game is rational, float64
        otherwise, None for a coalition whose run failed.
    denominator : int or None
        The common denominator of a rational game; None for a real-valued one.
    outputs : tuple of tuple of int or None
        For each player the index of the distinct output its step showed under each coalition (``n`` rows of
        ``2**n``); None where the coalition is missing.
    errors : mapping of int to str
        Why each missing coalition is missing.
    """

    players: tuple[str, ...]
    worth: tuple[int | float | None, ...]
    denominator: int | None
    outputs: tuple[tuple[int | None, ...], ...]
    errors: Mapping[int, str] = field(default_factory=dict)

    @property
    def withheld(self) -> str | None:
        """Why this game's values are not computed, or None when the table is complete."""
        holes = [mask for mask, value in enumerate(self.worth) if value is None]
        if not holes:
            return None
        first = self.errors.get(holes[0], "no score")
        return f"{len(holes)} of {len(self.worth)} coalitions are missing; coalition {holes[0]}: {first}"


def worth_table(
    scores: Sequence[Sequence[float | None]], *, graded: bool
) -> tuple[tuple[int | float | None, ...], int | None]:
    """Average scores over worlds into a worth table, exactly where they are pass or fail.

    Parameters
    ----------
    scores : sequence of K sequences of ``2**n`` floats or None
        One row per world; None where that world's run failed. 0 or 1 unless graded.
    graded : bool
        Whether scores are numbers on a scale.

    Returns
    -------
    worth : tuple
        ``2**n`` entries. Integers, the number of worlds that pass; or, for graded scores, the mean over worlds, added
        in world order and divided once. None where any world's run failed.
    denominator : int or None
        ``K``; None for graded scores.
    """
    worlds = len(scores)
    worth: list[int | float | None] = []
    for column in zip(*scores, strict=True):
        total: float | None = 0.0 if graded else 0
        for score in column:
            total = None if score is None or total is None else total + (score if graded else int(score))
        worth.append(total / worlds if graded and total is not None else total)
    return tuple(worth), None if graded else worlds


def touched(game: Game) -> tuple[float, ...] | None:
    """Return the values of last touch alone, or None when they are withheld."""
    return None if game.withheld is not None else tuple(last_touch(game.outputs).tolist())


def values(game: Game) -> dict[str, tuple[float, ...] | None]:
    """Apply every rule to a game.

    Returns
    -------
    dict
        For each name in `RULES` one float per player, or None for all of them when a coalition is missing: a hole is
        never taken for a score.
    """
    if game.withheld is not None:
        return dict.fromkeys(RULES)
    arrays: dict[str, Iterable[float]] = {
        "shapley": shapley(game.worth, game.denominator),
        "fix_alone": fix_alone(game.worth, game.denominator),
        "leave_one_out": leave_one_out(game.worth, game.denominator),
        "last_touch": last_touch(game.outputs),
    }
    return {name: tuple(float(value) for value in arrays[name]) for name in RULES}
