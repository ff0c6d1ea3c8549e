"""Turn the values of many cases into the one player whose mean is claimed to be the largest, if any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.betting import (
    OVERSHOOT,
    bet,
    capital,
    check_threshold,
    checked_range,
    mean_capital,
    parts_of_range,
    start,
)
from analyzer.rules.mean_and_deviation import Rows, case_table, ordered_sum
from analyzer.rules.rank import rank
from analyzer.rules.worth import BadTable, check_overflow

_ROUNDING = 2.0**-20
"""By what part of itself a product of fewer than 2**30 factors may change with their order, and far more."""


def separation(rows: Rows, spread: float, threshold: float) -> int | None:
    r"""Return the player whose mean is claimed to be larger than that of every other player, or None.

    With a threshold of ``n / delta``, and cases drawn independently and alike, the probability of *ever* claiming a
    player that is not the only one with the largest true mean is at most delta, however often one looks. So a batch may
    stop at the first claim.

    Parameters
    ----------
    rows : sequence or array of shape (m, n)
        One row per case, in case order, with one finite number per player in step order, in any unit.
    spread : float
        The most by which the values of two players in one case can differ, by what they are, above 0. For Shapley
        values it is the length of the range of scores: ``phi_i - phi_j`` is a weighted mean of
        ``v(S + i) - v(S + j)``.
    threshold : float
        The capital from which a difference counts as proven, above 1 and at most ``2**1000``.

    Returns
    -------
    int or None
        The player with the largest mean so far (the first of equals), if it is separated from every other one; else
        None, as for no case or no player. A single player is separated from doing nothing, whose value is 0.

    Raises
    ------
    BadTable
        The rows differ in length, an entry is no number, two values of a case differ by more than `spread` (and
        ``2**-40`` of it; for a single player, a value is that far from 0), `spread` is not above 0, or `threshold`
        not above 1.
    NotFinite
        A value or the spread is NaN or infinite.
    TableTooLarge
        Twice the spread, or the sum of a player's values, overflows.

    Notes
    -----
    The claim is made if for every other player j the `capital` of the differences ``x[leader] - x[j]``, which lie in
    ``[-spread, spread]``, at a candidate mean of 0 is at least the threshold. The differences are taken case by case,
    so what moves both values alike (a hard case, a lucky world) cancels.

    Let k be a player with the largest true mean. A wrong claim either names another player l, and then the capital of
    ``x_l - x_k``, whose true mean is not above 0, has reached the threshold; or it names k although some j is as good,
    and then that of ``x_k - x_j``, whose true mean is 0, has. These are at most n sequences, fixed beforehand: n - 1
    for the players l, one for the first such j. By Ville's inequality each ever reaches ``n / delta`` with probability
    at most ``delta / n``. That the leader is chosen by looking at the data doesn't matter: all n are covered.
    Complexity: O(m n).

    References
    ----------
    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
    Statistical Society B 86(1), 2024, 1-27. https://doi.org/10.1093/jrsssb/qkad009

    Examples
    --------
    In nine cases the first of two fixes did better; one more is enough to be 95 % sure.

    >>> cases = [[0.75, 0.25], [1.0, 0.0], [0.5, 0.0]] * 3
    >>> print(separation(cases, 1.0, 2 / 0.05))
    None
    >>> separation([*cases, [1.0, 0.0]], 1.0, 2 / 0.05)
    0
    """
    low, high = checked_range(-spread, spread)
    check_threshold(threshold)
    table = case_table(rows)
    if table.size == 0:
        return None
    _check_spread(table, high, first=0)
    leader = int(rank(ordered_sum(table) / len(table))[0])
    capitals = capital(table[:, [leader]] - _rivals(table, leader), low, high, 0.0)
    return leader if (capitals >= threshold).all() else None


class Separation:
    """The rule `separation` for cases that come one by one.

    Parameters
    ----------
    players : int
        n, the number of values in a row.
    spread, threshold : float
        As for `separation`.

    Notes
    -----
    Keeps the capital of all ordered pairs of players, multiplied case by case: O(n**2) a case, whatever went before.
    It differs from the one of the rule by rounding only. So where it is far from enough there is nothing to claim, and
    where it is not, the rule decides.

    Examples
    --------
    >>> stream = Separation(2, 1.0, 2 / 0.05)
    >>> seen = 0
    >>> while stream.leader is None:
    ...     stream.add([0.75, 0.0])
    ...     seen += 1
    >>> stream.leader, seen
    (0, 9)
    """

    def __init__(self, players: int, spread: float, threshold: float) -> None:
        self._low, self._high = checked_range(-spread, spread)
        check_threshold(threshold)
        self._spread, self._threshold = spread, threshold
        self._rows: list[NDArray[np.float64]] = []
        self._sums = np.zeros(players)
        self._mantissas, self._exponents = start((players, players))

    def add(self, row: Sequence[float] | NDArray[Any]) -> None:
        """Take in the values of the next case.

        Parameters
        ----------
        row : sequence or array of shape (n,)
            As one row of `separation`.

        Raises
        ------
        BadTable, NotFinite, TableTooLarge
            As for `separation`; the case then does not count.
        """
        table = case_table([row], first=len(self._rows))
        if table.shape[1] != len(self._sums):
            raise BadTable("the cases of a batch have one value for each of the same players")
        _check_spread(table, self._high, first=len(self._rows))
        with np.errstate(over="ignore"):
            sums = self._sums + table[0]
        check_overflow(sums)
        rivals = table if len(sums) > 1 else np.zeros((1, 1))
        above, _ = parts_of_range(table.T - rivals, self._low, self._high)
        bet(self._mantissas, self._exponents, above[None] / 0.5)  # 0 is the middle of the range
        self._sums = sums
        self._rows.append(table[0])

    @property
    def leader(self) -> int | None:
        """What `separation` returns for the cases so far."""
        if not self._rows or len(self._sums) == 0:
            return None
        leader = int(rank(self._sums / len(self._rows))[0])
        capitals = mean_capital(self._mantissas[:, leader], self._exponents[:, leader])
        others = np.delete(capitals, leader) if len(capitals) > 1 else capitals
        if (others < (1 - _ROUNDING) * self._threshold).any():
            return None
        return separation(np.array(self._rows), self._spread, self._threshold)


def _rivals(table: NDArray[np.float64], leader: int) -> NDArray[np.float64]:
    """Return the values of all but the leader; a single player's rival is to do nothing."""
    return np.delete(table, leader, axis=1) if table.shape[1] > 1 else np.zeros_like(table)


def _check_spread(table: NDArray[np.float64], spread: float, first: int) -> None:
    """Refuse cases whose values lie further apart than the spread; a single player's from 0."""
    if table.size == 0:
        return
    lows, highs = table.min(axis=1), table.max(axis=1)
    if table.shape[1] == 1:
        lows, highs = np.minimum(lows, 0.0), np.maximum(highs, 0.0)
    with np.errstate(over="ignore"):
        apart = highs - lows > spread + OVERSHOOT * spread
    if apart.any():
        raise BadTable(f"the values of case {first + int(np.argmax(apart))} lie further apart than the spread")
