"""Turns the games of a scenario and mode into chunks of data: what the table over all of them is computed from.

A case's worth table travels as text, so that a browser need not read number by number: where its entries are small
whole numbers a digit each, in base 36, ``-`` for a hole; where scores are graded their 64 bits, the lowest byte first,
as base64, not-a-number for a hole. Two hundred cases of eight fixes are 50 kB of digits, or 560 kB of bits.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from analyzer.game import Game
from analyzer.rules import MissingWorth, last_touch
from site_builder.over_all import OverAll

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

# Among millions of letters in a row are some that look like a key of a service to those who search for secrets.
_RUN, _APART = 32, "|"

#: Mode names follow this in the key of a chunk; no slug of a case has a dot.
PREFIX = "batch."

#: Characters of worth tables in one chunk: what a browser takes in without a stop that is felt.
LARGEST = 2**20


def batch_chunks(over: OverAll) -> list[tuple[str, dict[str, Any]]]:
    """Return the chunks for a scenario and mode, by key within the scenario.

    The first has all of `batch_data` but for worth tables that do not fit in; ``more`` says how many chunks follow,
    which have only these.
    """
    found = batch_data(over)
    key = f"{PREFIX}{over.header.mode}"
    first, *rest = _parts(found["worth"])
    chunks = [(key, {**found, "worth": first, "more": len(rest)})]
    chunks.extend((f"{key}.{number}", {"worth": part}) for number, part in enumerate(rest, 1))
    return chunks


def batch_data(over: OverAll) -> dict[str, Any]:
    """Return what the page knows of all games of a scenario under a mode.

    Returns
    -------
    dict
        ``cases``: their places among all cases of the scenario. In the same order ``worth`` (of a game that lists only
        some coalitions: no fix, all fixes and each fix alone; None if a coalition of it is missing), ``touched`` (the
        player whom last-step blame names, or None, as always where the steps have no order) and ``sampled`` (the
        estimates of such a game, or None). ``denominator`` is that of all of them.
    """
    players, ordered = over.header.players, over.header.ordered
    games = [game.game(players, ordered=ordered) for game in over.games]
    return {
        "cases": list(over.places),
        "denominator": games[0].denominator if games else None,
        "worth": [_worth(game) for game in games],
        "touched": [_touched(game) for game in games],
        "sampled": [None if game.estimates is None else list(game.estimates) for game in games],
    }


_Worth = str | list[int | float | None] | None


def _parts(tables: Sequence[_Worth]) -> list[list[_Worth]]:
    """Split tables into runs that are not too large, at least one."""
    parts, size = [list[_Worth]()], 0
    for table in tables:
        # A number that is written out takes up to 24 characters.
        length = len(table) if isinstance(table, str) else 24 * len(table or ())
        if parts[-1] and size + length > LARGEST:
            parts.append([])
            size = 0
        parts[-1].append(table)
        size += length
    return parts


def _worth(game: Game) -> _Worth:
    if game.coalitions is None:
        if game.denominator is None:
            return _bits(game.worth)
        return _digits(game.worth) if game.denominator < len(_DIGITS) else list(game.worth)
    if game.withheld is not None:
        return None
    return [game.worth[0], game.worth[-1], *(game.alone(player)[1] for player in range(len(game.players)))]


def _bits(worth: Sequence[int | float | None]) -> str:
    text = base64.b64encode(np.array(worth, "<f8").tobytes()).decode("ascii")
    return _APART.join(text[start : start + _RUN] for start in range(0, len(text), _RUN))


def _digits(worth: Sequence[int | float | None]) -> str:
    return "".join("-" if entry is None else _DIGITS[int(entry)] for entry in worth)


def _touched(game: Game) -> int | None:
    if game.outputs is None:
        return None
    try:
        marks = last_touch(game.outputs).tolist()
    except MissingWorth:
        return None
    return marks.index(1) if 1 in marks else None
