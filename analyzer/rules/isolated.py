"""Turn a name into one that moves nothing around it where it stands in a sentence."""

from __future__ import annotations

import re

FIRST_STRONG_ISOLATE = "\N{FIRST STRONG ISOLATE}"
POP_ISOLATE = "\N{POP DIRECTIONAL ISOLATE}"

#: The blocks of scripts that run from right to left, with their digits and marks, and what sets a direction by itself.
_TURNS = re.compile(
    "[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_ISOLATES = re.compile("[\u2066-\u2069]")


def isolated(name: str) -> str:
    """Return a name as it stands in a sentence, or beside other names.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        The name as given, if nothing in it runs from right to left or sets a direction. Else between U+2068 and
        U+2069, so that it has a direction of its own and no number or name beside it changes places with it. What
        would begin or end another such isolate within it is left out: it could end this one.

    References
    ----------
    Unicode Standard Annex 9, Unicode Bidirectional Algorithm, version 16, 2024, section 2.4.
    https://www.unicode.org/reports/tr9/

    Examples
    --------
    >>> isolated("Retriever")
    'Retriever'
    >>> [f"{ord(end):04X}" for end in isolated("\u05e9\u05dc\u05d5\u05dd")[::5]]
    ['2068', '2069']
    """
    if _TURNS.search(name) is None:
        return name
    return FIRST_STRONG_ISOLATE + _ISOLATES.sub("", name) + POP_ISOLATE
