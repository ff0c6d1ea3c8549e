"""Turn worth tables into Shapley values, with the same bits in every language and on every platform."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.worth import (
    Worth,
    check_exact,
    check_finite,
    check_overflow,
    coalition_sizes,
    player_count,
    worth_table,
)

_MATRIX_PLAYERS = 10  # the matrix of a larger game outgrows the cache: folding along bits is faster
_LANE_PLAYERS = 12  # beyond, so few games fit the cache together that one at a time is as fast
_LANE_GAMES = 16  # with fewer games, the calls to numpy cost more than they spare
_LANE_DOUBLES = 2**17  # how much the marginal contributions of one player to a chunk of games may take


def shapley(worth: Worth, denominator: int | None) -> NDArray[np.float64]:
    r"""Return the Shapley value of every player.

    The Shapley value of a fix is its marginal contribution ``v(S | {i}) - v(S)``, averaged over all orderings
    in which the fixes could be put in.

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
        In the unit of the score. The values of a game sum to ``v(N) - v({})`` (efficiency). Those of a
        rational table are correctly rounded: each is the float64 nearest to the exact value, so
        interchangeable fixes tie exactly and null players get 0.

    Raises
    ------
    MissingWorth
        A coalition has no outcome.
    NotFinite, BadTable
        The table is not a worth table.
    TableTooLarge
        A rational table with ``2 * L * max|k| >= 2**53`` or ``L * denominator >= 2**53``, where
        ``L = lcm(1, ..., n)``, or a real table whose values overflow.

    Notes
    -----
    .. math:: \varphi_i = \frac{1}{L} \sum_{s=0}^{n-1} W_s
              \sum_{S \not\ni i,\ |S| = s} \bigl( v(S \cup i) - v(S) \bigr),
              \qquad W_s = \frac{L}{n \binom{n-1}{s}}

    The order of additions is part of the definition: the inner sum by increasing mask, the outer one by
    increasing s, and one division at the end, by ``L * denominator``. In a rational table every sum is an
    integer below 2**53, so any order gives the same bits, and the fastest one is taken. Complexity:
    ``n * 2**(n - 1)`` marginal contributions a game; about ``2**(n + 1)`` additions for a large rational one.

    References
    ----------
    L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games II, 1953, 307-317.
    https://doi.org/10.1515/9781400881970-018

    Examples
    --------
    A left glove and two right ones: only a pair is worth anything.

    >>> shapley([0, 0, 0, 1, 0, 1, 0, 1], 1).tolist()
    [0.6666666666666666, 0.16666666666666666, 0.16666666666666666]
    """
    numerators, divisor = shapley_numerators(worth, denominator)
    return numerators / divisor


def shapley_numerators(worth: Worth, denominator: int | None) -> tuple[NDArray[np.float64], int]:
    """Return the Shapley values before their one division, and what divides them.

    Parameters
    ----------
    worth : sequence or array of shape (2**n,) or (m, 2**n)
        As in `shapley`.
    denominator : int or None
        As in `shapley`.

    Returns
    -------
    numerators : NDArray of float64, shape (n,) or (m, n)
        Integers, exactly, for a rational table: fit for questions such as "more than half?".
    divisor : int
        ``L * denominator``, or L for a real table.
    """
    # Every score of a real table is part of every value, so what is not finite shows there: one pass spared.
    table = worth_table(worth, denominator, finite=False)
    games = np.atleast_2d(table)
    players = player_count(games.shape[1])
    weights, unit = size_weights(players)
    if denominator is None:
        with np.errstate(over="ignore", invalid="ignore"):
            numerators = _ordered_numerators(games, weights)
        if players == 0 or not np.isfinite(numerators).all():
            check_finite(table)
            check_overflow(numerators)
    else:
        check_exact(games, denominator, unit)
        numerators = _exact_numerators(games, weights, unit)
    shape = (*table.shape[:-1], players)
    return numerators.reshape(shape), unit * (1 if denominator is None else denominator)


def size_weights(players: int) -> tuple[tuple[int, ...], int]:
    """Return the weight W_s of each coalition size s as an integer, and the unit L it counts in."""
    unit = math.lcm(*range(1, players + 1))
    return tuple(unit // (players * math.comb(players - 1, size)) for size in range(players)), unit


def _exact_numerators(games: NDArray[Any], weights: tuple[int, ...], unit: int) -> NDArray[np.float64]:
    """Return the numerators of rational games, by the fastest order of additions."""
    players = len(weights)
    if players > _MATRIX_PLAYERS:
        return np.array([_folded_numerators(game, weights, unit) for game in games], dtype=np.float64)
    # Every product and partial sum is an integer below 2**53 (check_exact saw to it), which float64 holds:
    # the matrix product is exact in whatever order, or with whatever fused steps, BLAS computes it.
    matrix = _coefficients(players)
    numerators = np.empty((len(games), players))
    rows = 256
    for start in range(0, len(games), rows):
        chunk = games[start : start + rows].astype(np.float64)
        np.matmul(chunk, matrix, out=numerators[start : start + rows])
    return numerators


@lru_cache(maxsize=_MATRIX_PLAYERS + 1)
def _coefficients(players: int) -> NDArray[np.float64]:
    """Return what each coalition's worth counts for each player; shape (2**players, players)."""
    joins = np.array([*size_weights(players)[0], 0])  # by size without the player
    sizes = coalition_sizes(players).astype(np.intp)
    belongs = np.arange(len(sizes))[:, None] >> np.arange(players) & 1 == 1
    matrix = np.where(belongs, joins[sizes - 1][:, None], -joins[sizes][:, None]).astype(np.float64)
    matrix.setflags(write=False)
    return matrix


