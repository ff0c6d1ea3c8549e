"""Turns one failing case into its game: all coalitions of fixes where they are few, a sample of them otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from analyzer.abduction import abduct
from analyzer.game import values, worth_table
from analyzer.game_file import CaseGame, CoalitionError, Output, SampledValues, SeenOutputs, Shown
from analyzer.headers import REFERENCE_WORLD
from analyzer.lattice import Lattice, Trace, run_lattice
from analyzer.memory import BudgetReached, Memory
from analyzer.noise import World
from analyzer.pipeline import Case, Pipeline
from analyzer.plan import Plan
from analyzer.sampling import HaltError, sample
from analyzer.shown import shown_text, well_formed


class _NoScore(Exception):
    """A coalition that was drawn has no score."""


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


def examine(pipeline: Pipeline, case: Case, trace: Trace, mode: str, plan: Plan, memory: Memory) -> CaseGame:
    """Run a failing case under coalitions of fixes in the worlds of one mode.

    Parameters
    ----------
    pipeline : Pipeline
    case : Case
    trace : Trace
        The case as it happened.
    mode : str
    plan : Plan
        Says whether all coalitions are run or a sample of them.
    memory : Memory
        What was executed before; grows.

    Returns
    -------
    CaseGame

    Raises
    ------
    BudgetReached
        If the budget allows no further call before anything can be said.
    """
    worlds = worlds_of(mode, plan, case, trace)
    players = len(pipeline.players)
    if not plan.samples(pipeline):
        lattice = run_lattice(pipeline, case, worlds, range(2**players), memory)
        return _case_game(pipeline, case, trace, plan, lattice, memory, None, None)
    grand = (1 << players) - 1
    singles = [1 << player for player in range(players)]
    listed = tuple(sorted({0, grand, *singles, *(grand ^ single for single in singles)}))
    lattice = run_lattice(pipeline, case, worlds, listed, memory)
    sampled = None if lattice.errors else _sample(pipeline, case, worlds, plan, memory)
    return _case_game(pipeline, case, trace, plan, lattice, memory, listed, sampled)


def _sample(
    pipeline: Pipeline, case: Case, worlds: Sequence[World], plan: Plan, memory: Memory
) -> SampledValues | None:
    """Estimate the Shapley values; None where a coalition that was drawn has no score."""
    scoring = pipeline.scoring

    def evaluate(masks: Sequence[int]) -> list[float]:
        try:
            scores = run_lattice(pipeline, case, worlds, masks, memory).scores
        except BudgetReached as reached:
            raise HaltError(f"{reached} was reached") from reached
        worth, denominator = worth_table(scores, graded=scoring.graded)
        if None in worth:
            raise _NoScore
        return [value / (denominator or 1) for value in worth if value is not None]

    try:
        found = sample(
            evaluate,
            len(pipeline.players),
            float(scoring.low),
            float(scoring.high),
            estimator=plan.estimator,
            seed=f"{plan.seed}/orders",
            delta=plan.delta,
            max_evaluations=plan.max_coalitions,
        )
    except _NoScore:
        return None
    return SampledValues(
        estimator=found.estimator,
        draws=found.draws,
        evaluations=found.evaluations,
        delta=plan.delta,
        values=tuple(float(value) for value in found.values),
        low=tuple(float(value) for value in found.lows),
        high=tuple(float(value) for value in found.highs),
        leader=found.leader,
        stopped=found.stopped,
    )


def _case_game(
    pipeline: Pipeline,
    case: Case,
    trace: Trace,
    plan: Plan,
    lattice: Lattice,
    memory: Memory,
    listed: tuple[int, ...] | None,
    sampled: SampledValues | None,
) -> CaseGame:
    worth, denominator = worth_table(lattice.scores, graded=pipeline.scoring.graded)
    line = CaseGame(
        id=case.id,
        seed=case_seed(plan, case),
        inputs=tuple(Shown(well_formed(str(name)), shown_text(value)) for name, value in case.inputs.items()),
        tags=tuple(well_formed(tag) for tag in case.tags),
        failure=trace.failure,
        coalitions=listed,
        denominator=denominator,
        worth=worth,
        shown_scores=lattice.scores[REFERENCE_WORLD],
        steps=tuple(_seen(node.step.name, lattice, memory) for node in pipeline.nodes),
        evaluations=tuple(sum(score is not None for score in column) for column in zip(*lattice.scores, strict=True)),
        errors={
            str(mask): CoalitionError(step, well_formed(message)) for mask, (step, message) in lattice.errors.items()
        },
        calls=lattice.calls,
        cost=lattice.cost,
        sampled=sampled,
        values={},
        withheld=None,
    )
    game = line.game(pipeline.players)
    return replace(line, values=values(game), withheld=game.withheld)


def _seen(step: str, lattice: Lattice, memory: Memory) -> SeenOutputs:
    """List a step's distinct outputs in the reference world, in order of first appearance by mask."""
    numbers: dict[int, int] = {}
    index: list[int | None] = []
    for id in lattice.seen[step][REFERENCE_WORLD].tolist():
        failed = memory.values[id].error is not None
        index.append(None if failed else numbers.setdefault(id, len(numbers)))
    outputs = (memory.values[id] for id in numbers)
    return SeenOutputs(
        step, tuple(Output(shown_text(value.content), value.fingerprint) for value in outputs), tuple(index)
    )
