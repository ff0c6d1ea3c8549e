"""Turn pass probabilities into bounds on how likely each fix was needed where all fixes together pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.worth import BadTable, Outcomes, check_exact, player_count, worth_table


def necessity(worth: Outcomes | NDArray[Any], denominator: int | None) -> NDArray[np.float64] | None:
    r"""Return bounds on the probability of necessity of every fix.

    Given a world in which all fixes together pass, how probable is it that without fix i the same world would
    fail? A table of pass probabilities leaves open whether the same worlds pass, so the answer is an interval:
    the smallest and the largest probability that the table allows.

    Parameters
    ----------
    worth : sequence or array of shape (2**n,)
        The probability that the coalition passes, by mask, for one game, from 0 to 1: passes over the number
        of worlds `denominator`, or floats when `denominator` is None.
    denominator : int or None
        What the integers of a rational table are divided by, at least 1; None for a real table.

    Returns
    -------
    NDArray of float64, shape (n, 2), or None
        The lower and the upper bound of every player, from 0 to 1; both are the same where there is one world,
        where all fixes together always pass, and where they never do without this one. None if all fixes
        together never pass. Those of a rational table are correctly rounded.

    Raises
    ------
    MissingWorth
        A coalition has no outcome.
    NotFinite, BadTable
        The table is not a worth table of one game, or an outcome is below 0 or above 1.
    TableTooLarge
        A rational table with ``2 * max|k| >= 2**53`` or ``denominator >= 2**53``.

    Notes
    -----
    .. math:: \frac{\max\{0,\, v(N) - v(N \setminus i)\}}{v(N)} \le PN_i \le
              \frac{\min\{v(N),\, 1 - v(N \setminus i)\}}{v(N)}

    Rational: integers and one division. Real: one subtraction and one division each. Complexity: O(n), after
    the table has been checked.

    Tian and Pearl's bounds hold, and are sharp, when the fix is exogenous: whether it is in depends on nothing
    that also bears on the outcome. That is so here, since the fixes are put in by us.

    References
    ----------
    J. Tian and J. Pearl, "Probabilities of causation: bounds and identification", Annals of Mathematics and
    Artificial Intelligence 28, 2000, 287-313. https://doi.org/10.1023/A:1018912507879

    Examples
    --------
    All fixes pass in 8 of 10 worlds; without the first in 4, without the second in 6.

    >>> necessity([2, 6, 4, 8], 10).tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    passes, whole = pass_probabilities(worth, denominator)
    grand = len(passes) - 1
    given = passes[grand]
    without = passes[grand ^ (1 << np.arange(player_count(len(passes))))]
    return conditional_bounds(given - without, whole - without, given)


def pass_probabilities(worth: Outcomes | NDArray[Any], denominator: int | None) -> tuple[NDArray[Any], int]:
    """Return a checked table of pass probabilities, and what stands for certainty in it.

    Parameters
    ----------
    worth : sequence or array of shape (2**n,)
        As in `necessity`.
    denominator : int or None
        As in `necessity`.

    Returns
    -------
    passes : NDArray of int64 or float64, shape (2**n,)
        Integers for a rational table.
    whole : int
        The denominator, or 1 for a real table.
    """
    table = worth_table(worth, denominator)
    if table.ndim != 1:
        raise BadTable("probabilities of causation are of one game: one table, not a batch")
    if denominator is not None:
        check_exact(table, denominator, 1)
        table = table.astype(np.int64)
    whole = 1 if denominator is None else denominator
    outside = (table < 0) | (table > whole)
    if outside.any():
        raise BadTable(f"the worth of coalition {int(np.argmax(outside))} is no probability: it is not from 0 to 1")
    return table, whole


def conditional_bounds(lower: NDArray[Any], upper: NDArray[Any], given: Any) -> NDArray[np.float64] | None:
    """Return sharp bounds on the conditional probability of an event, for every player.

    Parameters
    ----------
    lower : NDArray, shape (n,)
        By how much the two probabilities, of the event and of the condition, exceed certainty together.
    upper : NDArray, shape (n,)
        The probability of the event.
    given : int or float
        The probability of the condition.

    Returns
    -------
    NDArray of float64, shape (n, 2), or None
        Lower and upper bound (Fréchet's, divided by `given`); None if the condition never holds.
    """
    if given == 0:
        return None
    joint = np.stack([np.maximum(lower, 0), np.minimum(upper, given)], axis=-1)
    bounds: NDArray[np.float64] = joint / given + 0.0  # no -0
    return bounds
