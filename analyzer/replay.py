"""Turns a program, a case and some luck into a run: the calls it made, what they gave, and what it returned.

Each call is looked up first, so that a run executes only what no other run did.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from analyzer.budget import BudgetReached
from analyzer.codec import mark_of_given
from analyzer.fingerprint import UnstableValueError
from analyzer.known_calls import Executed, Output
from analyzer.memory import Abandoned, Memory
from analyzer.noise import StepNoise, World
from analyzer.pipeline import Case
from analyzer.program import FORCED, Program, StepError, bound, call_id, forced
from analyzer.program_loop import MADE_IN_ANY_ORDER, Idle, made_in_any_order, run_on_loop, task_path
from analyzer.request import Request, Value
from analyzer.steps import Codec, Fix
from analyzer.store import StoreError
from analyzer.wiring import Node, Variant, codecs_of
from analyzer.workers.calls import EngineError, describe, own_copy

T = TypeVar("T")

# What ends a run for good, whatever the program makes of exceptions.
_ENDS = (Abandoned, BudgetReached, EngineError, KeyboardInterrupt, StoreError)
#: Where an error comes from that is the program's own.
PROGRAM = "program"
#: The remedy for a program that does not do the same when its steps give the same.
BELONGS_INTO_A_STEP = (
    "what is random, or depends on the time or on which of several calls is done first, belongs into a step"
)


class _MisuseError(Exception):
    """A run that can be none, whatever the program makes of this exception."""


@dataclass(frozen=True)
class Made:
    """A call that a run made.

    Attributes
    ----------
    id : str
        Its address; see `call_id`.
    step : str
    place : tuple
        Puts calls in the order of their addresses.
    output : Value
        What the program was given, or the error that was raised in it.
    request : Request or None
        What ran; None where the output was forced, or the call did not come about.
    players : int
        Bits of the players whose fix is for this call.
    """

    id: str
    step: str
    place: tuple[tuple[int, ...], int]
    output: Value
    request: Request | None
    players: int

    @property
    def holds_everywhere(self) -> bool:
        """Whether it gives the same in every world."""
        if self.output.error is not None:
            return False
        return self.request is None or not self.request.variant.has_luck


@dataclass(frozen=True)
class Run:
    """A program's run.

    Attributes
    ----------
    made : tuple of Made
        Its calls in the order in which the program makes them where every result is there at once: each after all those
        whose results it may depend on, and the same whichever of several at a time was done first. Those of a run that
        failed are in the order of their addresses.
    begun : tuple of Made or None
        The same in the order in which it began them; None where it did not wait for all of them.
    output : Value
        What it returned, or the error.
    costs : mapping of int to float
        By the number of each executed call behind it, what that cost.
    """

    made: tuple[Made, ...]
    begun: tuple[Made, ...] | None
    output: Value
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

    return functools.cache(share)


def run_once(
    program: Program,
    case: Case,
    luck: Luck,
    mask: int,
    memory: Memory,
    *,
    recording: bool = False,
    same_as: Run | None = None,
) -> Run:
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
    same_as : Run, optional
        A run without an error that this one is to repeat; it ends with an error at the first call that differs.

    Raises
    ------
    BudgetReached, Abandoned
        See `Memory.perform`.

    Notes
    -----
    A program of several tasks of which some had to wait for results runs again, as everything is known then, for the
    order of its calls; it fails where it does not do the same.
    """
    running = _Running(program, case, luck, mask, memory, recording, same_as)
    run = running.run()
    if running.ordered or same_as is not None or run.output.error is not None:
        return run
    again = _Running(program, case, luck, mask, memory, False, run).run()
    if again.output.error is not None:
        return replace(run, output=again.output)
    return replace(run, made=again.made, begun=None if run.begun is None else again.made)


