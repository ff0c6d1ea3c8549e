"""Turns calls that wait into calls that may start: so many at a time in all, and each step within its own limits."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from analyzer.workers.calls import Call, Limit

#: For engines that are given no limits of their own.
NO_LIMITS: Mapping[str, Limit] = MappingProxyType({})


@dataclass(eq=False)
class Job:
    """What goes out as one: a call, or the calls of a batch.

    Attributes
    ----------
    step : str
    limit : Limit
        Of the step.
    members : list
        What its results belong to.
    owner : object
        Who may withdraw it.
    joins : hashable
        Waiting jobs of a step that have this in common go out as one; None for a job of its own.
    number : int
        Its place in the order in which jobs came; set by the gate.
    """

    step: str
    limit: Limit
    members: list[Any]
    owner: object = None
    joins: Hashable = None
    number: int = -1


def jobs_of(members: Sequence[Any], calls: Sequence[Call], owner: object) -> list[Job]:
    """Make each call a job of its own, and one of those that a batch function takes.

    Parameters
    ----------
    members : sequence
        What the result of each call belongs to.
    calls : sequence of Call
    owner : object
        Who may withdraw the jobs.
    """
    jobs: list[Job] = []
    batches: dict[tuple[str, int], Job] = {}
    for member, call in zip(members, calls, strict=True):
        joins = None if call.variant.batch is None else (call.step, id(call.variant.batch))
        if joins in batches:
            batches[joins].members.append(member)
            continue
        jobs.append(Job(call.step, call.limit, [member], owner, joins))
        if joins is not None:
            batches[joins] = jobs[-1]
    return jobs


@dataclass
class _Lane:
    """The jobs of one step: those that wait, how many are out, and when the next may start."""

    waiting: deque[Job] = field(default_factory=deque)
    out: int = 0
    opens: float = -math.inf


class Gate:
    """Decides which waiting jobs may start. It knows no clock and no threads: times are given, and a lock is held.

    Of the jobs that may start, the one that came first does; one that waits for its step's limits holds up no job of
    another step.

    Parameters
    ----------
    at_once : int
        Jobs that may be out at a time.
    limits : mapping of str to Limit
        By step; what one of these says wins over what the job's own limit says.
    """

    def __init__(self, at_once: int, limits: Mapping[str, Limit] = NO_LIMITS) -> None:
        self._free = at_once
        self._limits = limits
        self._lanes: dict[str, _Lane] = {}
        # By what jobs have in common: when they go out, as one.
        self._departures: dict[Hashable, float] = {}
        self._came = 0

    def add(self, job: Job, departs: float = -math.inf) -> None:
        """Let a job wait; one that others may join, and those it joins, until `departs` at the least."""
        if job.joins is not None:
            self._departures[job.joins] = departs
        given = self._limits.get(job.step, job.limit)
        job.limit = Limit(
            job.limit.concurrency if given.concurrency is None else given.concurrency,
            job.limit.per_minute if given.per_minute is None else given.per_minute,
        )
        job.number, self._came = self._came, self._came + 1
        self._lanes.setdefault(job.step, _Lane()).waiting.append(job)

    def start(self, now: float) -> list[Job]:
        """Let all jobs out that may start at this time, given in seconds."""
        started = []
        while self._free > 0:
            ready = [(job.number, lane, job) for lane in self._lanes.values() if (job := self._next(lane, now))]
            if not ready:
                break
            _, lane, job = min(ready, key=lambda found: found[0])
            lane.waiting.remove(job)
            if job.joins is not None:
                alike = [other for other in lane.waiting if other.joins == job.joins]
                for other in alike:
                    lane.waiting.remove(other)
                    job.members += other.members
            self._free -= 1
            lane.out += 1
            if job.limit.per_minute is not None:
                lane.opens = now + 60.0 / job.limit.per_minute
            started.append(job)
        return started

    def opens_in(self, now: float) -> float | None:
        """Return in how many seconds a job may start that waits for nothing but time; None if there is none."""
        if self._free <= 0:
            return None
        opens = [max(lane.opens, self._soonest(lane, now)) for lane in self._lanes.values() if _has_room(lane)]
        return max(0.0, min(opens) - now) if opens else None

    def end(self, job: Job) -> None:
        """Take a job back that was let out: its place is free."""
        self._free += 1
        self._lanes[job.step].out -= 1

    def withdraw(self, owner: object) -> None:
        """Forget the waiting jobs of an owner."""
        for lane in self._lanes.values():
            lane.waiting = deque(job for job in lane.waiting if job.owner is not owner)

    def _next(self, lane: _Lane, now: float) -> Job | None:
        """Return the job of a lane that may start and came first."""
        if not _has_room(lane) or lane.opens > now:
            return None
        return next((job for job in lane.waiting if self._departure(job) <= now), None)

    def _soonest(self, lane: _Lane, now: float) -> float:
        """Return when the first of a lane's jobs may go that waits for nothing but others to join it."""
        first = self._departure(lane.waiting[0])
        return first if first <= now else min(map(self._departure, lane.waiting))

    def _departure(self, job: Job) -> float:
        return self._departures.get(job.joins, -math.inf)


def _has_room(lane: _Lane) -> bool:
    """Whether a job waits that the step's concurrency lets out."""
    if not lane.waiting:
        return False
    most = lane.waiting[0].limit.concurrency
    return most is None or lane.out < most
