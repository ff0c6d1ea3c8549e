"""Turns a call of a step into a result: its output with a fingerprint, or its error; what it drew; what it took."""

from __future__ import annotations

import asyncio
import copy
import decimal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, replace
from typing import Any, ParamSpec, TypeVar

from analyzer.codec import mark_by
from analyzer.fingerprint import UnstableValueError
from analyzer.noise import Draw, Draws, StepNoise
from analyzer.pipeline import DRAW, IDEMPOTENCY_KEY, Codec, Variant
from analyzer.shown import without_addresses
from analyzer.workers.retries import attempt, attempt_async

T = TypeVar("T")
P = ParamSpec("P")

_MESSAGE_LIMIT = 500
# Values of these types cannot be changed in place, so a step may be given them as they are.
_IMMUTABLE = (str, int, float, bool, bytes, type(None))


@dataclass(frozen=True)
class Limit:
    """How fast calls of one step may go out, whatever the engine; None is no limit.

    Attributes
    ----------
    concurrency : int or None
        Calls in flight at a time.
    per_minute : float or None
        Calls started in a minute, spread evenly: two starts are never less than ``60 / per_minute`` seconds apart.
        Attempts after an error are no starts; their back-off spaces them.
    """

    concurrency: int | None = None
    per_minute: float | None = None


@dataclass(frozen=True)
class Call:
    """One call to execute.

    Attributes
    ----------
    step : str
        The step's name.
    variant : Variant
        The way to run it.
    inputs : mapping of str to value
        What the variant reads, by name.
    noise : StepNoise
        The step's share of a world.
    key : str
        Given as `idempotency_key` to a variant that asks for it.
    limit : Limit
        The step's own.
    """

    step: str
    variant: Variant
    inputs: Mapping[str, Any]
    noise: StepNoise
    key: str = ""
    limit: Limit = Limit()


@dataclass(frozen=True)
class Result:
    """What a call gave: a value with its fingerprint, or an error; and the draws it made.

    Attributes
    ----------
    value : object
        None for an error.
    fingerprint : str
        Empty for an error.
    error : str or None
        As one line of text.
    draws : tuple of Draw
        Of the last attempt.
    seconds : float
        What was spent on it: the wall-clock time of all attempts and of the waits between them. Calls of a batch share
        the batch's time evenly.
    attempts : int
        How often it was tried, from 1 up.
    """

    value: Any
    fingerprint: str
    error: str | None
    draws: tuple[Draw, ...]
    seconds: float = 0.0
    attempts: int = 1


class EngineError(ValueError):
    """An engine that cannot run calls at all; the message says why, and the remedy."""


class BatchError(Exception):
    """What a batch function returned is not one output for each call."""


@dataclass(frozen=True)
class _Failed:
    """Stands for the output of a call that failed."""

    error: str


def execute(call: Call, retries: int = 0, pause: Callable[[float], None] = time.sleep) -> Result:
    """Execute a call of a plain function on its own copy of the inputs; an exception becomes an error result.

    Parameters
    ----------
    call : Call
        Each attempt at it has fresh copies of its inputs and the same noise from the start.
    retries : int
        Attempts after the first, for errors that may pass (see `analyzer.workers.retries`).
    pause : callable
        Waits between attempts; raises `analyzer.workers.halt.Halted` to end them with the error.

    Raises
    ------
    KeyboardInterrupt
        If it is interrupted.
    """
    tried = _Attempts([call])
    return tried.settle(lambda: [call.variant.run(**tried.begin()[0])], retries, pause)[0]


