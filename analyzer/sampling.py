"""Turns a game that is too large to run in full into estimates of its Shapley values, with intervals that hold.

A caller says how a list of coalitions is scored; here is decided which ones to ask for, and when to stop.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.bounds import checkpoints
from analyzer.estimators import Coalitions, Estimator, Orderings
from analyzer.evidence import Bets, Evidence, Radii
from analyzer.rules import rank, shapley
from analyzer.rules.betting import OVERSHOOT

Floats = NDArray[np.float64]

#: The estimators, the default first.
ESTIMATORS = ("adjusted", "permutation", "antithetic")
#: The kinds of interval, the default first; an adjusted estimate has the default only.
INTERVALS = ("betting", "empirical-bernstein", "hoeffding", "normal")
#: Most players: masks are exact in every language.
MAX_PLAYERS = 53

_GROWTH = 1.25  # of the draws, from one look to the next


class SamplingError(ValueError):
    """Something was asked for that sampling cannot do; the message says what to change."""


class HaltError(Exception):
    """A caller's `evaluate` can score no more: sampling ends with what there is, and this message as the reason."""


@dataclass(frozen=True)
class Target:
    """What sampling is for: it stops once this is reached.

    Attributes
    ----------
    kind : str
        ``top``: one player is separated from all others; ``ranking``: every player from every other; ``width``: every
        interval is narrow enough.
    width : float or None
        The most an interval may span, above 0, in the unit of the scores; None but for ``width``.
    """

    kind: str
    width: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("top", "ranking", "width"):
            raise SamplingError(f"target {self.kind!r} is not known; the targets are top, ranking and width")
        if (self.kind == "width") != (self.width is not None):
            raise SamplingError("a width goes with the target width, and with no other")
        if self.width is not None and not self.width > 0:
            raise SamplingError(f"width: {self.width} was asked for; intervals narrow down to a number above 0")


TOP = Target("top")
RANKING = Target("ranking")


@dataclass(frozen=True)
class Sampled:
    """What sampling gave.

    Attributes
    ----------
    estimator, interval : str
        How; see `ESTIMATORS` and `INTERVALS`.
    values : tuple of n floats
        The Shapley values, estimated; they sum to ``v(N) - v({})`` up to rounding, and lie within the intervals.
    lows, highs : tuple of n floats
        All intervals hold together with probability at least ``1 - delta``.
    delta : float
        The error probability of the intervals together, of `leader`, and of `ranking`: of each of these three.
    leader : int or None
        The player claimed to have the largest value of all, if one is.
    ranking : tuple of n ints or None
        All players in the order claimed, the largest value first, if it is.
    draws : int
        Observations: orderings, pairs of them, or coalitions with their complements.
    exact : bool
        Whether all coalitions are known; then the values are what the rule `shapley` gives, and nothing is uncertain.
    stopped : str
        Why, in words.
    worths : mapping of int to float
        What was learnt, by coalition.
    """

    estimator: str
    interval: str
    values: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    delta: float
    leader: int | None
    ranking: tuple[int, ...] | None
    draws: int
    exact: bool
    stopped: str
    worths: Mapping[int, float]

    @property
    def evaluations(self) -> int:
        """How many distinct coalitions were asked for."""
        return len(self.worths)


