"""Turns the calls that somebody needs into output ids, executing each distinct one once.

A call is known by its step, its variant, its inputs and the noise it consumes. Which noise that is shows only as it
runs, so what calls of one variant on the same inputs drew is kept as a tree: at each branching point a place and what
was chosen from there, and one branch for each noise met. A call in another world walks the tree along that world's
noise; where it arrives at a leaf, the result is known, and nothing runs.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analyzer.engines import Call, Engine, Result, serial
from analyzer.noise import Address, Draw, Label, StepNoise
from analyzer.pipeline import Node, Pipeline, PipelineError, Variant


class BudgetReached(Exception):
    """The calls asked for next are more than the budget allows; nothing of them ran. The message names the cap."""


@dataclass(frozen=True)
class Budget:
    """How much may be executed in all: a number of calls, a cost in the pipeline's cost unit; None is no cap."""

    calls: int | None = None
    cost: float | None = None

    def less(self, calls: int, cost: float) -> Budget:
        """Return what is left of it after so many calls and such a cost."""
        return Budget(
            None if self.calls is None else max(0, self.calls - calls),
            None if self.cost is None else max(0.0, self.cost - cost),
        )

    def reached(self, calls: int, cost: float) -> str:
        """Return which cap that many calls, or that cost, would be above; empty for none."""
        if self.calls is not None and calls > self.calls:
            return f"the cap of {self.calls} calls"
        if self.cost is not None and cost > self.cost:
            return f"the cap of {self.cost:g} on the cost"
        return ""


UNLIMITED = Budget()


@dataclass(frozen=True)
class Value:
    """A distinct value that some call returned: the value, its fingerprint, and the error in place of one."""

    content: Any
    fingerprint: str
    error: str | None
    step: str


@dataclass(frozen=True)
class Request:
    """A call that somebody needs: a variant of a step on inputs known by id, under a step's noise."""

    node: Node
    variant: Variant
    inputs: tuple[int, ...]
    noise: StepNoise

    @property
    def base(self) -> Hashable:
        """What identifies the call but for its noise."""
        return (self.node.step.name, self.variant.name, self.inputs)


@dataclass(frozen=True)
class Executed:
    """A call that ran: its number, in the order of execution, and the id of its output."""

    number: int
    output: int


@dataclass
class _Point:
    """A point in the tree of draws: a draw from options at an address, or (with a call) the end of it."""

    call: Executed | None = None
    address: Address | None = None
    options: Sequence[Label] = ()
    branches: dict[Hashable, _Point] = field(default_factory=dict)


