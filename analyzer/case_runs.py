"""Turns a case into what became of it: run as it happened, and examined if it failed, as far as the store lacks it."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from analyzer import __version__
from analyzer.budget import BudgetReached
from analyzer.coalitions import run_factual
from analyzer.examine import case_seed, examine
from analyzer.fingerprint import UnstableValueError, fingerprint
from analyzer.game_file import CaseGame, CoalitionError
from analyzer.game_lines import GameFileError, case_known, case_line
from analyzer.lattice import KIND_UNKNOWN, Trace, kind_of_failure
from analyzer.memory import Abandoned, Memory
from analyzer.noise import World
from analyzer.pipeline import Case
from analyzer.plan import Plan
from analyzer.request import key_of
from analyzer.store import StoredCase, StoredGame
from analyzer.system import System


@dataclass(frozen=True)
class Hole:
    """A coalition without a score: the case and the mode, its mask, and why."""

    case: str
    mode: str
    mask: int
    error: CoalitionError


@dataclass
class Outcome:
    """What became of a case.

    Attributes
    ----------
    state, said : str
        As `StoredCase` has them.
    values : dict of str to tuple of float or None
        By mode that was examined: the Shapley values, if there are any.
    holes : list of Hole
        The first of each game.
    missing : int
        Coalitions without a score.
    called : set of str, or None
        Addresses of the calls that a program made in any run of the case; None where that is not known.
    cut : exception or None
        What ended it before all modes were examined.
    """

    state: str
    said: str = ""
    values: dict[str, tuple[float, ...] | None] = field(default_factory=dict)
    holes: list[Hole] = field(default_factory=list)
    missing: int = 0
    called: set[str] | None = field(default_factory=set)
    cut: BaseException | None = None

    def add(self, mode: str, game: CaseGame) -> None:
        """Take in the game of a mode."""
        self.values[mode] = game.values["shapley"]
        self.missing += _missing(game)
        self.called = None if self.called is None or game.called is None else self.called.union(game.called)
        self.holes += [Hole(game.id, mode, int(mask), error) for mask, error in list(game.errors.items())[:1]]


class CaseRuns:
    """The cases of a system under a plan; may be asked by several threads.

    Parameters
    ----------
    system : System
    plan : Plan
    memory : Memory
    """

    def __init__(self, system: System, plan: Plan, memory: Memory) -> None:
        self.system, self.plan, self.memory = system, plan, memory
        # A release may analyse better; its calls are the same.
        self._key = key_of("run", system.fingerprint(), plan.seed, __version__).hex()

    def factual(self, case: Case) -> Outcome:
        """Run a case as it happened, unless the store says what became of it; may be called by threads."""
        store, key = self.memory.store, self.key(case)
        stored = None if key is None else store.case(key)
        if stored is None or stored.state == "errored":
            stored = self._stored(case, self._traced(case))
            # What could not say the kind of failure may be able to another time.
            if key is not None and not stored.said.startswith(KIND_UNKNOWN):
                store.add_case(key, case.id, stored)
        else:
            self.memory.recall(stored.calls)
        return Outcome(stored.state, stored.said)

    def outcome(self, case: Case) -> Outcome:
        """Run a case, and examine it if it fails, as far as the store does not hold it; may be called by threads."""
        outcome, key = self.factual(case), self.key(case)
        if key is None or outcome.state != "failed":
            return outcome
        trace = functools.cache(lambda: self._traced(case))
        try:
            for mode in self.plan.modes:
                game = self._stored_game(key, mode)
                outcome.add(mode, game or self._examined(case, key, trace(), outcome.said, mode))
        except (BudgetReached, Abandoned, KeyboardInterrupt) as cut:
            outcome.cut = cut
            if isinstance(cut, KeyboardInterrupt):
                self.memory.end(cut)
        return outcome

    def key(self, case: Case) -> bytes | None:
        """Return what identifies a case under this pipeline and seed; None where its inputs cannot be compared."""
        try:
            return key_of("case", self._key, case.id, fingerprint(dict(case.inputs)))
        except UnstableValueError:
            return None

    def game(self, case: bytes, mode: str) -> CaseGame:
        """Return the game of a case that was examined, by what identifies the case."""
        stored = self.memory.store.game(self._game_key(case, mode))
        assert stored is not None
        return case_known(stored.line)

    def _traced(self, case: Case) -> Trace:
        return run_factual(self.system, case, World(case_seed(self.plan, case)), self.memory)

    def _examined(self, case: Case, key: bytes, trace: Trace, kind: str, mode: str) -> CaseGame:
        game, calls = examine(self.system, case, trace, kind, mode, self.plan, self.memory)
        # What a cap cut short, or lacks a score, is examined again by another run.
        cut = game.sampled is not None and self.memory.capped
        complete = not (_missing(game) or cut or kind.startswith(KIND_UNKNOWN))
        stored = StoredGame(case_line(game), complete, sorted(calls))
        self.memory.store.add_game(self._game_key(key, mode), case.id, mode, stored)
        return game

    def _stored(self, case: Case, trace: Trace) -> StoredCase:
        if trace.error is not None:
            return StoredCase("errored", f"{trace.error[0]}: {trace.error[1]}", ())
        passed = trace.passed(self.system)
        kind = "" if passed else kind_of_failure(self.system, case, trace)
        return StoredCase("passed" if passed else "failed", kind, sorted(trace.calls))

    def _game_key(self, case: bytes, mode: str) -> bytes:
        plan = self.plan
        how = (plan.max_coalitions, plan.estimator, plan.delta) if plan.samples(self.system) else ()
        return key_of("game", case.hex(), mode, repr((plan.worlds_in(mode), how)))

    def _stored_game(self, case: bytes, mode: str) -> CaseGame | None:
        """Return a game that is complete."""
        stored = self.memory.store.game(self._game_key(case, mode))
        if stored is None or not stored.complete:
            return None
        try:
            game = case_known(stored.line)
        except GameFileError:
            # What damage left of it: its calls may be whole, so it is put together again.
            return None
        self.memory.recall(stored.calls)
        return game


def _missing(game: CaseGame) -> int:
    return sum(one is None for one in game.worth)
