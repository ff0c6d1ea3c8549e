"""Turns the calls that somebody needs into their results, executing each distinct one once.

A call is known by its step, the version of its variant, its inputs and the noise it consumes. Everything lies in the
store; what is here is what of it is at hand, what is under way, and what may still be spent.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from analyzer.budget import UNLIMITED, Budget, BudgetReached
from analyzer.engines import Engine, Serial
from analyzer.known_calls import Executed, KnownCalls, Output, mark_of
from analyzer.noise import Draw
from analyzer.request import Request
from analyzer.store import Store, StoreError
from analyzer.system import System
from analyzer.versions.source import files_opened_by
from analyzer.wiring import codecs_of
from analyzer.workers.calls import Result

# Trees kept at hand; others are read from the store again.
_AT_HAND = 1 << 14


class Abandoned(Exception):
    """The analysis that asks is over; it needs no more calls."""


@dataclass
class Memory:
    """Everything executed so far, shared by worlds, modes, cases and pipelines; may be asked by several threads.

    Attributes
    ----------
    engine : Engine
        Executes what is not known.
    store : Store
        Where everything is written down; by default a temporary one.
    budget : Budget
        What may be executed in all.
    executed : int
        Calls executed: the number of distinct (step, variant, inputs, noise consumed) keys. An error is remembered for
        its world only, since it may be the server's and not the call's, and counts once in each.
    cost : float
        Of the calls executed, in the pipeline's cost unit.
    known, saved : int, float
        Calls that an earlier run executed and this one needed, and what they would have cost.
    capped : str
        The cap that calls would have passed; empty while none was reached.
    told : callable or None
        Called after each executed call.
    """

    engine: Engine = field(default_factory=Serial)
    store: Store = field(default_factory=Store.temporary)
    budget: Budget = UNLIMITED
    executed: int = 0
    cost: float = 0.0
    known: int = 0
    saved: float = 0.0
    capped: str = ""
    told: Callable[[], None] | None = None
    _at_hand: OrderedDict[bytes, KnownCalls] = field(default_factory=OrderedDict)
    _under_way: set[Hashable] = field(default_factory=set)
    _scoring: set[bytes] = field(default_factory=set)
    _cost_under_way: float = 0.0
    _counted: set[int] = field(default_factory=set)
    _turn: threading.Condition = field(default_factory=threading.Condition)
    _started: float = field(default_factory=time.monotonic)
    _over: type[BaseException] | BaseException | None = None

    def serve(self, system: System) -> None:
        """Take a system's calls from now on, too."""
        self.store.codecs.update({codec.name: codec for codec in codecs_of(system.nodes)})
        versions = {(node.step.name, one.name): one.version for node in system.nodes for one in node.variants}
        if self.store.compare_versions(system.id, versions):
            self.store.notes += [note for note in _unseen_files(system) if note not in self.store.notes]
        self.go_on()

    def go_on(self) -> None:
        """Take calls again after an end."""
        with self._turn:
            self._over, self.capped = None, ""
        self.engine.resume()

    @contextlib.contextmanager
    def timed(self) -> Iterator[None]:
        """Halt the engine when the time is up, also while calls wait for a limit or for another attempt."""
        if self.budget.seconds is None:
            yield
            return
        left = self.budget.seconds - (time.monotonic() - self._started)
        timer = threading.Timer(max(0.0, left), self.engine.halt)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def end(self, why: type[BaseException] | BaseException = Abandoned) -> None:
        """Let whoever waits for calls, or asks for more, get an exception instead; calls under way are let finish."""
        with self._turn:
            self._over = self._over or why
            self._turn.notify_all()
        self.engine.halt()

    def perform(self, requests: Sequence[Request], *, recording: bool = False) -> list[Executed]:
        """Return what each request gives, executing each distinct call that is not known yet once.

        Calls whose noise may turn out to be the same wait for one of them; all others go to the engine as one batch.

        Parameters
        ----------
        requests : sequence of Request
        recording : bool
            Keep the draws of the calls in full (see `draws_of`). Draws can be large (a vocabulary's logits), and only
            those of factual runs are ever read. A call that drew and ran before, without recording, runs again.

        Raises
        ------
        BudgetReached
            If not all of them may run. Those that may, did.
        Abandoned
            If the analysis is over.
        """
        waiting = {(request.base, request.noise.key): request for request in requests}
        found: dict[Hashable, Executed] = {}
        while waiting:
            with self._turn:
                for key, request in list(waiting.items()):
                    call = self._find(request, recording)
                    if call is not None:
                        found[key] = call
                        del waiting[key]
                claimed = self._claim(waiting.values()) if waiting else []
            if claimed:
                self._execute(claimed, recording)
        return [found[request.base, request.noise.key] for request in requests]

    def recalled(self, request: Request, *, recording: bool = False) -> Executed | None:
        """Return what a request gives if that is known; runs nothing, waits for nothing."""
        with self._turn:
            if self._over is not None:
                raise self._over
            return self._find(request, recording)

    def draws_of(self, request: Request) -> tuple[Draw, ...]:
        """Return the draws of a call that was performed with recording."""
        (call,) = self.perform([request], recording=True)
        return self.store.draws(call.number, request.noise.step)

    def content(self, output: Output) -> Any:
        """Return what a call returned."""
        return self.store.content(output.fingerprint)

    def recall(self, calls: Sequence[int]) -> None:
        """Count calls of earlier runs whose results are used as a whole."""
        with self._turn:
            new = [number for number in calls if number < self.store.first and number not in self._counted]
            self._counted.update(new)
            self.known += len(new)
            self.saved += self.store.cost_of(new)

    def score(self, key: bytes, compute: Callable[[], float]) -> float:
        """Return a score by what identifies it, computed if it is not known; what `compute` raises is not kept.

        As for calls, whoever asks for a score that is being computed waits for it: what scores may be a model.

        Raises
        ------
        Abandoned, BudgetReached
            If the analysis is over or its time is up, and the score is not known.
        """
        with self._turn:
            while key in self._scoring:
                self._turn.wait()
            known = self.store.score(key)
            if known is not None:
                return known
            if self._over is not None:
                raise self._over
            if reached := self.budget.reached(0, 0.0, time.monotonic() - self._started):
                self.capped = reached
                raise BudgetReached(reached)
            self._scoring.add(key)
        try:
            began = time.perf_counter()
            known = compute()
            self.store.add_score(key, known, time.perf_counter() - began)
            return known
        finally:
            with self._turn:
                self._scoring.discard(key)
                self._turn.notify_all()

    def _at(self, request: Request) -> KnownCalls:
        """Return the results of a request's variant on its inputs."""
        found = self._at_hand.get(request.base)
        if found is None:
            found = self._at_hand[request.base] = KnownCalls()
            for stored in self.store.calls(request.base):
                found.add(stored, request.step.name)
            if len(self._at_hand) > _AT_HAND:
                self._at_hand.popitem(last=False)
        else:
            self._at_hand.move_to_end(request.base)
        return found

    def _find(self, request: Request, recording: bool) -> Executed | None:
        """Look a request up."""
        base = self._at(request)
        found = base.in_world(request.noise)
        if found is None and not request.variant.samples_itself:
            found = base.tree.walk(request.noise)[0].call
        if found is None or (recording and not found.recorded):
            return None
        if found.number < self.store.first and found.number not in self._counted:
            self._counted.add(found.number)
            self.known += 1
            self.saved += request.variant.cost
        return found

    def _claim(self, requests: Iterable[Request]) -> list[tuple[Hashable, Request]]:
        """Return the calls that are to run now, and mark them as under way; wait if others run what is needed.

        Of those whose noise may turn out to be the same the first is taken.
        """
        if self._over is not None:
            raise self._over
        distinct: dict[Hashable, Request] = {}
        for request in requests:
            distinct.setdefault(self._frontier(request), request)
        claims = [(mark, request) for mark, request in distinct.items() if mark not in self._under_way]
        if not claims:
            self._turn.wait()
            return []
        admitted = self._admitted(claims)
        self._under_way.update(mark for mark, _ in admitted)
        self._cost_under_way += math.fsum(request.variant.cost for _, request in admitted)
        return admitted

    def _admitted(self, claims: Sequence[tuple[Hashable, Request]]) -> list[tuple[Hashable, Request]]:
        """Return as many of the first calls as the budget allows; none is an error."""
        calls, cost = self.executed + len(self._under_way), self.cost + self._cost_under_way
        seconds = time.monotonic() - self._started
        for number, (_, request) in enumerate(claims):
            calls, cost = calls + 1, cost + request.variant.cost
            if reached := self.budget.reached(calls, cost, seconds):
                self.capped = reached
                if number == 0:
                    raise BudgetReached(reached)
                return list(claims[:number])
        return list(claims)

    def _frontier(self, request: Request) -> Hashable:
        """Return what two requests have in common exactly when they may be the same call, as far as is known."""
        base = self._at(request)
        if request.variant.samples_itself or base.failed:
            return (request.base, request.noise.key)
        return (request.base, base.tree.walk(request.noise)[1])

    def _execute(self, claimed: Sequence[tuple[Hashable, Request]], recording: bool) -> None:
        """Run calls; each result is written down as it arrives, so that an interrupt loses only what is running."""
        left = dict(enumerate(claimed))
        try:
            calls = [request.call() for _, request in claimed]
            with contextlib.closing(self.engine.run(calls)) as arriving:
                for index, result in arriving:
                    mark, request = claimed[index]
                    with self._turn:
                        try:
                            self._remember(request, result, recording)
                        except StoreError as error:
                            # At once: what others are about to run could not be kept either.
                            self.end(error)
                            raise
                        del left[index]
                        self._release([(mark, request)])
                    if self.told is not None:
                        self.told()
        finally:
            with self._turn:
                self._release(left.values())

    def _release(self, done: Iterable[tuple[Hashable, Request]]) -> None:
        for mark, request in done:
            self._under_way.discard(mark)
            self._cost_under_way -= request.variant.cost
        if not self._under_way:
            self._cost_under_way = 0.0
        self._turn.notify_all()

    def _remember(self, request: Request, result: Result, recording: bool) -> None:
        step, variant = request.step, request.variant
        base, failed = self._at(request), result.error is not None
        path = tuple((draw.address, draw.options, mark_of(draw.noise)) for draw in result.draws)
        # Draws that do not fit are those of a call with randomness from elsewhere: each world keeps its own result.
        by_world = variant.samples_itself or failed or not base.tree.takes(path)
        recording = (recording or by_world) and not failed
        stored = self.store.add_call(
            request.base,
            step.name,
            variant.name,
            world=request.noise.key if by_world else None,
            path=() if by_world else path,
            draws=result.draws if recording else (),
            output=None if failed else (result.fingerprint, result.value),
            error=result.error,
            cost=variant.cost,
            seconds=result.seconds,
            attempts=result.attempts,
            codec=step.codec,
        )
        base.add(stored, step.name)
        self.executed += 1
        self.cost += variant.cost


def _unseen_files(system: System) -> list[str]:
    """Return what a user should know of steps whose results depend on files that no version sees."""
    told = []
    for step in system.steps:
        runs = [(step.version, step.run), *((fix.version, fix.run) for fix in step.fixes if fix.run is not None)]
        opening = {name for version, run in runs if not version for name in files_opened_by(run)}
        if opening:
            told.append(
                f"step {step.name!r}: opens files as it runs ({', '.join(sorted(opening))}); when one of them changes, "
                "its calls do not run again: read it as the module is loaded, or give the step a version=… that changes"
            )
    return told
