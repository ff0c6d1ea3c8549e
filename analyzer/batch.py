"""Turns a pipeline and its cases into game files: every case once as it happened, every failing one in full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from analyzer.examine import case_seed, examine
from analyzer.game_file import CaseGame, Counts, GameFile, Header
from analyzer.headers import header
from analyzer.lattice import Trace, run_factual
from analyzer.memory import BudgetReached, Memory
from analyzer.noise import World
from analyzer.pipeline import Case, Pipeline
from analyzer.plan import Plan
from analyzer.redacted_games import Redaction
from analyzer.redaction import default_redactor
from analyzer.rules import Separation

ALL_ANALYSED = "all cases analysed"


@dataclass(frozen=True)
class Batch:
    """What an analysis gave, without the secrets its texts held.

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
    capped : str
        The cap that ended it; empty where none did.
    interrupted : bool
        Whether an interrupt (Ctrl-C) did.
    """

    files: tuple[GameFile, ...]
    errored: tuple[tuple[str, str], ...]
    missing: int
    executed: int
    cost: float
    capped: str
    interrupted: bool = False


#: Told, after each case, the case, what became of it, and how many cases are done.
Progress = Callable[[Case, str, int], None]


def analyze(
    pipeline: Pipeline,
    cases: Sequence[Case],
    plan: Plan | None = None,
    memory: Memory | None = None,
    progress: Progress | None = None,
    redaction: Redaction | None = None,
) -> Batch:
    """Run every case as it happened, and every failing one under coalitions of fixes in each mode.

    Parameters
    ----------
    pipeline : Pipeline
    cases : sequence of Case
        With distinct ids.
    plan : Plan, optional
    memory : Memory, optional
        What was executed before, also of the same steps with other fixes tried. The plan's budget covers it.
    progress : callable, optional
    redaction : Redaction, optional
        What it makes of secrets; the one of other analyses that go into the same folder, so that names stay apart.

    Returns
    -------
    Batch
        Of the cases looked at before the plan said to stop. A cap or an interrupt ends it in the middle of a case: what
        was complete before is kept.

    Raises
    ------
    PipelineError
        For case ids that are blank or alike, or a plan that cannot be carried out.
    """
    plan = plan or Plan()
    memory = memory or Memory()
    redaction = redaction or Redaction(default_redactor())
    memory.budget, memory.capped = plan.budget, ""
    plan.check(pipeline, cases)
    # Before anything runs: what cannot be written down is refused here.
    run = _Run(pipeline, plan, {mode: header(pipeline, mode, plan) for mode in plan.modes})
    stopped, interrupted = "", False
    try:
        for case in cases:
            outcome = run.take(case, memory)
            if progress is not None:
                progress(case, outcome, run.seen)
            if memory.capped or (run.seen < len(cases) and (stopped := run.stopped())):
                break
    except BudgetReached:
        pass
    except KeyboardInterrupt:
        interrupted = True
    if interrupted or memory.capped:
        why = "an interrupt came" if interrupted else f"{memory.capped} was reached"
        stopped = f"{why} after {run.seen} of {len(cases)} cases"
    # In the order of the cases, whichever of them failed, so that a name is the same in every mode and scenario.
    ids = {case.id: redaction.name("case", case.id) for case in cases}
    files = tuple(redaction.file(file) for file in run.files(stopped or ALL_ANALYSED))
    errored = tuple((ids[id], redaction.redactor.clean(why)) for id, why in run.errored)
    missing = sum(value is None for file in files for case_game in file.cases for value in case_game.worth)
    return Batch(files, errored, missing, memory.executed, memory.cost, memory.capped, interrupted)


class _Run:
    """An analysis under way: what became of the cases so far."""

    def __init__(self, pipeline: Pipeline, plan: Plan, headers: dict[str, Header]) -> None:
        self.pipeline, self.plan, self.headers = pipeline, plan, headers
        self.games: dict[str, list[CaseGame]] = {mode: [] for mode in plan.modes}
        self.errored: list[tuple[str, str]] = []
        self.passed = self.failed = 0
        scoring, players = pipeline.scoring, len(pipeline.players)
        spread = float(scoring.high) - float(scoring.low)
        # The modes share the error probability: any of them might be wrong about its leader.
        threshold = players * len(plan.modes) / plan.delta
        compared = plan.modes if plan.until_separated and players else ()
        self.separations = {mode: Separation(players, spread, threshold) for mode in compared}

    @property
    def seen(self) -> int:
        return self.passed + self.failed + len(self.errored)

    def take(self, case: Case, memory: Memory) -> str:
        """Run a case, and examine it if it fails; return what became of it."""
        trace = run_factual(self.pipeline, case, World(case_seed(self.plan, case)), memory)
        if trace.error is not None:
            self.errored.append((case.id, f"{trace.error[0]}: {trace.error[1]}"))
            return "errored"
        if trace.passed(self.pipeline):
            self.passed += 1
            return "passed"
        self.failed += 1
        for mode in self.plan.modes:
            self._examine(case, trace, mode, memory)
        return "failed"

    def _examine(self, case: Case, trace: Trace, mode: str, memory: Memory) -> None:
        game = examine(self.pipeline, case, trace, mode, self.plan, memory)
        self.games[mode].append(game)
        shapley = game.values["shapley"]
        if shapley is not None and self.separations:
            self.separations[mode].add(shapley)

    def stopped(self) -> str:
        """Return why no more cases are needed, or nothing."""
        plan, titles = self.plan, next(iter(self.headers.values())).player_titles
        leaders = {mode: separation.leader for mode, separation in self.separations.items()}
        first = [f"{titles[leader]} ({mode})" for mode, leader in leaders.items() if leader is not None]
        if first and len(first) == len(plan.modes):
            said = f"{', '.join(first)} separated from every other fix, at δ = {plan.delta:g}"
            fewest = min(sum(game.withheld is None for game in games) for games in self.games.values())
            without = f" ({self.failed - fewest} of them without values)" if fewest < self.failed else ""
            return f"{said}, after {self.failed} failing cases{without}"
        if plan.max_failures is not None and self.failed >= plan.max_failures:
            return f"{plan.max_failures} failing cases were asked for"
        return ""

    def files(self, stopped: str) -> tuple[GameFile, ...]:
        """Return a file per mode; a case that a cap cut short is counted as failed, not as analysed."""
        return tuple(
            GameFile(
                replace(
                    self.headers[mode],
                    counts=Counts(self.seen, self.passed, self.failed, len(self.errored), len(games)),
                    stopped=stopped,
                ),
                tuple(games),
            )
            for mode, games in self.games.items()
        )
