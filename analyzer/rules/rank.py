"""Turn values into the order in which the players are listed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analyzer.rules.worth import NotFinite


def rank(values: ArrayLike) -> NDArray[np.int64]:
    """Return the players by decreasing value, ties in step order.

    Parameters
    ----------
    values : array-like of shape (n,) or (m, n)
        One finite number per player, in step order, in any unit.

    Returns
    -------
    NDArray of int64, same shape
        Player indices: the first belongs to the largest value. Each of 0 ... n - 1 once.

    Raises
    ------
    NotFinite
        A value is NaN or infinite.

    Notes
    -----
    Values are compared exactly; 0 and -0 tie. Complexity: O(n log n) a game.

    Examples
    --------
    >>> rank([0.25, 0.5, 0.25]).tolist()
    [1, 0, 2]
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise NotFinite("only finite numbers can be ranked")
    return np.argsort(-numbers, axis=-1, kind="stable").astype(np.int64, copy=False)
