"""Turns a program's run into how much was still open before each of its calls, and the call that settled it.

The run is replayed with the calls before some call as they were recorded and new luck from that call on, in the same
new worlds for every call. How often that passes can only change, from one call to the next, by what the call in between
did. Every call comes after those whose results it may depend on; in what order calls at the same time come is a
convention, and is said to be one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from analyzer.examine import case_seed
from analyzer.memory import Memory
from analyzer.noise import StepNoise, World
from analyzer.pipeline import Case, PipelineError
from analyzer.plan import Plan
from analyzer.program import Program
from analyzer.program_runs import run_factual_program, scored
from analyzer.replay import Luck, Run, luck_of, not_waiting_for, run_once
from analyzer.rules import betting_interval, mean_and_deviation, number_text

# Calls at the same time that a sentence names.
_NAMED = 3


@dataclass(frozen=True)
class Turn:
    """A call of the run, and what replaying it and all later ones gave.

    Attributes
    ----------
    call : str
        Its address.
    replays : int
        Runs with new luck from this call on that have a score.
    rate, low, high : float
        Their mean score, and the interval of its expectation.
    compared : int
        Worlds in which both they and the runs with new luck from the next call on have a score.
    change, change_low, change_high : float
        How much lower the mean score is once this call is settled as it was recorded, over those worlds, and the
        interval of its expectation. Below 0 where settling it helped.
    overlaps : tuple of str
        Calls that may run at the same time, since neither waits for the other; which of the two comes first is a
        convention, and another would settle other calls before this one.
    """

    call: str
    replays: int
    rate: float
    low: float
    high: float
    compared: int
    change: float
    change_low: float
    change_high: float
    overlaps: tuple[str, ...]

    @property
    def matters(self) -> bool:
        """Whether the interval of the change leaves 0 out."""
        return self.change_low > 0 or self.change_high < 0


@dataclass(frozen=True)
class Commitment:
    """What was open before each call of a run.

    Attributes
    ----------
    turns : tuple of Turn
        In the order of the calls; see `Run.made`.
    score : float
        Of the run as it was recorded.
    delta : float
        Probability that any interval misses.
    point : str or None
        The last call that matters: its luck, and nothing after it, moves the outcome as far as can be told. None where
        no call is known to matter.
    """

    turns: tuple[Turn, ...]
    score: float
    delta: float

    @property
    def point(self) -> str | None:
        """The last call that is known to matter."""
        return next((turn.call for turn in reversed(self.turns) if turn.matters), None)

    @property
    def sentence(self) -> str:
        """What can be said, with the figures behind it, without a period."""
        if self.point is None:
            least = min((turn.compared for turn in self.turns), default=0)
            return f"no call is known to commit the run, from {least} replays each (δ = {self.delta:g})"
        turn = next(turn for turn in self.turns if turn.call == self.point)
        change = (turn.change, turn.change_low, turn.change_high)
        if turn.change < 0:
            change = (-turn.change, -turn.change_high, -turn.change_low)
        by, low, high = map(number_text, change)
        return (
            f"{turn.call} commits the run: with new luck from it on the mean score is {number_text(turn.rate)} "
            f"({number_text(turn.low)} to {number_text(turn.high)}, {turn.replays} replays), and once it is settled "
            f"{by} {'more' if turn.change < 0 else 'less'} ({low} to {high}); "
            f"no later call is known to matter (δ = {self.delta:g}){_convention(turn)}"
        )


def commitment(
    program: Program,
    case: Case,
    memory: Memory | None = None,
    *,
    replays: int = 64,
    seed: str = "0",
    delta: float = 0.05,
    told: Callable[[int, int], None] | None = None,
) -> Commitment:
    """Replay a run from each of its calls on, and say which of them committed it.

    Parameters
    ----------
    program : Program
    case : Case
    memory : Memory, optional
    replays : int
        New worlds, at least 1; each replays the run once from every call on.
    seed : str
        Root of all noise; the run is that of an analysis with the same seed.
    delta : float
        Probability, between 0 and 1, that any of the intervals misses.
    told : callable, optional
        Called after each replay with how many are made, and of how many.

    Returns
    -------
    Commitment

    Raises
    ------
    PipelineError
        If the run itself has no score, or made no call, or none that has any luck.
    BudgetReached
        If the memory's budget does not suffice.

    Notes
    -----
    Let :math:`x_{kr}` be the score with the first k calls as recorded and the luck of world r from then on. Call k + 1
    changes the outcome by :math:`x_{kr} - x_{k+1,r}`, whose mean has a betting interval (see `betting_interval`); all
    intervals, 2 for each call, hold jointly. Takes `replays` runs for each call, of which only what has new luck
    executes. For an async program, it takes one more for each, for which nothing executes, to see which calls overlap:
    those that are made while its result is held back. What the program does after a pause counts as waiting then.
    """
    memory = memory or Memory()
    memory.serve(program)
    recorded = World(case_seed(Plan(seed=seed), case))
    trace, run = run_factual_program(program, case, recorded, memory)
    if trace.score is None:
        where, message = trace.error or ("", "")
        raise PipelineError(f"case {case.id!r}: the run has no score: {where}: {message}")
    calls = [call.id for call in run.made]
    if not calls:
        raise PipelineError(f"case {case.id!r}: the run made no call, so there is nothing to replay")
    if all(call.holds_everywhere for call in run.made):
        raise PipelineError(
            f"case {case.id!r}: no call of the run has any luck, so every replay would be the run itself: let a step "
            "take 'draw' and draw from that or, if it samples where that does not reach (a hosted model), say "
            "samples_itself=True"
        )
    overlapping = _overlapping(run, program, case, luck_of(recorded), memory)
    worlds = [World(f"{recorded.seed}/replay-{number}") for number in range(replays)]

    pairs = [(settled, world) for settled in range(len(calls)) for world in worlds]
    done, turn = 0, threading.Lock()

    def score(settled: int, world: World) -> float | None:
        nonlocal done
        luck = _settled(frozenset(calls[:settled]), luck_of(recorded), luck_of(world))
        found = scored(program, case, run_once(program, case, luck, 0, memory), memory)[0]
        with turn:
            done += 1
            if told is not None:
                told(done, len(pairs))
        return found

    if memory.engine.at_once == 1:
        flat = [score(*pair) for pair in pairs]
    else:
        with ThreadPoolExecutor(memory.engine.at_once, "replay") as pool:
            flat = list(pool.map(score, *zip(*pairs, strict=True)))
    rows = [flat[first : first + replays] for first in range(0, len(flat), replays)]
    rows.append([trace.score] * replays)
    scoring = program.scoring
    ends, threshold = (float(scoring.low), float(scoring.high)), 4 * len(calls) / delta
    turns = [
        _turn(call, rows[place], rows[place + 1], ends, threshold, overlapping[call])
        for place, call in enumerate(calls)
    ]
    return Commitment(tuple(turns), trace.score, delta)


def _settled(calls: frozenset[str], recorded: Luck, new: Luck) -> Luck:
    """Return the luck under which some calls are as they were recorded, and all others new."""

    def luck(call: str, resampled: bool) -> StepNoise:
        return (recorded if call in calls else new)(call, resampled)

    return luck


def _overlapping(run: Run, program: Program, case: Case, luck: Luck, memory: Memory) -> dict[str, tuple[str, ...]]:
    """Return by call those others of a run that neither wait for it nor it for them, in their order."""
    calls = [call.id for call in run.made]
    later: dict[str, frozenset[str]] = dict.fromkeys(calls, frozenset())
    if program.is_async:
        for place, call in enumerate(calls):
            free = not_waiting_for(call, run, program, case, luck, memory)
            # Where nothing is known, any of those after it may be at the same time.
            after = frozenset(calls[place + 1 :])
            later[call] = after if free is None else after & free
    return {call: tuple(other for other in calls if other in later[call] or call in later[other]) for call in calls}


def _convention(turn: Turn) -> str:
    """Return what is to be said of a call's place in the order."""
    if not turn.overlaps:
        return ""
    named = ", ".join(turn.overlaps[:_NAMED])
    left = len(turn.overlaps) - _NAMED
    more = f" and {left} more" if left > 0 else ""
    return f"; it may run at the same time as {named}{more}, and which of them comes first is a convention"


def _turn(
    call: str,
    here: Sequence[float | None],
    later: Sequence[float | None],
    ends: tuple[float, float],
    threshold: float,
    overlaps: tuple[str, ...],
) -> Turn:
    low, high = ends
    scores = [score for score in here if score is not None]
    changes = [one - other for one, other in zip(here, later, strict=True) if one is not None and other is not None]
    rate, change = (
        float(mean_and_deviation(np.array([found]).T)[0][0]) if found else 0.0 for found in (scores, changes)
    )
    rate_ends = betting_interval(scores, low, high, threshold)
    change_ends = betting_interval(changes, low - high, high - low, threshold)
    return Turn(
        call, len(scores), rate, float(rate_ends[0]), float(rate_ends[1]),
        len(changes), change, float(change_ends[0]), float(change_ends[1]), overlaps,
    )  # fmt: skip
