"""Turn a number into the one text that is shown for it."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

from analyzer.rules.worth import NotFinite

MINUS = "\N{MINUS SIGN}"

_THOUSANDTH = Decimal("0.001")
_FIXED = Context(prec=20, rounding=ROUND_HALF_UP)
_FOUR_DIGITS = Context(prec=4, rounding=ROUND_HALF_UP)


def number_text(number: float) -> str:
    """Return the text shown for a number, in every table, chart and sentence.

    Parameters
    ----------
    number : float
        Any finite number.

    Returns
    -------
    str
        An integer without decimals ("1", "12"; 0 and -0 are "0"), anything else with three ("0.417", and
        "1.000" for 0.9999, which is not 1). What is nearer to 0 than half a thousandth is "<0.001", or
        ">−0.001" below 0. From 1e9 on, four digits and an exponent ("1.235e+9"). Negative numbers begin
        with a minus sign, U+2212.

    Raises
    ------
    NotFinite
        `number` is NaN or infinite.

    Notes
    -----
    Rounded to the nearest by the exact binary value, halves away from zero, as ``toFixed`` and
    ``toExponential`` of ECMAScript do.

    References
    ----------
    ECMA-262, 16th edition, 2025, Number.prototype.toFixed and Number.prototype.toExponential.

    Examples
    --------
    >>> [number_text(number) for number in (5 / 12, 1.0, -0.0625, 0.0001)]
    ['0.417', '1', '−0.063', '<0.001']
    """
    number = float(number)
    if not math.isfinite(number):
        raise NotFinite("only finite numbers can be shown")
    size = abs(number)
    sign = MINUS if number < 0 else ""
    if size >= 1e9:
        return f"{sign}{_FOUR_DIGITS.plus(Decimal(size)):.3e}"
    if size == math.floor(size):
        return f"{sign}{int(size)}"
    if size < 0.0005:
        return f">{sign}0.001" if sign else "<0.001"
    return f"{sign}{Decimal(size).quantize(_THOUSANDTH, context=_FIXED)}"