async def execute_async(
    call: Call, retries: int = 0, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> Result:
    """Execute a call of an async function, as `execute` does a plain one's."""
    tried = _Attempts([call])

    async def run() -> list[Any]:
        return [await call.variant.run(**tried.begin()[0])]

    return (await tried.settle_async(run, retries, pause))[0]


def execute_batch(calls: Sequence[Call], retries: int = 0, pause: Callable[[float], None] = time.sleep) -> list[Result]:
    """Execute calls by the plain `batch` function of their variant.

    It is given one list with what `run` would be given by name, a dict for each call, in order. An exception in a place
    of what it returns is the error of that call. One that it raises, or a list that is not as long, is the error of
    all; and it is tried again as a whole, for errors that it raises.
    """
    tried, batch = _Attempts(calls), _batch_of(calls)
    return tried.settle(lambda: _one_each(batch(tried.begin()), len(calls)), retries, pause)


async def execute_batch_async(
    calls: Sequence[Call], retries: int = 0, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> list[Result]:
    """Execute calls by the async `batch` function of their variant, as `execute_batch` does by a plain one."""
    tried, batch = _Attempts(calls), _batch_of(calls)

    async def run() -> list[Any]:
        return _one_each(await batch(tried.begin()), len(calls))

    return await tried.settle_async(run, retries, pause)


def in_copy(context: Context, run: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Run a function in a copy of a context: it finds what is set there, and what it sets is nobody else's."""

    def of_its_own() -> T:
        # Changed in place, so that a copy of the context alone would share it.
        decimal.setcontext(decimal.getcontext().copy())
        return run(*args, **named)

    return context.copy().run(of_its_own)


def is_awaited(call: Call) -> bool:
    """Return whether what executes a call, its function or its batch function, is async."""
    batch = call.variant.batch
    return call.variant.is_async if batch is None else replace(call.variant, run=batch).is_async


def _batch_of(calls: Sequence[Call]) -> Callable[[list[dict[str, Any]]], Any]:
    batch = calls[0].variant.batch
    assert batch is not None
    return batch


def _one_each(outputs: Any, count: int) -> list[Any]:
    if not isinstance(outputs, list | tuple):
        raise BatchError(f"it returned a {type(outputs).__name__}, not a list of {count} outputs")
    if len(outputs) != count:
        raise BatchError(f"it was given {count} calls and returned {len(outputs)} outputs")
    return [_Failed(describe(output)) if isinstance(output, BaseException) else output for output in outputs]


class _Attempts:
    """The attempts at calls that go out together: counts them, and keeps the draws of the last."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._draws = [Draws(call.noise) for call in calls]
        self._count = 0
        self._began = time.perf_counter()

    def begin(self) -> list[dict[str, Any]]:
        """Return what the function is given for each call in the attempt that begins now."""
        self._count += 1
        self._draws = [Draws(call.noise) for call in self._calls]
        return [_given(call, draws) for call, draws in zip(self._calls, self._draws, strict=True)]

    def settle(self, run: Callable[[], list[Any]], retries: int, pause: Callable[[float], None]) -> list[Result]:
        try:
            outputs = attempt(run, retries, pause)
        except KeyboardInterrupt:
            raise
        # Also what is no Exception, such as SystemExit or CancelledError: a step ends itself, never the run.
        except BaseException as error:
            outputs = [_Failed(describe(error))] * len(self._calls)
        return self._results(outputs)

    async def settle_async(
        self, run: Callable[[], Awaitable[list[Any]]], retries: int, pause: Callable[[float], Awaitable[None]]
    ) -> list[Result]:
        try:
            outputs = await attempt_async(run, retries, pause)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            task = asyncio.current_task()
            # Somebody ends this task from outside, which is no error of the step.
            if task is not None and task.cancelling():
                raise
            outputs = [_Failed(describe(error))] * len(self._calls)
        return self._results(outputs)

    def _results(self, outputs: Sequence[Any]) -> list[Result]:
        seconds = (time.perf_counter() - self._began) / len(self._calls)
        found = []
        for call, output, draws in zip(self._calls, outputs, self._draws, strict=True):
            value, mark, error = _examined(output, call.variant.codec)
            found.append(Result(value, mark, error, draws.records, seconds, self._count))
        return found


def _given(call: Call, draws: Draws) -> dict[str, Any]:
    """Return what a function is given, by name."""
    inputs = {name: own_copy(value) for name, value in call.inputs.items()}
    if call.variant.draws:
        inputs[DRAW] = draws
    if call.variant.keyed:
        inputs[IDEMPOTENCY_KEY] = call.key
    return inputs


def _examined(output: Any, codec: Codec | None) -> tuple[Any, str, str | None]:
    """Return an output's own copy, its fingerprint and no error, or the error in place of it."""
    if isinstance(output, _Failed):
        return None, "", output.error
    try:
        # The copy keeps a step from changing its output after the fact, through a reference it kept.
        value = own_copy(output)
        return value, mark_by(value, codec), None
    except UnstableValueError as error:
        return None, "", f"its output cannot be compared: {error}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, "", describe(error)


def own_copy(value: Any) -> Any:
    """Return a copy that shares nothing that could be changed."""
    return value if type(value) in _IMMUTABLE else copy.deepcopy(value)


def describe(error: BaseException) -> str:
    """Return an exception as one line of text, the same in every process."""
    text = without_addresses(" ".join(f"{type(error).__name__}: {error}".split()))
    return text if len(text) <= _MESSAGE_LIMIT else f"{text[: _MESSAGE_LIMIT - 1]}…"
