"""Turns the games of a scenario and mode into one chunk of data: what the table over all of them is computed from.

A case's worth table travels as text where its entries are small whole numbers: a digit each, in base 36, ``-`` for a
hole. Two hundred cases of eight fixes are 50 kB.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.game import Game
from analyzer.rules import MissingWorth, last_touch
from site_builder.over_all import OverAll

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

#: Mode names follow this in the key of a chunk; no slug of a case has a dot.
PREFIX = "batch."


def batch_data(over: OverAll) -> dict[str, Any]:
    """Return the chunk for a scenario and mode.

    Returns
    -------
    dict
        ``cases``: their places among all cases of the scenario. In the same order ``worth`` (of a game that lists only
        some coalitions: no fix, all fixes and each fix alone; None if a coalition of it is missing), ``touched`` (the
        player whom last-step blame names, or None) and ``sampled`` (the estimates of such a game, or None).
        ``denominator`` is that of all of them.
    """
    players = over.header.players
    games = [game.game(players) for game in over.games]
    return {
        "cases": list(over.places),
        "denominator": games[0].denominator if games else None,
        "worth": [_worth(game) for game in games],
        "touched": [_touched(game) for game in games],
        "sampled": [None if game.estimates is None else list(game.estimates) for game in games],
    }


def _worth(game: Game) -> str | list[int | float | None] | None:
    if game.coalitions is None:
        return _digits(game.worth) if 0 < (game.denominator or 0) < len(_DIGITS) else list(game.worth)
    if game.withheld is not None:
        return None
    return [game.worth[0], game.worth[-1], *(game.alone(player)[1] for player in range(len(game.players)))]


def _digits(worth: Sequence[int | float | None]) -> str:
    return "".join("-" if entry is None else _DIGITS[int(entry)] for entry in worth)


def _touched(game: Game) -> int | None:
    try:
        marks = last_touch(game.outputs).tolist()
    except MissingWorth:
        return None
    return marks.index(1) if 1 in marks else None
