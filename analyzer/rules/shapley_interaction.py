"""Turn worth tables into Shapley interaction indices: which two fixes need, and which replace, each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.shapley import size_weights
from analyzer.rules.worth import Worth, check_exact, check_overflow, coalition_sizes, player_count, worth_table

_TOGETHER = 2**17  # differences of a pair that are worked on at once: as many as stay in the cache


def shapley_interaction(worth: Worth, denominator: int | None) -> NDArray[np.float64]:
    r"""Return the Shapley interaction index of every pair of players.

    It is how much one fix raises the marginal contribution of the other, averaged over all orderings in which
    the other fixes and the pair, as one, could be put in. Positive: the two need each other (synergy). Negative:
    one does the other's work (redundancy). 0: on average, what one contributes does not hang on the other.

    Parameters
    ----------
    worth : sequence or array of shape (2**n,) or (m, 2**n)
        v(S) by coalition mask, for one game or for m games: integers over `denominator`, or finite floats
        when `denominator` is None. In the unit of the score.
    denominator : int or None
        What the integers of a rational table are divided by, at least 1; None for a real table.

    Returns
    -------
    NDArray of float64, shape (n, n) or (m, n, n)
        Symmetric, 0 on the diagonal. In the unit of the score, between ``-2 * (max v - min v)`` and
        ``2 * (max v - min v)``. Those of a rational table are correctly rounded.

    Raises
    ------
    MissingWorth
        A coalition has no outcome.
    NotFinite, BadTable
        The table is not a worth table.
    TableTooLarge
        A rational table with ``4 * L * max|k| >= 2**53`` or ``2 * L * denominator >= 2**53``, where
        ``L = lcm(1, ..., n - 1)``, or a real table whose values overflow.

    Notes
    -----
    .. math:: I_{ij} = \frac{1}{L} \sum_{s=0}^{n-2} W_s \sum_{S \not\ni i, j,\ |S| = s}
              \bigl( v(S \cup ij) - v(S \cup i) \bigr) - \bigl( v(S \cup j) - v(S) \bigr),
              \qquad W_s = \frac{L}{(n-1) \binom{n-2}{s}}

    so that a coalition of size s weighs ``s! (n - s - 2)! / (n - 1)!``. The order of operations is part of the
    definition: i is the earlier player of the two; the difference of differences as written; the inner sum by
    increasing mask, the outer one by increasing s; one division at the end, by ``L * denominator``. In a
    rational table every sum is an integer below 2**53. Complexity: ``n * (n - 1) / 2 * 2**(n - 2)`` differences
    of differences a game.

    References
    ----------
    G. Owen, "Multilinear extensions of games", Management Science 18(5), 1972, 64-79.
    https://doi.org/10.1287/mnsc.18.5.64

    M. Grabisch and M. Roubens, "An axiomatic approach to the concept of interaction among players in
    cooperative games", International Journal of Game Theory 28, 1999, 547-565.
    https://doi.org/10.1007/s001820050125

    Examples
    --------
    A left glove and two right ones: a left and a right one need each other, the right ones replace each other.

    >>> shapley_interaction([0, 0, 0, 1, 0, 1, 0, 1], 1).tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, -0.5], [0.5, -0.5, 0.0]]
    """
    table = worth_table(worth, denominator)
    games = np.atleast_2d(table)
    players = player_count(games.shape[1])
    weights, unit = size_weights(max(0, players - 1))
    if denominator is not None:
        check_exact(games, denominator, 2 * unit)
    numerators = np.zeros((len(games), players, players))
    rows = max(1, _TOGETHER >> max(0, players - 2))
    for start in range(0, len(games), rows):
        # Of a rational table too: every sum is an integer below 2**53, which float64 holds.
        chunk = games[start : start + rows].astype(np.float64, copy=False)
        for later in range(players):
            for earlier in range(later):
                total = _pair_numerators(chunk, earlier, later, weights)
                numerators[start : start + rows, earlier, later] = total
                numerators[start : start + rows, later, earlier] = total
    check_overflow(numerators)
    shape = (*table.shape[:-1], players, players)
    return numerators.reshape(shape) / (unit * (1 if denominator is None else denominator))


def _pair_numerators(
    games: NDArray[np.float64], earlier: int, later: int, weights: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return the indices of one pair before their one division; the order of operations is the documented one."""
    count, coalitions = games.shape
    split = games.reshape(count, -1, 2, 1 << (later - earlier - 1), 2, 1 << earlier)
    with np.errstate(over="ignore", invalid="ignore"):
        gains = split[:, :, 1] - split[:, :, 0]  # of the later player
        raised = gains[:, :, :, 1] - gains[:, :, :, 0]  # by the earlier one; the rest of the mask increasing
        sizes = coalition_sizes(player_count(coalitions) - 2).astype(np.intp)
        bins = np.add.outer(np.arange(count) * len(weights), sizes)
        # numpy's bincount adds in the order of its input
        by_size = np.bincount(bins.reshape(-1), weights=raised.reshape(-1), minlength=count * len(weights))
        total = np.zeros(count)
        for weight, sums in zip(weights, by_size.reshape(count, -1).T, strict=True):
            total += weight * sums
    return total
