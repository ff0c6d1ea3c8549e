"""Turns what can go wrong while a site is built into one kind of error, meant for the person at the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from analyzer.game_file import CaseGame, Header

Found = TypeVar("Found")


class SiteError(Exception):
    """A site that cannot be built, written or served; the message names the file or folder and the remedy."""


def computed(compute: Callable[[], Found], case: CaseGame, header: Header) -> Found:
    """Return what `compute` finds out about a case.

    Raises
    ------
    SiteError
        If the case's scores are too large to compute with.
    """
    try:
        return compute()
    except ValueError as error:
        raise SiteError(
            f"scenario {header.scenario.id!r}, case {case.id!r}: {error}. See `agentblame validate`."
        ) from error
