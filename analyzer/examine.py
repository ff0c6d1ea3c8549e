"""Turns one failing case into its game: all coalitions of fixes where they are few, a sample of them otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from analyzer.abduction import abduct
from analyzer.budget import BudgetReached
from analyzer.coalitions import run_coalitions
from analyzer.codec import plain_form
from analyzer.game import landmarks, values, worth_table
from analyzer.game_file import CaseGame, CoalitionError, Output, SampledValues, SeenOutputs, Shown
from analyzer.headers import REFERENCE_WORLD
from analyzer.lattice import Lattice, Trace
from analyzer.memory import Memory
from analyzer.noise import World
from analyzer.pipeline import Case, Codec
from analyzer.plan import Plan
from analyzer.program import Program
from analyzer.sampling import ESTIMATORS, HaltError, Sampled, sample
from analyzer.shown import label, shown_text, well_formed
from analyzer.system import System
from analyzer.wiring import codecs_of


class _NoScore(Exception):
    """A coalition that was drawn, whose mask this is, has no score."""

    def __init__(self, mask: int) -> None:
        super().__init__(mask)
        self.mask = mask


def case_seed(plan: Plan, case: Case) -> str:
    """Return the seed of the world in which a case happened."""
    # Quoted, so that no other case's worlds can have the same seed.
    return f"{plan.seed}/{quote(case.id, safe='')}"


def worlds_of(mode: str, plan: Plan, case: Case, trace: Trace) -> list[World]:
    """Return the worlds a mode looks at.

    ``replayed``: the one in which the case happened. ``abducted``: K worlds drawn from the posterior given what was
    chosen. ``fresh``: K independent ones. World k of the last two has the same prior noise, so a call that meets no
    recorded choice is the same in both.
    """
    seed = case_seed(plan, case)
    factual = World(seed)
    if mode == "replayed":
        return [factual]
    seeds = [f"{seed}/world-{number}" for number in range(plan.worlds)]
    return [World(each) if mode == "fresh" else abduct(trace.draws, each, factual) for each in seeds]


def examine(
    system: System, case: Case, trace: Trace, failure: str, mode: str, plan: Plan, memory: Memory
) -> tuple[CaseGame, frozenset[int]]:
    """Run a failing case under coalitions of fixes in the worlds of one mode.

    Parameters
    ----------
    system : System
    case : Case
    trace : Trace
        The case as it happened.
    failure : str
        What kind of failure it is.
    mode : str
    plan : Plan
        Says whether all coalitions are run or a sample of them.
    memory : Memory
        What was executed before; grows.

    Returns
    -------
    game : CaseGame
    calls : frozenset of int
        Numbers of the calls behind it.

    Raises
    ------
    BudgetReached
        If the budget allows no further call before anything can be said.
    """
    worlds = worlds_of(mode, plan, case, trace)
    players = len(system.players)
    if not plan.samples(system):
        lattice = run_coalitions(system, case, worlds, range(2**players), memory)
        return _case_game(system, case, trace, failure, plan, lattice, None, None), lattice.calls
    listed = landmarks(players)
    lattice = run_coalitions(system, case, worlds, listed, memory)
    # Scores of pass or fail are counted in worlds: sums of whole numbers are exact.
    unit = 1 if system.scoring.graded else len(worlds)
    if lattice.errors:
        return _case_game(system, case, trace, failure, plan, lattice, listed, None), lattice.calls
    try:
        found = _sample(system, case, worlds, plan, memory, unit)
    except _NoScore as hole:
        # Listed too, so that the file says why there are no values.
        listed = tuple(sorted({*listed, hole.mask}))
        lattice = run_coalitions(system, case, worlds, listed, memory)
        return _case_game(system, case, trace, failure, plan, lattice, listed, None), lattice.calls
    if memory.capped and not found.draws:
        raise BudgetReached(memory.capped)
    # Known by now, all of them: this counts the calls behind the estimate.
    whole = run_coalitions(system, case, worlds, sorted({*listed, *found.worths}), memory)
    lattice = replace(lattice, calls=whole.calls, cost=whole.cost, made=whole.made)
    sampled = _sampled(found, whole, plan, unit)
    return _case_game(system, case, trace, failure, plan, lattice, listed, sampled), lattice.calls


def _sample(system: System, case: Case, worlds: Sequence[World], plan: Plan, memory: Memory, unit: int) -> Sampled:
    """Estimate the Shapley values in units of ``1 / unit``; raise `_NoScore` where a coalition drawn has no score."""
    scoring, players = system.scoring, len(system.players)
    # What else is listed is run besides what the orderings ask for.
    besides = 0 if plan.estimator == ESTIMATORS[0] else 2 * players

    def evaluate(masks: Sequence[int]) -> list[float]:
        try:
            scores = run_coalitions(system, case, worlds, masks, memory).scores
        except BudgetReached as reached:
            raise HaltError(f"{reached} was reached") from reached
        worth, _ = worth_table(scores, graded=scoring.graded)
        if None in worth:
            raise _NoScore(masks[worth.index(None)])
        return [float(value) for value in worth if value is not None]

    return sample(
        evaluate,
        players,
        unit * float(scoring.low),
        unit * float(scoring.high),
        estimator=plan.estimator,
        # Of the case: errors that all cases had in common would look like a finding.
        seed=f"{case_seed(plan, case)}/coalitions",
        delta=plan.delta,
        max_evaluations=plan.max_coalitions - besides,
    )


def _sampled(found: Sampled, whole: Lattice, plan: Plan, unit: int) -> SampledValues:
    return SampledValues(
        estimator=found.estimator,
        draws=found.draws,
        evaluations=len(whole.masks),
        delta=plan.delta,
        values=tuple(value / unit for value in found.values),
        low=tuple(value / unit for value in found.lows),
        high=tuple(value / unit for value in found.highs),
        leader=found.leader,
        stopped=found.stopped,
    )


def _case_game(
    system: System,
    case: Case,
    trace: Trace,
    failure: str,
    plan: Plan,
    lattice: Lattice,
    listed: tuple[int, ...] | None,
    sampled: SampledValues | None,
) -> CaseGame:
    worth, denominator = worth_table(lattice.scores, graded=system.scoring.graded)
    made = None if lattice.made is None or trace.made is None else lattice.made | trace.made
    line = CaseGame(
        id=case.id,
        seed=case_seed(plan, case),
        inputs=tuple(Shown(well_formed(str(name)), shown_text(value)) for name, value in case.inputs.items()),
        tags=tuple(dict.fromkeys(label(tag) for tag in case.tags)),
        failure=label(failure),
        coalitions=listed,
        denominator=denominator,
        worth=worth,
        shown_scores=lattice.scores[REFERENCE_WORLD],
        steps=tuple(_seen(step, lattice, codecs_of(system.nodes)) for step in lattice.seen),
        evaluations=tuple(sum(score is not None for score in column) for column in zip(*lattice.scores, strict=True)),
        errors={
            str(mask): CoalitionError(step, well_formed(message)) for mask, (step, message) in lattice.errors.items()
        },
        calls=len(lattice.calls),
        cost=None if math.isnan(lattice.cost) else lattice.cost,
        sampled=sampled,
        values={},
        withheld=None,
        called=None if made is None else tuple(map(well_formed, sorted(made))),
    )
    game = line.game(system.players, ordered=not isinstance(system, Program))
    return replace(line, values=values(game), withheld=game.withheld)


def _seen(step: str, lattice: Lattice, codecs: Sequence[Codec]) -> SeenOutputs:
    """List a step's distinct outputs in the reference world, in order of first appearance by mask."""
    numbers: dict[int, int] = {}
    index: list[int | None] = []
    for id in lattice.seen[step][REFERENCE_WORLD].tolist():
        failed = lattice.values[id].error is not None
        index.append(None if failed else numbers.setdefault(id, len(numbers)))
    outputs = (lattice.values[id] for id in numbers)
    shown = tuple(Output(shown_text(plain_form(value.content, codecs)), value.fingerprint) for value in outputs)
    return SeenOutputs(step, shown, tuple(index))
