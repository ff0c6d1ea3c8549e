"""Turns batches of calls into results, beside each other or in turn: where step functions run.

Results are equal whatever the engine and however many calls run at a time: a call is given all that it depends on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Mapping, Sequence
from types import TracebackType
from typing import Protocol

from analyzer.workers.calls import (
    Call,
    EngineError,
    Limit,
    Result,
    execute,
    execute_async,
    execute_batch,
    execute_batch_async,
    is_awaited,
)
from analyzer.workers.event_loop import EventLoop
from analyzer.workers.halt import Halt, Halted
from analyzer.workers.limits import NO_LIMITS, Gate, Job, jobs_of
from analyzer.workers.pool import Pool
from analyzer.workers.processes import WorkerProcesses

__all__ = ["Engine", "EngineError", "Serial", "processes", "threads"]


class Engine(Protocol):
    """Executes calls.

    Attributes
    ----------
    at_once : int
        Calls in flight at a time, all callers together. A call is in flight from its start until its caller asks for
        the result after its own; the calls of a batch are one.
    """

    at_once: int

    def run(self, calls: Sequence[Call]) -> Generator[tuple[int, Result], None, None]:
        """Execute calls; yield each result as it is there, with the place of its call in the batch.

        Several threads may call this at once. A caller that leaves the loop early closes the iterator, so that what it
        held is free for others; calls that run then are lost.
        """

    def halt(self) -> None:
        """Start no further call: `run` ends, for every caller, after what was in flight.

        A call that waits for another attempt gives its error at once. May be called from a signal handler.
        """

    def resume(self) -> None:
        """Take calls again after a halt."""

    def close(self) -> None:
        """Halt, and let go of threads and processes; those of calls that nobody waits for any more are ended."""

    def __enter__(self) -> Engine: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class Serial:
    """Runs calls one after the other in the calling thread; those of async functions on one event loop beside it.

    Parameters
    ----------
    retries : int
        Attempts after the first, for errors that may pass (see `analyzer.workers.retries`).
    limits : mapping of str to Limit
        By step; they win over those of the calls.
    """

    def __init__(self, retries: int = 0, limits: Mapping[str, Limit] = NO_LIMITS) -> None:
        self.at_once = 1
        self._retries = retries
        self._gate = Gate(1, limits)
        self._turn = threading.Lock()
        self._halt = Halt()
        self._loop = EventLoop()

    def run(self, calls: Sequence[Call]) -> Generator[tuple[int, Result], None, None]:
        """Execute calls; yield each result as it is there, with the place of its call."""
        for job in jobs_of(range(len(calls)), calls, object()):
            with self._turn:
                try:
                    self._wait_for(job)
                except Halted:
                    return
                try:
                    results = self._results([calls[index] for index in job.members])
                    yield from zip(job.members, results, strict=True)
                finally:
                    self._gate.end(job)

    def halt(self) -> None:
        """Start no further call; may be called from a signal handler."""
        self._halt.tell()

    def resume(self) -> None:
        """Take calls again after a halt."""
        self._halt.lift()

    def close(self) -> None:
        """Halt, and let go of the event loop."""
        self.halt()
        self._loop.close()

    def __enter__(self) -> Serial:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _wait_for(self, job: Job) -> None:
        """Wait until a job may start; raise `Halted` if none may any more."""
        self._gate.add(job)
        try:
            if self._halt.told:
                raise Halted
            while not self._gate.start(time.monotonic()):
                self._halt.pause(self._gate.opens_in(time.monotonic()) or 0.0)
        except BaseException:
            self._gate.withdraw(job.owner)
            raise

    def _results(self, calls: list[Call]) -> list[Result]:
        first, halt = calls[0], self._halt
        batched = first.variant.batch is not None
        if not is_awaited(first):
            if batched:
                return execute_batch(calls, self._retries, halt.pause)
            return [execute(first, self._retries, halt.pause)]
        if batched:
            return self._loop.run(execute_batch_async(calls, self._retries, halt.pause_async))
        return [self._loop.run(execute_async(first, self._retries, halt.pause_async))]


def threads(workers: int, retries: int = 0, limits: Mapping[str, Limit] = NO_LIMITS) -> Engine:
    """Return an engine that runs calls in threads of this process: for steps that wait for others, as for a model.

    Parameters
    ----------
    workers : int
        Calls that run at a time, from 1 up.
    retries, limits
        As for `Serial`.
    """
    return Pool(_checked(workers), retries, limits)


def processes(workers: int, retries: int = 0, limits: Mapping[str, Limit] = NO_LIMITS) -> Engine:
    """Return an engine that runs calls in processes of this machine: for steps that compute.

    Each process imports the modules of the functions it runs, and those that use these; steps cannot share what they
    keep in memory, and what a module was given after it was imported here does not hold there. Calls of async functions
    and batches, which wait more than they compute, stay in this process.

    Parameters
    ----------
    workers : int
        Processes, from 1 up, each begun when there is work for it.
    retries, limits
        As for `Serial`.

    Notes
    -----
    A call whose process dies runs once more in another; if that dies too, it is an error that says so. Running a call
    raises `EngineError` where its function cannot be sent, a module cannot be imported by a process or its file changed
    since the engine was made, or no process can start.
    """
    return Pool(_checked(workers), retries, limits, WorkerProcesses(workers, retries))


def _checked(workers: int) -> int:
    if workers < 1:
        raise EngineError(f"{workers} workers were asked for; it takes at least 1")
    return workers
