"""Turn a worth table and one edited outcome into the table after the edit."""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np

from analyzer.rules.worth import EXACT, BadTable, NotFinite, Outcomes, check_exact, worth_table


def set_outcome(
    worth: Outcomes, denominator: int | None, mask: int, value: float
) -> tuple[list[float | None], int | None]:
    """Set the worth of one coalition.

    Parameters
    ----------
    worth : sequence of length 2**n
        v(S) by coalition mask: integers over `denominator`, or floats when `denominator` is None. Entries may
        be None, for coalitions without an outcome.
    denominator : int or None
        What the integers of a rational table are divided by, at least 1; None for a real table.
    mask : int
        The coalition, 0 ... 2**n - 1. It may have had no outcome.
    value : float
        Its new worth in the unit of the score (not a numerator); finite.

    Returns
    -------
    worth : list of int, float or None
        A new table. The other coalitions keep their worth, and the others without an outcome stay without.
    denominator : int or None
        The one given as long as `value` is a multiple of ``1 / denominator``: the integer k nearest to
        ``value * denominator`` is below 2**53 in magnitude, and ``k / denominator == value``. Otherwise None:
        the whole table has turned real, each k into ``k / denominator``.

    Raises
    ------
    NotFinite
        `value`, or an entry of the table, is NaN or infinite.
    TableTooLarge
        A rational table with ``2 * max|k| >= 2**53`` or ``denominator >= 2**53``.
    BadTable
        `mask` is no coalition of the table, or the table is no worth table.

    Notes
    -----
    Complexity: O(2**n). The same condition is evaluated in float64 in both languages, so that they turn real
    at the same edit.

    Examples
    --------
    Passing in 3 of 4 worlds is a multiple of 1/4; a score of 0.3 is not.

    >>> set_outcome([0, 4], 4, 0, 0.75)
    ([3, 4], 4)
    >>> set_outcome([0, 4], 4, 0, 0.3)
    ([0.3, 1.0], None)
    """
    table = worth_table([0 if outcome is None else outcome for outcome in worth], denominator)
    if denominator is not None:
        check_exact(table, denominator, 1)
        table = table.astype(np.int64)
    if not isinstance(mask, Integral) or not 0 <= mask < len(worth):
        raise BadTable(f"a coalition of this table is an integer from 0 to {len(worth) - 1}")
    value = float(value)
    if not math.isfinite(value):
        raise NotFinite("an outcome is a finite number")
    new: float = value
    if denominator is not None:
        scaled = value * denominator
        nearest = math.floor(scaled + 0.5) if abs(scaled) < EXACT else None
        if nearest is not None and nearest / denominator == value:
            new = nearest
        else:
            table = table / denominator
            denominator = None
    edited = [None if old is None else entry for old, entry in zip(worth, table.tolist(), strict=True)]
    edited[mask] = new
    return edited, denominator
