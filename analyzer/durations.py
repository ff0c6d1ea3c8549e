"""Turns durations as people write them, such as ``1h30m``, into seconds, and seconds into what people read."""

from __future__ import annotations

import math
import re

#: Seconds of each unit, by its name, the largest first.
UNITS = {"d": 86400, "h": 3600, "min": 60, "s": 1}

_AMOUNT = r"(\d+(?:\.\d+)?)"
_WRITTEN = re.compile(rf"(?:{_AMOUNT}\s*d)?\s*(?:{_AMOUNT}\s*h)?\s*(?:{_AMOUNT}\s*m(?:in)?)?\s*(?:{_AMOUNT}\s*s)?")


class DurationError(ValueError):
    """A text that is no duration; the message quotes it and says how one is written."""


def seconds_of(text: str) -> float:
    """Return the seconds that a duration stands for.

    Parameters
    ----------
    text : str
        Days, hours, minutes and seconds, each a number and ``d``, ``h``, ``m`` (or ``min``) or ``s``, in this order;
        what is not needed is left away. A single number without a unit is seconds.

    Returns
    -------
    float
        At least 0, finite.

    Raises
    ------
    DurationError

    Examples
    --------
    >>> [seconds_of(text) for text in ("90", "90s", "15m", "1h30m", "1.5 h", "2d")]
    [90.0, 90.0, 900.0, 5400.0, 5400.0, 172800.0]
    """
    written = text.strip()
    # Beside a unit a bare number is not told apart from the next smaller one: 1h30.
    found = _WRITTEN.fullmatch(f"{written}s" if re.fullmatch(_AMOUNT, written) else written)
    amounts = found.groups() if found is not None else ()
    if not any(amounts):
        raise DurationError(f"{text!r} is no duration; write it as 90s, 15m, 1h30m or 2d.")
    seconds = 0.0
    for amount, unit in zip(amounts, UNITS.values(), strict=True):
        seconds += float(amount or 0) * unit
    if not math.isfinite(seconds):
        raise DurationError(f"{text!r} is longer than can be counted; write it as 90s, 15m, 1h30m or 2d.")
    return seconds


def for_people(seconds: float) -> str:
    """Return a duration to the millisecond, in words that `seconds_of` reads.

    Parameters
    ----------
    seconds : float
        At least 0, finite.

    Examples
    --------
    >>> [for_people(seconds) for seconds in (0.25, 90, 4800, 172800)]
    ['0.25 s', '1 min 30 s', '1 h 20 min', '2 d']
    """
    rest, thousandths = divmod(round(1000 * _checked(seconds)), 1000)
    parts = []
    for unit, size in UNITS.items():
        amount, rest = divmod(rest, size)
        fraction = f".{thousandths:03}".rstrip("0") if unit == "s" and thousandths else ""
        if amount or fraction:
            parts.append(f"{amount}{fraction} {unit}")
    return " ".join(parts) or "0 s"


def about(seconds: float) -> str:
    """Return roughly how long something takes: whole seconds below a minute, whole minutes below a day, then hours.

    Parameters
    ----------
    seconds : float
        At least 0, finite.

    Examples
    --------
    >>> [about(seconds) for seconds in (0.3, 12.4, 260, 4790, 180_000)]
    ['less than 1 s', 'about 12 s', 'about 4 min', 'about 1 h 20 min', 'about 2 d 2 h']
    """
    if _checked(seconds) < 0.5:
        return "less than 1 s"
    # From half a step below a minute or a day on, that is what is told.
    step = 1 if seconds < 59.5 else 60 if seconds < UNITS["d"] - 30 else UNITS["h"]
    return f"about {for_people(step * round(seconds / step))}"


def _checked(seconds: float) -> float:
    if not 0 <= seconds < math.inf:
        raise ValueError(f"{seconds} seconds are no duration")
    return seconds
