"""Turns cases into what came of them, several at a time where the engine runs several calls, in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from analyzer.budget import BudgetReached
from analyzer.memory import Memory
from analyzer.pipeline import Case
from analyzer.system import System

T = TypeVar("T")

# Cases that may be done before the first of them is: one that takes long holds up few others.
_AHEAD = 2
# Cases to work on at a time where a step takes many calls at once.
_BATCHED = 64


def cases_at_once(system: System, memory: Memory) -> int:
    """Return on how many cases to work at a time: on many where their calls go out together."""
    batches = any(variant.batch is not None for node in system.nodes for variant in node.variants)
    return max(memory.engine.at_once, _BATCHED) if batches and memory.engine.at_once > 1 else memory.engine.at_once


def in_order(
    work: Callable[[Case], T], cases: Sequence[Case], memory: Memory, threads: int
) -> Generator[tuple[Case, T], None, None]:
    """Work on cases, so many at a time, and yield what came of them in their order.

    Once a cap is reached no case is begun, and those begun are worked on as far as the budget goes; a case of which
    nothing came is left out. Whoever stops listening ends the work on the others, and waits until they are at rest.
    """

    def done(case: Case) -> list[tuple[Case, T]]:
        """Return a case with what came of it, or nothing."""
        try:
            return [] if memory.capped else [(case, work(case))]
        except BudgetReached:
            return []

    def guarded(case: Case) -> list[tuple[Case, T]]:
        """Work on a case; what ends the analysis ends it for all at once, not when the turn comes to this one."""
        try:
            return done(case)
        except BaseException as error:
            memory.end(error)
            raise

    if threads == 1:
        for case in cases:
            yield from done(case)
        return

    ahead = deque[Future[list[tuple[Case, T]]]]()
    with ThreadPoolExecutor(threads, "case") as pool:
        try:
            for case in cases:
                ahead.append(pool.submit(copy_context().run, guarded, case))
                if len(ahead) >= _AHEAD * threads:
                    yield from ahead.popleft().result()
            while ahead:
                yield from ahead.popleft().result()
        finally:
            if ahead:
                memory.end()
            for future in ahead:
                future.cancel()
