"""Turns a program, a case and some worlds into what its calls gave and how it scored under coalitions of fixes.

Every coalition needs the run of the program that makes its calls, but few need one of their own: what the program calls
next follows from what its calls gave, so where earlier runs say all of that, the outcome is known.
"""

from __future__ import annotations

import functools
import threading
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analyzer.call_texts import CallTexts
from analyzer.fingerprint import fingerprint
from analyzer.known_calls import Output
from analyzer.lattice import Lattice, Trace, Values, case_value, outcome
from analyzer.memory import Memory
from analyzer.noise import Draw, World
from analyzer.pipeline import Case
from analyzer.program import OUTPUT, Program
from analyzer.replay import BELONGS_INTO_A_STEP, PROGRAM, Luck, Made, Run, luck_of, run_once
from analyzer.request import Value
from analyzer.steps import CASE
from analyzer.wiring import codecs_of

# Calls that are remembered for the coalitions of a case; what is not is found out by running the program again.
_MOST_POINTS = 1 << 17
# Stands for all worlds.
_EVERYWHERE = -1


def run_factual_program(program: Program, case: Case, world: World, memory: Memory) -> tuple[Trace, Run]:
    """Run a case once as it is, in one world; return it with every draw, and the calls it made.

    The program then runs once more, for which nothing executes: where it does not do the same, the trace has that error
    in place of a score.
    """
    luck = luck_of(world)
    run = run_once(program, case, luck, 0, memory, recording=True)
    score, error = scored(program, case, run, memory)
    if run.output.error is None:
        again = run_once(program, case, luck, 0, memory, same_as=run).output
        if again.error is not None:
            score, error = None, (again.step, again.error)
    draws: list[Draw] = []
    for call in run.made:
        if call.request is not None and call.request.variant.draws and call.output.error is None:
            draws.extend(memory.draws_of(call.request))
    read = _readable((OUTPUT, *(step.name for step in program.steps)), case, run)
    return Trace(read, tuple(draws), score, error, frozenset(run.costs), frozenset(call.id for call in run.made)), run


def run_program(
    program: Program,
    case: Case,
    worlds: Sequence[World],
    masks: Sequence[int],
    memory: Memory,
) -> Lattice:
    """Run a program on a case under coalitions of fixes in worlds, executing each distinct call once.

    Parameters
    ----------
    program : Program
    case : Case
    worlds : sequence of K World
    masks : sequence of M int
        Coalitions.
    memory : Memory

    Returns
    -------
    Lattice
        What a step (or a single call, where that is a player) gave is told call by call, in the order of the run: by
        address what each was given, as far as that is short, and what it gave. ``output`` is what the program returned.
        A coalition whose run failed has none.

    Raises
    ------
    BudgetReached, Abandoned
        See `Memory.perform`.
    """
    coalitions = _Coalitions(program, case, worlds, memory)
    ends = _all_ends(coalitions, masks, memory)
    shape = (len(worlds), len(masks))
    seen = {name: np.zeros(shape, dtype=np.int64) for name in (*(node.step.name for node in program.nodes), OUTPUT)}
    errors: dict[int, tuple[str, str]] = {}
    # In the order of worlds and masks, so that values have the same numbers whichever was done first.
    values = Values(memory)
    numbers: dict[int, dict[str, int]] = {}
    for world, row in enumerate(ends):
        for column, end in enumerate(row):
            if id(end) not in numbers:
                numbers[id(end)] = {name: values.add(value) for name, value in end.gave.items()}
            for name, number in numbers[id(end)].items():
                seen[name][world, column] = number
            if end.error is not None:
                errors.setdefault(masks[column], end.error)
    cost = 0.0
    for number in sorted(coalitions.costs):
        cost += coalitions.costs[number]
    scores = tuple(tuple(end.score for end in row) for row in ends)
    ordered = {mask: errors[mask] for mask in masks if mask in errors}
    # Which calls came before an error depends, among several at a time, on which was done first.
    known = coalitions.all_awaited and not (errors and program.is_async)
    made = frozenset(coalitions.made) if known else None
    return Lattice(tuple(masks), values.listed, seen, scores, ordered, frozenset(coalitions.costs), cost, made)


@dataclass(frozen=True)
class _End:
    """What a run came to: what the program returned, and the score or why there is none."""

    output: Value
    score: float | None
    error: tuple[str, str] | None


@dataclass(frozen=True)
class _Shown(_End):
    """The same with what is shown of each step or single call."""

    gave: Mapping[str, Value]


@dataclass(slots=True)
class _Point:
    """A point of the program, reached when all calls before gave what they did: it makes a call, or ends.

    Attributes
    ----------
    call : str or None
        The address of the call.
    players : int
        Bits of the players whose fix is for it.
    answers : dict
        The call as it was made, by those of them that were applied and the world.
    after : dict
        The point that follows what it gave; what it was given no longer matters then, but is shown.
    end : _End or None
    """

    call: str | None = None
    players: int = 0
    answers: dict[tuple[int, int], Made] = field(default_factory=dict)
    after: dict[Output, _Point] = field(default_factory=dict)
    end: _End | None = None


