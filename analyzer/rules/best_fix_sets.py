"""Turn how many cases each set of fixes repairs into the best set of every size."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.worth import BadTable, Outcomes, check_exact, coalition_sizes, worth_table


class BestFixSet(NamedTuple):
    """The coalition of one size that repairs most cases.

    Attributes
    ----------
    coalition : int
        Its mask; the smallest mask of those that repair as many.
    repaired : int
        How many cases it repairs.
    tied : int
        How many coalitions of this size repair as many, itself included.
    """

    coalition: int
    repaired: int
    tied: int


def best_fix_sets(repaired: Outcomes | NDArray[Any], players: int) -> tuple[BestFixSet, ...]:
    r"""Return, for every number of fixes, the coalition that repairs most cases.

    The answer to "if only k fixes can be made, which?", which is not "the k with the largest values": two fixes that
    repair the same cases rank high together, and the second of them adds nothing.

    Parameters
    ----------
    repaired : sequence or array of shape (2**n,)
        How many cases of the batch each coalition repairs, by mask: integers, at least 0 and below 2**52.
    players : int
        n, the number of fixes.

    Returns
    -------
    tuple of BestFixSet, length n + 1
        For sizes 0 ... n.

    Raises
    ------
    MissingWorth
        A coalition has no count.
    BadTable
        There are not 2**n counts, or one is no integer of at least 0.
    NotFinite
        A count is NaN or infinite.
    TableTooLarge
        A count of 2**52 or more.

    Notes
    -----
    .. math:: \max_{|S| = k} \sum_{t=1}^{m} \mathbf 1 [\, v_t(S) \ge \mathrm{level}_t \,]

    Exact, by looking at every coalition; a greedy choice may be wrong, as in the example. Complexity: O(2**n). When a
    case is repaired by any one of several fixes this is the maximum coverage problem.

    References
    ----------
    D. S. Hochbaum and A. Pathria, "Analysis of the greedy approach in problems of maximum k-coverage", Naval Research
    Logistics 45(6), 1998, 615-627. https://doi.org/10.1002/(SICI)1520-6750(199809)45:6<615::AID-NAV5>3.0.CO;2-5

    Examples
    --------
    The first fix alone repairs most cases, and yet the best pair are the other two.

    >>> for best in best_fix_sets([0, 4, 3, 5, 3, 5, 6, 6], 3):
    ...     print(best)
    BestFixSet(coalition=0, repaired=0, tied=1)
    BestFixSet(coalition=1, repaired=4, tied=1)
    BestFixSet(coalition=6, repaired=6, tied=1)
    BestFixSet(coalition=7, repaired=6, tied=1)
    """
    counts = worth_table(repaired, 1)
    check_exact(counts, 1, 1)
    counts = counts.astype(np.int64)
    if counts.ndim != 1 or len(counts) != 2**players:
        raise BadTable("there is one count for each coalition of the players, 2**n in all")
    if (counts < 0).any():
        raise BadTable("a number of cases is at least 0")
    sizes = coalition_sizes(players)
    by_size = np.argsort(sizes, kind="stable")
    starts = np.searchsorted(sizes[by_size], np.arange(players + 1))
    most = np.maximum.reduceat(counts[by_size], starts)
    winners = np.flatnonzero(counts == most[sizes])  # by increasing mask
    coalitions = winners[np.unique(sizes[winners], return_index=True)[1]]
    tied = np.bincount(sizes[winners])
    return tuple(map(BestFixSet, coalitions.tolist(), most.tolist(), tied.tolist()))
