"""Turns a game whose values were sampled into what a reader is told: nothing that its intervals do not carry."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.rules import Verdict, isolated, number_text, rank
from analyzer.rules.verdict import listed

_NAMED = 3


def sampled_verdict(
    titles: Sequence[str],
    ends: tuple[float, float],
    alone: Sequence[float],
    values: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    leader: int | None,
    level: float,
) -> Verdict:
    """Say what a sampled game means.

    Parameters
    ----------
    titles : sequence of str, length n
        The players' step names as shown, in step order.
    ends : (float, float)
        The outcome without any fix, and with all fixes.
    alone : sequence of float, length n
        The outcome with each fix alone.
    values, low, high : sequence of float, length n
        Shapley values as estimated, and their confidence intervals.
    leader : int or None
        The player whose value is claimed to be the single largest.
    level : float
        The outcome from which a coalition repairs the case.

    Returns
    -------
    Verdict
        Of the kinds that `analyzer.rules.verdict` has; `players` is the leader, if one is claimed.
    """
    titles = [isolated(title) for title in titles]
    repairs = tuple(player for player, outcome in enumerate(alone) if outcome >= level)
    leading = () if leader is None else (leader,)
    if ends[0] >= level:
        return Verdict("passes", leading, repairs, ("It passes without any fix: there is nothing to repair.",))
    told = [_first(titles, values, low, high, leader)]
    if ends[1] < level:
        kind = "all_fail"
        alone_do = f"Fixing {listed(titles, repairs, 'or')} alone repairs this case, but all" if repairs else "All"
        told.insert(0, f"{alone_do} fixes together don’t{'' if repairs else ' repair it'}.")
    else:
        kind = "repairable" if repairs else "no_single"
    if repairs and kind == "repairable":
        told.append(f"Fixing {listed(titles, repairs, 'or')} alone repairs this case.")
    elif kind == "no_single":
        told.append("No single fix repairs it; it takes a combination.")
    worse = [player for player, top in enumerate(high) if top < 0]
    if worse:
        told.append(f"Fixing {listed(titles, worse, 'or')} makes things worse on balance.")
    return Verdict(kind, leading, repairs, tuple(told))


def _first(
    titles: Sequence[str], values: Sequence[float], low: Sequence[float], high: Sequence[float], leader: int | None
) -> str:
    """Say which fix comes first, with its interval, or that sampling does not tell the first ones apart."""
    order = [int(player) for player in rank(list(values))]
    if leader is not None:
        span = f"{number_text(low[leader])} to {number_text(high[leader])}"
        return f"Fixing {titles[leader]} helps most ({number_text(values[leader])}, interval {span})."
    if not order or values[order[0]] <= 0:
        return "Sampling found no fix that helps."
    close = [player for player in order if high[player] >= low[order[0]] and values[player] > 0]
    named, more = sorted(close[:_NAMED]), len(close) - _NAMED
    others = f" and {more} more" if more > 0 else ""
    if len(close) == 1:
        return f"Fixing {titles[close[0]]} seems to help most, but sampling does not tell it apart from the others yet."
    return f"Sampling does not tell apart which helps most: {listed(titles, named, 'or')}{others}."
