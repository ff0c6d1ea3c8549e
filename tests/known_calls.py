"""Calls that differ in a number, for tests to run on engines, and what engines make of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from analyzer.engines import Engine
from analyzer.noise import World
from analyzer.pipeline import Fix, Pipeline, Step
from analyzer.workers.calls import Call, Limit, Result
from tests.waiting import PATIENCE

NO_LIMIT = Limit()


def calls_of(
    run: Callable[..., Any],
    count: int = 1,
    *,
    step: str = "s",
    batch: Callable[..., Any] | None = None,
    fix: Fix | None = None,
    limit: Limit = NO_LIMIT,
    **more: Any,
) -> list[Call]:
    """Calls of a step, or of its fix if there is one: the n-th reads n, beside `more`, in a world of its own."""
    pipeline = Pipeline("p", [Step(step, run, fix=fix, batch=batch)], score=lambda **outputs: True)
    variant = pipeline.nodes[0].fixed
    inputs = [{name: {"n": n, **more} for name in variant.reads} for n in range(count)]
    return [Call(step, variant, inputs[n], World(str(n)).of_step(step), f"key {n}", limit) for n in range(count)]


def outcomes(engine: Engine, calls: Sequence[Call]) -> list[Result]:
    """Results in the order of the calls, without what differs from run to run."""
    found = dict(engine.run(calls))
    assert sorted(found) == list(range(len(calls)))
    return [replace(found[index], seconds=0.0) for index in range(len(calls))]


def values(engine: Engine, calls: Sequence[Call]) -> list[Any]:
    return [result.value for result in outcomes(engine, calls)]


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Do work in so many threads that begin together; return what each returned."""
    found, together = [None] * count, threading.Barrier(count)

    def one(index: int) -> None:
        together.wait(PATIENCE)
        found[index] = work(index)

    running = [threading.Thread(target=one, args=(index,)) for index in range(count)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in running)
    return found
