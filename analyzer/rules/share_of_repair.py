"""Turn mean values into each player's share of what all fixes together repair."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analyzer.rules.mean_and_deviation import ordered_sum
from analyzer.rules.worth import NotFinite


def share_of_repair(means: ArrayLike) -> NDArray[np.float64] | None:
    r"""Return what part of the sum of all mean values each player carries.

    Parameters
    ----------
    means : array-like of shape (n,)
        One finite number per player, in step order: the mean over the cases of a value whose sum means something,
        such as the Shapley value, in the unit of the score.

    Returns
    -------
    NDArray of float64, shape (n,), or None
        Between 0 and 1; they sum to 1 up to rounding. None when there is no whole to share: a mean is negative (beside
        it the others add up to more than the whole), or the means sum to 0.

    Raises
    ------
    NotFinite
        A mean is NaN or infinite.
    TableTooLarge
        The sum overflows.

    Notes
    -----
    .. math:: \frac{\bar\varphi_i}{\sum_j \bar\varphi_j}

    The sum starts at 0 and runs in step order; one division a player. For Shapley values the sum is the mean of
    ``v(N) - v({})``, by efficiency. Complexity: O(n).

    References
    ----------
    L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games II, 1953, 307-317.
    https://doi.org/10.1515/9781400881970-018

    Examples
    --------
    >>> share_of_repair([0.375, 0.125, 0.0]).tolist()
    [0.75, 0.25, 0.0]
    >>> share_of_repair([0.5, -0.25]) is None
    True
    """
    values = np.asarray(means, dtype=np.float64)
    if not np.isfinite(values).all():
        raise NotFinite("only finite numbers have shares")
    total = ordered_sum(values)
    if (values < 0).any() or total == 0:
        return None
    shares: NDArray[np.float64] = (values + 0.0) / total  # + 0: no share is -0
    return shares
