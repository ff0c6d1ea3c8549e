"""Turn worth tables into what is lost when one fix is left out of all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.worth import Worth, differences, player_count, worth_table


def leave_one_out(worth: Worth, denominator: int | None) -> NDArray[np.float64]:
    r"""Return the marginal contribution of every player to the grand coalition.

    Parameters
    ----------
    worth : sequence or array of shape (2**n,) or (m, 2**n)
        v(S) by coalition mask, for one game or for m games: integers over `denominator`, or finite floats
        when `denominator` is None. In the unit of the score.
    denominator : int or None
        What the integers of a rational table are divided by, at least 1; None for a real table.

    Returns
    -------
    NDArray of float64, shape (n,) or (m, n)
        In the unit of the score, between ``min v - max v`` and ``max v - min v``. They sum to nothing in
        particular: fixes that stand in for one another all get 0.

    Raises
    ------
    MissingWorth
        A coalition has no outcome.
    NotFinite, BadTable
        The table is not a worth table.
    TableTooLarge
        A rational table with ``2 * max|k| >= 2**53`` or ``denominator >= 2**53``, or a difference of real
        scores that overflows.

    Notes
    -----
    .. math:: l_i = v(N) - v(N \setminus i)

    Rational: an integer difference and one division. Real: one subtraction. Complexity: O(n) a game, after
    the table has been checked. Known as *remove individual* among the removal-based explanations.

    References
    ----------
    I. Covert, S. Lundberg and S.-I. Lee, "Explaining by removing: a unified framework for model explanation",
    Journal of Machine Learning Research 22(209), 2021. https://doi.org/10.48550/arXiv.2011.14878

    Examples
    --------
    The first two fixes are needed together, the third does nothing.

    >>> leave_one_out([0, 0, 0, 1, 0, 0, 0, 1], 1).tolist()
    [1.0, 1.0, 0.0]
    """
    table = worth_table(worth, denominator)
    grand = table.shape[-1] - 1
    without = grand ^ (1 << np.arange(player_count(table.shape[-1])))
    return differences(table, denominator, np.full_like(without, grand), without)
