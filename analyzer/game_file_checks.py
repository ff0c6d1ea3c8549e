"""Turns a game file into the problems found in it: what its schema cannot say, and stored values that do not add up."""

from __future__ import annotations

import math
from collections.abc import Iterator

from analyzer.game import MOST_LISTED, landmarks, values
from analyzer.game_records import CaseGame, GameFile, Header, SampledValues

# By what part of the range sums of estimates may be off: far above rounding, far below any difference worth telling.
_ROUNDING = 1e-9


def check_arithmetic(file: GameFile) -> list[str]:
    """Recompute every stored value of a game file.

    Returns
    -------
    list of str
        One sentence for each value that differs from what the rules give, to the last bit; empty when all agree.
    """
    problems = []
    for case in file.cases:
        game = case.game(file.header.players, ordered=file.header.ordered)
        if game.withheld != case.withheld:
            problems.append(
                f"case {case.id!r}: field 'withheld' says {case.withheld!r}, the table says {game.withheld!r}"
            )
            continue
        expected = values(game)
        for rule, stored in case.values.items():
            if _bits(stored) != _bits(expected[rule]):
                problems.append(
                    f"case {case.id!r}: field 'values.{rule}' holds {stored}, the worth table gives {expected[rule]}"
                )
    return problems


def _bits(numbers: tuple[float, ...] | None) -> list[str] | None:
    return None if numbers is None else [float(number).hex() for number in numbers]


def check_structure(file: GameFile) -> Iterator[str]:
    """Yield what the schema cannot say: lengths, ranges and references between fields."""
    yield from (f"line 1: field {problem}" for problem in _header_problems(file))
    seen = set[str]()
    for number, case in enumerate(file.cases, 2):
        where = f"line {number}: case {case.id!r}: field"
        if case.id in seen:
            yield f"{where} id: a case of that id came before"
        seen.add(case.id)
        lengths = list(_length_problems(file.header, case))
        # What follows looks entries up by coalition.
        yield from (f"{where} {problem}" for problem in lengths or _case_problems(file.header, case))


def _header_problems(file: GameFile) -> Iterator[str]:
    header, counts, score = file.header, file.header.counts, file.header.scenario.score
    known = set[str]()
    for step in header.steps:
        if step.id in known:
            yield f"steps: two steps have the id {step.id!r}"
        unknown = [parent for parent in step.parents if parent not in known]
        if unknown:
            yield f"steps: {step.id!r} has the parent {unknown[0]!r}, which is no earlier step"
        known.add(step.id)
    if list(header.players) != [step.id for step in header.steps if step.fix is not None]:
        yield "players: must be the steps that have a fix, in order"
    if header.reference_world >= header.worlds:
        yield "reference_world: must be below worlds"
    if not score.graded and (score.low, score.high, score.threshold) != (0, 1, 1):
        yield "scenario.score: one that is not graded goes from 0 to 1 and passes at 1"
    if not score.low <= score.threshold <= score.high:
        yield f"scenario.score: the threshold {score.threshold} lies outside {score.low} to {score.high}"
    if score.low == score.high:
        yield f"scenario.score: a range from {score.low} to {score.high} holds one number only"
    if counts.analysed != len(file.cases):
        yield (
            f"counts.analysed: says {counts.analysed}, the file holds {len(file.cases)} cases; "
            "it was cut short or put together by hand"
        )
    if counts.seen != counts.passed + counts.failed + counts.errored or counts.analysed > counts.failed:
        yield "counts: passed, failed and errored must add up to seen, and no more than failed are analysed"


def _can_hold(worth: float, shown: float, denominator: int | None, worlds: int) -> bool:
    """Whether a worth over some worlds can hold the score that one of them shows."""
    if worlds == 1:
        return worth == shown
    return denominator is None or (shown in (0, 1) and shown <= worth <= worlds - 1 + shown)


def _length_problems(header: Header, case: CaseGame) -> Iterator[str]:
    players = len(header.players)
    if case.coalitions is None:
        size = 2**players if players <= MOST_LISTED else 0
        if not size:
            yield f"coalitions: {players} fixes have too many coalitions to list them all; list those that were run"
            return
    else:
        size = len(case.coalitions)
        yield from _coalition_problems(players, case)
    for name in ("worth", "shown_scores", "evaluations"):
        if len(getattr(case, name)) != size:
            yield f"{name}: {size} entries were expected, one per coalition"
    if [step.id for step in case.steps] != [step.id for step in header.steps]:
        yield "steps: must be the header's steps, in order"
    for step in case.steps:
        if len(step.index) != size:
            yield f"steps.{step.id}.index: {size} entries were expected, one per coalition"
        if any(index is not None and index >= len(step.outputs) for index in set(step.index)):
            yield f"steps.{step.id}.index: an index is beyond the outputs listed"
        if len({output.fingerprint for output in step.outputs}) < len(step.outputs):
            yield f"steps.{step.id}.outputs: an output is listed twice"
    for rule, numbers in case.values.items():
        if numbers is not None and len(numbers) != players:
            yield f"values.{rule}: one value per player was expected"
        lacking = {"banzhaf": case.coalitions is not None, "last_touch": not header.ordered}.get(rule, False)
        if (numbers is None) != (case.withheld is not None or lacking):
            yield (
                f"values.{rule}: is null exactly when the values are withheld, or need coalitions that were not run or "
                "an order of steps that there is not"
            )
    missing = None in case.worth or (case.coalitions is not None and case.sampled is None)
    if (case.withheld is None) == missing:
        yield "withheld: says why exactly when a coalition is missing"


