"""Turns numbers of calls and what they cost into the texts that people read."""

from __future__ import annotations

import math


def calls_text(calls: int) -> str:
    """Return a number of calls: ``1 call``, ``4,560 calls``."""
    return f"{calls:,} {'call' if calls == 1 else 'calls'}"


def counts_calls(unit: str) -> bool:
    """Whether a cost unit is calls, of whatever, so that a call costs 1 unless somebody says otherwise."""
    return "call" in unit


def cost_text(cost: float, unit: str, calls: int) -> str:
    """Return what so many calls cost.

    Parameters
    ----------
    cost : float
        In the pipeline's cost unit; NaN where the price of a call is not known.
    unit : str
        The pipeline's cost unit.
    calls : int

    Returns
    -------
    str
        With two decimals from 0.1 up unless it is whole, with two digits below. Empty where the cost is the calls once
        more.

    Examples
    --------
    >>> [cost_text(cost, "USD", 8) for cost in (45.6, 1200.0, 0.00321, float("nan"))]
    ['45.60 USD', '1,200 USD', '0.0032 USD', 'cost unknown']
    >>> cost_text(8.0, "model calls", 8)
    ''
    """
    if math.isnan(cost):
        return "cost unknown"
    if cost == calls and counts_calls(unit):
        return ""
    if cost == round(cost):
        number = f"{cost:,.0f}"
    elif cost >= 0.1:
        number = f"{cost:,.2f}"
    else:
        number = f"{cost:.2g}"
    return f"{number} {' '.join(unit.split())}".rstrip()
