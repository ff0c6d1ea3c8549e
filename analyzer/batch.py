"""Turns a pipeline and its cases into game files: every case once as it happened, every failing one in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from analyzer import __version__
from analyzer.abduction import abduct
from analyzer.game import values, worth_table
from analyzer.game_file import (
    MODES,
    CaseGame,
    CoalitionError,
    Counts,
    FixInfo,
    GameFile,
    Header,
    Output,
    Scenario,
    ScoreInfo,
    SeenOutputs,
    Shown,
    StepInfo,
)
from analyzer.lattice import Lattice, Trace, run_factual, run_lattice
from analyzer.memory import Memory
from analyzer.noise import World
from analyzer.pipeline import CASE, Case, Fix, Node, Pipeline, PipelineError
from analyzer.shown import shown_text, well_formed
from analyzer.wiring import check_text

REFERENCE_WORLD = 0
#: Most fixes whose coalitions are all run.
MAX_PLAYERS = 20


@dataclass(frozen=True)
class Plan:
    """How to analyse: the modes, the number of worlds K of those that average over worlds, and the root seed."""

    modes: tuple[str, ...] = MODES
    worlds: int = 8
    seed: str = "0"


@dataclass(frozen=True)
class Batch:
    """What an analysis gave.

    Attributes
    ----------
    files : tuple of GameFile
        One per mode.
    errored : tuple of (str, str)
        Cases that could not be run as they are, and why. They are counted apart and have no game.
    missing : int
        Coalitions without a score, over all games.
    executed : int
        Calls executed: the distinct (step, variant, inputs, noise consumed) keys.
    cost : float
        Of those calls, in the pipeline's cost unit.
    """

    files: tuple[GameFile, ...]
    errored: tuple[tuple[str, str], ...]
    missing: int
    executed: int
    cost: float


#: Told, after each case, the case, what became of it, and how many cases are done.
Progress = Callable[[Case, str, int], None]


def analyze(
    pipeline: Pipeline,
    cases: Sequence[Case],
    plan: Plan | None = None,
    memory: Memory | None = None,
    progress: Progress | None = None,
) -> Batch:
    """Run every case as it happened, and every failing one under all coalitions of fixes in each mode.

    Parameters
    ----------
    pipeline : Pipeline
    cases : sequence of Case
        With distinct ids.
    plan : Plan, optional
    memory : Memory, optional
        What was executed before.
    progress : callable, optional

    Returns
    -------
    Batch

    Raises
    ------
    PipelineError
        For case ids that are blank or alike, a mode that is not known, a seed that is no text, or more than
        `MAX_PLAYERS` fixes.
    """
    plan = plan or Plan()
    memory = memory or Memory()
    _check(cases, plan)
    if len(pipeline.players) > MAX_PLAYERS:
        raise PipelineError(
            f"pipeline {pipeline.id!r} has {len(pipeline.players)} fixes, so 2**{len(pipeline.players)} coalitions; at "
            f"most {MAX_PLAYERS} fixes can be examined exactly: leave the fix away from the steps you trust"
        )
    # Before anything runs: what cannot be written down is refused here.
    headers = {mode: _header(pipeline, mode, plan) for mode in plan.modes}
    games: dict[str, list[CaseGame]] = {mode: [] for mode in plan.modes}
    errored: list[tuple[str, str]] = []
    passed = 0
    for done, case in enumerate(cases, 1):
        trace = run_factual(pipeline, case, World(case_seed(plan, case)), memory)
        if trace.error is not None:
            errored.append((case.id, f"{trace.error[0]}: {trace.error[1]}"))
            outcome = "errored"
        elif trace.score is not None and trace.score >= pipeline.scoring.threshold:
            passed += 1
            outcome = "passed"
        else:
            for mode in plan.modes:
                games[mode].append(_analyze_case(pipeline, case, trace, mode, plan, memory))
            outcome = "failed"
        if progress is not None:
            progress(case, outcome, done)
    failed = len(cases) - passed - len(errored)
    counts = Counts(len(cases), passed, failed, len(errored), failed)
    files = tuple(GameFile(replace(headers[mode], counts=counts), tuple(games[mode])) for mode in plan.modes)
    missing = sum(value is None for file in files for case_game in file.cases for value in case_game.worth)
    return Batch(files, tuple(errored), missing, memory.executed, memory.cost)


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


def _check(cases: Iterable[Case], plan: Plan) -> None:
    seen = set[str]()
    for case in cases:
        check_text(f"case {case.id!r}: id", case.id, blank=False)
        if case.id in seen:
            raise PipelineError(f"case {case.id!r}: two cases have this id; ids must be distinct")
        seen.add(case.id)
    check_text("seed", plan.seed)
    unknown = [mode for mode in plan.modes if mode not in MODES]
    if unknown or not plan.modes:
        raise PipelineError(f"mode {unknown[0] if unknown else ''!r} is not known; the modes are {', '.join(MODES)}")
    if plan.worlds < 1:
        raise PipelineError(f"worlds: {plan.worlds} were asked for; at least 1 is needed")


def _analyze_case(pipeline: Pipeline, case: Case, trace: Trace, mode: str, plan: Plan, memory: Memory) -> CaseGame:
    worlds = worlds_of(mode, plan, case, trace)
    lattice = run_lattice(pipeline, case, worlds, range(2 ** len(pipeline.players)), memory)
    worth, denominator = worth_table(lattice.scores, graded=pipeline.scoring.graded)
    line = CaseGame(
        id=case.id,
        seed=case_seed(plan, case),
        inputs=tuple(Shown(well_formed(str(name)), shown_text(value)) for name, value in case.inputs.items()),
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


def _header(pipeline: Pipeline, mode: str, plan: Plan) -> Header:
    scoring = pipeline.scoring
    return Header(
        scenario=Scenario(
            id=pipeline.id,
            title=pipeline.title or pipeline.id,
            summary=pipeline.summary,
            score=ScoreInfo(
                scoring.meaning, scoring.graded, float(scoring.low), float(scoring.high), float(scoring.threshold)
            ),
            cost_unit=pipeline.cost_unit,
        ),
        steps=tuple(map(_step_info, pipeline.nodes)),
        players=pipeline.players,
        mode=mode,
        worlds=1 if mode == "replayed" else plan.worlds,
        reference_world=REFERENCE_WORLD,
        seed=plan.seed,
        package="agent-blame-site",
        version=__version__,
        fingerprint=pipeline.fingerprint(),
        counts=Counts(0, 0, 0, 0, 0),
        stopped="all cases analysed",
        redacted=(),
    )


def _step_info(node: Node) -> StepInfo:
    step = node.step
    return StepInfo(
        id=step.name,
        title=step.title or step.name,
        parents=tuple(parent for parent in node.parents if parent != CASE),
        role=step.role,
        interventional=node.factual.samples_itself or node.fixed.samples_itself,
        fix=None if node.fix is None else _fix_info(node.fix),
        alternatives=tuple(_fix_info(fix) for fix in step.fixes if fix is not node.fix),
    )


def _fix_info(fix: Fix) -> FixInfo:
    return FixInfo(fix.label, fix.kind, well_formed(fix.description or _first_line(fix.run)), fix.diff)


def _first_line(run: object) -> str:
    return (getattr(run, "__doc__", None) or "").strip().split("\n")[0] if run is not None else ""
