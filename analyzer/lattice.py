"""Turns a pipeline, a case and some worlds into what every step saw and scored under every coalition of fixes.

The work goes level by level. At each step a coalition carries the id of each output it has seen, so the distinct
(variant, inputs, noise) of all coalitions and worlds are one batch of calls, and each distinct call runs once, ever.
"""

from __future__ import annotations

import decimal
import functools
import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analyzer.fingerprint import UnstableValueError, fingerprint
from analyzer.known_calls import Output
from analyzer.memory import Memory
from analyzer.noise import Draw, World
from analyzer.pipeline import CASE, Case, Node, Pipeline, Variant
from analyzer.request import Request, Value, key_of
from analyzer.shown import well_formed
from analyzer.system import System
from analyzer.workers.calls import describe, own_copy

#: Begins what stands for a kind of failure that could not be told.
KIND_UNKNOWN = "kind unknown: "

Ids = npt.NDArray[np.int64]
# Radix products stay exactly representable and cheap to tabulate below this; above it they are renumbered first.
_DENSE = 1 << 22


@dataclass(frozen=True)
class Lattice:
    """What happened under some coalitions in some worlds.

    Attributes
    ----------
    masks : tuple of int
        The M coalitions, in the order asked.
    values : sequence of Value
        The distinct values met, by id.
    seen : dict of str to ndarray of int64, shape (K, M)
        By step: the id of the output it gave in each world under each coalition. A step whose inputs hold an error
        passes that error on.
    scores : tuple of K tuples of M float or None
        None where the run or the score failed.
    errors : dict of int to (str, str)
        By coalition: the step (or ``score``) and the message of the first world that failed.
    calls : frozenset of int
        Numbers of the distinct calls behind it, whether they ran now or were known.
    cost : float
        Of those calls, in the pipeline's cost unit; NaN where a price is not known.
    made : frozenset of str, or None
        Addresses of the calls that a program made under any of the coalitions; None for a pipeline.
    """

    masks: tuple[int, ...]
    values: Sequence[Value]
    seen: Mapping[str, Ids]
    scores: tuple[tuple[float | None, ...], ...]
    errors: Mapping[int, tuple[str, str]]
    calls: frozenset[int]
    cost: float
    made: frozenset[str] | None = None


@dataclass(frozen=True)
class Trace:
    """A case as it happened: each step's output, its draws, and the score or the error.

    Attributes
    ----------
    calls : frozenset of int
        Numbers of the calls behind it.
    made : frozenset of str, or None
        Addresses of the calls that a program made; None for a pipeline.
    """

    outputs: Mapping[str, Value]
    draws: tuple[Draw, ...]
    score: float | None
    error: tuple[str, str] | None
    calls: frozenset[int]
    made: frozenset[str] | None = None

    def passed(self, system: System) -> bool:
        """Whether the score reached the threshold."""
        return self.score is not None and self.score >= system.scoring.threshold


def run_factual(pipeline: Pipeline, case: Case, world: World, memory: Memory) -> Trace:
    """Run a case once as it is, in one world.

    Returns
    -------
    Trace
        With every draw of every step, in run order.
    """
    lattice = run_lattice(pipeline, case, [world], [0], memory, recording=True)
    outputs = {name: lattice.values[int(ids[0, 0])] for name, ids in lattice.seen.items()}
    seen = {**outputs, CASE: case_value(case)}
    draws: list[Draw] = []
    for node in pipeline.nodes:
        if node.factual.draws and all(seen[name].error is None for name in node.parents):
            inputs = tuple(seen[name] for name in node.factual.reads)
            draws.extend(
                memory.draws_of(
                    Request(node.step, node.factual, node.factual.reads, inputs, world.of_step(node.step.name))
                )
            )
    return Trace(outputs, tuple(draws), lattice.scores[0][0], lattice.errors.get(0), lattice.calls)


def kind_of_failure(system: System, case: Case, trace: Trace) -> str:
    """Return what kind of failure a run is, where the system's score says; what is no text never spoils the run."""
    if system.failure is None:
        return ""
    seen = {**trace.outputs, CASE: case_value(case)}
    try:
        kind = system.failure.run(**{name: own_copy(seen[name].content) for name in system.failure.reads})
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"{KIND_UNKNOWN}{describe(error)}"
    return well_formed(kind) if isinstance(kind, str) else f"{KIND_UNKNOWN}a {type(kind).__name__}, not a text"


