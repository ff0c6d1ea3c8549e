"""Turns a pipeline and its cases into game files: every case once as it happened, every failing one in full.

Cases go several at a time where the engine runs several calls, and are taken in in their order, so that the result is
the same whatever the engine. What became of each is in the store before the next is looked at, and game files are
written from there: memory does not grow with the cases.
"""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from analyzer.budget import BudgetReached
from analyzer.case_order import cases_at_once, in_order
from analyzer.case_runs import CaseRuns, Hole, Outcome
from analyzer.examine import case_seed
from analyzer.game_file import CaseGame, Counts, GameFile, Header, write_streamed
from analyzer.headers import header
from analyzer.memory import Memory
from analyzer.noise import World
from analyzer.pipeline import Case
from analyzer.plan import Plan
from analyzer.program import Program
from analyzer.program_runs import run_factual_program
from analyzer.redacted_games import Redaction
from analyzer.redaction import default_redactor
from analyzer.rules import Separation
from analyzer.system import System
from analyzer.uncalled import uncalled

ALL_ANALYSED = "all cases analysed"


@dataclass(frozen=True)
class Batch:
    """What an analysis gave, without the secrets its texts held.

    Attributes
    ----------
    modes : tuple of str
        Of the game files, one each.
    counts : dict of str to Counts
        By mode.
    stopped : str
        Why no more cases were analysed.
    errored : tuple of (str, str)
        Cases that could not be run as they are, and why. They are counted apart and have no game.
    missing : int
        Coalitions without a score, over all games.
    holes : tuple of Hole
        The first of them in each game.
    executed : int
        Calls executed: the distinct (step, variant, inputs, noise consumed) keys.
    cost : float
        Of those calls, in the pipeline's cost unit; NaN where a price is not known.
    known, saved : int, float
        Calls that earlier runs executed, and their cost.
    capped : str
        The cap that ended it; empty where none did.
    interrupted : bool
        Whether an interrupt (Ctrl-C) did.
    uncalled : tuple of str
        A sentence for each target of a fix that no run of a failing case called; none where that is not known.
    """

    modes: tuple[str, ...]
    counts: Mapping[str, Counts]
    stopped: str
    errored: tuple[tuple[str, str], ...]
    missing: int
    holes: tuple[Hole, ...]
    executed: int
    cost: float
    known: int
    saved: float
    capped: str
    interrupted: bool
    uncalled: tuple[str, ...]
    _headers: Mapping[str, Header] = field(repr=False)
    _games: Callable[[str], Iterator[CaseGame]] = field(repr=False)
    _redaction: Redaction = field(repr=False)

    @functools.cached_property
    def files(self) -> tuple[GameFile, ...]:
        """The game files, one per mode, in memory."""
        return tuple(map(self._file, self.modes))

    def _file(self, mode: str) -> GameFile:
        opened = self._redaction.opened(self._headers[mode])
        cases = tuple(map(opened.case, self._games(mode)))
        return GameFile(opened.header(self.counts[mode], self.stopped), cases)

    def write(self, folder: Path) -> list[tuple[Path, Header]]:
        """Write the game files; return where each is, and its header."""
        return [self._write(mode, folder) for mode in self.modes]

    def _write(self, mode: str, folder: Path) -> tuple[Path, Header]:
        opened = self._redaction.opened(self._headers[mode])
        headers: list[Header] = []

        def last() -> Header:
            headers.append(opened.header(self.counts[mode], self.stopped))
            return headers[0]

        scenario = opened.header(self.counts[mode], "").scenario.id
        path = write_streamed(scenario, mode, folder, map(opened.case, self._games(mode)), last)
        return path, headers[0]


#: Told, after each case, the case, what became of it, and how many cases are done.
Progress = Callable[[Case, str, int], None]