def sample(
    evaluate: Callable[[Sequence[int]], Sequence[float]],
    players: int,
    low: float,
    high: float,
    *,
    max_evaluations: int,
    target: Target | None = TOP,
    estimator: str = ESTIMATORS[0],
    interval: str = INTERVALS[0],
    delta: float = 0.05,
    seed: str = "0",
    largest_batch: int | None = None,
) -> Sampled:
    r"""Estimate the Shapley values of a game from the worths of some of its coalitions.

    Parameters
    ----------
    evaluate : callable
        From coalitions, as masks, to their worths, each from `low` to `high`. Called with as many new coalitions at
        once as can be said in advance, and never twice with the same. `HaltError` ends the sampling, as soon
        as the empty and the grand coalition are known, and, but along orderings, each single player and its
        complement; before that, and whatever else it raises, goes through to the caller.
    players : int
        n, from 0 to 53.
    low, high : float
        The range a worth can lie in, by what it is: ``low < high``.
    max_evaluations : int
        Most distinct coalitions to ask for: at least ``2 n + 2``, or all of them.
    target : Target or None
        When to stop before. None: when as many as may be have been asked.
    estimator : str
        ``adjusted``: random coalitions with their complements, each informing every player, adjusted by regression on
        those before; ``permutation``: random orderings; ``antithetic``: each with its reverse.
    interval : str
        ``betting``, valid whenever one looks, or one for independent observations, valid at checkpoints, which the two
        orderings have: ``empirical-bernstein``, ``hoeffding``, or ``normal``, which holds only approximately.
    delta : float
        Error probability, between 0 and 1.
    seed : str
        Which coalitions are asked for is a matter of the seed, the estimator and n alone, as far as it goes: two games
        under one seed meet the same ones, and so does a game that is sampled again, in any process.
    largest_batch : int, optional
        Most coalitions to ask for at once; it changes nothing else.

    Returns
    -------
    Sampled

    Raises
    ------
    SamplingError
        For what cannot be done, or a worth that is no number from `low` to `high`.

    Notes
    -----
    The regression behind `adjusted` is linear algebra of the machine's, so estimates may differ from machine to machine
    in their last digits; which coalitions are asked for does not.
    A game whose coalitions may all be asked for, and of which `target` leaves nothing to save, is run in full. The
    number of looks grows with the logarithm of the number of draws. Besides evaluating, `adjusted` takes time for the
    regression: a second or two for a thousand coalitions of twenty players.

    References
    ----------
    See `analyzer.estimators`, `analyzer.confidence_sequence` and `analyzer.bounds`.

    Examples
    --------
    Of twelve fixes, two are needed together, and a third one spoils the repair half the time.

    >>> def evaluate(masks):
    ...     return [float(mask & 0b011 == 0b011) * (0.5 if mask & 0b100 else 1.0) for mask in masks]
    >>> sampled = sample(evaluate, 12, 0.0, 1.0, max_evaluations=110)
    >>> sampled.stopped
    'no more than 110 coalitions were to be evaluated'
    >>> [round(value, 2) for value in sampled.values[:4]]
    [0.33, 0.33, -0.17, 0.0]
    """
    _check(players, low, high, max_evaluations, estimator, interval, delta, largest_batch)
    asked = _Asked(evaluate, low, high, largest_batch)
    if 2**players <= max_evaluations and (target is None or 2**players <= 4 * players + 4):
        try:
            return _exact(asked, players, 0, estimator, interval, delta)
        except HaltError:
            if players < 3:
                raise
    method: Estimator
    if estimator == "adjusted":
        method = Coalitions(players, high - low, seed)
    else:
        method = Orderings(players, high - low, seed, reverse=estimator == "antithetic")
    evidence: Evidence = Bets(players) if interval == "betting" else Radii(players, 2 * (high - low), interval)
    asked.ask(method.begin())
    evidence.add(method.observe(asked.worths), at_checkpoint=False)
    stopped = f"no more than {max_evaluations:,} coalitions were to be evaluated"
    draws = 0
    for count in checkpoints(method.first_look, _GROWTH):
        try:
            asked.ask(method.draw(count, max_evaluations - len(asked.worths)))
        except HaltError as halted:
            stopped = str(halted)
            break
        draws = method.draws
        if len(asked.worths) == 2**players:
            return _exact(asked, players, method.draws, estimator, interval, delta)
        evidence.add(method.observe(asked.worths), at_checkpoint=method.draws == count)
        if reached := _reached(target, evidence, method, delta):
            stopped = reached
            break
        if method.draws < count:
            break
    lows, highs = _intervals(evidence, method, delta)
    leader, ranking = evidence.claims(delta)
    total = asked.worths[2**players - 1] - asked.worths[0]
    values = _settled(method.values(), lows, highs, total)
    estimates, lowest, highest = (tuple(array.tolist()) for array in (values, lows, highs))
    return Sampled(
        estimator,
        interval,
        estimates,
        lowest,
        highest,
        delta,
        leader,
        ranking,
        draws,
        False,
        stopped,
        asked.worths,
    )


