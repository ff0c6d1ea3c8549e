"""Turns the worths of some coalitions into a guess at those of all others, and into the Shapley values that go with it.

A game is the sum of an even part, ``(v(S) + v(N - S)) / 2``, which adds nothing to any Shapley value, and an odd part,
``(v(S) - v(N - S)) / 2``. Only the odd part is learnt, from pairs of a coalition and its complement, by Gaussian
process regression: an additive game, interactions of the players that turn out to matter, and what no model explains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.rules import shapley

Floats = NDArray[np.float64]

_TUNED_ON = 384  # pairs: a step of tuning costs the cube of their number
_RELEVANT = 12  # players whose interactions `Bounded` tabulates, 2**12 entries
_SPREAD = 0.5  # of the logarithms of the players' relevances, as expected beforehand
_PULL = 0.02  # towards the start, just enough to fix what the data leave open
_START = (-1.2, 0.0, -1.5)  # logarithms: unexplained, additive, relevance of each player
_LOWEST = (-14.0, -12.0, -7.0)
_HIGHEST = (8.0, 12.0, 1.5)
_EXPLAINED = 1e-20  # the part of the sum of squares that rounding leaves of an additive game


@dataclass(frozen=True)
class Fit:
    """What was learnt from m pairs of an n-player game.

    Attributes
    ----------
    signs : NDArray of shape (m, n)
        1 for a member of the pair's coalition, -1 for another player; the first pair is the grand coalition's.
    linear : NDArray of shape (n,)
        The additive part: the odd worth of a coalition is the sum of ``±linear``.
    weights : NDArray of shape (m,)
        How much each pair counts in the interactions and in what is unexplained.
    tuned : NDArray of shape (n + 2,)
        Logarithms of the unexplained variance, of the additive one, and of each player's relevance.
    """

    signs: Floats
    linear: Floats
    weights: Floats
    tuned: Floats

    @property
    def relevances(self) -> Floats:
        """How much each player takes part in interactions, shape (n,)."""
        return np.exp(self.tuned[2:])


def fit(signs: Floats, odd: Floats, start: Floats | None = None, steps: int = 20) -> Fit:
    r"""Learn the odd part of a game from some of its pairs.

    Parameters
    ----------
    signs : NDArray of shape (m, n)
        1 for a member of the pair's coalition, -1 for another player. The first pair is ``(N, {})``; pairs differ.
    odd : NDArray of shape (m,)
        ``(v(S) - v(N - S)) / 2``, finite.
    start : NDArray of shape (n + 2,), optional
        `Fit.tuned` of an earlier fit to the same game.
    steps : int
        Of tuning, on the first 384 pairs.

    Returns
    -------
    Fit
        Of an additive game, as soon as n + 1 pairs of rank n are known, the game itself up to rounding.

    Notes
    -----
    With :math:`x, y \in \{-1, 1\}^n` the covariance of the odd worths of two coalitions is

    .. math:: \tau\,[x = y] + \frac{\lambda}{n} \sum_i x_i y_i
              + \sinh\Bigl(\sum_i w_i x_i y_i\Bigr) \Big/ \sinh\Bigl(\sum_i w_i\Bigr),

    up to a common scale, with the size of a coalition as a trend. The last term is the odd part of a product over the
    players of :math:`1 + \tanh(w_i) x_i y_i`: interactions of any odd order, weak where their players are of little
    relevance, with Shapley values in closed form. :math:`\tau`, :math:`\lambda` and the relevances :math:`w_i` maximise
    the restricted likelihood, by resilient propagation. Complexity: O(m**3).

    References
    ----------
    C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", MIT Press, 2006, chapters 2 and 5.
    https://doi.org/10.7551/mitpress/3206.001.0001

    M. Riedmiller and H. Braun, "A direct adaptive method for faster backpropagation learning: the RPROP algorithm",
    IEEE International Conference on Neural Networks, 1993, 586-591. https://doi.org/10.1109/ICNN.1993.298623
    """
    pairs, players = signs.shape
    tuned = np.r_[_START[:2], np.full(players, _START[2])] if start is None else start
    if pairs < 3:
        return Fit(signs, np.full(players, odd[0] / players), np.zeros(pairs), tuned)
    if pairs > players:
        additive = np.asarray(np.linalg.lstsq(signs, odd, rcond=None)[0], dtype=np.float64)
        rest = odd - signs @ additive
        if rest @ rest <= _EXPLAINED * (odd @ odd):
            return Fit(signs, additive, np.zeros(pairs), tuned)
    few, some = signs[:_TUNED_ON], odd[:_TUNED_ON]
    tuned = _tune(lambda logs: _unlikelihood(logs, few, some), tuned, steps)
    unexplained, additive_scale = np.exp(tuned[:2])
    covariance = _interactions(signs, np.exp(tuned[2:])) + additive_scale / players * (signs @ signs.T)
    covariance[np.diag_indices(pairs)] += unexplained
    trend = signs.sum(axis=1) / players
    against = np.linalg.solve(covariance, np.column_stack([trend, odd]))
    slope = (trend @ against[:, 1]) / (trend @ against[:, 0])
    weights = against[:, 1] - slope * against[:, 0]
    return Fit(signs, slope / players + additive_scale / players * (signs.T @ weights), weights, tuned)


def shapley_values(learnt: Fit) -> Floats:
    r"""Return the Shapley values to be expected of the game, shape (n,).

    They sum to ``v(N) - v({})`` up to rounding, and each pair known counts for what it is.

    Notes
    -----
    Owen's integral over the diagonal of the multilinear extension, :math:`\varphi_i = \int_{-1}^{1} \partial_i f(s,
    \dots, s)\,ds`: the integrand is a polynomial of degree n - 1 in s, for which Gauss-Legendre quadrature is exact.
    Complexity: O(m n**2).

    References
    ----------
    G. Owen, "Multilinear extensions of games", Management Science 18(5), 1972, 64-79.
    https://doi.org/10.1287/mnsc.18.5.64
    """
    signs, relevances = learnt.signs, learnt.relevances
    slopes = np.tanh(relevances)
    interacting: Floats = np.zeros(signs.shape[1])
    for point, share in zip(*np.polynomial.legendre.leggauss(signs.shape[1] // 2 + 1), strict=True):
        factors = 1 + slopes * signs * point
        products = learnt.weights * np.exp(np.log(factors).sum(axis=1))
        interacting += share * (products[:, None] * signs / factors).sum(axis=0)
    known = np.exp(learnt.tuned[0]) * (shares(signs).T @ learnt.weights)
    return np.asarray(2 * learnt.linear + _scale(relevances) * slopes * interacting + known)


def shares(signs: Floats) -> Floats:
    """Return what the odd worth of each pair counts for each player's Shapley value; shape (m, n).

    ``2 / (s C(n, s))`` for the s members and ``-2 / ((n - s) C(n, s))`` for the others: the Shapley value is the sum
    over all pairs, the grand coalition's included, of this times the odd worth.
    """
    players = signs.shape[1]
    sizes = (signs > 0).sum(axis=1)
    coalitions = np.ones(players + 1)
    for size in range(players):
        coalitions[size + 1] = coalitions[size] * (players - size) / (size + 1)
    members = 2 / np.maximum(sizes, 1) / coalitions[sizes]
    others = -2 / np.maximum(players - sizes, 1) / coalitions[sizes]
    return np.asarray(np.where(signs > 0, members[:, None], others[:, None]))


class Bounded:
    """A simpler game near the one learnt, of which the Shapley values and the largest odd worth are known.

    A table over the players most relevant to interactions, cut off at `most`, plus an additive game of the others.

    Parameters
    ----------
    learnt : Fit
    most : float
        The largest magnitude an odd worth can have.

    Attributes
    ----------
    values : NDArray of shape (n,)
        Its Shapley values.
    reach : float
        No coalition's odd worth is larger in magnitude.
    """

    def __init__(self, learnt: Fit, most: float) -> None:
        relevances = learnt.relevances
        order = np.argsort(-relevances, kind="stable")
        self._players, self._others = np.sort(order[:_RELEVANT]), np.sort(order[_RELEVANT:])
        patterns = np.where(np.arange(1 << len(self._players))[:, None] >> np.arange(len(self._players)) & 1, 1.0, -1.0)
        # The others drop out of the product of a pair by averaging over them, which leaves their cosh in the scale.
        inside = np.sinh(patterns * relevances[self._players] @ learnt.signs[:, self._players].T) @ learnt.weights
        inside *= np.exp(np.log(np.cosh(relevances[self._others])).sum()) / np.sinh(relevances.sum())
        self._table = np.clip(inside + patterns @ learnt.linear[self._players], -most, most)
        slopes = _scale(relevances) * np.tanh(relevances) * (learnt.signs.T @ learnt.weights)
        self._linear = (learnt.linear + slopes)[self._others]
        self.reach = float(np.abs(self._table).max() + np.abs(self._linear).sum())
        self.values = np.zeros(len(relevances))
        self.values[self._players] = shapley(self._table, None)
        self.values[self._others] = 2 * self._linear

    def __call__(self, signs: Floats) -> Floats:
        """Return the odd worths of coalitions, shape (m,)."""
        patterns = (signs[:, self._players] > 0) @ (1 << np.arange(len(self._players)))
        return np.asarray(self._table[patterns] + signs[:, self._others] @ self._linear)


def _scale(relevances: Floats) -> float:
    """Return the factor between the product over the players and the hyperbolic sine divided by its maximum."""
    return float(np.exp(np.log(np.cosh(relevances)).sum()) / np.sinh(relevances.sum()))


def _interactions(signs: Floats, relevances: Floats) -> Floats:
    return np.asarray(np.sinh((signs * relevances) @ signs.T) / np.sinh(relevances.sum()))


def _unlikelihood(logs: Floats, signs: Floats, odd: Floats) -> tuple[float, Floats] | None:
    """Return minus the restricted log likelihood and its gradient, or None where rounding leaves neither."""
    pairs, players = signs.shape
    (unexplained, additive), relevances = np.exp(logs[:2]), np.exp(logs[2:])
    inside = _interactions(signs, relevances)
    linear = signs @ signs.T / players
    covariance = inside + additive * linear
    covariance[np.diag_indices(pairs)] += unexplained
    trend = signs.sum(axis=1) / players
    try:
        diagonal = np.diag(np.linalg.cholesky(covariance))
        precision = np.linalg.inv(covariance)
    except np.linalg.LinAlgError:
        return None
    against = precision @ trend
    information = trend @ against
    if not information > 0:
        return None
    precision -= np.outer(against, against) / information
    weights = precision @ odd
    scale = odd @ weights / (pairs - 1)
    if not scale > 0:
        return None
    apart = logs[2:] - logs[2:].mean()
    off = np.r_[logs[:2] - _START[:2], logs[2:].mean() - _START[2]]
    value = (
        ((pairs - 1) * np.log(scale) + 2 * np.log(diagonal).sum() + np.log(information)) / 2
        + (apart @ apart) / (2 * _SPREAD**2)
        + _PULL * (off @ off) / 2
    )
    slope = (precision - np.outer(weights, weights) / scale) / 2
    total = relevances.sum()
    cosines = np.sqrt(1 / np.sinh(total) ** 2 + inside * inside)
    by_relevance = (((slope * cosines) @ signs) * signs).sum(axis=0) - (slope * inside).sum() / np.tanh(total)
    gradient = np.r_[
        np.trace(slope) * unexplained + _PULL * off[0],
        (slope * linear).sum() * additive + _PULL * off[1],
        by_relevance * relevances + apart / _SPREAD**2 + _PULL * off[2] / players,
    ]
    return float(value), gradient


def _tune(cost: Callable[[Floats], tuple[float, Floats] | None], start: Floats, steps: int) -> Floats:
    """Return the best point met by resilient propagation: every coordinate walks at a pace of its own."""
    players = len(start) - 2
    lowest = np.r_[_LOWEST[:2], np.full(players, _LOWEST[2])]
    highest = np.r_[_HIGHEST[:2], np.full(players, _HIGHEST[2])]
    here, best = start, start
    found = cost(here)
    if found is None:
        return start
    least, gradient = found
    pace = np.full(len(start), 0.3)
    for _ in range(steps):
        there = np.clip(here - np.sign(gradient) * pace, lowest, highest)
        found = cost(there)
        if found is None:
            pace *= 0.3
            continue
        agreement = gradient * found[1]
        pace = np.clip(np.where(agreement > 0, 1.3 * pace, np.where(agreement < 0, 0.5 * pace, pace)), 1e-3, 1.0)
        here, gradient = there, found[1]
        if found[0] < least:
            least, best = found[0], here
    return best