class _Coalitions:
    """The runs of a program on a case in some worlds; may be asked by several threads."""

    def __init__(self, program: Program, case: Case, worlds: Sequence[World], memory: Memory) -> None:
        self.program, self.case, self.memory = program, case, memory
        self.costs: dict[int, float] = {}
        self.made: set[str] = set()
        self.all_awaited = True
        self.lucks: list[Luck] = [luck_of(world) for world in worlds]
        self._root, self._points = _Point(), 0
        self._texts = CallTexts(codecs_of(program.nodes))
        self._shown: dict[Hashable, _Shown] = {}
        self._turn = threading.Lock()

    def end(self, world: int, mask: int) -> _Shown:
        """Return what comes of a coalition in a world, from what is known or by running the program."""
        with self._turn:
            known = self._known(world, mask)
        if known is not None:
            return known
        run = run_once(self.program, self.case, self.lucks[world], mask, self.memory)
        score, error = scored(self.program, self.case, run, self.memory)
        end = _End(run.output, score, error)
        with self._turn:
            self.costs.update(run.costs)
            self.made.update(call.id for call in run.made)
            self.all_awaited &= run.begun is not None
            return self._told(run.made, end if run.begun is None else self._learn(run.begun, world, mask, end))

    def _known(self, world: int, mask: int) -> _Shown | None:
        point, calls = self._root, list[Made]()
        while point.call is not None:
            applied = mask & point.players
            call = point.answers.get((applied, _EVERYWHERE)) or point.answers.get((applied, world))
            if call is None:
                return None
            calls.append(call)
            point = point.after[call.output.output]
        return None if point.end is None else self._told(calls, point.end)

    def _told(self, calls: Sequence[Made], end: _End) -> _Shown:
        """Return what is shown of a run; the same for runs of which the same is shown."""
        key = (end.output.output, *((call.id, call.output.output, _given(call)) for call in calls))
        if key not in self._shown:
            self._shown[key] = _Shown(end.output, end.score, end.error, self._gave(calls, end.output))
        return self._shown[key]

    def _gave(self, calls: Sequence[Made], output: Value) -> dict[str, Value]:
        """Return what is shown of each step, or single call, in a run."""
        targets = [node.step.name for node in self.program.nodes]
        if output.error is not None:
            return dict.fromkeys([*targets, OUTPUT], output)
        by_target: dict[str, list[Made]] = defaultdict(list)
        for call in calls:
            by_target[call.step].append(call)
            by_target[call.id].append(call)
        return {**{target: self._texts.told(by_target[target]) for target in targets}, OUTPUT: output}

    def _learn(self, calls: Sequence[Made], world: int, mask: int, end: _End) -> _End:
        """Take in a run; return what came of it, or of an equal one before."""
        point = self._root
        for call in calls:
            if point.end is not None or point.call not in (None, call.id):
                return self._contradicted(f"called {call.id}", point, end)
            if point.call is None:
                if self._points >= _MOST_POINTS:
                    return end
                point.call, point.players = call.id, call.players
                self._points += 1
            point.answers[mask & call.players, _EVERYWHERE if call.holds_everywhere else world] = call
            point = point.after.setdefault(call.output.output, _Point())
        if point.call is not None:
            return self._contradicted("ended", point, end)
        point.end = point.end or end
        return point.end

    def _contradicted(self, what: str, point: _Point, end: _End) -> _End:
        """Return what comes of a run after which the program, given the same, did not do what it did before."""
        if self.program.is_async:
            # Calls at the same time may begin in any order; this one is not needed to know the others.
            return end
        before = "ended" if point.call is None else f"called {point.call}"
        message = f"after its steps gave the same, it once {before} and once {what}; {BELONGS_INTO_A_STEP}"
        failed = Value(Output("", message, PROGRAM), lambda: None)
        return _End(failed, None, (PROGRAM, message))


def _given(call: Made) -> tuple[str, ...] | None:
    """Return the marks of what a call was given; None where its output was forced."""
    return None if call.request is None else tuple(value.fingerprint for value in call.request.inputs)


def _all_ends(coalitions: _Coalitions, masks: Sequence[int], memory: Memory) -> list[list[_Shown]]:
    """Return what comes of each coalition in each world, several at a time where the engine runs several calls."""
    worlds = range(len(coalitions.lucks))
    if memory.engine.at_once == 1:
        return [[coalitions.end(world, mask) for mask in masks] for world in worlds]
    with ThreadPoolExecutor(memory.engine.at_once, "coalition") as pool:
        futures = [[pool.submit(coalitions.end, world, mask) for mask in masks] for world in worlds]
        try:
            return [[future.result() for future in row] for row in futures]
        finally:
            for row in futures:
                for future in row:
                    future.cancel()


def scored(program: Program, case: Case, run: Run, memory: Memory) -> tuple[float | None, tuple[str, str] | None]:
    """Return the score of a run, or why it has none."""
    if run.output.error is not None:
        return None, (run.output.step, run.output.error)
    return outcome(program, _readable(program.scorer.reads, case, run), memory)


def _readable(names: Sequence[str], case: Case, run: Run) -> dict[str, Value]:
    """Return what a score reads of a run: the case, the output, and the outputs of a step as a list."""
    found: dict[str, Value] = {}
    for name in names:
        if name == CASE:
            found[name] = case_value(case)
        elif name == OUTPUT:
            found[name] = run.output
        else:
            outputs = [call.output for call in run.made if call.step == name and call.output.error is None]
            mark = fingerprint(["outputs", *(output.fingerprint for output in outputs)])
            found[name] = Value(Output(mark), functools.partial(_contents, outputs))
    return found


def _contents(outputs: Sequence[Value]) -> list[Any]:
    return [output.content for output in outputs]
