"""Turns the calls that a program made into what is to be said of fixes that were tried where none was."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from analyzer.program import step_of

_MOST_NAMED = 8


def uncalled(players: Sequence[str], called: Collection[str]) -> tuple[str, ...]:
    """Return a sentence for each target of a fix that was called in no run.

    Such a fix is worth 0, which says nothing of it. Most often its address lacks the task that makes the call.

    Parameters
    ----------
    players : sequence of str
        The program's.
    called : collection of str
        Addresses of the calls that were made in any run.

    Examples
    --------
    >>> uncalled(["search[1]", "plan"], ["1/search[1]", "2/search[1]", "plan[1]"])
    ('search[1] was called in no run of a failing case; calls of its step are 1/search[1], 2/search[1]',)
    """
    steps = {step_of(call) for call in called}
    found = []
    for player in players:
        if player in called or player in steps:
            continue
        calls = sorted((call for call in called if step_of(call) == step_of(player)), key=_place)
        more = len(calls) - _MOST_NAMED
        named = ", ".join(calls[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        found.append(
            f"{player} was called in no run of a failing case" + (f"; calls of its step are {named}" if named else "")
        )
    return tuple(found)


def _place(call: str) -> list[str | int]:
    """Return what puts addresses in order: its numbers as such, between texts."""
    return [int(piece) if number % 2 else piece for number, piece in enumerate(re.split("([0-9]+)", call))]
