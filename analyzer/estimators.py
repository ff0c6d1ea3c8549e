"""Turns draws of orderings or coalitions into observations whose mean, given all before, is the Shapley value.

Which coalitions are drawn is a matter of the seed and the number of the draw alone, never of what was observed: two
games under one seed are asked for the same ones, as far as both go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from analyzer.noise import units
from analyzer.surrogate import Bounded, Fit, fit, shapley_values, shares

Floats = NDArray[np.float64]

_GROWTH = 1.5  # of the pairs known, from one fit to the next
_FITTED_ON = 1_000  # pairs, on the way: solving takes the cube of their number
_FITTED_ON_AT_LAST = 3_000
_FIRST_STEPS, _FURTHER_STEPS = 20, 8  # of tuning: later fits begin where the one before ended


@dataclass(frozen=True)
class Observations:
    """Observations of n Shapley values, and where each was known to lie before it was drawn.

    Attributes
    ----------
    values, centres : NDArray of shape (k, n)
    reaches : NDArray of shape (k,)
        No value differs from its centre by more.
    gaps : NDArray of shape (k,)
        No difference of two players' values differs from that of their centres by more.
    """

    values: Floats
    centres: Floats
    reaches: Floats
    gaps: Floats


class Estimator(Protocol):
    """Asks for coalitions, and makes observations of their worths.

    Attributes
    ----------
    draws : int
        Observations drawn.
    first_look : int
        After how many it makes sense to look at them.
    """

    draws: int
    first_look: int

    def begin(self) -> list[int]:
        """Return the coalitions to be known before any draw."""

    def draw(self, count: int, room: int) -> list[int]:
        """Draw until `count` are drawn, and return the coalitions to be known for it: at most `room`, all new."""

    def observe(self, worths: Mapping[int, float]) -> Observations:
        """Return the observations drawn since the last call."""

    def certain(self) -> tuple[Floats, Floats]:
        """Return bounds that hold whatever the coalitions not known are worth."""

    def values(self) -> Floats:
        """Return the estimates from what was observed, shape (n,)."""


class Orderings:
    r"""Marginal contributions along random orderings: the permutation estimator.

    Parameters
    ----------
    players : int
    spread : float
        Length of the range of scores.
    seed : str
    reverse : bool
        Whether each ordering goes with its reverse, the pair being one observation (antithetic sampling).

    Notes
    -----
    An ordering's contributions sum to ``v(N) - v({})``, and so do their means: exactly, but for one division, where the
    scores are integers. Each lies within the spread around 0.

    References
    ----------
    J. Castro, D. Gómez and J. Tejada, "Polynomial calculation of the Shapley value based on sampling", Computers &
    Operations Research 36(5), 2009, 1726-1730. https://doi.org/10.1016/j.cor.2008.04.004

    R. Mitchell, J. Cooper, E. Frank and G. Holmes, "Sampling permutations for Shapley value estimation", Journal of
    Machine Learning Research 23(43), 2022. https://doi.org/10.48550/arXiv.2104.12199
    """

    first_look = 8

    def __init__(self, players: int, spread: float, seed: str, *, reverse: bool) -> None:
        self.draws = 0
        self._players, self._spread, self._seed = players, spread, seed
        self._directions = (1, -1) if reverse else (1,)
        self._asked = {0, (1 << players) - 1}
        self._drawn: list[NDArray[np.intp]] = []
        self._totals = np.zeros(players)
        self._observed = 0
        self._equal_share = 0.0

    def begin(self) -> list[int]:
        """Return the coalitions to be known before any draw."""
        return sorted(self._asked)

    def draw(self, count: int, room: int) -> list[int]:
        """Draw until `count` are drawn; return the coalitions to be known for it."""
        asked: list[int] = []
        while self.draws < count:
            ordering = np.argsort(units(self._players, self._seed, "ordering", self.draws), kind="stable")
            along = [mask for way in self._directions for mask in _along(ordering[::way])]
            new = [mask for mask in dict.fromkeys(along) if mask not in self._asked]
            if len(asked) + len(new) > room:
                break
            asked += new
            self._asked.update(new)
            self._drawn.append(ordering)
            self.draws += 1
        return asked

    def observe(self, worths: Mapping[int, float]) -> Observations:
        """Return the observations drawn since the last call."""
        self._equal_share = (worths[(1 << self._players) - 1] - worths[0]) / self._players
        count = len(self._drawn)
        sums = np.zeros((count, self._players))
        for row, ordering in zip(sums, self._drawn, strict=True):
            for way in self._directions:
                row[ordering[::way]] += np.diff([worths[mask] for mask in _along(ordering[::way])])
            self._totals += row
        self._drawn = []
        self._observed += count
        reaches = np.full(count, self._spread)
        return Observations(sums / len(self._directions), np.zeros_like(sums), reaches, 2 * reaches)

    def certain(self) -> tuple[Floats, Floats]:
        """Return bounds that hold whatever the coalitions not known are worth."""
        highs = np.full(self._players, self._spread)
        return -highs, highs

    def values(self) -> Floats:
        """Return the estimates from what was observed; equal shares before."""
        if not self._observed:
            return np.full(self._players, self._equal_share)
        return self._totals / (self._observed * len(self._directions))


def _along(ordering: NDArray[np.intp]) -> list[int]:
    """Return the coalitions met as the players join one by one, from the empty to the grand one."""
    masks = [0]
    for player in ordering.tolist():
        masks.append(masks[-1] | 1 << player)
    return masks


class Coalitions:
    r"""Random coalitions with their complements, each an observation of every player, adjusted by regression.

    Parameters
    ----------
    players : int
        At least 3.
    spread : float
        Length of the range of scores.
    seed : str

    Notes
    -----
    With the odd part ``d(S) = (v(S) - v(N - S)) / 2``, the Shapley value is a sum over pairs of complements, each once,

    .. math:: \varphi_i = \frac{2}{n} d(N) + \sum_{S} \frac{2}{\binom{n}{s}}
              \Bigl(\frac{[i \in S]}{s} - \frac{[i \notin S]}{n - s}\Bigr) d(S).

    The pairs of single players are known before any draw. Then a pair is drawn among those not known yet, with the odds
    of the Shapley kernel, :math:`p(S) = 1 / (Z \binom{n}{s} s (n - s))`. Let g be a game with known Shapley values that
    was guessed from the pairs before. Then

    .. math:: x_i = \varphi_i(g) + \sum_{T\ \mathrm{known}} (\dots)_i \bigl(d(T) - g(T)\bigr)
              + 2 Z \bigl(n [i \in S] - s\bigr) \bigl(d(S) - g(S)\bigr)

    has the mean :math:`\varphi_i` given the past, whatever g is; the better the guess, the smaller its variance, and
    nothing is drawn twice. The :math:`x_i` sum to ``v(N) - v({})``, and since :math:`|d - g|` has a bound, so has each
    :math:`x_i`, and each difference :math:`x_i - x_j`: :math:`2 Z n \sup |d - g|` around that of the first two terms.

    The estimates are those of the regression on all pairs known, not the mean of the observations: they use each pair
    for all it tells of the game, with far less error, but biased where the game is unlike any the regression knows.

    References
    ----------
    I. Covert and S.-I. Lee, "Improving KernelSHAP: practical Shapley value estimation via linear regression",
    Proceedings of AISTATS 2021. https://doi.org/10.48550/arXiv.2012.01536

    R. T. Witter, Y. Liu and C. Musco, "Regression-adjusted Monte Carlo estimators for Shapley values and probabilistic
    values", 2025. https://doi.org/10.48550/arXiv.2506.11849
    """

    def __init__(self, players: int, spread: float, seed: str) -> None:
        self.draws = 0
        self.first_look = players
        self._players, self._most, self._seed = players, spread / 2, seed
        self._grand = (1 << players) - 1
        self._sizes = np.arange(1, players // 2 + 1)
        coalitions = np.array([math.comb(players, size) for size in self._sizes.tolist()], dtype=np.float64)
        self._odds = 1 / (coalitions * self._sizes * (players - self._sizes))
        self._left = np.where(2 * self._sizes == players, coalitions / 2, coalitions)
        self._left[0] = 0  # single players are known before any draw
        self._taken = {self._grand, *(self._canonical(1 << player) for player in range(players))}
        self._drawn = [self._grand, *(1 << player for player in range(players))]
        self._scales: list[tuple[float, int]] = []  # of each draw: Z, and the smallest size not known
        self._signs = np.zeros((0, players))
        self._odd = np.zeros(0)
        self._learnt: Fit | None = None
        self._next_fit = 0.0  # at how many pairs
        self._guess: Bounded
        self._known: Floats

    def begin(self) -> list[int]:
        """Return the coalitions to be known before any draw."""
        return self._both(self._drawn)

    def draw(self, count: int, room: int) -> list[int]:
        """Draw until `count` are drawn; return the coalitions to be known for it."""
        new: list[int] = []
        while self.draws < count and 2 * len(new) + 2 <= room and self._left.any():
            masses = self._odds * self._left
            total = float(masses.sum())
            self._scales.append((total, int(self._sizes[np.argmax(self._left > 0)])))
            new.append(self._one_more(np.cumsum(masses) / total))
            self.draws += 1
        self._drawn += new
        return self._both(new)

    def _one_more(self, cumulated: Floats) -> int:
        """Draw a size, and a coalition of that size until it is one of a pair not known yet."""
        attempt, index = 0, -1
        while True:
            uniforms = units(self._players + 1, self._seed, "coalition", self.draws, attempt)
            if attempt == 0:
                index = int(np.searchsorted(cumulated, uniforms[0] * cumulated[-1]))
            members = np.argsort(uniforms[1:], kind="stable")[: self._sizes[index]]
            mask = sum(1 << int(player) for player in members)
            if (canonical := self._canonical(mask)) not in self._taken:
                self._taken.add(canonical)
                self._left[index] -= 1
                return mask
            attempt += 1

    def _canonical(self, mask: int) -> int:
        return min(mask, self._grand ^ mask)

    def _both(self, masks: list[int]) -> list[int]:
        return [each for mask in masks for each in (mask, self._grand ^ mask)]

    def observe(self, worths: Mapping[int, float]) -> Observations:
        """Return the observations drawn since the last call."""
        odd = np.array([(worths[mask] - worths[self._grand ^ mask]) / 2 for mask in self._drawn])
        signs = np.array([[1.0 if mask >> i & 1 else -1.0 for i in range(self._players)] for mask in self._drawn])
        signs = signs.reshape(-1, self._players)
        observations = self._observations(signs, odd)
        self._signs, self._odd = np.concatenate([self._signs, signs]), np.concatenate([self._odd, odd])
        self._drawn, self._scales = [], []
        # Only now: a guess may know the past, not the draw it is used on.
        if len(self._odd) >= self._next_fit:
            self._learnt = self._learn(_FITTED_ON)
            self._guess = Bounded(self._learnt, self._most)
            self._next_fit = _GROWTH * len(self._odd) if len(self._odd) < _FITTED_ON else math.inf
        self._known = self._guess.values + shares(self._signs).T @ (self._odd - self._guess(self._signs))
        return observations

    def _observations(self, signs: Floats, odd: Floats) -> Observations:
        if not self._scales:
            nothing, none = np.zeros((0, self._players)), np.zeros(0)
            return Observations(nothing, nothing, none, none)
        totals, smallest = np.array(self._scales).T
        surprises = odd - self._guess(signs)
        known = np.cumsum(np.vstack([self._known, shares(signs) * surprises[:, None]]), axis=0)[:-1]
        sizes = (signs > 0).sum(axis=1, keepdims=True)
        leaps = 2 * (totals * surprises)[:, None] * (self._players * (signs > 0) - sizes)
        bounds = 2 * totals * (self._most + self._guess.reach)
        return Observations(known + leaps, known, bounds * (self._players - smallest), bounds * self._players)

    def _learn(self, most: int) -> Fit:
        signs, odd = self._signs[:most], self._odd[:most]
        if self._learnt is None:
            return fit(signs, odd, steps=_FIRST_STEPS)
        return fit(signs, odd, self._learnt.tuned, _FURTHER_STEPS)

    def certain(self) -> tuple[Floats, Floats]:
        """Return bounds that hold whatever the coalitions not known are worth."""
        counts = shares(self._signs)
        known = counts.T @ self._odd
        unknown = 2 * (self._players - 1) / self._players - np.abs(counts[1:]).sum(axis=0)
        margin = self._most * np.maximum(unknown, 0.0)
        return np.maximum(known - margin, -2 * self._most), np.minimum(known + margin, 2 * self._most)

    def values(self) -> Floats:
        """Return the estimates from what was observed."""
        return shapley_values(self._learn(_FITTED_ON_AT_LAST))
