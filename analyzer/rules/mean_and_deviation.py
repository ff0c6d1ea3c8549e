"""Turn the values of many cases into their mean and their spread around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.worth import BadTable, NotFinite, check_overflow

Rows: TypeAlias = Sequence[Sequence[float] | NDArray[Any]] | NDArray[Any]


def mean_and_deviation(rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    r"""Return the mean and the standard deviation of every player's values over the cases of a batch.

    Parameters
    ----------
    rows : sequence or array of shape (m, n)
        One row per case, in case order, with one finite number per player in step order; for instance the Shapley
        values of each case, in the unit of the score. At least one case.

    Returns
    -------
    means : NDArray of float64, shape (n,)
        In the unit of the values.
    deviations : NDArray of float64, shape (n,), or None
        The sample standard deviations, at least 0, in the unit of the values; None for a single case. The standard
        error of a mean is its deviation over the square root of m.

    Raises
    ------
    BadTable
        There is no case, the rows differ in length, or an entry is no number.
    NotFinite
        A value is NaN or infinite.
    TableTooLarge
        A sum, or the square of a distance from the mean, overflows.

    Notes
    -----
    .. math:: \bar x = \frac{1}{m} \sum_{t=1}^{m} x_t, \qquad
              s = \sqrt{\frac{1}{m - 1} \sum_{t=1}^{m} (x_t - \bar x)(x_t - \bar x)}

    Both sums start at 0 and run in case order, each followed by one division. Complexity: O(m) a player. Two passes,
    because the sum of squares less the square of the sum loses every digit when the deviation is small.

    References
    ----------
    T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for computing the sample variance: analysis and
    recommendations", The American Statistician 37(3), 1983, 242-247. https://doi.org/10.1080/00031305.1983.10483115

    Examples
    --------
    >>> means, deviations = mean_and_deviation([[1, 0.5], [0, 0.5], [0.5, 0.5]])
    >>> means.tolist(), deviations.tolist()
    ([0.5, 0.5], [0.5, 0.0])
    """
    table = case_table(rows)
    cases = len(table)
    if cases == 0:
        raise BadTable("a batch without cases has no mean")
    means = ordered_sum(table) / cases
    if cases == 1:
        return means, None
    with np.errstate(over="ignore"):
        distances = table - means
        squares = distances * distances
    return means, np.sqrt(ordered_sum(squares) / (cases - 1))


def case_table(rows: Rows, first: int = 0) -> NDArray[np.float64]:
    """Check a batch of values, one row per case from number `first` on; return it as an array of shape (m, n)."""
    table = finite_values(rows, first)
    if table.shape == (0,):
        return table.reshape(0, 0)
    if table.ndim != 2:
        raise _no_batch()
    return table


def finite_values(values: Any, first: int = 0) -> NDArray[np.float64]:
    """Check that all values of cases, from number `first` on, are finite numbers; return them as an array."""
    try:
        table = np.asarray(values)
    except ValueError:
        raise _no_batch() from None
    if table.dtype.kind not in "biuf":
        raise BadTable("a value of a case is not a number")
    table = table.astype(np.float64, copy=False)
    fine = np.isfinite(table)
    if not fine.all():
        case = first + int(np.nonzero(~np.atleast_1d(fine))[0][0])
        raise NotFinite(f"a value of case {case} is not a finite number")
    return table


def ordered_sum(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums over the first axis, from 0, each in case order; refuse those that overflow."""
    if len(table) == 0:
        return np.zeros(table.shape[1:])
    with np.errstate(over="ignore", invalid="ignore"):
        # accumulate adds in order, where np.sum adds in pairs; + 0: a sum that starts at 0 is never -0
        sums: NDArray[np.float64] = np.add.accumulate(table, axis=0)[-1] + 0.0
    check_overflow(sums)
    return sums


def _no_batch() -> BadTable:
    return BadTable("the cases of a batch have one value for each of the same players")