def _check(
    players: int,
    low: float,
    high: float,
    max_evaluations: int,
    estimator: str,
    interval: str,
    delta: float,
    largest_batch: int | None,
) -> None:
    if not 0 <= players <= MAX_PLAYERS:
        raise SamplingError(f"{players} players: from 0 to {MAX_PLAYERS} can be sampled")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise SamplingError(f"scores from {low} to {high}: a range goes from a finite number up to another")
    if max_evaluations < (least := min(2**players, 2 * players + 2)):
        raise SamplingError(f"max_evaluations: {max_evaluations} were allowed; {players} players need at least {least}")
    if estimator not in ESTIMATORS:
        raise SamplingError(f"estimator {estimator!r} is not known; the estimators are {', '.join(ESTIMATORS)}")
    if interval not in INTERVALS:
        raise SamplingError(f"interval {interval!r} is not known; the intervals are {', '.join(INTERVALS)}")
    if estimator == "adjusted" and interval != "betting":
        raise SamplingError(f"interval {interval!r} is for independent observations; adjusted ones take betting")
    if not 0 < delta < 1:
        raise SamplingError(f"delta: {delta} is no probability between 0 and 1")
    if largest_batch is not None and largest_batch < 1:
        raise SamplingError(f"largest_batch: {largest_batch} were allowed; at least 1 is needed")


class _Asked:
    """The coalitions asked for so far, and their worths."""

    def __init__(
        self,
        evaluate: Callable[[Sequence[int]], Sequence[float]],
        low: float,
        high: float,
        largest_batch: int | None,
    ) -> None:
        self.worths: dict[int, float] = {}
        self._evaluate, self._low, self._high, self._largest = evaluate, low, high, largest_batch
        self._margin = OVERSHOOT * max(abs(low), abs(high))  # a mean over worlds may be rounded out of the range

    def ask(self, masks: Sequence[int]) -> None:
        """Evaluate those of some coalitions that were not asked for before."""
        new = [mask for mask in masks if mask not in self.worths]
        step = self._largest or max(1, len(new))
        for first in range(0, len(new), step):
            batch = new[first : first + step]
            worths = self._evaluate(batch)
            for mask, worth in zip(batch, worths, strict=True):
                if not self._low - self._margin <= worth <= self._high + self._margin:
                    raise SamplingError(
                        f"the worth of coalition {mask} is {worth}, no number from {self._low} to {self._high}"
                    )
                self.worths[mask] = float(worth)


def _intervals(evidence: Evidence, method: Estimator, delta: float) -> tuple[Floats, Floats]:
    (lows, highs), (lowest, highest) = evidence.intervals(delta), method.certain()
    lows, highs = np.maximum(lows, lowest), np.minimum(highs, highest)
    misleading = lows > highs  # evidence against what is certain is no evidence
    return np.where(misleading, lowest, lows), np.where(misleading, highest, highs)


def _reached(target: Target | None, evidence: Evidence, method: Estimator, delta: float) -> str | None:
    """Return why to stop here, or None."""
    if target is None:
        return None
    leader, ranking = evidence.claims(delta)
    if target.kind == "top" and leader is not None:
        return "the top fix is separated from all others"
    if target.kind == "ranking" and ranking is not None:
        return "every fix is separated from every other"
    if target.width is not None:
        lows, highs = _intervals(evidence, method, delta)
        if (highs - lows).max() <= target.width:
            return f"every interval is at most {target.width} wide"
    return None


def _settled(values: Floats, lows: Floats, highs: Floats, total: float) -> Floats:
    """Move estimates into their intervals, all by the same amount where they have room, so that they keep their sum."""
    if ((lows <= values) & (values <= highs)).all():
        return values
    below, above = float((lows - values).min()), float((highs - values).max())
    for _ in range(60):
        shift = (below + above) / 2
        if np.clip(values + shift, lows, highs).sum() < total:
            below = shift
        else:
            above = shift
    return np.clip(values + above, lows, highs)


def _exact(asked: _Asked, players: int, draws: int, estimator: str, interval: str, delta: float) -> Sampled:
    asked.ask(range(2**players))
    values = tuple(shapley([asked.worths[mask] for mask in range(2**players)], None).tolist())
    order = tuple(rank(values).tolist())
    ranked = tuple(values[player] for player in order) + ((0.0,) if players == 1 else ())  # one player against nothing
    strictly = [first > second for first, second in itertools.pairwise(ranked)]
    return Sampled(
        estimator,
        interval,
        values,
        values,
        values,
        delta,
        order[0] if strictly and strictly[0] else None,
        order if all(strictly) else None,
        draws,
        True,
        "every coalition was evaluated",
        asked.worths,
    )
