"""Turns a program, a case and some worlds into what its calls gave and how it scored under coalitions of fixes.

Every coalition runs the program again, and every call it makes is looked up first: only what changed executes. A run is
known by the players it asked for: coalitions that agree on those are one run.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from analyzer.calls import describe, own_copy
from analyzer.fingerprint import UnstableValueError, fingerprint
from analyzer.lattice import Lattice, Trace, Values, case_value, outcome
from analyzer.memory import Abandoned, BudgetReached, Executed, Memory, Output, Request, Value
from analyzer.noise import Draw, StepNoise, World
from analyzer.pipeline import Case
from analyzer.program import FORCED, OUTPUT, Program, StepError, bound, call_id, forced
from analyzer.steps import CASE, Fix, Step
from analyzer.store import StoreError
from analyzer.wiring import Node, Variant

T = TypeVar("T")

# What ends a run for good, whatever the program makes of exceptions.
_ENDS = (Abandoned, BudgetReached, KeyboardInterrupt, StoreError)
_PROGRAM = "program"
_task: contextvars.ContextVar[tuple[int, ...]] = contextvars.ContextVar("task", default=())


@dataclass(frozen=True)
class Made:
    """A call that a run made.

    Attributes
    ----------
    id : str
        Its address; see `call_id`.
    step : str
    place : tuple
        Puts the calls of a run in an order that does not depend on which of several at a time was done first.
    output : Value
        What the program was given.
    request : Request or None
        What ran; None where the output was forced.
    """

    id: str
    step: str
    place: tuple[tuple[int, ...], int]
    output: Value
    request: Request | None


@dataclass(frozen=True)
class Run:
    """A program's run: its calls, its output or the error, the players it asked for, and the numbers of its calls."""

    made: tuple[Made, ...]
    output: Value
    asked: int
    costs: Mapping[int, float]


#: Returns one call's share of the noise, by its address and whether it is to be resampled.
Luck = Callable[[str, bool], StepNoise]


def luck_of(world: World) -> Luck:
    """Return the noise of every call in a world."""

    def share(call: str, resampled: bool) -> StepNoise:
        noise = world.of_step(call, resampled=resampled)
        # A step that samples itself is kept by its noise's key, and two calls of it in a world are two samples.
        observed = noise.observed_in and f"{call} {noise.observed_in}"
        return replace(noise, key=f"{call} {noise.key}", observed_in=observed)

    return share


def run_once(program: Program, case: Case, luck: Luck, mask: int, memory: Memory, *, recording: bool = False) -> Run:
    """Run a program with some of its fixes applied.

    Parameters
    ----------
    program : Program
    case : Case
    luck : callable
        See `luck_of`.
    mask : int
        The coalition; bit ``i`` applies the fix of player ``i``.
    memory : Memory
    recording : bool
        Keep all draws.

    Raises
    ------
    BudgetReached, Abandoned
        See `Memory.perform`.
    """
    return _Running(program, case, luck, mask, memory, recording).run()


