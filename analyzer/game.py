"""Turns a case's scores under all coalitions into a game: players, a worth table, and the rule values it supports."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.rules import banzhaf, fix_alone, last_touch, leave_one_out, shapley

#: Most players whose coalitions are all listed.
MOST_LISTED = 20

Pair = tuple[int | float | None, int | float | None]

#: The rules every game carries, by the name they have in game files, in the order they are shown.
RULES = ("shapley", "banzhaf", "fix_alone", "leave_one_out", "last_touch")


@dataclass(frozen=True)
class Game:
    """One failing case as a cooperative game of its fixes.

    Attributes
    ----------
    players : tuple of str
        Step ids of the steps that have a fix, in run order; player ``i`` is bit ``1 << i`` of a coalition's mask.
    worth : tuple of int, float or None
        An entry per coalition; integers in units of ``1 / denominator`` when the game is rational, float64 otherwise,
        None for a coalition whose run failed.
    denominator : int or None
        The common denominator of a rational game; None for a real-valued one.
    outputs : tuple of tuple of int or None
        For each player the index of the distinct output its step showed under each coalition; None where the coalition
        is missing. None for all where the steps have no order of their own, so that none of them is the last.
    errors : mapping of int to str
        Why each missing coalition is missing.
    coalitions : tuple of int or None
        The mask of each entry, increasing, in a game that lists only some: at least the `landmarks`. None for all
        ``2**n`` in mask order.
    estimates : tuple of float or None
        Shapley values as sampled, for a game that lists only some coalitions.
    """

    players: tuple[str, ...]
    worth: tuple[int | float | None, ...]
    denominator: int | None
    outputs: tuple[tuple[int | None, ...], ...] | None
    errors: Mapping[int, str] = field(default_factory=dict)
    coalitions: tuple[int, ...] | None = None
    estimates: tuple[float, ...] | None = None

    @property
    def masks(self) -> Sequence[int]:
        """The coalition of each entry."""
        return range(len(self.worth)) if self.coalitions is None else self.coalitions

    @property
    def withheld(self) -> str | None:
        """Why this game's values are not computed, or None when they are."""
        holes = [mask for mask, value in zip(self.masks, self.worth, strict=True) if value is None]
        if holes:
            first = self.errors.get(holes[0], "no score")
            return f"{len(holes)} of {len(self.worth)} coalitions are missing; coalition {holes[0]}: {first}"
        if self.coalitions is not None and self.estimates is None:
            return "the values were not estimated"
        return None

    def alone(self, player: int) -> Pair:
        """Return v without any fix, and with this fix alone."""
        return self.worth[0], self.worth[self._place[1 << player]]

    def left_out(self, player: int) -> Pair:
        """Return v with all fixes but this one, and with all."""
        return self.worth[self._place[(1 << len(self.players)) - 1 - (1 << player)]], self.worth[-1]

    @functools.cached_property
    def _place(self) -> Sequence[int] | Mapping[int, int]:
        masks = self.masks
        return masks if isinstance(masks, range) else {mask: place for place, mask in enumerate(masks)}


def landmarks(players: int) -> tuple[int, ...]:
    """Return the coalitions that every game lists, by increasing mask: no fix, each alone, all but each, and all."""
    grand, singles = (1 << players) - 1, [1 << player for player in range(players)]
    return tuple(sorted({0, grand, *singles, *(grand ^ single for single in singles)}))


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
    """Return the values of last touch alone, or None when they are withheld or no step is the last."""
    if game.withheld is not None or game.outputs is None:
        return None
    return tuple(last_touch(game.outputs).tolist())


def values(game: Game) -> dict[str, tuple[float, ...] | None]:
    """Apply every rule to a game.

    Returns
    -------
    dict
        For each name in `RULES` one float per player; None for all of them when a coalition is missing (a hole is
        never taken for a score), and for a rule that needs what the game does not have: coalitions that it does not
        list, an order of steps.
    """
    found: dict[str, Iterable[float] | None] = dict.fromkeys(RULES)
    if game.withheld is not None:
        return dict.fromkeys(RULES)
    if game.coalitions is None:
        found["shapley"] = shapley(game.worth, game.denominator)
        found["banzhaf"] = banzhaf(game.worth, game.denominator)
        found["fix_alone"] = fix_alone(game.worth, game.denominator)
        found["leave_one_out"] = leave_one_out(game.worth, game.denominator)
    else:
        # Both rules read two coalitions per player: those are a game of that player alone.
        players = range(len(game.players))
        found["shapley"] = game.estimates
        found["fix_alone"] = fix_alone([game.alone(player) for player in players], game.denominator)[:, 0]
        found["leave_one_out"] = leave_one_out([game.left_out(player) for player in players], game.denominator)[:, 0]
    found["last_touch"] = touched(game)
    return {
        name: None if numbers is None else tuple(float(value) for value in numbers) for name, numbers in found.items()
    }