def run_lattice(
    pipeline: Pipeline,
    case: Case,
    worlds: Sequence[World],
    masks: Sequence[int],
    memory: Memory,
    *,
    recording: bool = False,
) -> Lattice:
    """Run a case under coalitions of fixes in worlds, executing each distinct call once.

    Parameters
    ----------
    pipeline : Pipeline
    case : Case
    worlds : sequence of K World
    masks : sequence of M int
        Coalitions; bit ``i`` applies the fix of player ``i``. All of them: ``range(2**n)``.
    memory : Memory
        What was executed before; grows.
    recording : bool
        Keep all draws (see `Memory.perform`).

    Returns
    -------
    Lattice

    Raises
    ------
    BudgetReached, Abandoned
        See `Memory.perform`.

    Notes
    -----
    Bookkeeping is O(steps · K · M) array work; executed calls are the distinct (step, variant, inputs, noise
    consumed) keys not in `memory` yet, the least possible.
    """
    coalitions = np.array(masks, dtype=np.int64)
    shape = (len(worlds), len(coalitions))
    values = Values(memory)
    seen: dict[str, Ids] = {CASE: np.full(shape, values.add(case_value(case)), dtype=np.int64)}
    compact = {CASE: (np.zeros(shape, dtype=np.int64), 1)}
    calls, cost = set[int](), 0.0
    for node in pipeline.nodes:
        ids, used = _level(node, coalitions, seen, compact, worlds, values, recording)
        seen[node.step.name] = ids
        for variant, distinct in used:
            calls |= distinct
            cost += len(distinct) * variant.cost
        compact[node.step.name] = _renumber(ids)
    scores, errors = _score(pipeline, coalitions, seen, compact, values)
    del seen[CASE]
    return Lattice(tuple(masks), values.listed, seen, scores, errors, frozenset(calls), cost)


class Values:
    """The distinct values met, numbered."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.listed: list[Value] = []
        self.failures: list[int] = []
        self._ids: dict[Output, int] = {}

    def __getitem__(self, id: int) -> Value:
        return self.listed[id]

    def add(self, value: Value) -> int:
        """Return a value's id, the same for equal ones."""
        if value.output not in self._ids:
            self._ids[value.output] = len(self.listed)
            self.listed.append(value)
            if value.error is not None:
                self.failures.append(self._ids[value.output])
        return self._ids[value.output]

    def returned(self, output: Output) -> int:
        """Return the id of what a call returned."""
        known = self._ids.get(output)
        return self.add(Value(output, functools.partial(self.memory.content, output))) if known is None else known


def case_value(case: Case) -> Value:
    """Return a case's inputs; where they cannot be compared, an error that travels like a step's."""
    inputs = dict(case.inputs)
    try:
        return Value(Output(fingerprint(inputs)), lambda: inputs)
    except UnstableValueError as error:
        return Value(Output("", f"its inputs cannot be compared: {error}", CASE), lambda: None)


def _level(
    node: Node,
    coalitions: Ids,
    seen: Mapping[str, Ids],
    compact: Mapping[str, tuple[Ids, int]],
    worlds: Sequence[World],
    values: Values,
    recording: bool,
) -> tuple[Ids, list[tuple[Variant, set[int]]]]:
    """Run one step under all coalitions in all worlds; return output ids, shape (K, M), and calls by variant."""
    shape = (len(worlds), len(coalitions))
    fixed = np.zeros(shape, dtype=np.int64)
    if node.player is not None:
        fixed += (coalitions >> node.player) & 1
    codes, radix = fixed, 2
    for parent in node.parents:
        codes, radix = _combine(codes, radix, *compact[parent])
    # Without randomness every world is the same, and one representative stands for all of them.
    varies = any(variant.has_luck for variant in node.variants)
    if varies and len(worlds) > 1:
        world_codes = np.broadcast_to(np.arange(len(worlds), dtype=np.int64)[:, None], shape)
        codes, radix = _combine(codes, radix, world_codes, len(worlds))
    where, groups = _groups(codes, radix)
    results = np.empty(len(where), dtype=np.int64)
    requests: list[Request] = []
    asked: list[int] = []
    for group, (world, column) in enumerate(zip(*np.unravel_index(where, shape), strict=True)):
        applied = bool(fixed[world, column])
        variant = node.fixed if applied else node.factual
        inputs = tuple(values[int(seen[name][world, column])] for name in variant.reads)
        # An error travels on from any parent of the step, also one that this variant does not read.
        failed = next((id for name in node.parents if values[id := int(seen[name][world, column])].error), None)
        if failed is not None:
            results[group] = failed
            continue
        noise = worlds[world].of_step(node.step.name, resampled=applied and node.resamples)
        requests.append(Request(node.step, variant, variant.reads, inputs, noise))
        asked.append(group)
    used: dict[str, tuple[Variant, set[int]]] = {}
    performed = values.memory.perform(requests, recording=recording)
    for group, request, call in zip(asked, requests, performed, strict=True):
        results[group] = values.returned(call.output)
        used.setdefault(request.variant.name, (request.variant, set()))[1].add(call.number)
    ids: Ids = results[groups].reshape(shape)
    return ids, list(used.values())


