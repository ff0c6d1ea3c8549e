"""Turns calls of many callers into results, so many at a time in all, wherever they run.

A call is in flight from when it starts until its caller asks for the next result, which says that it has taken this one
in. Only then does its slot go to a waiting call, so that whoever stores each result before asking for the next loses at
most `at_once` calls when the process is killed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Coroutine, Generator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Protocol

from analyzer.workers.calls import (
    Call,
    Limit,
    Result,
    execute,
    execute_async,
    execute_batch,
    execute_batch_async,
    in_copy,
    is_awaited,
)
from analyzer.workers.event_loop import EventLoop
from analyzer.workers.halt import Halt
from analyzer.workers.limits import NO_LIMITS, Gate, Job, jobs_of

# Seconds that calls of a batch function wait for those of other callers, from when the last of them came.
_LINGER = 0.05


class Place(Protocol):
    """Where calls of plain functions run: outside this process."""

    def submit(self, call: Call) -> Future[Result]:
        """Start a call; an exception in the future is one of the place, never of the call."""

    def halt(self) -> None:
        """Let calls that wait for another attempt end with their error."""

    def resume(self) -> None:
        """Let calls wait for another attempt again."""

    def close(self) -> None:
        """End what runs."""


@dataclass(eq=False)
class _Caller:
    """Somebody in `Pool.run`: what it has not taken in yet, and what has arrived for it."""

    open: set[_Member] = field(default_factory=set)
    #: A result or an exception with the member it belongs to; None says to look around.
    arrived: SimpleQueue[tuple[_Member, Result | BaseException] | None] = field(default_factory=SimpleQueue)
    stopped: bool = False
    gone: bool = False

    def stop(self) -> None:
        """Take an order to stop, which holds for this caller also when it is lifted right away."""
        self.stopped = True
        self.arrived.put(None)


@dataclass(eq=False)
class _Member:
    """A call of a caller: its place among the caller's calls, the job it went out with, whether its result is here."""

    caller: _Caller
    index: int
    call: Call
    job: Job | None = None
    here: bool = False


