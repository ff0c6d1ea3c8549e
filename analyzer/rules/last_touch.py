"""Turn the outputs each step showed into the step that last-step blame would have named."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from analyzer.rules.worth import BadTable, MissingWorth

Outputs: TypeAlias = Sequence[Sequence[int | None]] | NDArray[Any]


def last_touch(outputs: Outputs) -> NDArray[np.float64]:
    """Mark the last player in run order whose own output the fixes changed.

    This is what a reader of a transcript does who blames the last step that handled the answer.

    Parameters
    ----------
    outputs : sequence or array of shape (n, m)
        For each player in run order, and each coalition that was run by increasing mask, from the empty to the
        grand one: the index, at least 0, of the distinct output that player's step showed; None where the run
        raised before it showed one.

    Returns
    -------
    NDArray of float64, shape (n,)
        1 for the last player whose output under the grand coalition differs from its factual output (that
        under the empty coalition), 0 for the others. Sums to 1, or to 0 if no output differs.

    Raises
    ------
    MissingWorth
        A step showed no output in the factual run or under the grand coalition.
    BadTable
        The shape does not fit, or an entry is no index.

    Notes
    -----
    Only the first and the last column are read. Complexity: O(n). The rule gives all
    credit to one step whatever the score did, as last-touch attribution does in marketing.

    References
    ----------
    X. Shao and L. Li, "Data-driven multi-touch attribution models", Proceedings of KDD 2011, 258-264.
    https://doi.org/10.1145/2020408.2020453

    Examples
    --------
    Both steps showed something else once everything was fixed; the second ran last.

    >>> last_touch([[0, 1, 0, 1], [0, 1, 2, 1]]).tolist()
    [0.0, 1.0]
    """
    players = len(outputs)
    if any(len(row) != len(outputs[0]) or len(row) == 0 for row in outputs):
        raise BadTable("outputs have one row per player and one column per coalition")
    ends = {0: 0, (1 << players) - 1: -1}
    if holes := [mask for mask, column in ends.items() if any(row[column] is None for row in outputs)]:
        raise MissingWorth(holes)
    indices = [row[column] for column in ends.values() for row in outputs]
    if not all(isinstance(index, Integral) and int(index) >= 0 for index in indices):
        raise BadTable("an output is named by its index, an integer of at least 0")
    marks = np.zeros(players)
    changed = [player for player, row in enumerate(outputs) if row[0] != row[-1]]
    if changed:
        marks[changed[-1]] = 1.0
    return marks