def analyze(
    system: System,
    cases: Sequence[Case],
    plan: Plan | None = None,
    memory: Memory | None = None,
    progress: Progress | None = None,
    redaction: Redaction | None = None,
    surveyed: Callable[[int], None] | None = None,
) -> Batch:
    """Run every case as it happened, and every failing one under coalitions of fixes in each mode.

    Parameters
    ----------
    system : System
    cases : sequence of Case
        With distinct ids.
    plan : Plan, optional
    memory : Memory, optional
        What was executed before, in its store also by earlier runs. The plan's budget covers it.
    progress : callable, optional
    redaction : Redaction, optional
        What it makes of secrets; the one of other analyses that go into the same folder, so that names stay apart.
    surveyed : callable, optional
        Told how many cases fail when all have run as they happened, before any of them is examined; where a cap or a
        rule may end the analysis early, each is examined as soon as it has failed, and nothing is told.

    Returns
    -------
    Batch
        Of the cases looked at before the plan said to stop. A cap or an interrupt ends it in the middle of a case: what
        was complete before is kept.

    Raises
    ------
    PipelineError
        For case ids that are blank or alike, or a plan that cannot be carried out.
    StoreError
        If the store cannot be written to any more. It holds what was computed until then.
    """
    plan = plan or Plan()
    memory = memory or Memory()
    redaction = redaction or Redaction(default_redactor())
    memory.budget = plan.budget
    memory.serve(system)
    plan.check(system, cases)
    # Before anything runs: what cannot be written down is refused here.
    run = _Run(system, plan, memory, {mode: header(system, mode, plan) for mode in plan.modes})
    before = memory.executed, memory.cost, memory.known, memory.saved
    stopped, interrupted, callers = "", False, cases_at_once(system, memory)
    try:
        with memory.timed():
            wanted: Sequence[Case] = cases
            if surveyed is not None and not plan.ends_early:
                states = Counter[str]()
                for case, outcome in in_order(run.cases.factual, cases, memory, callers):
                    states[outcome.state] += 1
                    if progress is not None:
                        progress(case, outcome.state, states.total())
                surveyed(states["failed"])
            elif plan.counts_failures_only and callers > 1:
                wanted = run.up_to_failures(cases, callers)
            for case, outcome in in_order(run.cases.outcome, wanted, memory, callers):
                run.take(case, outcome)
                if progress is not None:
                    progress(case, outcome.state, run.seen)
                if isinstance(outcome.cut, KeyboardInterrupt):
                    raise outcome.cut
                if not memory.capped and run.seen < len(cases) and (stopped := run.stopped()):
                    break
    except KeyboardInterrupt:
        interrupted = True
    if interrupted or memory.capped:
        why = "an interrupt came" if interrupted else f"{memory.capped} was reached"
        stopped = f"{why} after {run.seen} of {len(cases)} cases"
    # In the order of the cases, whichever of them failed, so that a name is the same in every mode and scenario.
    ids = {case.id: redaction.name("case", case.id) for case in cases}
    executed, cost, known, saved = memory.executed, memory.cost, memory.known, memory.saved
    return Batch(
        modes=plan.modes,
        counts=run.counts(),
        stopped=stopped or ALL_ANALYSED,
        errored=tuple((ids[id], redaction.redactor.clean(why)) for id, why in run.errored),
        missing=run.missing,
        holes=tuple(replace(hole, case=ids[hole.case]) for hole in run.holes),
        executed=executed - before[0],
        cost=cost - before[1],
        known=known - before[2],
        saved=saved - before[3],
        capped=memory.capped,
        interrupted=interrupted,
        uncalled=tuple(map(redaction.redactor.clean, run.uncalled())),
        _headers=run.headers,
        _games=run.games,
        _redaction=redaction,
    )


def at_failing_calls(program: Program, cases: Sequence[Case], plan: Plan, memory: Memory) -> Program:
    """Return a program whose players are the single calls that its failing runs make, in the order they first appear.

    Parameters
    ----------
    program : Program
    cases : sequence of Case
        Each is run as it happened, up to as many failing ones as the plan asks for.
    plan : Plan
    memory : Memory

    Raises
    ------
    BudgetReached, KeyboardInterrupt
        As the runs do.
    """
    memory.budget = plan.budget
    memory.serve(program)

    def made(case: Case) -> list[str] | None:
        trace, run = run_factual_program(program, case, World(case_seed(plan, case)), memory)
        failed = trace.score is not None and not trace.passed(program)
        return [call.id for call in run.made] if failed else None

    outcomes = in_order(made, cases, memory, cases_at_once(program, memory))
    failing = (calls for _, calls in outcomes if calls is not None)
    found = program.at_calls(call for calls in islice(failing, plan.max_failures) for call in calls)
    if memory.capped:
        raise BudgetReached(memory.capped)
    return found