class Pool:
    """An engine that runs calls beside each other; see `analyzer.engines.Engine`.

    Calls of async functions run on one event loop of this process, whatever the place, and a batch, being one request
    to its service, runs in a thread of this process or on that loop and takes one slot. Batch calls of all callers that
    come within a moment of each other, or wait for a slot or a limit, go out as one.

    What runs in this process runs in the context of the thread that made the pool: what a pipeline's module sets as it
    is loaded (the precision of decimals, how arrays are printed, context variables) holds for its steps.

    Parameters
    ----------
    at_once : int
        Calls in flight at a time.
    retries : int
        Attempts after the first, for errors that may pass.
    limits : mapping of str to Limit
        By step; they win over those of the calls.
    place : Place, optional
        Where calls of plain functions run; by default in threads of this process.
    """

    def __init__(
        self, at_once: int, retries: int = 0, limits: Mapping[str, Limit] = NO_LIMITS, place: Place | None = None
    ) -> None:
        self.at_once = at_once
        self._retries = retries
        self._place = place
        self._context = copy_context()
        self._gate = Gate(at_once, limits)
        self._lock = threading.Lock()
        self._halt = Halt()
        self._loop = EventLoop()
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="agentblame call")
        self._timer: threading.Timer | None = None
        self._rings_at = float("inf")

    def run(self, calls: Sequence[Call]) -> Generator[tuple[int, Result], None, None]:
        """Execute calls; yield each result as it is there, with the place of its call."""
        caller = _Caller()
        members = [_Member(caller, index, call) for index, call in enumerate(calls)]
        with self._halt.waking(caller.stop):
            try:
                with self._lock:
                    caller.open.update(members)
                    for job in jobs_of(members, calls, caller):
                        self._gate.add(job, time.monotonic() + _LINGER)
                self._start()
                while self._awaits(caller):
                    arrival = caller.arrived.get()
                    if arrival is None:
                        continue
                    member, outcome = arrival
                    if isinstance(outcome, BaseException):
                        raise outcome
                    yield member.index, outcome
                    with self._lock:
                        self._take(member)
                    self._start()
            finally:
                self._leave(caller)

    def halt(self) -> None:
        """Start no further call; may be called from a signal handler."""
        self._halt.tell()
        if self._place is not None:
            self._place.halt()

    def resume(self) -> None:
        """Take calls again after a halt."""
        self._halt.lift()
        if self._place is not None:
            self._place.resume()

    def close(self) -> None:
        """Halt, and end when nothing runs any more."""
        self.halt()
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
        if self._place is not None:
            self._place.close()
        self._loop.close()
        self._threads.shutdown(cancel_futures=True)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _awaits(self, caller: _Caller) -> bool:
        """Whether results are still to come; once halted, none of what has not started."""
        with self._lock:
            if caller.stopped or self._halt.told:
                self._withdraw(caller)
            return bool(caller.open)

    def _withdraw(self, caller: _Caller) -> None:
        self._gate.withdraw(caller)
        caller.open = {member for member in caller.open if member.job is not None}

    def _start(self) -> None:
        """Start all that may, and see to it that what waits for time alone is looked at in time."""
        with self._lock:
            if self._halt.told:
                return
            now = time.monotonic()
            jobs = self._gate.start(now)
            for job in jobs:
                for member in job.members:
                    member.job = job
            wait = self._gate.opens_in(now)
            if wait is not None and now + wait < self._rings_at:
                if self._timer is not None:
                    self._timer.cancel()
                self._rings_at = now + wait
                self._timer = threading.Timer(wait, self._ring)
                self._timer.daemon = True
                self._timer.start()
        # Without the lock: a future that is done already calls back at once.
        for job in jobs:
            self._send(job)

    def _ring(self) -> None:
        with self._lock:
            self._rings_at = float("inf")
        self._start()

    def _send(self, job: Job) -> None:
        try:
            future = self._future([member.call for member in job.members])
        except BaseException as error:
            self._arrive(job, error)
        else:
            future.add_done_callback(lambda done: self._arrive(job, _outcome(done)))

    def _future(self, calls: list[Call]) -> Future[Any]:
        """Send calls to where they run; the future holds their results, or the one call's."""
        first, halt = calls[0], self._halt
        batched = first.variant.batch is not None
        if is_awaited(first):
            awaited: Coroutine[Any, Any, Any] = (
                execute_batch_async(calls, self._retries, halt.pause_async)
                if batched
                else execute_async(first, self._retries, halt.pause_async)
            )
            return in_copy(self._context, self._loop.submit, awaited)
        if batched:
            return self._threads.submit(in_copy, self._context, execute_batch, calls, self._retries, halt.pause)
        if self._place is not None:
            return self._place.submit(first)
        return self._threads.submit(in_copy, self._context, execute, first, self._retries, halt.pause)

    def _arrive(self, job: Job, outcome: Any) -> None:
        """Hand the results of a job, or the exception in place of them, to those they belong to."""
        outcomes = outcome if isinstance(outcome, list) else [outcome] * len(job.members)
        with self._lock:
            for member, its in zip(list(job.members), outcomes, strict=True):
                member.here = True
                if member.caller.gone:
                    self._take(member)
                else:
                    member.caller.arrived.put((member, its))
        self._start()

    def _take(self, member: _Member) -> None:
        """Count a result as taken in; with the last of its job the slot is free."""
        job = member.job
        assert job is not None
        member.caller.open.discard(member)
        job.members.remove(member)
        if not job.members:
            self._gate.end(job)

    def _leave(self, caller: _Caller) -> None:
        """Let go of all that a caller has not taken in; what still runs gives its slot back when it ends."""
        with self._lock:
            caller.gone = True
            self._withdraw(caller)
            for member in [member for member in caller.open if member.here]:
                self._take(member)
        self._start()


def _outcome(future: Future[Any]) -> Any:
    if future.cancelled():
        return CancelledError()
    return future.exception() or future.result()