def _combine(codes: Ids, radix: int, others: Ids, other_radix: int) -> tuple[Ids, int]:
    """Give each pair of codes a number; renumber first where the numbers would grow too large to tabulate."""
    if radix * other_radix > _DENSE:
        codes, radix = _renumber(codes)
    return codes * other_radix + others, radix * other_radix


def _groups(codes: Ids, radix: int) -> tuple[Ids, Ids]:
    """Return the first place of each distinct code, and for each place the number of its code (flat)."""
    flat = codes.ravel()
    if radix > _DENSE:
        _, where, groups = np.unique(flat, return_index=True, return_inverse=True)
        return where, groups.ravel()
    # Assigning backwards leaves each code's first place; this is np.unique in linear time.
    first = np.full(radix, -1, dtype=np.int64)
    first[flat[::-1]] = np.arange(len(flat) - 1, -1, -1, dtype=np.int64)
    present = np.flatnonzero(first >= 0)
    number = np.empty(radix, dtype=np.int64)
    number[present] = np.arange(len(present), dtype=np.int64)
    return first[present], number[flat]


def _renumber(codes: Ids) -> tuple[Ids, int]:
    """Return the same partition numbered ``0 … count - 1``, and the count."""
    low = int(codes.min())
    where, groups = _groups(codes - low, int(codes.max()) - low + 1)
    return groups.reshape(codes.shape), len(where)


def _score(
    pipeline: Pipeline,
    coalitions: Ids,
    seen: Mapping[str, Ids],
    compact: Mapping[str, tuple[Ids, int]],
    values: Values,
) -> tuple[tuple[tuple[float | None, ...], ...], dict[int, tuple[str, str]]]:
    """Score each distinct combination of what the score reads once; a failed step anywhere is a missing score."""
    shape = next(iter(seen.values())).shape
    failed_at = np.full(shape, -1, dtype=np.int64)
    if values.failures:
        for ids in seen.values():
            failed_at = np.where((failed_at < 0) & np.isin(ids, values.failures), ids, failed_at)
    codes, radix = _renumber(failed_at)
    for name in pipeline.scorer.reads:
        codes, radix = _combine(codes, radix, *compact[name])
    where, groups = _groups(codes, radix)
    outcomes: list[tuple[float | None, tuple[str, str] | None]] = []
    for world, column in zip(*np.unravel_index(where, shape), strict=True):
        failure = int(failed_at[world, column])
        if failure >= 0:
            value = values[failure]
            outcomes.append((None, (value.step, value.error or "")))
        else:
            read = {name: values[int(seen[name][world, column])] for name in pipeline.scorer.reads}
            outcomes.append(outcome(pipeline, read, values.memory))
    group_of = groups.reshape(shape)
    failed = np.array([error is not None for _, error in outcomes])[group_of]
    errors: dict[int, tuple[str, str]] = {}
    for column in np.flatnonzero(failed.any(axis=0)).tolist():
        error = outcomes[group_of[int(np.argmax(failed[:, column])), column]][1]
        assert error is not None
        errors[int(coalitions[column])] = error
    distinct = [score for score, _ in outcomes]
    rows: Any = group_of.tolist()
    scores = tuple(tuple(distinct[group] for group in row) for row in rows)
    return scores, errors


def outcome(system: System, read: Mapping[str, Value], memory: Memory) -> tuple[float | None, tuple[str, str] | None]:
    """Return the score of what was read, computed once for all that is equal; or why there is none."""
    scoring = system.scoring
    setting = repr((scoring.graded, float(scoring.low), float(scoring.high)))
    marks = (f"{name}={value.fingerprint}" for name, value in read.items())
    key = key_of("score", scoring.code_version, setting, *marks)
    try:
        return memory.score(key, lambda: _computed(system, read)), None
    except _NoScoreError as error:
        return None, ("score", str(error))


class _NoScoreError(Exception):
    """What the score returned is no score of the pipeline, or it raised."""


def _computed(system: System, read: Mapping[str, Value]) -> float:
    """Call the score; what is no number within its range is an error with a name."""
    scoring = system.scoring
    try:
        number = system.scorer.run(**{name: own_copy(value.content) for name, value in read.items()})
        if not isinstance(number, numbers.Real | np.bool_ | decimal.Decimal):
            raise _NoScoreError(f"returned a {type(number).__name__}, not a number")
        score = float(number)
    except (KeyboardInterrupt, _NoScoreError):
        raise
    except BaseException as error:
        raise _NoScoreError(describe(error)) from error
    if not math.isfinite(score):
        raise _NoScoreError(
            f"returned {score}, which is no score; return a number from {scoring.low} to {scoring.high}"
        )
    if not scoring.graded and score not in (0, 1):
        raise _NoScoreError(f"returned {score}, neither pass (1) nor fail (0); say graded=True if it is a grade")
    if not scoring.low <= score <= scoring.high:
        raise _NoScoreError(f"returned {score}, outside its range of {scoring.low} to {scoring.high}")
    return score