@dataclass
class Memory:
    """Everything executed so far of one pipeline: every distinct call's result, shared by worlds, modes and cases.

    Attributes
    ----------
    engine : Engine
        Executes what is not known.
    budget : Budget
        What may be executed in all.
    values : list of Value
        By id; equal outputs have equal ids, whichever call gave them.
    failures : list of int
        Ids of the values that are errors.
    executed : int
        Calls executed: the number of distinct (step, variant, inputs, noise consumed) keys. An error is remembered for
        its world only, since it may be the server's and not the call's, and counts once in each.
    cost : float
        Of the calls executed, in the pipeline's cost unit.
    capped : str
        The cap that calls would have passed; empty while none was reached.
    """

    engine: Engine = serial
    budget: Budget = UNLIMITED
    values: list[Value] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    executed: int = 0
    cost: float = 0.0
    capped: str = ""
    _pipeline: Pipeline | None = None
    _ids: dict[Hashable, int] = field(default_factory=dict)
    _trees: dict[Hashable, _Point] = field(default_factory=dict)
    _met: dict[Hashable, Executed] = field(default_factory=dict)
    _failed_bases: set[Hashable] = field(default_factory=set)
    _draws: dict[int, tuple[Draw, ...]] | None = None

    def serve(self, pipeline: Pipeline) -> None:
        """Take a pipeline's calls from now on; raise `PipelineError` if another's were taken before.

        The same steps with other fixes tried are the same pipeline: a call is known by the variant that ran.
        """
        if self._pipeline is not None and self._pipeline.steps is not pipeline.steps:
            raise PipelineError(
                f"pipeline {pipeline.id!r}: its calls cannot share a memory with those of {self._pipeline.id!r}, "
                "which may have steps of the same names"
            )
        self._pipeline = pipeline

    def intern(self, content: Any, mark: str, error: str | None = None, step: str = "") -> int:
        """Return the id of a value, the same for equal ones."""
        key = mark if error is None else (step, error)
        if key not in self._ids:
            self._ids[key] = len(self.values)
            self.values.append(Value(content, mark, error, step))
            if error is not None:
                self.failures.append(self._ids[key])
        return self._ids[key]

    @contextmanager
    def recording(self) -> Iterator[Callable[[Request], tuple[Draw, ...]]]:
        """Keep the draws of the calls performed meanwhile; yields what looks them up.

        Draws can be large (a vocabulary's logits), and only those of the factual run are ever read. A call that drew
        and ran before, without recording, runs again.
        """
        self._draws = {}
        try:
            yield lambda request: (self._draws or {}).get(self._met[self._world_key(request)].number, ())
        finally:
            self._draws = None

    def perform(self, requests: Sequence[Request]) -> list[Executed]:
        """Return what each request gives, executing each distinct call that is not known yet once.

        Calls whose noise may turn out to be the same wait for one of them; all others go to the engine as one batch.
        """
        waiting = {self._world_key(request): request for request in requests}
        while waiting := {key: request for key, request in waiting.items() if not self._known(key, request)}:
            distinct = {self._frontier(key, request): request for key, request in reversed(waiting.items())}
            self._execute(list(reversed(distinct.values())))
        return [self._met[self._world_key(request)] for request in requests]

    def _world_key(self, request: Request) -> Hashable:
        """Return what a result is remembered by.

        What the factual run observed of a step that samples itself holds in every world that explains it, and in no
        other: a world of new luck, though its seed may be the same, has samples of its own.
        """
        observed = (request.base, request.noise.observed_in)
        if request.variant.samples_itself and observed in self._met:
            return observed
        return (request.base, request.noise.key)

    def _known(self, key: Hashable, request: Request) -> bool:
        """Look a request up, and remember what was found for its world."""
        if key not in self._met:
            found = None if request.variant.samples_itself else self._walk(request)[0].call
            if found is None:
                return False
            self._met[key] = found
        if self._draws is None or request.variant.samples_itself or not self._draws_something(request):
            return True
        return self._met[key].number in self._draws

    def _draws_something(self, request: Request) -> bool:
        tree = self._trees.get(request.base)
        return tree is not None and tree.address is not None

    def _walk(self, request: Request) -> tuple[_Point, Hashable]:
        """Follow the tree along a request's noise; return where it ends, and the noise that led no further."""
        point = self._trees.get(request.base, _NOWHERE)
        while point.address is not None:
            mark = _mark(request.noise.of(point.address, point.options))
            if mark not in point.branches:
                return point, mark
            point = point.branches[mark]
        return point, None

    def _frontier(self, key: Hashable, request: Request) -> Hashable:
        """Return what two requests have in common exactly when they may be the same call, as far as is known."""
        if request.variant.samples_itself or request.base in self._failed_bases:
            return key
        point, mark = self._walk(request)
        return (request.base, id(point), mark)

    def _execute(self, requests: Sequence[Request]) -> None:
        cost = self.cost + math.fsum(request.variant.cost for request in requests)
        if reached := self.budget.reached(self.executed + len(requests), cost):
            self.capped = reached
            raise BudgetReached(reached)
        calls = [
            Call(
                request.node.step.name,
                request.variant,
                {name: self.values[id].content for name, id in zip(request.variant.reads, request.inputs, strict=True)},
                request.noise,
            )
            for request in requests
        ]
        # Remembered one by one as they arrive: an interrupt loses only what is still running.
        for index, result in self.engine(calls):
            self._remember(requests[index], result)

    def _remember(self, request: Request, result: Result) -> None:
        step = request.node.step.name
        output = self.intern(result.value, result.fingerprint, result.error, step if result.error else "")
        call = Executed(self.executed, output)
        self.executed += 1
        self.cost += request.variant.cost
        self._met[self._world_key(request)] = call
        if self._draws is not None:
            self._draws[call.number] = result.draws
        if result.error is not None:
            self._failed_bases.add(request.base)
        elif not request.variant.samples_itself:
            self._grow(request.base, result.draws, call)

    def _grow(self, base: Hashable, draws: Sequence[Draw], call: Executed) -> None:
        """Add a call's draws to the tree of its base."""
        point = self._trees.setdefault(base, _Point())
        for draw in draws:
            if point.call is not None or point.address not in (None, draw.address):
                # Same inputs and noise, other draws: randomness from elsewhere. Its worlds keep their own results.
                return
            point.address, point.options = draw.address, draw.options
            point = point.branches.setdefault(_mark(draw.noise), _Point())
        if point.address is None:
            point.call = call


_NOWHERE = _Point()


def _mark(noise: Any) -> Hashable:
    """Return what stands for noise in the tree: itself, or its hash where it is long."""
    if isinstance(noise, np.ndarray):
        return hashlib.blake2b(noise.tobytes(), digest_size=16).digest()
    return tuple(noise)
