"""Turns calls of steps into results: where and how step functions actually run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyzer.fingerprint import UnstableValueError, fingerprint
from analyzer.noise import Draw, Draws, StepNoise
from analyzer.pipeline import DRAW, Variant
from analyzer.shown import without_addresses

_MESSAGE_LIMIT = 500
# Values of these types cannot be changed in place, so a step may be given them as they are.
_IMMUTABLE = (str, int, float, bool, bytes, type(None))


@dataclass(frozen=True)
class Call:
    """One call to execute: a variant of a step, its inputs by name, and its share of a world."""

    step: str
    variant: Variant
    inputs: Mapping[str, Any]
    noise: StepNoise


@dataclass(frozen=True)
class Result:
    """What a call gave: a value with its fingerprint, or an error; and the draws it made."""

    value: Any
    fingerprint: str
    error: str | None
    draws: tuple[Draw, ...]


#: Executes a batch of independent calls; yields each result as it is there, with the place of its call in the batch.
Engine = Callable[[Sequence[Call]], Iterable[tuple[int, Result]]]


def serial(calls: Sequence[Call]) -> Iterator[tuple[int, Result]]:
    """Execute calls one after the other in this process."""
    for index, call in enumerate(calls):
        yield index, execute(call)


def execute(call: Call) -> Result:
    """Execute one call on its own copy of the inputs; an exception becomes an error result."""
    draws = Draws(call.noise)
    try:
        inputs = {name: own_copy(value) for name, value in call.inputs.items()}
        if call.variant.draws:
            inputs[DRAW] = draws
        # The copy keeps a step from changing its output after the fact, through a reference it kept.
        value = own_copy(call.variant.run(**inputs))
        mark = fingerprint(value)
    except UnstableValueError as error:
        return Result(None, "", f"its output cannot be compared: {error}", draws.records)
    except KeyboardInterrupt:
        raise
    # Also what is no Exception, such as SystemExit or CancelledError: a step ends itself, never the run.
    except BaseException as error:
        return Result(None, "", describe(error), draws.records)
    return Result(value, mark, None, draws.records)


def own_copy(value: Any) -> Any:
    """Return a copy that shares nothing that could be changed."""
    return value if type(value) in _IMMUTABLE else copy.deepcopy(value)


def describe(error: BaseException) -> str:
    """Return an exception as one line of text, the same in every process."""
    text = without_addresses(" ".join(f"{type(error).__name__}: {error}".split()))
    return text if len(text) <= _MESSAGE_LIMIT else f"{text[: _MESSAGE_LIMIT - 1]}…"
