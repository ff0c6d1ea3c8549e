"""Turn a score's threshold into the worth from which a coalition counts as repairing its case."""

from __future__ import annotations

from analyzer.rules.worth import check_denominator


def repair_level(threshold: float, denominator: int | None) -> float:
    """Return the worth from which a coalition repairs its case.

    Parameters
    ----------
    threshold : float
        The score from which a single run passes, in the unit of the score.
    denominator : int or None
        Of the game as it was run: above 1 it is the number of worlds in which pass or fail was counted.

    Returns
    -------
    float
        1/2 where passes in several worlds were counted (a repair holds in at least half of them), otherwise the
        threshold.

    Raises
    ------
    BadTable, TableTooLarge
        The denominator is no positive integer below 2**53.

    Notes
    -----
    A matter of the game as it was run: an edit that turns its table real moves no level.

    Examples
    --------
    >>> repair_level(1.0, 1), repair_level(1.0, 8), repair_level(0.7, None)
    (1.0, 0.5, 0.7)
    """
    check_denominator(denominator)
    return 0.5 if denominator is not None and denominator > 1 else threshold