def not_waiting_for(
    call: str, run: Run, program: Program, case: Case, luck: Luck, memory: Memory
) -> frozenset[str] | None:
    """Return the calls that a program makes without the result of one of them, or of any that waits for that.

    The program runs again, and gets that result only once it can do nothing else. What it does after a pause, or with
    what it got from anything else than a step, counts as waiting.

    Parameters
    ----------
    call : str
        The address of the one.
    run : Run
        The run that it is of, without an error and under no fix.
    program : Program
    case : Case
    luck : callable
        Of that run.
    memory : Memory

    Returns
    -------
    frozenset of str or None
        Addresses; None where the program does not do the same then, so that nothing is known.
    """
    running = _Running(program, case, luck, 0, memory, False, run, held_back=call)
    again = running.run()
    return None if again.output.error is not None else frozenset(running.begun_before) - {call}


class _Running:
    """A run under way: what `step` means in it."""

    def __init__(
        self,
        program: Program,
        case: Case,
        luck: Luck,
        mask: int,
        memory: Memory,
        recording: bool,
        same_as: Run | None,
        held_back: str = "",
    ) -> None:
        self.program, self.case, self.luck, self.mask = program, case, luck, mask
        self.memory, self.recording, self.same_as = memory, recording, same_as
        self.codecs = codecs_of(program.nodes)
        self.expected = None if same_as is None else {call.id: call.request for call in same_as.made}
        # What was called until the result that is held back was given.
        self.held_back, self.idle = held_back, Idle() if held_back else None
        self.begun_before: list[str] = []
        self.planned: list[_Planned] = []
        self.waited = False
        self.costs: dict[int, float] = {}
        self.ended: BaseException | None = None
        self.over = False
        self._thread = threading.get_ident()
        self._counts: Counter[tuple[tuple[int, ...], str]] = Counter()
        self._places: Counter[tuple[int, ...]] = Counter()

    def run(self) -> Run:
        output = self._output()
        self.over = True
        settled = [planned.made for planned in self.planned if planned.made is not None]
        made = tuple(settled if self.ordered else sorted(settled, key=lambda call: call.place))
        forgotten = self._forgotten()
        if isinstance(self.ended, _MisuseError):
            output = _failed(PROGRAM, str(self.ended))
        elif self.ended is not None:
            raise self.ended
        elif forgotten:
            output = _failed(PROGRAM, forgotten if output.error is None else f"{output.error}; {forgotten}")
        elif self.same_as is not None and (how := _difference(self.same_as, made, output)):
            output = _failed(PROGRAM, _not_repeated(how))
        return Run(made, tuple(settled) if len(settled) == len(self.planned) else None, output, self.costs)

    @property
    def ordered(self) -> bool:
        """Whether calls could begin in one order only."""
        return not self.waited or len({path for path, _ in self._counts}) < 2

    def _forgotten(self) -> str:
        """Return which call was never awaited; nothing if all were."""
        forgotten = [planned for planned in self.planned if planned.waiting is not None]
        for planned in forgotten:
            assert planned.waiting is not None
            planned.waiting.close()
        return f"{forgotten[0].id} was called but never awaited; write await step(…)" if forgotten else ""

    def _output(self) -> Value:
        """Run the program; return what it returned, or the error in place of it."""
        inputs = own_copy(dict(self.case.inputs))
        try:
            output = self._awaited(inputs) if self.program.is_async else self.program.run(inputs, self.step)
        except _ENDS:
            raise
        except BaseException as error:
            failed = _step_error(error)
            return _failed(PROGRAM, describe(error)) if failed is None else _failed(failed.call, failed.message)
        if inspect.iscoroutine(output):
            output.close()
            return _failed(PROGRAM, "it returned a coroutine, which has not run; make the program itself async")
        try:
            return _given(output, self.codecs)
        except UnstableValueError as error:
            return _failed(PROGRAM, f"its output cannot be compared: {error}")

    def _awaited(self, inputs: Any) -> Any:
        with ThreadPoolExecutor(max(2, self.memory.engine.at_once), "call") as pool:
            return run_on_loop(lambda: self.program.run(inputs, functools.partial(self.step_later, pool)), self.idle)

    def step(self, name: str, /, *given: Any, **named: Any) -> Any:
        """Call a step."""
        with self._ending():
            planned = self._plan(name, given, named)
            return planned.settle(planned.performed())

    def step_later(self, pool: ThreadPoolExecutor, name: str, /, *given: Any, **named: Any) -> Coroutine[Any, Any, Any]:
        """Call a step, in the order in which this is called; the result is to be awaited."""
        with self._ending():
            planned = self._plan(name, given, named)
            # Kept, so that what is never awaited is known, and Python does not warn of it.
            planned.waiting = self._later(pool, planned)
            return planned.waiting

    async def _later(self, pool: ThreadPoolExecutor, planned: _Planned) -> Any:
        planned.waiting = None
        with self._ending():
            request = planned.request
            known = None if request is None else self.memory.recalled(request, recording=self.recording)
            if request is not None and known is None:
                self.waited = True
                known = await asyncio.get_running_loop().run_in_executor(pool, planned.performed)
            if self.idle is not None and planned.id == self.held_back:
                await self.idle.reached()
                self.begun_before = [planned.id for planned in self.planned]
            return planned.settle(known)

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Let nothing go on after what ends a run, also where the program catches it."""
        if self.ended is not None:
            raise self.ended
        try:
            if self.over:
                raise RuntimeError("the run is over, so it can call no step any more")
            if threading.get_ident() != self._thread:
                raise _MisuseError(
                    "step was called from another thread, where calls have no order; "
                    "make the program async and use asyncio.gather"
                )
            yield
        except (*_ENDS, _MisuseError) as error:
            self.ended = error
            raise

    def _plan(self, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> _Planned:
        """Return a call about to be made."""
        if name not in self.program.nodes_of:
            known = ", ".join(repr(step.name) for step in self.program.steps)
            raise LookupError(f"step {name!r} is not declared; there are {known}")
        if made_in_any_order():
            raise _MisuseError(MADE_IN_ANY_ORDER)
        path = task_path()
        self._counts[path, name] += 1
        self._places[path] += 1
        occurrence = self._counts[path, name]
        planned = _Planned(self, name, call_id(path, name, occurrence), (path, self._places[path]), occurrence)
        self.planned.append(planned)
        planned.prepare(given, named)
        if self.expected is not None:
            self._expect(planned)
        return planned

    def _expect(self, planned: _Planned) -> None:
        """Raise `_MisuseError` for a call that the run which is to be repeated did not make like this."""
        assert self.expected is not None
        if planned.id not in self.expected:
            raise _MisuseError(_not_repeated(f"calls {planned.id}, which it had no result of before"))
        before, now = self.expected[planned.id], planned.request
        if before is not None and now is not None and before.base != now.base:
            raise _MisuseError(_not_repeated(f"gives {planned.id} other inputs"))


def _difference(before: Run, made: Sequence[Made], output: Value) -> str:
    """Return how a run that made no call which another did not make differs from that; nothing if it does not."""
    calls = {call.id for call in made}
    lacking = [call.id for call in before.made if call.id not in calls]
    if lacking:
        return f"does not call {lacking[0]}"
    if output.error is not None:
        return f"fails ({output.error})"
    return "" if output.output == before.output.output else "returns something else"


def _not_repeated(how: str) -> str:
    return f"run again with the same luck, it {how}, so its runs cannot be compared; {BELONGS_INTO_A_STEP}"


class _Planned:
    """A call about to be made: a request, an output that is forced, or the exception to be raised in its place."""

    def __init__(
        self, running: _Running, step: str, id: str, place: tuple[tuple[int, ...], int], occurrence: int
    ) -> None:
        self.running, self.step, self.id, self.place = running, step, id, place
        self.players = 0
        self.applied: list[tuple[Fix, Node]] = []
        for node in (*running.program.nodes_of[step], *running.program.nodes_of.get(id, ())):
            if node.player is not None and node.fix is not None and occurrence >= node.fix.since:
                self.players |= 1 << node.player
                if running.mask >> node.player & 1:
                    self.applied.append((node.fix, node))
        self.request: Request | None = None
        self.output: Any = None
        self.failure: Exception | None = None
        self.waiting: Coroutine[Any, Any, Any] | None = None
        self.made: Made | None = None

    def prepare(self, given: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Find out what the call comes to."""
        try:
            self._prepare(given, named)
        except (StepError, TypeError, UnstableValueError) as error:
            self.failure = error

    def _prepare(self, given: Sequence[Any], named: Mapping[str, Any]) -> None:
        running = self.running
        for fix, _ in self.applied:
            if fix.kind in FORCED and fix.edit is None:
                self.output = self._tried(functools.partial(forced, fix, own_copy(dict(running.case.inputs))))
                return
        node = running.program.nodes_of[self.step][0]
        variant: Variant = node.factual
        for fix, other in self.applied:
            if fix.kind in ("variant", "policy"):
                variant = other.fixed
        try:
            inputs = bound(variant.run, given, named)
        except TypeError as error:
            raise TypeError(f"{self.id} is called with what does not fit it: {error}") from error
        for fix, _ in self.applied:
            if fix.kind == "context":
                assert fix.edit is not None
                edited = self._tried(functools.partial(fix.edit, own_copy(inputs)))
                inputs = self._tried(functools.partial(dict[str, Any], edited))
        noise = running.luck(self.id, any(other.resamples for _, other in self.applied))
        try:
            values = tuple(_given(value, running.codecs) for value in inputs.values())
        except UnstableValueError as error:
            raise UnstableValueError(f"{self.id} is given what cannot be compared: {error}") from error
        self.request = Request(node.step, variant, tuple(inputs), values, noise)

    def performed(self) -> Executed | None:
        """Return what the request gives."""
        running = self.running
        if self.request is None:
            return None
        return running.memory.perform([self.request], recording=running.recording)[0]

    def settle(self, call: Executed | None) -> Any:
        """Take in what the call gave, and return it to the program, or raise what went wrong."""
        try:
            value = self._value(call)
        except (StepError, TypeError, UnstableValueError) as error:
            said = error.message if isinstance(error, StepError) else describe(error)
            self._become(_failed(self.id, said))
            raise
        self._become(value)
        return own_copy(value.content)

    def _become(self, value: Value) -> None:
        self.made = Made(self.id, self.step, self.place, value, self.request, self.players)

    def _value(self, call: Executed | None) -> Value:
        if self.failure is not None:
            raise self.failure
        memory = self.running.memory
        edits = [fix.edit for fix, _ in self.applied if fix.kind == "observation" and fix.edit is not None]
        if call is not None and self.request is not None:
            self.running.costs[call.number] = self.request.variant.cost
            if call.output.error is not None:
                raise StepError(self.id, call.output.error)
            if not edits:
                return Value(call.output, functools.partial(memory.content, call.output))
            self.output = memory.content(call.output)
        for edit in edits:
            self.output = self._tried(functools.partial(edit, own_copy(self.output)))
        try:
            return _given(self.output, self.running.codecs)
        except UnstableValueError as error:
            raise StepError(self.id, f"its output cannot be compared: {error}") from error

    def _tried(self, run: Callable[[], T]) -> T:
        try:
            return run()
        except Exception as error:
            raise StepError(self.id, describe(error)) from error


def _step_error(error: BaseException) -> StepError | None:
    """Return the call that failed, also out of a group of tasks; None if none did."""
    if isinstance(error, BaseExceptionGroup):
        found = [failed for one in error.exceptions if (failed := _step_error(one)) is not None]
        # Whichever task was first.
        return min(found, key=lambda failed: failed.call, default=None)
    return error if isinstance(error, StepError) else None


def _given(value: Any, codecs: Sequence[Codec]) -> Value:
    """Return a value that was handed over, as it was then: whoever did so may go on to change it."""
    mark = mark_of_given(value, codecs)
    copied = own_copy(value)
    return Value(Output(mark), lambda: copied)


def _failed(where: str, message: str) -> Value:
    return Value(Output("", message, where), lambda: None)
