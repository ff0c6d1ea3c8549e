"""Turns a case's worth table into rows: one per combination of fixes that is listed, with its outcome in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.game_file import CaseGame, Header
from analyzer.rules import repair_level
from site_builder.wording import Outcome, coalition_name, outcome

#: Rows of the table that are pre-rendered; the page turns pages beyond.
OUTCOME_ROWS = 256
#: Most fixes whose switches are drawn as a dot each.
DOTS = 12


@dataclass(frozen=True)
class OutcomeRow:
    """One coalition: its name, which fixes are on, its outcome, and the error where there is none."""

    mask: int
    name: str
    on: tuple[bool, ...]
    outcome: Outcome
    error: str


def outcome_rows(game: CaseGame, header: Header) -> tuple[OutcomeRow, ...]:
    """Return the first rows of the table of outcomes."""
    return tuple(_row(place, game, header) for place in places(game, len(header.players))[:OUTCOME_ROWS])


def places(game: CaseGame, players: int) -> Sequence[int]:
    """Return the entries of a worth table in the order they are shown.

    That of the table, where all coalitions are listed; else by size, and what is nearly complete by what is missing:
    no fix, each fix alone, all but each, all.
    """
    if game.coalitions is None:
        return range(len(game.worth))
    listed, grand = game.coalitions, (1 << players) - 1

    def key(place: int) -> tuple[int, int]:
        mask = listed[place]
        size = mask.bit_count()
        return size, mask if 2 * size <= players else grand - mask

    return sorted(range(len(listed)), key=key)


def outcome_of(game: CaseGame, place: int, header: Header) -> Outcome:
    """Return how an entry of a worth table is shown."""
    worth, worlds = game.worth[place], game.denominator or 1
    level = repair_level(header.scenario.score.threshold, game.denominator)
    return outcome(None if worth is None else worth / worlds, worlds, level)


def ends(game: CaseGame, header: Header) -> tuple[tuple[str, Outcome], ...]:
    """Return the outcomes without any fix and with all of them."""
    found = [("No fix", 0)] if not header.players else [("No fix", 0), ("All fixes", -1)]
    return tuple((name, outcome_of(game, place, header)) for name, place in found)


def passing(game: CaseGame, header: Header) -> str:
    """Return how many of the coalitions that are listed repair the case."""
    number = sum(outcome_of(game, place, header).state == "pass" for place in range(len(game.worth)))
    return f"{number} of {len(game.worth)}{'' if game.coalitions is None else ' listed'}"


def _row(place: int, game: CaseGame, header: Header) -> OutcomeRow:
    titles, mask = header.player_titles, game.masks[place]
    return OutcomeRow(
        mask,
        coalition_name(mask, titles),
        tuple(bool(mask >> player & 1) for player in range(len(titles))) if len(titles) <= DOTS else (),
        outcome_of(game, place, header),
        game.reasons[mask] if game.worth[place] is None else "",
    )
