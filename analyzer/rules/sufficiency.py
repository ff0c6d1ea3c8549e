"""Turn pass probabilities into bounds on how likely each fix alone would do where the case fails without any."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.necessity import conditional_bounds, pass_probabilities
from analyzer.rules.worth import Outcomes, player_count


def sufficiency(worth: Outcomes | NDArray[Any], denominator: int | None) -> NDArray[np.float64] | None:
    r"""Return bounds on the probability of sufficiency of every fix.

    Given a world that fails without any fix, how probable is it that with fix i alone the same world would pass?
    A table of pass probabilities leaves open whether the same worlds pass, so the answer is an interval: the
    smallest and the largest probability that the table allows.

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
        where the case never passes without any fix, and where this fix alone always passes. None if the case
        always passes without any fix. Those of a rational table are correctly rounded.

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
    .. math:: \frac{\max\{0,\, v(\{i\}) - v(\varnothing)\}}{1 - v(\varnothing)} \le PS_i \le
              \frac{\min\{1 - v(\varnothing),\, v(\{i\})\}}{1 - v(\varnothing)}

    Rational: integers and one division. Real: at most two subtractions and one division each. Complexity: O(n),
    after the table has been checked. Why the bounds hold, and are sharp: see `necessity`.

    References
    ----------
    J. Tian and J. Pearl, "Probabilities of causation: bounds and identification", Annals of Mathematics and
    Artificial Intelligence 28, 2000, 287-313. https://doi.org/10.1023/A:1018912507879

    Examples
    --------
    Without any fix 8 of 10 worlds fail; with the first alone 6 pass, with the second 4.

    >>> sufficiency([2, 6, 4, 8], 10).tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    passes, whole = pass_probabilities(worth, denominator)
    alone = passes[1 << np.arange(player_count(len(passes)))]
    return conditional_bounds(alone - passes[0], alone, whole - passes[0])
