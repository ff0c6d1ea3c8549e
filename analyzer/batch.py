"""Turns a pipeline and its cases into game files: every case once as it happened, every failing one in full.

Cases go several at a time where the engine runs several calls, and are taken in in their order, so that the result is
the same whatever the engine. What became of each is in the store before the next is looked at, and game files are
written from there: memory does not grow with the cases.
"""

from __future__ import annotations

import contextlib
import functools
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from analyzer import __version__
from analyzer.coalitions import run_factual
from analyzer.examine import case_seed, examine
from analyzer.fingerprint import UnstableValueError, fingerprint
from analyzer.game_file import CaseGame, CoalitionError, Counts, GameFile, Header, write_streamed
from analyzer.game_lines import GameFileError, case_known, case_line
from analyzer.headers import header
from analyzer.lattice import KIND_UNKNOWN, Trace, kind_of_failure
from analyzer.memory import Abandoned, BudgetReached, Memory, key_of
from analyzer.noise import World
from analyzer.pipeline import Case
from analyzer.plan import Plan
from analyzer.program import Program
from analyzer.program_runs import run_factual_program
from analyzer.redacted_games import Redaction
from analyzer.redaction import default_redactor
from analyzer.rules import Separation
from analyzer.store import StoredCase, StoredGame
from analyzer.system import System

T = TypeVar("T")

ALL_ANALYSED = "all cases analysed"
# Cases that may be done before the first of them is: one that takes long holds up few others.
_AHEAD = 2
# Cases to work on at a time where a step takes many calls at once.
_BATCHED = 64


@dataclass(frozen=True)
class Hole:
    """A coalition without a score: the case and the mode, its mask, and why."""

    case: str
    mode: str
    mask: int
    error: CoalitionError


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
    stopped, interrupted, callers = "", False, _callers(system, memory)
    try:
        with memory.timed():
            wanted: Sequence[Case] = cases
            if surveyed is not None and not plan.ends_early:
                states = Counter[str]()
                for case, outcome in _in_order(run.factual, cases, memory, callers):
                    states[outcome.state] += 1
                    if progress is not None:
                        progress(case, outcome.state, states.total())
                surveyed(states["failed"])
            elif plan.counts_failures_only and callers > 1:
                wanted = run.up_to_failures(cases, callers)
            for case, outcome in _in_order(run.outcome, wanted, memory, callers):
                run.take(case, outcome)
                if progress is not None:
                    progress(case, outcome.state, run.seen)
                if outcome.cut is not None:
                    raise outcome.cut
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

    outcomes = _in_order(made, cases, memory, _callers(program, memory))
    failing = (calls for _, calls in outcomes if calls is not None)
    return program.at_calls(call for calls in islice(failing, plan.max_failures) for call in calls)


def _callers(system: System, memory: Memory) -> int:
    """Return on how many cases to work at a time: on many where their calls go out together."""
    batches = any(variant.batch is not None for node in system.nodes for variant in (node.factual, node.fixed))
    return max(memory.engine.at_once, _BATCHED) if batches and memory.engine.at_once > 1 else memory.engine.at_once


def _in_order(
    work: Callable[[Case], T], cases: Sequence[Case], memory: Memory, threads: int
) -> Generator[tuple[Case, T], None, None]:
    """Work on cases, so many at a time, and yield what came of them in their order.

    Whoever stops listening ends the work on the others, and waits until they are at rest.
    """
    if threads == 1:
        yield from ((case, work(case)) for case in cases)
        return

    def guarded(case: Case) -> T:
        """Work on a case; what ends the analysis ends it for all at once, not when the turn comes to this one."""
        try:
            return work(case)
        except BaseException as error:
            memory.end(error)
            raise

    ahead = deque[tuple[Case, Future[T]]]()
    with ThreadPoolExecutor(threads, "case") as pool:
        try:
            for case in cases:
                ahead.append((case, pool.submit(copy_context().run, guarded, case)))
                if len(ahead) >= _AHEAD * threads:
                    first, future = ahead.popleft()
                    yield first, future.result()
            while ahead:
                first, future = ahead.popleft()
                yield first, future.result()
        finally:
            if ahead:
                memory.end()
            for _, future in ahead:
                future.cancel()


@dataclass
class _Outcome:
    """What became of a case.

    Attributes
    ----------
    state, said : str
        As `StoredCase` has them.
    values : dict of str to tuple of float or None
        By mode that was examined: the Shapley values, if there are any.
    holes : list of Hole
        The first of each game.
    missing : int
        Coalitions without a score.
    cut : exception or None
        What ended it before all modes were examined.
    """

    state: str
    said: str = ""
    values: dict[str, tuple[float, ...] | None] = field(default_factory=dict)
    holes: list[Hole] = field(default_factory=list)
    missing: int = 0
    cut: BaseException | None = None

    def add(self, mode: str, game: CaseGame) -> None:
        """Take in the game of a mode."""
        self.values[mode] = game.values["shapley"]
        self.missing += _missing(game)
        self.holes += [Hole(game.id, mode, int(mask), error) for mask, error in list(game.errors.items())[:1]]


