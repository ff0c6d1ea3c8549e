"""Turns a count of observations and their variance into the radius of an interval, and intervals into claims.

The observations are independent and alike. One may look again and again, at checkpoints that share the error
probability. `analyzer.confidence_sequence` has intervals that need no checkpoints, for observations that may depend on
those before them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def hoeffding(count: ArrayLike, spread: ArrayLike, delta: ArrayLike) -> Floats:
    r"""Return the radius of a two-sided interval around a mean of bounded observations, by Hoeffding's inequality.

    Parameters
    ----------
    count : int or array
        Observations, at least 1.
    spread : float or array
        Length of the range they lie in.
    delta : float or array
        Probability, above 0, that the true mean is further away.

    Returns
    -------
    NDArray of float64
        Shaped as the parameters are together; in the unit of the spread.

    Notes
    -----
    .. math:: R \sqrt{\ln(2 / \delta) / (2 t)}

    References
    ----------
    W. Hoeffding, "Probability inequalities for sums of bounded random variables", Journal of the American Statistical
    Association 58(301), 1963, 13-30. https://doi.org/10.1080/01621459.1963.10500830

    Examples
    --------
    >>> print(f"{hoeffding(200, 2.0, 0.05):.4f}")
    0.1921
    """
    count, spread, delta = (np.asarray(given, dtype=np.float64) for given in (count, spread, delta))
    return np.asarray(spread * np.sqrt(np.log(2 / delta) / (2 * count)))


def empirical_bernstein(count: ArrayLike, variance: ArrayLike, spread: ArrayLike, delta: ArrayLike) -> Floats:
    r"""Return the radius of a two-sided interval around a mean of bounded observations, given their variance.

    Parameters
    ----------
    count : int or array
        Observations; with fewer than two the radius is infinite.
    variance : float or array
        Sample variance, with divisor ``count - 1``; in the unit of the spread, squared.
    spread, delta : float or array
        As for `hoeffding`.

    Returns
    -------
    NDArray of float64
        Shaped as the parameters are together; in the unit of the spread.

    Notes
    -----
    .. math:: \sqrt{2 V \ln(4 / \delta) / t} + \frac{7 R \ln(4 / \delta)}{3 (t - 1)}

    The one-sided inequality at :math:`\delta / 2` for each side.

    References
    ----------
    A. Maurer and M. Pontil, "Empirical Bernstein bounds and sample variance penalization", Proceedings of COLT 2009.
    https://doi.org/10.48550/arXiv.0907.3740

    Examples
    --------
    A small variance pays from a few hundred observations on.

    >>> print(f"{empirical_bernstein(200, 0.01, 2.0, 0.05):.4f}")
    0.1237
    """
    count, variance, spread, delta = (np.asarray(given, dtype=np.float64) for given in (count, variance, spread, delta))
    logarithm = np.log(4 / delta)
    with np.errstate(divide="ignore"):
        return np.where(
            count > 1,
            np.sqrt(2 * variance * logarithm / count) + 7 * spread * logarithm / (3 * np.maximum(count - 1, 0)),
            np.inf,
        )


def normal(count: ArrayLike, variance: ArrayLike, delta: float) -> Floats:
    r"""Return the radius of a two-sided interval by the central limit theorem: right only for many observations.

    Parameters
    ----------
    count : int or array
        Observations; with fewer than two the radius is infinite.
    variance : float or array
        Sample variance, with divisor ``count - 1``.
    delta : float
        Probability, above 0, that the true mean is further away, if the mean of the observations were normal.

    Returns
    -------
    NDArray of float64
        Shaped as `count` and `variance` are together.

    Notes
    -----
    .. math:: z_{1 - \delta / 2} \sqrt{V / t}

    Far too narrow for rare events: where no observation differed from the others it is 0.

    Examples
    --------
    >>> print(f"{normal(200, 0.01, 0.05):.4f}")
    0.0139
    """
    count, variance = (np.asarray(given, dtype=np.float64) for given in (count, variance))
    quantile = -NormalDist().inv_cdf(delta / 2)
    return np.where(count > 1, quantile * np.sqrt(variance / np.maximum(count, 1)), np.inf)


def checkpoints(first: int, ratio: float) -> Iterator[int]:
    """Yield the counts at which to look: `first`, and then each larger by `ratio`, rounded up.

    Examples
    --------
    >>> [count for count, _ in zip(checkpoints(10, 1.25), range(5))]
    [10, 13, 17, 22, 28]
    """
    count = first
    while True:
        yield count
        count = max(count + 1, math.ceil(count * ratio))


def look_share(delta: float, sequences: int, look: int) -> float:
    r"""Return the error probability that one of `sequences` intervals may have at the k-th checkpoint.

    Parameters
    ----------
    delta : float
        Probability that any interval at any checkpoint misses.
    sequences : int
        n, the intervals computed at each.
    look : int
        k, from 1.

    Notes
    -----
    .. math:: \frac{\delta}{n\,k (k + 1)}, \qquad \sum_{k \ge 1} \frac{1}{k (k + 1)} = 1

    By the union bound all hold together with probability at least :math:`1 - \delta`, wherever the looking stops, as
    long as the checkpoints are counts fixed beforehand.

    Examples
    --------
    >>> look_share(0.05, 10, 1)
    0.0025
    """
    return delta / (sequences * look * (look + 1))


def disjoint_ranking(lows: Floats, highs: Floats) -> tuple[int, ...] | None:
    """Return the players by decreasing value if the interval of each lies above that of the next, else None.

    Where all intervals hold together, so does the ranking.

    Examples
    --------
    >>> disjoint_ranking(np.array([0.1, 0.5]), np.array([0.4, 0.6]))
    (1, 0)
    """
    order = np.argsort(-lows, kind="stable")
    return tuple(order.tolist()) if (lows[order[:-1]] > highs[order[1:]]).all() else None


def disjoint_leader(lows: Floats, highs: Floats) -> int | None:
    """Return the player whose interval lies above those of all others, or None."""
    leader = int(np.argmax(lows))
    return leader if (lows[leader] > np.delete(highs, leader)).all() else None
