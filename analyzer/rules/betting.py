"""Turn values known to lie in a range into an interval for their mean that holds at every count at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.mean_and_deviation import Rows, finite_values, ordered_sum
from analyzer.rules.worth import BadTable, NotFinite, check_overflow

Values: TypeAlias = Sequence[float] | Rows
Tally: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64]]

# Midpoints of twelve equal shares of the arcsine law, sin(pi * (2 k + 1) / 48)**2, in 128ths. Whatever the values, a
# mixture over that law is never far behind the best single fraction: it is dense near 1, for few values or a small
# spread, and near 0, for many.
BETS = np.array([1, 5, 13, 25, 40, 56, 72, 88, 103, 115, 123, 127]) / 128

LARGEST_CAPITAL = 2.0**1000
"""A larger capital counts as this much: far beyond any threshold, and finite."""

_BISECTIONS = 32
_SMALLEST_MEAN = 2.0**-_BISECTIONS  # of a candidate, as a part of the range

_SCALE = 2.0**500
_SCALE_BITS = 500
_SMALLEST_FACTOR_BITS = 7  # 1 - 127/128

OVERSHOOT = 2.0**-40
"""By what part of itself a bound may be overshot: far above rounding, far below any difference worth telling."""


def betting_interval(values: Values, low: float, high: float, threshold: float) -> NDArray[np.float64]:
    r"""Return a confidence sequence for the mean of values in a known range, at the count at hand.

    Take cases drawn independently and alike, or, more widely, values that each have the mean :math:`\mu` given those
    before. The probability that :math:`\mu` is *ever* outside, at any count of cases, is at most ``2 / threshold``. So
    one may look after every case and stop when satisfied.

    Parameters
    ----------
    values : sequence or array of shape (m,) or (m, n)
        One number per case, in case order, or one per case and player; in any unit.
    low, high : float
        The range that every value lies in by what it is, not by what was seen: ``low < high``, in the unit of the
        values. For Shapley values, the length of the range of scores below and above 0.
    threshold : float
        The capital at which a candidate mean is given up, above 1 and at most ``2**1000``: ``2 / delta`` for an error
        probability of delta, ``2 n / delta`` if the intervals of n players are to hold jointly.

    Returns
    -------
    NDArray of float64, shape (2,) or (2, n)
        The lower and the upper bound, in the unit of the values. The mean of the values, as `mean_and_deviation`
        computes it, always lies between them, both included. Without any value they are `low` and `high`.

    Raises
    ------
    BadTable
        The range is empty, the threshold is no number above 1, an entry is no number, or a value lies outside the
        range by more than ``2**-40`` of the larger of its ends (by less, it is moved to the end).
    NotFinite
        A value or an end of the range is NaN or infinite.
    TableTooLarge
        The length of the range, or the sum of the values, overflows.

    Notes
    -----
    A gambler starts with capital 1 and bets that the mean is above a candidate m, at odds that are fair if it is m: see
    `capital`, which decreases in m. If the mean is at most m, no gambler can expect to gain, and by Ville's inequality
    the capital ever reaches the threshold with probability at most ``1 / threshold``. The lower bound is the largest
    candidate found at which it has, the upper one its mirror image; each side errs with that probability. A candidate
    that is the mean of the values seen is never given up: at those odds no fixed fraction has gained, since a geometric
    mean is at most the arithmetic one.

    The candidates are parts of the range, multiples of ``2**-32``. With a the largest of them at which the capital, as
    computed, reaches the threshold, or 0 if none does, the lower bound is ``low + (high - low) * a``; the upper one is
    ``high - (high - low) * a``, with a found for the mirrored values ``high - x``. Last, a bound that rounding has put
    on the wrong side of the mean of the values is set to that mean. The order of the cases matters to that mean only.

    The capital as computed decreases in the candidate, too: each of its operations, rounded, is monotone in each of
    its operands. So a may be found in any way that tells it from its neighbour. Here it is found by 32 bisections;
    complexity: 768 products for each distinct value of a player (see `capital`).

    References
    ----------
    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
    Statistical Society B 86(1), 2024, 1-27. https://doi.org/10.1093/jrsssb/qkad009

    F. Orabona and K.-S. Jun, "Tight concentrations and confidence sequences from the regret of universal portfolio",
    IEEE Transactions on Information Theory 70(1), 2024, 436-455. https://doi.org/10.1109/TIT.2023.3330187

    J. Ville, "Étude critique de la notion de collectif", Gauthier-Villars, 1939.

    Examples
    --------
    A fix repaired 18 of 20 cases; the mean over all such cases is between a half and almost 1.

    >>> lower, upper = betting_interval([1, 1, 1, 1, 0, 1, 1, 1, 1, 1] * 2, 0, 1, 2 / 0.05)
    >>> print(f"{lower:.3f} {upper:.3f}")
    0.586 0.997
    """
    low, high = checked_range(low, high)
    check_threshold(threshold)
    table = finite_values(values)
    above, below = _tallies(table, low, high)
    digits = _digits([*above, *below])
    reached, missed = np.zeros(2 * len(above)), np.ones(2 * len(above))
    for _ in range(_BISECTIONS):
        middle = (reached + missed) / 2
        enough = _capital_at(digits, middle) >= threshold
        reached = np.where(enough, middle, reached)
        missed = np.where(enough, missed, middle)
    steps = (high - low) * reached.reshape(2, *table.shape[1:])
    bounds: NDArray[np.float64] = np.stack([low + steps[0], high - steps[1]])
    if len(table):
        means = ordered_sum(table) / len(table)
        bounds[0] = np.where(means < bounds[0], means, bounds[0])
        bounds[1] = np.where(means > bounds[1], means, bounds[1])
    return bounds


def capital(values: Values, low: float, high: float, mean: float) -> NDArray[np.float64]:
    r"""Return what a gambler owns who started with 1 and bet on each value that the mean is above a candidate.

    If every value has a mean of at most `mean` given those before, the capital ever reaches ``1 / delta`` with
    probability at most delta, however often one looks.

    Parameters
    ----------
    values : sequence or array of shape (m,) or (m, n)
        As for `betting_interval`.
    low, high : float
        As for `betting_interval`.
    mean : float
        The candidate, at least ``2**-32`` of the range above `low`, and at most `high`; in the unit of the values.

    Returns
    -------
    NDArray of float64, shape () or (n,)
        From 0, where it is too small to matter, to ``2**1000``, which stands for anything larger; 1 without any value.

    Raises
    ------
    BadTable, NotFinite, TableTooLarge
        As for `betting_interval`, and BadTable for a candidate that is none.

    Notes
    -----
    .. math:: \frac{1}{12} \sum_\theta \prod_{t=1}^{m}
              \Bigl( (1 - \theta) + \theta \, \frac{y_t}{p} \Bigr), \qquad
              y_t = \frac{x_t - \mathrm{low}}{\mathrm{high} - \mathrm{low}}, \quad
              p = \frac{\mathrm{mean} - \mathrm{low}}{\mathrm{high} - \mathrm{low}}

    The fractions θ are 1, 5, 13, 25, 40, 56, 72, 88, 103, 115, 123 and 127 over 128: midpoints of the arcsine law,
    whose mixture of bets is the one of Krichevsky and Trofimov. The order of operations is part of the definition. A
    factor is the ratio ``y / p``, its product with θ, and the sum with ``1 - θ`` (exact). Equal values have one factor,
    to the power of their count: the product starts at 1; for each binary digit of the largest count, from the highest
    to the lowest, it is squared, then multiplied by the factor of every value whose count has that digit, by increasing
    y. So it takes as many products as the counts have ones: few, where values repeat; one a case, where none does.

    A product is a mantissa of at least 1 and below ``2**500`` times ``2**(500 * exponent)``; what leaves those bounds
    is multiplied by an exact power of two, so no rounding depends on when that is done. The mean over θ is a sum from 0
    in the order above and one division by 12, in units of ``2**500`` if an exponent is 1, so that nothing overflows. A
    product with an exponent below -1 counts as 0, and one above 1 makes the capital ``2**1000``.

    References
    ----------
    As for `betting_interval`.

    Examples
    --------
    Ten values at the top of their range speak against a mean of 1/2; alternating ones don't.

    >>> print(f"{capital([1] * 10, 0, 1, 0.5):.3f}")
    261.492
    >>> print(f"{capital([1, 0] * 5, 0, 1, 0.5):.3f}")
    0.409
    """
    low, high = checked_range(low, high)
    if not math.isfinite(mean):
        raise NotFinite("a candidate mean is a finite number")
    part = (mean - low) / (high - low)
    if not _SMALLEST_MEAN <= part <= 1:
        raise BadTable("a candidate mean lies in the range, by at least 2**-32 of it above the low end")
    table = finite_values(values)
    above, _ = _tallies(table, low, high)
    return _capital_at(_digits(above), np.full(len(above), part)).reshape(table.shape[1:])


def checked_range(low: float, high: float) -> tuple[float, float]:
    """Return the ends of a range as floats; refuse what is no range of finite length."""
    low, high = float(low), float(high)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise NotFinite("the ends of a range are finite numbers")
    if low >= high:
        raise BadTable("a range goes from a low end up to a high end")
    check_overflow(np.array(high - low))
    return low, high


def check_threshold(threshold: float) -> None:
    """Refuse a threshold no capital starts below or none can reach."""
    if not 1 < threshold <= LARGEST_CAPITAL:
        raise BadTable("a threshold is a number above 1, at most 2**1000")


def parts_of_range(
    table: NDArray[np.float64], low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far values lie above `low` and below `high`, as parts of the range; each of shape (m, n)."""
    inside = _inside(table, low, high)
    return (inside - low) / (high - low), (high - inside) / (high - low)