class _Run:
    """An analysis under way: what became of the cases so far."""

    def __init__(self, system: System, plan: Plan, memory: Memory, headers: dict[str, Header]) -> None:
        self.system, self.plan, self.memory, self.headers = system, plan, memory, headers
        self.cases = CaseRuns(system, plan, memory)
        self.failing: list[tuple[bytes, frozenset[str]]] = []
        self.errored: list[tuple[str, str]] = []
        self.holes: list[Hole] = []
        self.called: set[str] | None = set()
        self.passed = self.missing = 0
        self.withheld = dict.fromkeys(plan.modes, 0)
        scoring, players = system.scoring, len(system.players)
        spread = float(scoring.high) - float(scoring.low)
        # The modes share the error probability: any of them might be wrong about its leader.
        threshold = players * len(plan.modes) / plan.delta
        compared = plan.modes if plan.until_separated and players else ()
        self.separations = {mode: Separation(players, spread, threshold) for mode in compared}

    @property
    def seen(self) -> int:
        return self.passed + len(self.failing) + len(self.errored)

    def up_to_failures(self, cases: Sequence[Case], callers: int) -> Sequence[Case]:
        """Return the cases up to the last failing one that is asked for, so that none is examined in vain."""
        states: list[str] = []
        with contextlib.closing(in_order(self.cases.factual, cases, self.memory, callers)) as outcomes:
            for _, outcome in outcomes:
                states.append(outcome.state)
                if states.count("failed") == self.plan.max_failures:
                    break
        # Those ahead were told that it is over.
        self.memory.go_on()
        return cases[: len(states)]

    def take(self, case: Case, outcome: Outcome) -> None:
        """Count what became of the next case."""
        if outcome.state == "errored":
            self.errored.append((case.id, outcome.said))
        elif outcome.state == "passed":
            self.passed += 1
        else:
            key = self.cases.key(case)
            assert key is not None
            self.failing.append((key, frozenset(outcome.values)))
            if self.called is None or outcome.called is None or outcome.cut is not None:
                self.called = None
            else:
                self.called |= outcome.called
        self.holes += outcome.holes
        self.missing += outcome.missing
        for mode, values in outcome.values.items():
            if values is None:
                self.withheld[mode] += 1
            elif self.separations:
                self.separations[mode].add(values)

    def uncalled(self) -> tuple[str, ...]:
        """Return a sentence for each target of a fix that no run of a failing case called, as far as that is known."""
        return uncalled(self.system.players, self.called) if self.called else ()

    def stopped(self) -> str:
        """Return why no more cases are needed, or nothing."""
        plan, titles = self.plan, next(iter(self.headers.values())).player_titles
        failed = len(self.failing)
        leaders = {mode: separation.leader for mode, separation in self.separations.items()}
        first = [f"{titles[leader]} ({mode})" for mode, leader in leaders.items() if leader is not None]
        if first and len(first) == len(plan.modes):
            said = f"{', '.join(first)} separated from every other fix, at δ = {plan.delta:g}"
            without = max(self.withheld.values())
            lacking = f" ({without} of them without values)" if without else ""
            return f"{said}, after {failed} failing cases{lacking}"
        if plan.max_failures is not None and failed >= plan.max_failures:
            return f"{plan.max_failures} failing cases were asked for"
        return ""

    def counts(self) -> dict[str, Counts]:
        """Return the counts by mode; a case that was cut short is counted as failed, not as analysed."""
        seen, failed, errored = self.seen, len(self.failing), len(self.errored)
        analysed = {mode: sum(mode in modes for _, modes in self.failing) for mode in self.plan.modes}
        return {mode: Counts(seen, self.passed, failed, errored, count) for mode, count in analysed.items()}

    def games(self, mode: str) -> Iterator[CaseGame]:
        """Yield the games of a mode in the order of the cases."""
        for key in (key for key, modes in self.failing if mode in modes):
            yield self.cases.game(key, mode)
