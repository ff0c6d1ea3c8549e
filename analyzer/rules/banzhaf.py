"""Turn worth tables into Banzhaf values: what each fix changes on average, all coalitions being equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.worth import Worth, check_exact, check_overflow, player_count, worth_table

_TOGETHER = 2**17  # marginal contributions of a player that are worked on at once: as many as stay in the cache


def banzhaf(worth: Worth, denominator: int | None) -> NDArray[np.float64]:
    r"""Return the Banzhaf value of every player.

    The Banzhaf value of a fix is its marginal contribution ``v(S | {i}) - v(S)``, averaged over all coalitions
    of the other fixes. In a pass-fail game it is the chance that the fix decides the outcome when every other
    one is in or out by the toss of a coin.

    Parameters
    ----------
    worth : sequence or array of shape (2**n,) or (m, 2**n)
        v(S) by coalition mask, for one game or for m games: integers over `denominator`, or finite floats
        when `denominator` is None. In the unit of the score.
    denominator : int or None
        What the integers of a rational table are divided by, at least 1; None for a real table.

    Returns
    -------
    NDArray of float64, shape (n,) or (m, n)
        In the unit of the score, between ``min v - max v`` and ``max v - min v``. They sum to nothing in
        particular; of two fixes, they sum to the value that the pair has as one player. Those of a rational
        table are correctly rounded.

    Raises
    ------
    MissingWorth
        A coalition has no outcome.
    NotFinite, BadTable
        The table is not a worth table.
    TableTooLarge
        A rational table with ``2 * H * max|k| >= 2**53`` or ``H * denominator >= 2**53``, where
        ``H = 2**(n - 1)`` (1 without players), or a real table whose sums overflow.

    Notes
    -----
    .. math:: \beta_i = \frac{1}{2^{n-1}} \sum_{S \not\ni i} \bigl( v(S \cup i) - v(S) \bigr)

    The order of additions is part of the definition: by increasing mask, and one division at the end, by
    ``H * denominator``. In a rational table every sum is an integer below 2**53, so any order gives the same
    bits. Complexity: ``n * 2**(n - 1)`` marginal contributions a game.

    References
    ----------
    J. F. Banzhaf, "Weighted voting doesn't work: a mathematical analysis", Rutgers Law Review 19, 1965,
    317-343. The same measure: L. S. Penrose, "The elementary statistics of majority voting", Journal of the
    Royal Statistical Society 109, 1946, 53-57. https://doi.org/10.2307/2981392

    Examples
    --------
    A left glove and two right ones: the left one decides unless both right ones are missing.

    >>> banzhaf([0, 0, 0, 1, 0, 1, 0, 1], 1).tolist()
    [0.75, 0.25, 0.25]
    """
    table = worth_table(worth, denominator)
    games = np.atleast_2d(table)
    players = player_count(games.shape[1])
    half = 1 << max(0, players - 1)
    if denominator is not None:
        check_exact(games, denominator, half)
    sums = np.empty((len(games), players))
    rows = max(1, _TOGETHER // half)
    for start in range(0, len(games), rows):
        # Of a rational table too: every sum is an integer below 2**53, which float64 holds.
        sums[start : start + rows] = _sums(games[start : start + rows].astype(np.float64, copy=False), players)
    check_overflow(sums)
    shape = (*table.shape[:-1], players)
    return sums.reshape(shape) / (half * (1 if denominator is None else denominator))


def _sums(games: NDArray[np.float64], players: int) -> NDArray[np.float64]:
    """Return the sums of the marginal contributions, added one after the other by increasing mask."""
    sums = np.empty((len(games), players))
    with np.errstate(over="ignore", invalid="ignore"):
        for player in range(players):
            pairs = games.reshape(-1, 2, 1 << player)
            marginals = (pairs[:, 1] - pairs[:, 0]).reshape(len(games), -1)
            # numpy's accumulate keeps the order; a sum that starts at 0 is never -0
            sums[:, player] = np.add.accumulate(marginals, axis=1)[:, -1] + 0.0
    return sums