def _folded_numerators(game: NDArray[Any], weights: tuple[int, ...], unit: int) -> list[int]:
    """Return the numerators of one rational game by folding the table along its bits."""
    # With a(S) = W_(|S|-1) v(S) for members and b(S) = W_|S| v(S) for the others, a numerator is
    # sum of a over S with i, less sum of b over S without i; that is, sum of a + b over S with i, less the
    # sum of b over all S. The latter is the same for all players, and efficiency says how much it is.
    players = len(weights)
    by_size = np.array([*weights, 0]) + np.array([0, *weights])
    folded = by_size[coalition_sizes(players)] * game.astype(np.int64, copy=False)
    with_player = [0] * players
    for player in reversed(range(players)):
        lower, upper = folded[: 1 << player], folded[1 << player :]
        with_player[player] = int(upper.sum())  # of integers: exact in any order
        folded = lower + upper
    to_share = unit * (int(game[-1]) - int(game[0]))
    common = (sum(with_player) - to_share) // players
    return [total - common for total in with_player]


def _ordered_numerators(games: NDArray[np.float64], weights: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the numerators of real games; the order of additions is the documented one."""
    players = len(weights)
    if players == 0:
        return np.empty((len(games), 0))
    if len(games) >= _LANE_GAMES and players <= _LANE_PLAYERS:
        return _numerators_in_lanes(games, weights)
    return np.array([_numerators_in_bins(game, weights) for game in games])


def _numerators_in_bins(game: NDArray[np.float64], weights: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the numerators of one real game: numpy's bincount adds in the order of its input."""
    players = len(weights)
    sizes = coalition_sizes(players - 1).astype(np.intp)  # of the coalitions without the player
    numerators = np.empty(players)
    for player in range(players):
        pairs = game.reshape(-1, 2, 1 << player)
        marginals = (pairs[:, 1] - pairs[:, 0]).reshape(-1)  # by increasing mask
        by_size = np.bincount(sizes, weights=marginals, minlength=players)
        total = 0.0
        for weight, size_sum in zip(weights, by_size.tolist(), strict=True):
            total += weight * size_sum
        numerators[player] = total
    return numerators


def _numerators_in_lanes(games: NDArray[np.float64], weights: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the numerators of many real games, each operation carried out on all games of a chunk at once."""
    players = len(weights)
    half = 1 << (players - 1)
    lanes = min(len(games), max(_LANE_GAMES, _LANE_DOUBLES // half))
    # Games lie a power of two apart, which maps a column of them to few cache sets: rows padded by one cache
    # line transpose at twice the speed.
    padded = np.zeros((lanes, 2 * half + 8))
    table = np.empty((2 * half, lanes))
    marginals = np.empty((half, lanes))
    by_size = np.empty((players, lanes))
    totals = np.empty((players, lanes))
    # Coalitions 2k and 2k + 1 have sizes that follow each other: one call adds both, and the order within a
    # size stays that of the masks.
    together = min(2, half)
    additions = [
        (by_size[size : size + together], marginals[rank : rank + together])
        for rank, size in enumerate(coalition_sizes(players - 1).tolist())
        if rank % together == 0
    ]
    numerators = np.empty((len(games), players))
    for start in range(0, len(games), lanes):
        chunk = games[start : start + lanes]
        padded[: len(chunk), : 2 * half] = chunk
        table[:] = padded[:, : 2 * half].T
        totals.fill(0.0)
        for player in range(players):
            pairs = table.reshape(-1, 2, 1 << player, lanes)
            np.subtract(pairs[:, 1], pairs[:, 0], out=marginals.reshape(-1, 1 << player, lanes))
            by_size.fill(0.0)
            for sums, rows in additions:
                np.add(sums, rows, out=sums)
            for weight, sums in zip(weights, by_size, strict=True):
                totals[player] += weight * sums
        numerators[start : start + lanes] = totals[:, : len(chunk)].T
    return numerators
