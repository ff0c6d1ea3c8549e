"""Turn worth tables into Harsanyi dividends: what each coalition adds beyond its parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.worth import Worth, check_exact, check_overflow, player_count, worth_table


def harsanyi_dividends(worth: Worth, denominator: int | None) -> NDArray[np.float64]:
    r"""Return the Harsanyi dividend of every coalition.

    The dividend of a coalition is its worth less the dividends of all its proper parts: what only these fixes
    together bring about. It is negative where fixes stand in for, or spoil, one another.

    Parameters
    ----------
    worth : sequence or array of shape (2**n,) or (m, 2**n)
        v(S) by coalition mask, for one game or for m games: integers over `denominator`, or finite floats
        when `denominator` is None. In the unit of the score.
    denominator : int or None
        What the integers of a rational table are divided by, at least 1; None for a real table.

    Returns
    -------
    NDArray of float64, shape (2**n,) or (m, 2**n)
        By coalition mask, in the unit of the score; the first is ``v({})``. The dividends of the parts of a
        coalition, its own included, sum to its worth. Those of a rational table are correctly rounded.

    Raises
    ------
    MissingWorth
        A coalition has no outcome.
    NotFinite, BadTable
        The table is not a worth table.
    TableTooLarge
        A rational table with ``2**n * max|k| >= 2**53`` (``2 * max|k|`` without players), or a real table whose
        dividends overflow.

    Notes
    -----
    .. math:: d(S) = \sum_{T \subseteq S} (-1)^{|S| - |T|} \, v(T)

    The order of subtractions is part of the definition: bit by bit, player 0 first; at each player, every
    coalition with it loses what the coalition without it then holds, masks increasing. One division at the
    end, by `denominator`. Complexity: ``n * 2**(n - 1)`` subtractions a game.

    The dividends are the game in the basis of unanimity games. The Shapley value of a player is the sum of
    ``d(S) / |S|``, its Banzhaf value that of ``d(S) / 2**(|S| - 1)``, over all S that hold it.

    References
    ----------
    J. C. Harsanyi, "A simplified bargaining model for the n-person cooperative game", International Economic
    Review 4(2), 1963, 194-220. https://doi.org/10.2307/2525487

    Examples
    --------
    Either fix repairs the failure, so together they add nothing to what each of them counts for alone: -1.

    >>> harsanyi_dividends([0, 1, 1, 1], 1).tolist()
    [0.0, 1.0, 1.0, -1.0]
    """
    table = worth_table(worth, denominator)
    players = player_count(table.shape[-1])
    if denominator is not None:
        check_exact(table, 1, 1 << max(0, players - 1))
    dividends: NDArray[Any] = np.array(table, dtype=np.float64 if denominator is None else np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        for player in range(players):
            pairs = dividends.reshape(-1, 2, 1 << player)
            pairs[:, 1] -= pairs[:, 0]
    values: NDArray[np.float64] = dividends / (1 if denominator is None else denominator) + 0.0  # no -0
    check_overflow(values)
    return values
