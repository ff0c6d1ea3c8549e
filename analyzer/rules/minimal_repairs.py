"""Turn a worth table into the minimal repairing coalitions: the sets of fixes that repair with nothing to spare."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.worth import (
    BadTable,
    NotFinite,
    Outcomes,
    check_exact,
    coalition_sizes,
    player_count,
    worth_table,
)


def minimal_repairs(worth: Outcomes | NDArray[Any], denominator: int | None, level: float) -> NDArray[np.int64]:
    r"""Return the coalitions that repair a case while no proper part of them does.

    Parameters
    ----------
    worth : sequence or array of shape (2**n,)
        v(S) by coalition mask, for one game: integers over `denominator`, or finite floats when `denominator`
        is None. In the unit of the score.
    denominator : int or None
        What the integers of a rational table are divided by, at least 1; None for a real table.
    level : float
        The worth from which a coalition repairs the case, finite; see `repair_level`.

    Returns
    -------
    NDArray of int64
        The masks, by increasing size, equal sizes by increasing mask. Only 0, the empty coalition, if the case
        passes without any fix; none if no coalition repairs it. None contains another.

    Raises
    ------
    MissingWorth
        A coalition has no outcome: it may be one of them, or a part of one.
    NotFinite, BadTable
        The table is not a worth table of one game, or the level is not finite.
    TableTooLarge
        A rational table with ``2 * max|k| >= 2**53`` or ``denominator >= 2**53``.

    Notes
    -----
    .. math:: \{\, S : v(S) \ge \ell,\ v(T) < \ell \text{ for all } T \subsetneq S \,\}

    where v(S) is ``k / denominator`` in float64 for a rational table. A coalition that contains one of them need
    not repair: other fixes may spoil it. Where none does, these are the minimal winning coalitions of a simple
    game, the prime implicants of its outcome. In the terms of actual causality, the steps of such a coalition
    are together a but-for cause of the failure: changing them changes the outcome, and changing fewer of them
    does not (Halpern's conditions AC2, with nothing else held fixed, and AC3). Complexity: ``n * 2**n`` steps
    on truth values.

    References
    ----------
    J. Y. Halpern, "Actual causality", MIT Press, 2016. https://doi.org/10.7551/mitpress/10809.001.0001

    Examples
    --------
    The first fix repairs the failure, or the other two together do.

    >>> minimal_repairs([0, 1, 0, 1, 0, 1, 1, 1], 1, 1.0).tolist()
    [1, 6]
    """
    table = worth_table(worth, denominator)
    if table.ndim != 1:
        raise BadTable("minimal repairs are of one game: one table, not a batch")
    if denominator is not None:
        check_exact(table, denominator, 1)
    if not math.isfinite(level):
        raise NotFinite("a repair level is a finite number")
    repairs = table / (1 if denominator is None else denominator) >= level
    players = player_count(len(table))
    part_repairs = np.zeros_like(repairs)  # some proper part of the coalition does, by the bits folded so far
    for player in range(players):
        coalition = repairs.reshape(-1, 2, 1 << player)
        part = part_repairs.reshape(-1, 2, 1 << player)
        part[:, 1] |= coalition[:, 0] | part[:, 0]
    masks = np.flatnonzero(repairs & ~part_repairs)
    by_size = np.argsort(coalition_sizes(players)[masks], kind="stable")
    return masks[by_size].astype(np.int64, copy=False)
