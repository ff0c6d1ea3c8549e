"""Turns a pipeline, a case and some worlds into what every step saw and scored under every coalition of fixes.

The work goes level by level. At each step a coalition carries the id of each output it has seen, so the distinct
(variant, inputs, noise) of all coalitions and worlds are one batch of calls, and each distinct call runs once, ever.
"""

from __future__ import annotations

import decimal
import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from analyzer.engines import describe, own_copy
from analyzer.fingerprint import UnstableValueError, fingerprint
from analyzer.memory import Memory, Request
from analyzer.noise import Draw, World
from analyzer.pipeline import CASE, Case, Node, Pipeline, Variant
from analyzer.shown import well_formed

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
    seen : dict of str to ndarray of int64, shape (K, M)
        By step: the id (in `Memory.values`) of the output it gave in each world under each coalition. A step whose
        inputs hold an error passes that error on.
    scores : tuple of K tuples of M float or None
        None where the run or the score failed.
    errors : dict of int to (str, str)
        By coalition: the step (or ``score``) and the message of the first world that failed.
    calls : int
        Distinct calls behind it, whether they ran now or were known.
    cost : float
        Of those calls, in the pipeline's cost unit.
    """

    masks: tuple[int, ...]
    seen: Mapping[str, Ids]
    scores: tuple[tuple[float | None, ...], ...]
    errors: Mapping[int, tuple[str, str]]
    calls: int
    cost: float


@dataclass(frozen=True)
class Trace:
    """A case as it happened: each step's output id, its draws, and the score or the error.

    Attributes
    ----------
    failure : str
        What kind of failure it is, where it failed and the pipeline's score says; else empty.
    """

    outputs: Mapping[str, int]
    draws: tuple[Draw, ...]
    score: float | None
    error: tuple[str, str] | None
    failure: str = ""

    def passed(self, pipeline: Pipeline) -> bool:
        """Whether the score reached the threshold."""
        return self.score is not None and self.score >= pipeline.scoring.threshold


def run_factual(pipeline: Pipeline, case: Case, world: World, memory: Memory) -> Trace:
    """Run a case once as it is, in one world.

    Returns
    -------
    Trace
        With every draw of every step, in run order.
    """
    with memory.recording() as draws_of:
        lattice = run_lattice(pipeline, case, [world], [0], memory)
        outputs = {name: int(ids[0, 0]) for name, ids in lattice.seen.items()}
        seen = {**outputs, CASE: memory.intern(*_case_value(case))}
        draws: list[Draw] = []
        for node in pipeline.nodes:
            if all(memory.values[seen[name]].error is None for name in node.parents):
                inputs = tuple(seen[name] for name in node.factual.reads)
                draws.extend(draws_of(Request(node, node.factual, inputs, world.of_step(node.step.name))))
    trace = Trace(outputs, tuple(draws), lattice.scores[0][0], lattice.errors.get(0))
    if pipeline.failure is None or trace.error is not None or trace.passed(pipeline):
        return trace
    contents = {name: memory.values[seen[name]].content for name in pipeline.failure.reads}
    return replace(trace, failure=_failure_kind(pipeline.failure, contents))


def _failure_kind(variant: Variant, contents: Mapping[str, Any]) -> str:
    """Ask what kind of failure a run is; what is no text is said, but never spoils the run."""
    try:
        kind = variant.run(**{name: own_copy(value) for name, value in contents.items()})
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"kind unknown: {describe(error)}"
    return well_formed(kind) if isinstance(kind, str) else f"kind unknown: a {type(kind).__name__}, not a text"


def run_lattice(
    pipeline: Pipeline, case: Case, worlds: Sequence[World], masks: Sequence[int], memory: Memory
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

    Returns
    -------
    Lattice

    Raises
    ------
    PipelineError
        If the memory holds calls of another pipeline.

    Notes
    -----
    Bookkeeping is O(steps · K · M) array work; executed calls are the distinct (step, variant, inputs, noise
    consumed) keys not in `memory` yet, the least possible.
    """
    memory.serve(pipeline)
    coalitions = np.array(masks, dtype=np.int64)
    shape = (len(worlds), len(coalitions))
    seen: dict[str, Ids] = {CASE: np.full(shape, memory.intern(*_case_value(case)), dtype=np.int64)}
    compact = {CASE: (np.zeros(shape, dtype=np.int64), 1)}
    calls, cost = 0, 0.0
    for node in pipeline.nodes:
        ids, used = _level(node, coalitions, seen, compact, worlds, memory)
        seen[node.step.name] = ids
        for variant, count in used:
            calls += count
            cost += count * variant.cost
        compact[node.step.name] = _renumber(ids)
    scores, errors = _score(pipeline, case, coalitions, seen, compact, memory)
    del seen[CASE]
    return Lattice(tuple(masks), seen, scores, errors, calls, cost)


