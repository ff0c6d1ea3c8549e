"""Turns the games of many failing cases into one table over all of them: a row per fix, and what sets of fixes repair.

The work has two halves, so that a change to one case is a change to its figures only: `case_figures` reads one game,
`batch_table` puts the figures of many together. The page does both, with ``batch_case.js`` and ``batch_totals.js``, to
the last bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.game import Game, values
from analyzer.rules import (
    best_fix_sets,
    betting_interval,
    mean_and_deviation,
    minimal_repairs,
    necessity,
    separation,
    shapley_interaction,
    share_of_repair,
    sufficiency,
)

Bounds = tuple[float, float]


@dataclass(frozen=True)
class CaseFigures:
    """What one case adds to the table.

    Attributes
    ----------
    shapley : tuple of float
        Values by player.
    last_touch : tuple of float, or None
        Those, too; None where the steps have no order.
    alone : tuple of bool
        Whether this fix alone repairs the case.
    empty, grand : float
        The outcome without any fix, and with all of them.
    passes, repaired : bool
        Whether these reach the level of a repair.
    necessity, sufficiency : tuple of (float, float), or None
        Bounds of each fix's probability; None where the condition never happens.
    interactions : tuple of float, or None
        The n×n Shapley interaction indices, row by row. This and the next two are None in a sampled game.
    repairing : tuple of bool, or None
        Whether each coalition repairs the case, by mask.
    minimal : tuple of int, or None
        Its minimal repairing coalitions.
    """

    shapley: tuple[float, ...]
    last_touch: tuple[float, ...] | None
    alone: tuple[bool, ...]
    empty: float
    grand: float
    passes: bool
    repaired: bool
    necessity: tuple[Bounds, ...] | None
    sufficiency: tuple[Bounds, ...] | None
    interactions: tuple[float, ...] | None
    repairing: tuple[bool, ...] | None
    minimal: tuple[int, ...] | None


@dataclass(frozen=True)
class FixRow:
    """A fix over all cases.

    Attributes
    ----------
    mean : float
        Mean Shapley value.
    low, high : float or None
        Its confidence interval; the intervals of all fixes hold jointly. None where the value of a case is an estimate:
        its error is not known to even out over cases.
    deviation : float or None
        Standard deviation over cases; None for one case.
    share : float or None
        Part of all repair; None when a mean is negative or there is no repair.
    alone : int
        Cases that this fix alone repairs.
    last_touch : int or None
        Cases in which last-step blame names this step; None where the steps have no order.
    necessity, sufficiency : (float, float, int), or None
        Mean bounds of its probability, and the number of cases in which it is defined; None where there is none.
    """

    mean: float
    low: float | None
    high: float | None
    deviation: float | None
    share: float | None
    alone: int
    last_touch: int | None
    necessity: tuple[float, float, int] | None
    sufficiency: tuple[float, float, int] | None


@dataclass(frozen=True)
class BatchTable:
    """Everything said over many failing cases.

    Attributes
    ----------
    cases, complete : int
        How many there are, and how many of them have values; all figures are over the latter.
    empty, grand : float
        Mean outcome without any fix (the control), and with all fixes.
    passes, repaired : int
        Cases that pass without any fix, and that all fixes together repair.
    fixes : tuple of FixRow
        In step order; empty when no case has values.
    leader : int or None
        The fix whose mean value is claimed to be the single largest; None where no claim can be made.
    interactions : tuple of float, or None
        Mean Shapley interaction indices, n×n, row by row; None where no game lists all coalitions.
    exact : int
        Cases that list all coalitions: `interactions`, `sets` and `minimal` are over these.
    sets : tuple of (int, int, int)
        For each size: the set of fixes that repairs most cases, how many, and how many sets of that size tie.
    minimal : tuple of (int, int)
        Minimal repairing coalitions and in how many cases they are one; the most frequent first, then the smallest,
        then by mask.
    """

    cases: int
    complete: int
    empty: float
    grand: float
    passes: int
    repaired: int
    fixes: tuple[FixRow, ...]
    leader: int | None
    interactions: tuple[float, ...] | None
    exact: int
    sets: tuple[tuple[int, int, int], ...]
    minimal: tuple[tuple[int, int], ...]


def case_figures(game: Game, level: float, *, graded: bool) -> CaseFigures | None:
    """Return what one case adds to the table.

    Parameters
    ----------
    game : Game
    level : float
        The outcome from which a coalition repairs the case; see `analyzer.rules.repair_level`.
    graded : bool
        Whether outcomes are numbers on a scale. Probabilities of necessity and sufficiency are then about reaching
        the level.

    Returns
    -------
    CaseFigures or None
        None where a coalition has no outcome.
    """
    if game.withheld is not None:
        return None
    outcomes = [worth / (game.denominator or 1) for worth in game.worth if worth is not None]
    found = values(game)
    shapley, touched = found["shapley"], found["last_touch"]
    assert shapley is not None
    players = range(len(game.players))
    single = [game.alone(player)[1] for player in players]
    ends = outcomes[0], outcomes[-1]
    alone = tuple((worth or 0) / (game.denominator or 1) >= level for worth in single)
    common = (shapley, touched, alone, *ends, ends[0] >= level, ends[1] >= level)
    if game.coalitions is not None:
        return CaseFigures(*common, None, None, None, None, None)
    repairing = tuple(outcome >= level for outcome in outcomes)
    return CaseFigures(
        *common,
        *causes(game.worth, game.denominator, repairing if graded else None),
        tuple(shapley_interaction(game.worth, game.denominator).ravel().tolist()),
        repairing,
        tuple(minimal_repairs(game.worth, game.denominator, level).tolist()),
    )


def causes(
    worth: Sequence[int | float | None], denominator: int | None, repairing: Sequence[bool] | None
) -> tuple[tuple[Bounds, ...] | None, tuple[Bounds, ...] | None]:
    """Return bounds of each fix's probability of necessity and of sufficiency; None where a condition never happens.

    Parameters
    ----------
    worth : sequence of length 2**n
        v(S) by coalition mask, whole.
    denominator : int or None
        Of a rational table.
    repairing : sequence of bool, or None
        Whether each coalition reaches the level, for graded scores, which are no probabilities themselves.
    """
    table = (worth, denominator) if repairing is None else ([int(repairs) for repairs in repairing], 1)
    return _bounds(necessity(*table)), _bounds(sufficiency(*table))


def _bounds(found: np.ndarray | None) -> tuple[Bounds, ...] | None:
    return None if found is None else tuple((float(low), float(high)) for low, high in found)


def batch_table(figures: Sequence[CaseFigures | None], players: int, spread: float, delta: float) -> BatchTable:
    """Put the figures of many cases together.

    Parameters
    ----------
    figures : sequence of CaseFigures or None
        In case order; None for a case without values.
    players : int
    spread : float
        The length of the score's range.
    delta : float
        Error probability: of the intervals jointly, and of the claim who leads.

    Returns
    -------
    BatchTable
        Every mean is a sum in case order and one division.
    """
    complete = [one for one in figures if one is not None]
    if not complete:
        return BatchTable(len(figures), 0, 0.0, 0.0, 0, 0, (), None, None, 0, (), ())
    rows = [one.shapley for one in complete]
    means, deviations = mean_and_deviation(rows)
    shares = share_of_repair(means)
    (empty, grand), _ = mean_and_deviation([(one.empty, one.grand) for one in complete])
    exact = [one for one in complete if one.repairing is not None]
    # Estimates are no observations of the values: how their errors add up over cases is not known.
    sure = players > 0 and len(exact) == len(complete)
    # Each side of each interval may be wrong with its part of delta.
    bounds = betting_interval(rows, -spread, spread, 2 * players / delta) if sure else None
    return BatchTable(
        cases=len(figures),
        complete=len(complete),
        empty=float(empty),
        grand=float(grand),
        passes=sum(one.passes for one in complete),
        repaired=sum(one.repaired for one in complete),
        fixes=tuple(
            FixRow(
                mean=float(means[player]),
                low=None if bounds is None else float(bounds[0][player]),
                high=None if bounds is None else float(bounds[1][player]),
                deviation=None if deviations is None else float(deviations[player]),
                share=None if shares is None else float(shares[player]),
                alone=sum(one.alone[player] for one in complete),
                last_touch=_touched([one.last_touch for one in complete], player),
                necessity=_mean_bounds([one.necessity[player] for one in complete if one.necessity is not None]),
                sufficiency=_mean_bounds([one.sufficiency[player] for one in complete if one.sufficiency is not None]),
            )
            for player in range(players)
        ),
        leader=separation(rows, spread, players / delta) if sure else None,
        interactions=_mean_interactions(exact),
        exact=len(exact),
        sets=_sets(exact, players),
        minimal=_minimal(exact),
    )


def _touched(marks: Sequence[tuple[float, ...] | None], player: int) -> int | None:
    """Return in how many cases last touch marks a player; None where it marks nobody in any, for want of an order."""
    known = [each for each in marks if each is not None]
    return sum(each[player] > 0 for each in known) if known else None


def _mean_bounds(bounds: Sequence[Bounds]) -> tuple[float, float, int] | None:
    if not bounds:
        return None
    (low, high), _ = mean_and_deviation(bounds)
    return float(low), float(high), len(bounds)


def _mean_interactions(exact: Sequence[CaseFigures]) -> tuple[float, ...] | None:
    rows = [one.interactions for one in exact if one.interactions is not None]
    return tuple(float(mean) for mean in mean_and_deviation(rows)[0]) if rows else None


def _sets(exact: Sequence[CaseFigures], players: int) -> tuple[tuple[int, int, int], ...]:
    if not exact:
        return ()
    repaired = np.zeros(2**players, dtype=np.int64)
    for one in exact:
        repaired += np.array(one.repairing, dtype=np.int64)
    return tuple(best_fix_sets(repaired, players))


def _minimal(exact: Sequence[CaseFigures]) -> tuple[tuple[int, int], ...]:
    counted = Counter(mask for one in exact for mask in one.minimal or ())
    return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0].bit_count(), item[0])))