def _tallies(table: NDArray[np.float64], low: float, high: float) -> tuple[list[Tally], list[Tally]]:
    """Return each column's distinct values, as parts of the range above `low`, and again as parts below `high`."""
    above, below = [], []
    for column in _inside(table, low, high).T:
        distinct, counts = np.unique(column, return_counts=True)
        above.append(((distinct - low) / (high - low), counts))
        below.append(((high - distinct[::-1]) / (high - low), counts[::-1]))
    return above, below


def _inside(table: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return values moved into the range, of shape (m, n); refuse those that rounding did not put outside."""
    if table.ndim not in (1, 2):
        raise BadTable("values have one axis, those of several players two")
    columns = table[:, None] if table.ndim == 1 else table
    margin = OVERSHOOT * max(abs(low), abs(high))
    outside = (columns < low - margin) | (columns > high + margin)
    if outside.any():
        raise BadTable(f"a value of case {int(np.nonzero(outside)[0][0])} lies outside the range")
    return np.clip(columns, low, high)


def _digits(tallies: Sequence[Tally]) -> list[NDArray[np.float64]]:
    """Return for each binary digit of the counts, the highest first, the parts whose count has it.

    One column for each tally; NaN fills those that have fewer.
    """
    largest = max((int(counts.max(initial=0)) for _, counts in tallies), default=0)
    found = []
    for digit in reversed(range(largest.bit_length())):
        columns = [parts[(counts >> digit) & 1 == 1] for parts, counts in tallies]
        filled = np.full((max(map(len, columns)), len(columns)), np.nan)
        for number, column in enumerate(columns):
            filled[: len(column), number] = column
        found.append(filled)
    return found


def _capital_at(digits: Sequence[NDArray[np.float64]], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the capital of each tally at its candidate mean, a part of the range."""
    mantissas, exponents = start(means.shape)
    for parts in digits:
        mantissas *= mantissas
        exponents *= 2
        _scale(mantissas, exponents)
        # A ratio of 1 makes a factor of 1.
        ratios = np.where(np.isnan(parts), 1.0, parts / means)
        values = _factors_at_once(ratios)
        for first in range(0, len(ratios), values):
            bet(mantissas, exponents, ratios[first : first + values])
    return mean_capital(mantissas, exponents)


def _factors_at_once(ratios: NDArray[np.float64]) -> int:
    """Return how many factors a product may take before it is scaled again, without leaving the doubles."""
    bits = math.frexp(float(ratios.max(initial=0.0)))[1]  # a factor is at most 1 or the ratio, whichever is larger
    return _SCALE_BITS // max(_SMALLEST_FACTOR_BITS, bits)


def start(shape: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return mantissas and exponents of a capital of 1, for each fraction (the first axis) and each gambler."""
    return np.ones((len(BETS), *shape)), np.zeros((len(BETS), *shape), dtype=np.int64)


def bet(mantissas: NDArray[np.float64], exponents: NDArray[np.int64], ratios: NDArray[np.float64]) -> None:
    """Multiply, in place, a few factors into the capitals; ratios have one row for each."""
    bets = BETS.reshape(-1, *[1] * (mantissas.ndim - 1))
    products = np.empty((len(ratios) + 1, *mantissas.shape))
    products[0] = mantissas
    np.multiply(bets, ratios[:, None], out=products[1:])
    products[1:] += 1 - bets
    # numpy multiplies along the first axis in order; only its sums go in pairs
    np.multiply.reduce(products, axis=0, out=mantissas)
    _scale(mantissas, exponents)


def _scale(mantissas: NDArray[np.float64], exponents: NDArray[np.int64]) -> None:
    """Bring mantissas that one step took out of bounds back, in place."""
    large, small = mantissas >= _SCALE, mantissas < 1
    mantissas[large] *= 1 / _SCALE
    mantissas[small] *= _SCALE
    exponents += large
    exponents -= small


def mean_capital(mantissas: NDArray[np.float64], exponents: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each gambler's capital: the mean over the fractions, the first axis."""
    largest = exponents.max(axis=0)
    unit = np.where(largest == 1, _SCALE, 1.0)
    in_unit = np.select(
        [exponents == 1, exponents == 0, exponents == -1],
        [mantissas, mantissas / unit, mantissas / _SCALE / unit],
        0.0,
    )
    return np.where(largest > 1, LARGEST_CAPITAL, ordered_sum(in_unit) / len(BETS) * unit)