def _coalition_problems(players: int, case: CaseGame) -> Iterator[str]:
    listed, grand = case.coalitions or (), (1 << players) - 1
    if list(listed) != sorted(set(listed)) or (listed and listed[-1] > grand):
        yield "coalitions: must be increasing masks of the players"
    if lacking := sorted(set(landmarks(players)) - set(listed)):
        yield f"coalitions: must list no fix, each fix alone, all but each and all; {lacking[0]} is not there"
    sampled = case.sampled
    if sampled is None:
        return
    spans = zip(sampled.low, sampled.values, sampled.high, strict=False)
    if {len(sampled.values), len(sampled.low), len(sampled.high)} != {players}:
        yield "sampled: one value and one interval per player were expected"
    elif any(value != min(max(value, low), high) for low, value, high in spans):
        yield "sampled: a value lies outside its interval"
    if not len(listed) <= sampled.evaluations <= 2**players:
        yield f"sampled.evaluations: says {sampled.evaluations}; {len(listed)} of {2**players} coalitions are listed"
    if sampled.leader is not None and (*sampled.values, -math.inf)[min(sampled.leader, players)] < max(sampled.values):
        yield "sampled.leader: is not the player with the largest value"


def _sampled_problems(header: Header, case: CaseGame, sampled: SampledValues) -> Iterator[str]:
    spread = header.scenario.score.high - header.scenario.score.low
    if case.coalitions is None:
        yield "sampled: the table is complete, so nothing was sampled"
    if sampled.delta != header.delta:
        yield f"sampled.delta: says {sampled.delta}, the header {header.delta}"
    if any(abs(bound) > spread * (1 + _ROUNDING) for bound in (*sampled.low, *sampled.high)):
        yield f"sampled: an interval reaches beyond {-spread} to {spread}, where values lie"
    first, last = case.worth[0], case.worth[-1]
    if first is not None and last is not None:
        repair = (last - first) / (case.denominator or 1)
        if abs(math.fsum(sampled.values) - repair) > _ROUNDING * spread * len(sampled.values):
            yield f"sampled.values: must add up to {repair}, what all fixes change"


def _case_problems(header: Header, case: CaseGame) -> Iterator[str]:
    score, masks = header.scenario.score, case.masks if case.coalitions is None else frozenset(case.masks)
    if case.denominator != (None if score.graded else header.worlds):
        yield "denominator: is the number of worlds, or null for a graded score"
    if case.sampled is not None:
        yield from _sampled_problems(header, case, case.sampled)
    unit = case.denominator or 1
    holes = [step.index for step in case.steps if None in step.index]
    for place, (mask, worth) in enumerate(zip(case.masks, case.worth, strict=True)):
        missing = worth is None
        if missing != (str(mask) in case.errors):
            yield f"errors: coalition {mask} has an error exactly when it is missing"
        if worth is not None and not score.low <= worth / unit <= score.high:
            yield f"worth: that of coalition {mask} lies outside {score.low} to {score.high}"
        if worth is not None and case.denominator is not None and worth != int(worth):
            yield f"worth: that of coalition {mask} must be a whole number of 1/{case.denominator}"
        if case.evaluations[place] > header.worlds or (case.evaluations[place] == header.worlds) == missing:
            yield f"evaluations: coalition {mask} was scored in all {header.worlds} worlds exactly when it has a worth"
        shown = case.shown_scores[place]
        if (shown is None and not missing) or (shown is not None and not score.low <= shown <= score.high):
            yield f"shown_scores: that of coalition {mask} is missing or lies outside {score.low} to {score.high}"
        elif worth is not None and shown is not None and not _can_hold(worth, shown, case.denominator, header.worlds):
            yield f"shown_scores: that of coalition {mask} contradicts its worth"
        if not missing and any(index[place] is None for index in holes):
            yield f"steps: coalition {mask} has a worth, so every step shows an output"
    beyond = [mask for mask in case.errors if int(mask) not in masks]
    if beyond:
        yield f"errors: there is no coalition {beyond[0]}"
