"""Turns a game file into the problems found in it: what its schema cannot say, and stored values that do not add up."""

from __future__ import annotations

import math
from collections.abc import Iterable

from analyzer.game import values
from analyzer.game_records import GameFile


def check_arithmetic(file: GameFile) -> list[str]:
    """Recompute every stored value of a game file.

    Returns
    -------
    list of str
        One sentence for each value that differs from what the rules give, to the last bit; empty when all agree.
    """
    problems = []
    for case in file.cases:
        game = case.game(file.header.players)
        if game.withheld != case.withheld:
            problems.append(
                f"case {case.id!r}: field 'withheld' says {case.withheld!r}, the table says {game.withheld!r}"
            )
            continue
        try:
            expected = values(game)
        except ValueError as error:
            problems.append(f"case {case.id!r}: field 'worth': {error}")
            continue
        for rule, stored in case.values.items():
            if _bits(stored) != _bits(expected[rule]):
                problems.append(
                    f"case {case.id!r}: field 'values.{rule}' holds {stored}, the worth table gives {expected[rule]}"
                )
    return problems


def _bits(numbers: tuple[float, ...] | None) -> list[str] | None:
    return None if numbers is None else [float(number).hex() for number in numbers]


def check_structure(file: GameFile) -> Iterable[str]:
    """Yield what the schema cannot say: lengths, ranges and references between fields."""
    header = file.header
    step_ids = [step.id for step in header.steps]
    if len(set(step_ids)) != len(step_ids):
        yield "line 1: field steps: two steps have the same id"
    if list(header.players) != [step.id for step in header.steps if step.fix is not None]:
        yield "line 1: field players: must be the steps that have a fix, in order"
    if header.reference_world >= header.worlds:
        yield "line 1: field reference_world: must be below worlds"
    if header.counts.analysed != len(file.cases):
        yield (
            f"line 1: field counts.analysed: says {header.counts.analysed}, the file holds {len(file.cases)} cases; "
            "it was cut short or put together by hand"
        )
    size = 2 ** len(header.players)
    seen = set[str]()
    for number, case in enumerate(file.cases, 2):
        where = f"line {number}: case {case.id!r}: field"
        if case.id in seen:
            yield f"{where} id: a case of that id came before"
        seen.add(case.id)
        for name in ("worth", "shown_scores", "evaluations"):
            if len(getattr(case, name)) != size:
                yield f"{where} {name}: {size} entries were expected, one per coalition"
        if [step.id for step in case.steps] != step_ids:
            yield f"{where} steps: must be the header's steps, in order"
        for step in case.steps:
            if len(step.index) != size:
                yield f"{where} steps.{step.id}.index: {size} entries were expected, one per coalition"
            if any(index is not None and index >= len(step.outputs) for index in step.index):
                yield f"{where} steps.{step.id}.index: an index is beyond the outputs listed"
        for mask, value in enumerate(case.worth):
            if value is None and str(mask) not in case.errors:
                yield f"{where} errors: coalition {mask} is missing without a reason"
            if case.denominator is not None and not (value is None or float(value).is_integer()):
                yield f"{where} worth: coalition {mask} must be a whole number of 1/{case.denominator}"
            if value is not None and not math.isfinite(value):
                yield f"{where} worth: coalition {mask} is not finite"
        for rule, numbers in case.values.items():
            if numbers is not None and len(numbers) != len(header.players):
                yield f"{where} values.{rule}: one value per player was expected"
