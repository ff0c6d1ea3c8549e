"""Turns observations that may depend on those before them into intervals and claims that hold at every count at once.

By betting: all that is asked of an observation is that its mean, given those before it, is the one in question, and
that it lies in a range known before it was drawn. The ranges may differ, and one may look after every observation.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analyzer.rules.betting import BETS

Floats = NDArray[np.float64]

_BISECTIONS = 30
_AT_ONCE = 2**20  # factors held in memory


class Betting:
    r"""Confidence sequences for n means at once, each by betting against every candidate mean.

    An observation has the mean :math:`\mu` given those before it, and lies in a range that was known before it was
    drawn; the ranges may differ from one observation to the next, and observations of different sequences may depend on
    one another in any way.

    Parameters
    ----------
    sequences : int
        n.

    Notes
    -----
    A gambler who stakes the part :math:`\theta` of all she has on "the mean is above m", at odds that are fair if it
    is m, owns after t observations

    .. math:: \prod_{s \le t} \Bigl(1 + \theta \frac{x_s - m}{m - \mathrm{low}_s}\Bigr).

    Each factor is at least :math:`1 - \theta`, and has a mean of at most 1 if :math:`\mu \le m`; so has the mean over a
    fixed set of parts :math:`\theta`. By Ville's inequality she ever owns :math:`2 / \delta` with probability at most
    :math:`\delta / 2`. The capital decreases in m, so the candidates it speaks against are all those below a bound,
    found by bisection and rounded outwards. The upper bound mirrors the lower one.

    References
    ----------
    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
    Statistical Society B 86(1), 2024, 1-27. https://doi.org/10.1093/jrsssb/qkad009

    Examples
    --------
    >>> sequence = Betting(1)
    >>> sequence.add([[1.0]] * 15 + [[0.0]] * 5, [[0.0]] * 20, [[1.0]] * 20)
    >>> lower, upper = sequence.bounds(0.05)
    >>> print(f"{lower[0]:.3f} {upper[0]:.3f}")
    0.402 0.959
    """

    def __init__(self, sequences: int) -> None:
        self._history = np.zeros((0, 3, sequences))

    def add(self, values: ArrayLike, lows: ArrayLike, highs: ArrayLike) -> None:
        """Take in k observations of every sequence, and the ranges they were known to lie in; each of shape (k, n)."""
        new = np.stack([np.asarray(given, dtype=np.float64) for given in (values, lows, highs)], axis=1)
        self._history = np.concatenate([self._history, new])

    def bounds(self, delta: float) -> tuple[Floats, Floats]:
        """Return lower and upper bounds, shape (n,) each.

        Parameters
        ----------
        delta : float
            Probability that a sequence's mean is ever outside, at any count; for n sequences jointly, an n-th of it.
        """
        values, lows, highs = self._history.transpose(1, 0, 2)
        if not len(values):
            nothing = np.full(values.shape[1], np.inf)
            return -nothing, nothing
        threshold = math.log(2 / delta)
        return _lower_bound(values, lows, threshold), -_lower_bound(-values, -highs, threshold)


def _lower_bound(values: Floats, lows: Floats, threshold: float) -> Floats:
    # No candidate at or below an observation's low end can be the mean, and none above all values loses a bet.
    reached: Floats = lows.max(axis=0)
    missed = np.maximum(values.max(axis=0), reached)
    for _ in range(_BISECTIONS):
        middle = (reached + missed) / 2
        enough = _log_capital(values, lows, middle) >= threshold
        reached, missed = np.where(enough, middle, reached), np.where(enough, missed, middle)
    return reached


def _log_capital(values: Floats, lows: Floats, candidates: Floats) -> Floats:
    logarithms: Floats = np.zeros((values.shape[1], len(BETS)))
    rows = max(1, _AT_ONCE // logarithms.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        for first in range(0, len(values), rows):
            gains = (values[first : first + rows] - candidates) / (candidates - lows[first : first + rows])
            logarithms += np.log1p(np.fmax(gains, -1.0)[..., None] * BETS).sum(axis=0)
        return _log_mean(logarithms)


def _log_mean(logarithms: Floats) -> Floats:
    """Return the logarithm of the mean over the last axis, of numbers given by their logarithms."""
    largest = logarithms.max(axis=-1)
    return np.asarray(largest + np.log(np.exp(logarithms - largest[..., None]).mean(axis=-1)))


class Contest:
    r"""Bets on every ordered pair of n players that the first one's mean is the larger.

    The observations of the players belong together, so what moves all of them alike cancels in a difference. Each
    difference has its true mean given the observations before, and a lower end known before the draw.

    Parameters
    ----------
    players : int
        n.

    Notes
    -----
    For each pair (i, j) a `Betting` gambler bets on :math:`x_i - x_j` against the single candidate 0. If
    :math:`\mu_i \le \mu_j`, she ever owns a threshold A with probability at most 1 / A. Once owned, it counts for good.

    `leader` takes :math:`A = n / \delta` and claims a player who has won against all others. Let k have the largest
    true mean. A wrong claim either names another player i, whose gambler against k has then won although
    :math:`\mu_i \le \mu_k`, or it names k although some j is as good, and then (k, j) has won. That is one of n pairs
    fixed beforehand, n - 1 for the players i and one for the first such j: by the union bound the probability of ever
    being wrong is at most :math:`\delta`.

    `ranking` takes :math:`A = 2 (n - 1) / \delta` and claims an order in which every player has won against all behind.
    Let 1, ..., n be an order by true mean. If the claim is another order, it puts some k + 1 before k, and (k + 1, k)
    has won although :math:`\mu_{k + 1} \le \mu_k`. If it is this order, but wrong since some k and k + 1 tie, then
    (k, k + 1) has. That is one of 2 (n - 1) pairs fixed beforehand. If only neighbours had to win, a wrong claim could
    rest on any of n (n - 1) / 2 pairs or more, and each would need a higher threshold.

    Examples
    --------
    >>> contest = Contest(2)
    >>> contest.add([[0.75, 0.0]] * 12, centres=[[0.0, 0.0]] * 12, reaches=[1.0] * 12)
    >>> contest.leader(0.05), contest.ranking(0.05)
    (0, (0, 1))
    """

    def __init__(self, players: int) -> None:
        self._logarithms = np.zeros((players, players, len(BETS)))
        self._most = np.zeros((players, players))

    def add(self, values: ArrayLike, centres: ArrayLike, reaches: ArrayLike) -> None:
        """Take in k observations of every player.

        Parameters
        ----------
        values : array of shape (k, n)
        centres : array of shape (k, n)
        reaches : array of shape (k,)
            ``values[i] - values[j]`` was known to differ from ``centres[i] - centres[j]`` by at most this.
        """
        values, centres, reaches = (np.asarray(given, dtype=np.float64) for given in (values, centres, reaches))
        rows = max(1, _AT_ONCE // max(1, self._logarithms.size))
        for first in range(0, len(values), rows):
            part = slice(first, first + rows)
            differences = values[part, :, None] - values[part, None, :]
            lows = centres[part, :, None] - centres[part, None, :] - reaches[part, None, None]
            self._most[(lows > 0).any(axis=0)] = np.inf  # then the mean is above 0 for certain
            gains = np.where(lows < 0, differences / np.where(lows < 0, -lows, 1.0), 0.0)
            self._logarithms += np.log1p(np.fmax(gains, -1.0)[..., None] * BETS).sum(axis=0)
        self._most = np.maximum(self._most, _log_mean(self._logarithms))

    def leader(self, delta: float) -> int | None:
        """Return the player claimed to have the largest mean, or None."""
        won = self._won(len(self._most) / delta) | np.eye(len(self._most), dtype=bool)
        leaders = np.flatnonzero(won.all(axis=1))
        return int(leaders[0]) if len(leaders) == 1 else None

    def ranking(self, delta: float) -> tuple[int, ...] | None:
        """Return the players in the order claimed, largest mean first, or None."""
        won = self._won(max(1, 2 * (len(self._most) - 1)) / delta)
        order = np.argsort(-won.sum(axis=1), kind="stable")
        separated = won[np.ix_(order, order)][np.triu_indices(len(order), 1)].all()
        return tuple(order.tolist()) if separated else None

    def _won(self, threshold: float) -> NDArray[np.bool_]:
        return self._most >= math.log(threshold)
