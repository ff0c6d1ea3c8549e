"""Turns modes, coalitions and outcomes into the words a page shows for them.

The page says the same things live; what both need to know (mode names, questions) is carried to it as data, and what
both must compute (`coalition_name`, `joined`, `outcome`, `no_output`) has its twin in wording.js.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.game_file import CaseGame, Header
from analyzer.rules import isolated, number_text

#: How each rule is introduced: its name and what it answers.
RULES = {
    "shapley": ("Shapley value", "fair share of the repair"),
    "banzhaf": ("Banzhaf value", "average over all sets"),
    "fix_alone": ("Fix alone", "only this fix on"),
    "leave_one_out": ("Leave one out", "all fixes on but this"),
    "last_touch": ("Last touch", "last output to change"),
}

MODE_TITLES = {"replayed": "Recorded luck", "abducted": "Inferred luck", "fresh": "New luck"}

FIX_KINDS = {
    "variant": "another variant",
    "constant": "a corrected output",
    "resample": "the same step with fresh luck",
    "action": "a forced output",
    "observation": "a replaced tool result",
    "context": "an edited input",
    "policy": "another variant from a call on",
}


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_LEFT_TO_RIGHT_MARK = "\N{LEFT-TO-RIGHT MARK}"

#: Stands for a number that would need combinations which were not run.
NOT_COMPUTED = "–"

#: More fixes than this are named by those that are off, where these are few.
_MOST_NAMED = 8


@dataclass(frozen=True)
class Outcome:
    """A worth as shown: its state (``pass``, ``fail`` or ``missing``), that in words, and the number beside it."""

    state: str
    word: str
    number: str


def question(header: Header) -> str:
    """Return the one sentence that says what a mode asks."""
    worlds = "one world" if header.worlds == 1 else f"{header.worlds} worlds"
    return {
        "replayed": "Asks: with the very luck that was recorded, would this run have passed?",
        "abducted": f"Asks: over {worlds} of luck that explain what was seen, how often would it have passed?",
        "fresh": f"Asks: with new luck, in {worlds}, how often does it pass? That is another question "
        "(interventional): about the pipeline in general, not about this one failure.",
    }[header.mode]


def passing(header: Header) -> str:
    """Return the one sentence that says what "Pass" means under a mode."""
    score, worlds = header.scenario.score, header.worlds
    if not score.graded:
        if worlds == 1:
            return "“Pass” means that the run passes."
        return f"“Pass” means that at least half of the {worlds} worlds pass."
    threshold = number_text(score.threshold)
    least = threshold if score.threshold == score.high else f"{threshold} or more"
    mean = "a score" if worlds == 1 else f"a mean score over the {worlds} worlds"
    span = f"from {number_text(score.low)} to {number_text(score.high)}"
    return f"“Pass” means {mean} of {least}, on a scale {span}."


def control(empty: Outcome) -> str:
    """Return what happens without any fix: the control that stands beside each claim made under new luck."""
    return f"No fix: {empty.number or 'no outcome'}."


def factual_title(mode: str) -> str:
    """Return the heading over outputs without any fix."""
    return "Without fixes, new luck" if mode == "fresh" else "As it happened"


def gave_title(mode: str) -> str:
    """Return what stands before what came of a case without any fix."""
    return "New luck gave, without fixes" if mode == "fresh" else "The run gave"


def world_text(header: Header) -> str:
    """Return which world the shown outputs belong to, or nothing when there is only one."""
    return f"Outputs of world {header.reference_world + 1} of {header.worlds}" if header.worlds > 1 else ""


def world_sentence(world: str, state: str) -> str:
    """Return which world's outputs are shown and whether it passes."""
    if not world or state == "missing":
        return world
    return f"{world}, which {'passes' if state == 'pass' else 'fails'}"


def outcome(share: float | None, worlds: int, level: float) -> Outcome:
    """Return how a worth is shown.

    Parameters
    ----------
    share : float or None
        In the unit of the score; None where it is missing.
    worlds : int
        In how many worlds pass or fail was counted as the game was run; 1 for one world and for graded scores. A whole
        number of them is shown as a count, whatever other rows hold.
    level : float
        From which it passes.
    """
    if share is None:
        return Outcome("missing", "No outcome", "")
    passed = math.floor(share * worlds + 0.5)
    number = f"{passed}/{worlds}" if worlds > 1 and passed / worlds == share else number_text(share)
    passes = share >= level
    return Outcome("pass" if passes else "fail", "Pass" if passes else "Fail", number)


def no_output(reason: str) -> str:
    """Return what stands in place of an output that a failed run never gave."""
    return f"No output. {reason}"


def coalition_name(mask: int, titles: Sequence[str]) -> str:
    """Return the fixes of a coalition by name."""
    if mask == 0:
        return "No fix"
    if len(titles) > 1 and mask == 2 ** len(titles) - 1:
        return "All fixes"
    on = [title for player, title in enumerate(titles) if mask >> player & 1]
    off = [title for player, title in enumerate(titles) if not mask >> player & 1]
    if len(on) > _MOST_NAMED and len(off) <= 2:
        return f"All but {' and '.join(map(isolated, off))}"
    return joined(on)


def joined(names: Sequence[str]) -> str:
    """Return names with plus signs between them, the first to the left whichever way each of them runs."""
    found = " + ".join(map(isolated, names))
    # A text whose first letters run from right to left is set so as a whole.
    turns = len(names) > 1 and isolated(names[0]) != names[0]
    return _LEFT_TO_RIGHT_MARK + found if turns else found


def withheld_reason(game: CaseGame, titles: Sequence[str]) -> str:
    """Return why a game's values are withheld, or nothing when they are not."""
    holes = [mask for mask, value in zip(game.masks, game.worth, strict=True) if value is None]
    if holes:
        what = "combination has" if len(holes) == 1 else "combinations have"
        name = coalition_name(holes[0], titles)
        return f"Values are withheld: {len(holes)} {what} no outcome. {name}: {game.reasons[holes[0]]}"
    if game.coalitions is not None and game.sampled is None:
        return "Values are withheld: a combination that was drawn has no outcome."
    return ""


def sampling(game: CaseGame, players: int) -> str:
    """Return how the values of a game were estimated, or nothing when they were computed or are withheld."""
    found = game.sampled
    if found is None:
        return ""
    return (
        f"Estimated ({found.estimator} sampling) by {_counted(found.draws, 'draw')} from {found.evaluations} of "
        f"{_power_of_two(players)} combinations. The intervals hold together with a probability of at least "
        f"{_percent(1 - found.delta)}. Sampling stopped: {found.stopped}."
    )


def needs_every_combination(game: CaseGame, players: int) -> str:
    """Return why nothing is said of how fixes work together in a game that lists only some coalitions."""
    if game.coalitions is None:
        return ""
    run = len(game.coalitions) if game.sampled is None else game.sampled.evaluations
    return f"This needs the outcome of every combination of fixes; {run} of {_power_of_two(players)} were run."


def interval_text(low: float, high: float) -> str:
    """Return an interval as shown."""
    return f"{number_text(low)} to {number_text(high)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _percent(share: float) -> str:
    return f"{100 * share:.10g} %"


def _power_of_two(exponent: int) -> str:
    return "2" + str(exponent).translate(_RAISED)
