"""Turns observations of Shapley values into intervals for them, and into claims about which is the largest."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from analyzer.bounds import disjoint_leader, disjoint_ranking, empirical_bernstein, hoeffding, look_share, normal
from analyzer.confidence_sequence import Betting, Contest
from analyzer.estimators import Observations

Floats = NDArray[np.float64]


class Evidence(Protocol):
    """What the observations so far say of n Shapley values."""

    def add(self, new: Observations, *, at_checkpoint: bool) -> None:
        """Take in observations; a checkpoint is a count of them that was fixed beforehand."""

    def intervals(self, delta: float) -> tuple[Floats, Floats]:
        """Return intervals that hold together with probability ``1 - delta``, whenever and however often one asks."""

    def claims(self, delta: float) -> tuple[int | None, tuple[int, ...] | None]:
        """Return the leader and the ranking claimed, or None; each is ever wrong with probability at most delta."""


class Bets:
    """Evidence by betting: intervals from each player's observations, claims from the differences of two players'.

    Parameters
    ----------
    players : int
        n.
    """

    def __init__(self, players: int) -> None:
        self._means, self._contest = Betting(players), Contest(players)
        self._players = players

    def add(self, new: Observations, *, at_checkpoint: bool) -> None:
        """Take in observations; to bet, every count is a checkpoint."""
        self._means.add(new.values, new.centres - new.reaches[:, None], new.centres + new.reaches[:, None])
        self._contest.add(new.values, new.centres, new.gaps)

    def intervals(self, delta: float) -> tuple[Floats, Floats]:
        """Return the confidence sequences where they have got to."""
        return self._means.bounds(delta / self._players)

    def claims(self, delta: float) -> tuple[int | None, tuple[int, ...] | None]:
        """Return what the contest of the players has decided."""
        return self._contest.leader(delta), self._contest.ranking(delta)


class Radii:
    """Evidence from independent observations that are alike: an interval around each mean, claims where they are apart.

    Parameters
    ----------
    players : int
        n.
    length : float
        Of the range the observations lie in.
    kind : str
        ``hoeffding``, ``empirical-bernstein`` or ``normal``.
    """

    def __init__(self, players: int, length: float, kind: str) -> None:
        self._kind, self._length = kind, length
        self._count, self._look = 0, 0
        self._means, self._squares = np.zeros(players), np.zeros(players)
        self._seen = (0, self._means, self._squares)

    def add(self, new: Observations, *, at_checkpoint: bool) -> None:
        """Take in observations; what comes after the last checkpoint waits for the next."""
        for values in new.values:
            self._count += 1
            apart = values - self._means
            self._means = self._means + apart / self._count
            self._squares = self._squares + apart * (values - self._means)
        if at_checkpoint:
            self._look += 1
            self._seen = (self._count, self._means, self._squares)

    def intervals(self, delta: float) -> tuple[Floats, Floats]:
        """Return the intervals of the last checkpoint."""
        count, means, squares = self._seen
        if not count:
            return np.full(len(means), -np.inf), np.full(len(means), np.inf)
        error = look_share(delta, len(means), self._look)
        variances = squares / max(1, count - 1)
        if self._kind == "hoeffding":
            radii = hoeffding(count, self._length, error)
        elif self._kind == "empirical-bernstein":
            radii = empirical_bernstein(count, variances, self._length, error)
        else:
            radii = normal(count, variances, error)
        return means - radii, means + radii

    def claims(self, delta: float) -> tuple[int | None, tuple[int, ...] | None]:
        """Return the players whose intervals lie apart."""
        lows, highs = self.intervals(delta)
        return disjoint_leader(lows, highs), disjoint_ranking(lows, highs)