class _Run:
    """An analysis under way: what became of the cases so far."""

    def __init__(self, system: System, plan: Plan, memory: Memory, headers: dict[str, Header]) -> None:
        self.system, self.plan, self.memory, self.headers = system, plan, memory, headers
        self.failing: list[tuple[bytes, frozenset[str]]] = []
        self.errored: list[tuple[str, str]] = []
        self.holes: list[Hole] = []
        self.passed = self.missing = 0
        self.withheld = dict.fromkeys(plan.modes, 0)
        # A release may analyse better; its calls are the same.
        self._key = key_of("run", system.fingerprint(), plan.seed, __version__).hex()
        scoring, players = system.scoring, len(system.players)
        spread = float(scoring.high) - float(scoring.low)
        # The modes share the error probability: any of them might be wrong about its leader.
        threshold = players * len(plan.modes) / plan.delta
        compared = plan.modes if plan.until_separated and players else ()
        self.separations = {mode: Separation(players, spread, threshold) for mode in compared}

    @property
    def seen(self) -> int:
        return self.passed + len(self.failing) + len(self.errored)

    def factual(self, case: Case) -> _Outcome:
        """Run a case as it happened, unless the store says what became of it; may be called by threads."""
        store, key = self.memory.store, self._case_key(case)
        stored = None if key is None else store.case(key)
        if stored is None or stored.state == "errored":
            stored = self._stored(case, self._traced(case))
            # What could not say the kind of failure may be able to another time.
            if key is not None and not stored.said.startswith(KIND_UNKNOWN):
                store.add_case(key, case.id, stored)
        else:
            self.memory.recall(stored.calls)
        return _Outcome(stored.state, stored.said)

    def outcome(self, case: Case) -> _Outcome:
        """Run a case, and examine it if it fails, as far as the store does not hold it; may be called by threads."""
        outcome, key = self.factual(case), self._case_key(case)
        if key is None or outcome.state != "failed":
            return outcome
        trace = functools.cache(lambda: self._traced(case))
        try:
            for mode in self.plan.modes:
                game = self._stored_game(key, mode)
                outcome.add(mode, game or self._examined(case, key, trace(), outcome.said, mode))
        except (BudgetReached, Abandoned, KeyboardInterrupt) as cut:
            outcome.cut = cut
            if isinstance(cut, KeyboardInterrupt):
                self.memory.end(cut)
        return outcome

    def up_to_failures(self, cases: Sequence[Case], callers: int) -> Sequence[Case]:
        """Return the cases up to the last failing one that is asked for, so that none is examined in vain."""
        states: list[str] = []
        with contextlib.closing(_in_order(self.factual, cases, self.memory, callers)) as outcomes:
            for _, outcome in outcomes:
                states.append(outcome.state)
                if states.count("failed") == self.plan.max_failures:
                    break
        # Those ahead were told that it is over.
        self.memory.serve(self.system)
        return cases[: len(states)]

    def _traced(self, case: Case) -> Trace:
        return run_factual(self.system, case, World(case_seed(self.plan, case)), self.memory)

    def _examined(self, case: Case, key: bytes, trace: Trace, kind: str, mode: str) -> CaseGame:
        game, calls = examine(self.system, case, trace, kind, mode, self.plan, self.memory)
        # What a cap cut short, or lacks a score, is examined again by another run.
        cut = game.sampled is not None and self.memory.capped
        complete = not (_missing(game) or cut or kind.startswith(KIND_UNKNOWN))
        stored = StoredGame(case_line(game), complete, sorted(calls))
        self.memory.store.add_game(self._game_key(key, mode), case.id, mode, stored)
        return game

    def _stored(self, case: Case, trace: Trace) -> StoredCase:
        if trace.error is not None:
            return StoredCase("errored", f"{trace.error[0]}: {trace.error[1]}", ())
        passed = trace.passed(self.system)
        kind = "" if passed else kind_of_failure(self.system, case, trace)
        return StoredCase("passed" if passed else "failed", kind, sorted(trace.calls))

    def _case_key(self, case: Case) -> bytes | None:
        """Return what identifies a case under this pipeline and seed; None where its inputs cannot be compared."""
        try:
            return key_of("case", self._key, case.id, fingerprint(dict(case.inputs)))
        except UnstableValueError:
            return None

    def _game_key(self, case: bytes, mode: str) -> bytes:
        plan = self.plan
        how = (plan.max_coalitions, plan.estimator, plan.delta) if plan.samples(self.system) else ()
        return key_of("game", case.hex(), mode, repr((plan.worlds_in(mode), how)))

    def _stored_game(self, case: bytes, mode: str) -> CaseGame | None:
        """Return a game that is complete."""
        stored = self.memory.store.game(self._game_key(case, mode))
        if stored is None or not stored.complete:
            return None
        try:
            game = case_known(stored.line)
        except GameFileError:
            # What damage left of it: its calls may be whole, so it is put together again.
            return None
        self.memory.recall(stored.calls)
        return game

    def take(self, case: Case, outcome: _Outcome) -> None:
        """Count what became of the next case."""
        if outcome.state == "errored":
            self.errored.append((case.id, outcome.said))
        elif outcome.state == "passed":
            self.passed += 1
        else:
            key = self._case_key(case)
            assert key is not None
            self.failing.append((key, frozenset(outcome.values)))
        self.holes += outcome.holes
        self.missing += outcome.missing
        for mode, values in outcome.values.items():
            if values is None:
                self.withheld[mode] += 1
            elif self.separations:
                self.separations[mode].add(values)

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
            stored = self.memory.store.game(self._game_key(key, mode))
            assert stored is not None
            yield case_known(stored.line)


def _missing(game: CaseGame) -> int:
    return sum(one is None for one in game.worth)