def _case_value(case: Case) -> tuple[Any, str, str | None, str]:
    """Return what `Memory.intern` takes: inputs that cannot be compared are an error that travels like a step's."""
    inputs = dict(case.inputs)
    try:
        return inputs, fingerprint(inputs), None, ""
    except UnstableValueError as error:
        return None, "", f"its inputs cannot be compared: {error}", CASE


def _level(
    node: Node,
    coalitions: Ids,
    seen: Mapping[str, Ids],
    compact: Mapping[str, tuple[Ids, int]],
    worlds: Sequence[World],
    memory: Memory,
) -> tuple[Ids, list[tuple[Variant, int]]]:
    """Run one step under all coalitions in all worlds; return output ids, shape (K, M), and calls per variant."""
    shape = (len(worlds), len(coalitions))
    fixed = np.zeros(shape, dtype=np.int64)
    if node.player is not None:
        fixed += (coalitions >> node.player) & 1
    codes, radix = fixed, 2
    for parent in node.parents:
        codes, radix = _combine(codes, radix, *compact[parent])
    # Without randomness every world is the same, and one representative stands for all of them.
    varies = any(variant.samples_itself or variant.draws for variant in (node.factual, node.fixed))
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
        inputs = tuple(int(seen[name][world, column]) for name in variant.reads)
        # An error travels on from any parent of the step, also one that this variant does not read.
        failed = next((id for name in node.parents if memory.values[id := int(seen[name][world, column])].error), None)
        if failed is not None:
            results[group] = failed
            continue
        noise = worlds[world].of_step(node.step.name, resampled=applied and node.resamples)
        requests.append(Request(node, variant, inputs, noise))
        asked.append(group)
    used: dict[str, tuple[Variant, set[int]]] = {}
    for group, request, call in zip(asked, requests, memory.perform(requests), strict=True):
        results[group] = call.output
        used.setdefault(request.variant.name, (request.variant, set()))[1].add(call.number)
    ids: Ids = results[groups].reshape(shape)
    return ids, [(variant, len(distinct)) for variant, distinct in used.values()]


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
    case: Case,
    coalitions: Ids,
    seen: Mapping[str, Ids],
    compact: Mapping[str, tuple[Ids, int]],
    memory: Memory,
) -> tuple[tuple[tuple[float | None, ...], ...], dict[int, tuple[str, str]]]:
    """Score each distinct combination of what the score reads once; a failed step anywhere is a missing score."""
    shape = next(iter(seen.values())).shape
    failed_at = np.full(shape, -1, dtype=np.int64)
    if memory.failures:
        for ids in seen.values():
            failed_at = np.where((failed_at < 0) & np.isin(ids, memory.failures), ids, failed_at)
    codes, radix = _renumber(failed_at)
    for name in pipeline.scorer.reads:
        codes, radix = _combine(codes, radix, *compact[name])
    where, groups = _groups(codes, radix)
    outcomes: list[tuple[float | None, tuple[str, str] | None]] = []
    for world, column in zip(*np.unravel_index(where, shape), strict=True):
        failure = int(failed_at[world, column])
        if failure >= 0:
            value = memory.values[failure]
            outcomes.append((None, (value.step, value.error or "")))
        else:
            inputs = {name: memory.values[int(seen[name][world, column])].content for name in pipeline.scorer.reads}
            outcomes.append(_outcome(pipeline, inputs))
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


def _outcome(pipeline: Pipeline, inputs: Mapping[str, Any]) -> tuple[float | None, tuple[str, str] | None]:
    """Call the score; what is no number within its range is an error with a name."""
    scoring = pipeline.scoring
    try:
        number = pipeline.scorer.run(**{name: own_copy(value) for name, value in inputs.items()})
        if not isinstance(number, numbers.Real | np.bool_ | decimal.Decimal):
            return None, ("score", f"returned a {type(number).__name__}, not a number")
        score = float(number)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, ("score", describe(error))
    if not math.isfinite(score):
        return None, (
            "score",
            f"returned {score}, which is no score; return a number from {scoring.low} to {scoring.high}",
        )
    if not scoring.graded and score not in (0, 1):
        return None, ("score", f"returned {score}, neither pass (1) nor fail (0); say graded=True if it is a grade")
    if not scoring.low <= score <= scoring.high:
        return None, ("score", f"returned {score}, outside its range of {scoring.low} to {scoring.high}")
    return score, None
