"""Turns two colours into their contrast, and a colour into the nearest shade of it that can be read."""

from __future__ import annotations

import re
from collections.abc import Callable

#: What text of ordinary size needs against its background (WCAG 2.2, success criterion 1.4.3, level AA).
READABLE = 4.5

COLOUR = re.compile(r"#[0-9a-f]{6}")

_STEPS = 255


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21.

    Parameters
    ----------
    one, other : str
        ``#rrggbb``, in lower case.

    References
    ----------
    W3C, Web Content Accessibility Guidelines 2.2, definition of "contrast ratio".

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def mixed(colour: str, other: str, parts: int) -> str:
    """Return a colour with some of 255 parts of it replaced by another.

    Examples
    --------
    >>> mixed("#ff0000", "#ffffff", 51)
    '#ff3333'
    """
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{(one * (_STEPS - parts) + two * parts + _STEPS // 2) // _STEPS:02x}" for one, two in pairs)


def nearest_shade(colour: str, towards: str, suits: Callable[[str], bool]) -> str:
    """Return the first mixture of a colour and another that suits, beginning with the colour itself.

    Parameters
    ----------
    colour, towards : str
        ``#rrggbb``; black makes it darker, white lighter.
    suits : callable
        Must hold of `towards`, the last that is tried.
    """
    shades = (mixed(colour, towards, parts) for parts in range(_STEPS + 1))
    return next(shade for shade in shades if suits(shade))


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    """Return the relative luminance, as the guidelines define it."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in _channels(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