class _Running:
    """A run under way: what `step` means in it."""

    def __init__(self, program: Program, case: Case, luck: Luck, mask: int, memory: Memory, recording: bool) -> None:
        self.program, self.case, self.luck, self.mask = program, case, luck, mask
        self.memory, self.recording = memory, recording
        self.made: list[Made] = []
        self.asked = 0
        self.costs: dict[int, float] = {}
        self.ended: BaseException | None = None
        self._nodes: dict[str, list[Node]] = defaultdict(list)
        self._steps: dict[str, tuple[Step, Variant]] = {}
        for node in program.nodes:
            self._nodes[node.step.name].append(node)
        for step in program.steps:
            self._steps[step.name] = (step, self._nodes[step.name][0].factual)
        self._counts: Counter[tuple[tuple[int, ...], str]] = Counter()
        self._turn = threading.Lock()

    def run(self) -> Run:
        inputs = own_copy(dict(self.case.inputs))
        try:
            output = own_copy(self._awaited(inputs) if self.program.is_async else self.program.run(inputs, self.step))
            value = Value(Output(fingerprint(output)), lambda: output)
        except _ENDS:
            raise
        except StepError as error:
            value = _failed(error.call, error.message)
        except UnstableValueError as error:
            value = _failed(_PROGRAM, f"its output cannot be compared: {error}")
        except BaseException as error:
            value = _failed(_PROGRAM, describe(error))
        if self.ended is not None:
            raise self.ended
        made = tuple(sorted(self.made, key=lambda call: call.place))
        return Run(made, value, self.asked, self.costs)

    def _awaited(self, inputs: Any) -> Any:
        children: Counter[tuple[int, ...]] = Counter()

        def numbered(loop: asyncio.AbstractEventLoop, coroutine: Any, **given: Any) -> asyncio.Task[Any]:
            parent = _task.get()
            children[parent] += 1
            context = given.pop("context", None) or contextvars.copy_context()
            context.run(_task.set, (*parent, children[parent]))
            return asyncio.Task(coroutine, loop=loop, context=context, **given)

        async def main(pool: ThreadPoolExecutor) -> Any:
            asyncio.get_running_loop().set_task_factory(numbered)
            return await self.program.run(inputs, functools.partial(self.step_later, pool))

        with ThreadPoolExecutor(max(2, self.memory.engine.at_once), "call") as pool:
            return asyncio.run(main(pool))

    def step(self, name: str, /, *given: Any, **named: Any) -> Any:
        """Call a step."""
        with self._ending():
            planned = self._planned(name, given, named)
            return planned.settle(self._performed(planned))

    def step_later(self, pool: ThreadPoolExecutor, name: str, /, *given: Any, **named: Any) -> Coroutine[Any, Any, Any]:
        """Call a step, in the order in which this is called; the result is to be awaited."""
        with self._ending():
            planned = self._planned(name, given, named)
        return self._later(pool, planned)

    async def _later(self, pool: ThreadPoolExecutor, planned: _Planned) -> Any:
        with self._ending():
            request = planned.request
            known = None if request is None else self.memory.recalled(request, recording=self.recording)
            if request is not None and known is None:
                known = await asyncio.get_running_loop().run_in_executor(pool, self._performed, planned)
            return planned.settle(known)

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Let nothing go on after what ends a run, also where the program catches it."""
        if self.ended is not None:
            raise self.ended
        try:
            yield
        except _ENDS as error:
            self.ended = error
            raise

    def _performed(self, planned: _Planned) -> Executed | None:
        if planned.request is None:
            return None
        return self.memory.perform([planned.request], recording=self.recording)[0]

    def _applied(self, name: str, id: str, occurrence: int) -> list[Node]:
        """Return the fixes that apply to a call; remembers the players that were asked."""
        nodes = [*self._nodes[name], *(self._nodes.get(id, ()))]
        found = []
        for node in nodes:
            if node.player is not None and node.fix is not None and occurrence >= node.fix.since:
                self.asked |= 1 << node.player
                if self.mask >> node.player & 1:
                    found.append(node)
        return found

    def _planned(self, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> _Planned:
        """Return what a call comes to: a request, or an output that is forced."""
        if name not in self._steps:
            known = ", ".join(map(repr, self._steps))
            raise LookupError(f"step {name!r} is not declared; there are {known}")
        step, variant = self._steps[name]
        path = _task.get()
        with self._turn:
            self._counts[path, name] += 1
            occurrence = self._counts[path, name]
            place = (path, sum(count for (task, _), count in self._counts.items() if task == path))
        id = call_id(path, name, occurrence)
        applied = self._applied(name, id, occurrence)
        planned = _Planned(self, id, step, place, applied)
        for node in applied:
            assert node.fix is not None
            if node.fix.kind in FORCED and node.fix.edit is None:
                planned.force(node.fix)
                return planned
        for node in applied:
            if node.fix is not None and node.fix.kind in ("variant", "policy"):
                variant = node.fixed
        inputs = bound(variant.run, given, named)
        for node in applied:
            if node.fix is not None and node.fix.kind == "context":
                inputs = planned.edited(node.fix, inputs)
        noise = self.luck(id, any(node.resamples for node in applied))
        planned.request = Request(step, variant, tuple(inputs), tuple(map(_given, inputs.values())), noise)
        return planned


@dataclass
class _Planned:
    """A call about to be made: a request, or an output that is forced."""

    running: _Running
    id: str
    step: Step
    place: tuple[tuple[int, ...], int]
    applied: Sequence[Node]
    request: Request | None = None
    output: Any = field(default=None)

    def force(self, fix: Fix) -> None:
        """Take the output that a fix puts in place of the step's."""
        self.output = self._tried(lambda: forced(fix, own_copy(dict(self.running.case.inputs))))

    def edited(self, fix: Fix, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the inputs that a fix makes of others."""
        edit = fix.edit
        assert edit is not None
        return self._tried(lambda: dict[str, Any](edit(own_copy(inputs))))

    def _tried(self, run: Callable[[], T]) -> T:
        try:
            return run()
        except Exception as error:
            raise StepError(self.id, describe(error)) from error

    def settle(self, call: Executed | None) -> Any:
        """Take in what the call gave, and return it to the program."""
        if call is not None and self.request is not None:
            self.running.costs[call.number] = self.request.variant.cost
            if call.output.error is not None:
                raise StepError(self.id, call.output.error)
            self.output = self.running.memory.content(call.output)
        for node in self.applied:
            if node.fix is not None and node.fix.kind == "observation" and node.fix.edit is not None:
                self.output = self._tried(functools.partial(node.fix.edit, own_copy(self.output)))
        output = own_copy(self.output)
        try:
            value = Value(Output(fingerprint(output)), lambda: output)
        except UnstableValueError as error:
            raise StepError(self.id, f"its output cannot be compared: {error}") from error
        self.running.made.append(Made(self.id, self.step.name, self.place, value, self.request))
        return own_copy(output)


def _given(value: Any) -> Value:
    # The program may change it while a call runs beside it.
    copied = own_copy(value)
    return Value(Output(fingerprint(copied)), lambda: copied)


def _failed(where: str, message: str) -> Value:
    return Value(Output("", message, where), lambda: None)


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
        What a step (or a single call, where that is a player) gave is the output of its one call, or the list of the
        outputs of all its calls. A coalition whose run failed has none.

    Raises
    ------
    BudgetReached, Abandoned
        See `Memory.perform`.
    """
    runs = _all_runs(program, case, worlds, masks, memory)
    values = Values(memory)
    shape = (len(worlds), len(masks))
    seen = {node.step.name: np.zeros(shape, dtype=np.int64) for node in program.nodes}
    scores: list[list[float | None]] = []
    errors: dict[int, tuple[str, str]] = {}
    costs: dict[int, float] = {}
    known: dict[int, tuple[Any, ...]] = {}
    for world, row in enumerate(runs):
        scores.append([])
        for column, run in enumerate(row):
            if id(run) not in known:
                known[id(run)] = (*_units(program, run, values), *scored(program, case, run, memory))
                costs.update(run.costs)
            units, score, error = known[id(run)]
            for name, number in units.items():
                seen[name][world, column] = number
            scores[-1].append(score)
            if error is not None:
                errors.setdefault(masks[column], error)
    cost = 0.0
    for number in sorted(costs):
        cost += costs[number]
    ordered = {mask: errors[mask] for mask in masks if mask in errors}
    return Lattice(tuple(masks), values.listed, seen, tuple(map(tuple, scores)), ordered, frozenset(costs), cost)


def _all_runs(
    program: Program, case: Case, worlds: Sequence[World], masks: Sequence[int], memory: Memory
) -> list[list[Run]]:
    """Return the run of each coalition in each world, several at a time where the engine runs several calls."""
    found: list[dict[tuple[int, int], Run]] = [{} for _ in worlds]
    turn = threading.Lock()

    def run(world: int, mask: int) -> Run:
        with turn:
            done = found[world]
            # Few sets of players are ever asked for, however many coalitions there are.
            for asked in {asked for asked, _ in done}:
                if (asked, mask & asked) in done:
                    return done[asked, mask & asked]
        made = run_once(program, case, luck_of(worlds[world]), mask, memory)
        with turn:
            return found[world].setdefault((made.asked, mask & made.asked), made)

    if memory.engine.at_once == 1:
        return [[run(world, mask) for mask in masks] for world in range(len(worlds))]
    with ThreadPoolExecutor(memory.engine.at_once, "coalition") as pool:
        futures = [[pool.submit(run, world, mask) for mask in masks] for world in range(len(worlds))]
        try:
            return [[future.result() for future in row] for row in futures]
        finally:
            for row in futures:
                for future in row:
                    future.cancel()


def _units(program: Program, run: Run, values: Values) -> tuple[dict[str, int]]:
    """Return the ids of what each step, or single call, gave in a run."""
    if run.output.error is not None:
        return (dict.fromkeys((node.step.name for node in program.nodes), values.add(run.output)),)
    outputs: dict[str, list[Value]] = defaultdict(list)
    for call in run.made:
        outputs[call.step].append(call.output)
        outputs[call.id].append(call.output)
    return ({node.step.name: values.add(_together(outputs[node.step.name])) for node in program.nodes},)


def _together(outputs: Sequence[Value]) -> Value:
    """Return the one output there is, or the list of all."""
    if len(outputs) == 1:
        return outputs[0]
    return Value(
        Output(fingerprint([output.fingerprint for output in outputs])), lambda: [output.content for output in outputs]
    )


def scored(program: Program, case: Case, run: Run, memory: Memory) -> tuple[float | None, tuple[str, str] | None]:
    """Return the score of a run, or why it has none."""
    if run.output.error is not None:
        return None, (run.output.step, run.output.error)
    return outcome(program, _readable(program.scorer, case, run), memory)


def _readable(variant: Variant, case: Case, run: Run) -> dict[str, Value]:
    """Return what a score reads of a run: the case, the output, and the outputs of a step as a list."""
    found: dict[str, Value] = {}
    for name in variant.reads:
        if name == CASE:
            found[name] = case_value(case)
        elif name == OUTPUT:
            found[name] = run.output
        else:
            outputs = [call.output for call in run.made if call.step == name]
            mark = fingerprint(["outputs", *(output.fingerprint for output in outputs)])
            found[name] = Value(Output(mark), functools.partial(_contents, outputs))
    return found


def _contents(outputs: Sequence[Value]) -> list[Any]:
    return [output.content for output in outputs]


def run_factual_program(program: Program, case: Case, world: World, memory: Memory) -> tuple[Trace, Run]:
    """Run a case once as it is, in one world; return it with every draw, and the calls it made."""
    run = run_once(program, case, luck_of(world), 0, memory, recording=True)
    score, error = scored(program, case, run, memory)
    draws: list[Draw] = []
    for call in run.made:
        if call.request is not None and call.request.variant.draws:
            draws.extend(memory.draws_of(call.request))
    return Trace(_readable_all(program, case, run), tuple(draws), score, error, frozenset(run.costs)), run


def _readable_all(program: Program, case: Case, run: Run) -> dict[str, Value]:
    reads = (OUTPUT, *(step.name for step in program.steps))
    return _readable(replace(program.scorer, reads=reads), case, run)
