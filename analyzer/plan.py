"""Turns the choices of an analysis into one checked plan, and into how many calls it can take at most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.budget import UNLIMITED, Budget
from analyzer.game import MOST_LISTED
from analyzer.game_file import MODES
from analyzer.pipeline import CASE, Case, PipelineError, Variant
from analyzer.program import Program
from analyzer.sampling import ESTIMATORS, MAX_PLAYERS
from analyzer.system import System
from analyzer.wiring import check_text

#: Below, thresholds leave the range of numbers in which capital is counted.
SMALLEST_DELTA = 1e-12


@dataclass(frozen=True)
class Plan:
    """How to analyse.

    Attributes
    ----------
    modes : tuple of str
        The noise modes.
    worlds : int
        K, of the modes that average over worlds.
    seed : str
        Root of all noise.
    delta : float
        Error probability of intervals and claims, between 0 and 1.
    until_separated : bool
        Stop as soon as one fix's mean Shapley value is separated from every other's, in each mode.
    max_failures : int or None
        Stop after so many failing cases.
    budget : Budget
        Caps on calls and cost.
    exact_up_to : int
        Games of more fixes are sampled; at most `MOST_LISTED`.
    max_coalitions : int
        Distinct coalitions that a sampled game may run.
    estimator : str
        Of sampled games; see `analyzer.sampling`.
    """

    modes: tuple[str, ...] = MODES
    worlds: int = 8
    seed: str = "0"
    delta: float = 0.05
    until_separated: bool = False
    max_failures: int | None = None
    budget: Budget = UNLIMITED
    exact_up_to: int = 12
    max_coalitions: int = 2000
    estimator: str = ESTIMATORS[0]

    @property
    def ends_early(self) -> bool:
        """Whether a cap or a rule may end it before all cases were looked at."""
        return self.until_separated or self.max_failures is not None or self.budget != UNLIMITED

    @property
    def counts_failures_only(self) -> bool:
        """Whether nothing but a number of failing cases ends it early."""
        return self.max_failures is not None and not self.until_separated and self.budget == UNLIMITED

    def samples(self, system: System) -> bool:
        """Whether a pipeline's games are sampled."""
        return len(system.players) > self.exact_up_to

    def worlds_in(self, mode: str) -> int:
        """Return how many worlds a mode looks at."""
        return 1 if mode == "replayed" else self.worlds

    def check(self, system: System, cases: Sequence[Case]) -> None:
        """Raise `PipelineError` for what cannot be carried out."""
        seen = set[str]()
        for case in cases:
            check_text(f"case {case.id!r}: id", case.id, blank=False)
            if case.id in seen:
                raise PipelineError(f"case {case.id!r}: two cases have this id; ids must be distinct")
            seen.add(case.id)
        check_text("seed", self.seed)
        unknown = [mode for mode in self.modes if mode not in MODES]
        if unknown or not self.modes:
            named = unknown[0] if unknown else ""
            raise PipelineError(f"mode {named!r} is not known; the modes are {', '.join(MODES)}")
        if self.worlds < 1:
            raise PipelineError(f"worlds: {self.worlds} were asked for; at least 1 is needed")
        if not SMALLEST_DELTA <= self.delta < 1:
            raise PipelineError(
                f"delta: {self.delta} is no error probability; give a number from {SMALLEST_DELTA:g} up, below 1"
            )
        if self.budget.cost is not None and not math.isfinite(self.budget.cost):
            raise PipelineError(f"budget: a cost of {self.budget.cost} is no cap; give a number, or leave it away")
        if self.budget.cost is not None:
            _check_prices(system)
        if not 0 <= self.exact_up_to <= MOST_LISTED:
            raise PipelineError(f"exact_up_to: {self.exact_up_to} was asked for; it may be 0 to {MOST_LISTED} fixes")
        if self.estimator not in ESTIMATORS:
            raise PipelineError(f"estimator {self.estimator!r} is not known; there are {', '.join(ESTIMATORS)}")
        players = len(system.players)
        if self.until_separated and self.samples(system):
            exact = f", or run all coalitions (--exact-up-to {players})" if players <= MOST_LISTED else ""
            raise PipelineError(
                f"--until-separated: games of {players} fixes are sampled, and estimates support no claim over many "
                f"cases; ask for a number of failures (--max-failures){exact}"
            )
        if players > MAX_PLAYERS:
            raise PipelineError(
                f"pipeline {system.id!r} has {players} fixes; at most {MAX_PLAYERS} can be examined: leave the fix "
                "away from the steps you trust"
            )
        least = 2 * players + 2
        if self.samples(system) and self.max_coalitions < least:
            raise PipelineError(
                f"max_coalitions: {self.max_coalitions} were allowed; with {players} fixes at least {least} are needed "
                "(none, each alone, all but each, all)"
            )


def _check_prices(system: System) -> None:
    """Raise `PipelineError` where a step has no price, so that no cap on the cost could hold."""
    for node in system.nodes:
        # A fix without a price has its step's.
        if math.isnan(node.factual.cost):
            raise PipelineError(
                f"pipeline {system.id!r}: step {node.step.name!r}: what a call costs is not known, so a cap on the "
                f"cost (--max-cost) cannot be kept: give the step a cost in {system.cost_unit}, or cap the calls "
                "(--max-calls)"
            )


@dataclass(frozen=True)
class StepEstimate:
    """What a step can take at most in examining one failing case, in all modes together.

    Attributes
    ----------
    factual, fixed : int
        Calls as it ran, and with its fix applied; 0 where it has none.
    known : int
        Of the former, those that the factual run has made.
    """

    factual: int
    fixed: int
    known: int


@dataclass(frozen=True)
class Estimate:
    """What an analysis can take at most, before anything has run.

    Attributes
    ----------
    coalitions : int
        Coalitions run per failing case, mode and world.
    factual_calls : int
        Calls to run every case once as it happened.
    failure_calls : int
        Calls more for a failing case, in all modes together.
    factual_cost, failure_cost : float
        The same in the pipeline's cost unit; NaN where the price of a call is not known.
    steps : tuple of StepEstimate
        What makes up `failure_calls`, in run order.
    """

    coalitions: int
    factual_calls: int
    failure_calls: int
    factual_cost: float
    failure_cost: float
    steps: tuple[StepEstimate, ...]


def estimate(system: System, cases: int, plan: Plan) -> Estimate | None:
    """Return what an analysis can take at most.

    Parameters
    ----------
    system : System
    cases : int
    plan : Plan

    Returns
    -------
    Estimate or None
        None for a program, whose calls show only as it runs.

    Notes
    -----
    A step runs at most once per variant, world and set of fixes applied to what it reads, directly or through other
    steps; in one world where nothing on the way is random. Outputs that do not change spare more than that. A call that
    raises is tried again in each world, which may take more.
    """
    if isinstance(system, Program):
        return None
    coalitions = plan.max_coalitions if plan.samples(system) else 2 ** len(system.players)
    behind: dict[str, tuple[frozenset[int], bool]] = {CASE: (frozenset(), False)}
    worlds = sum(plan.worlds_in(mode) for mode in plan.modes)

    def most(reach: frozenset[int], random: bool) -> int:
        return min(1 << len(reach), coalitions) * (worlds if random else 1)

    steps, cost, factual_cost = list[StepEstimate](), 0.0, 0.0
    for node in system.nodes:
        reach, random = _read(node.factual, behind)
        factual, fixed = most(reach, random), 0
        known = 1 if "replayed" in plan.modes or not random else 0
        cost += factual * node.factual.cost
        factual_cost += node.factual.cost
        if node.player is not None:
            own, varies = _read(node.fixed, behind)
            fixed = most(own, varies)
            cost += fixed * node.fixed.cost
            reach, random = reach | own | {node.player}, random or varies
        behind[node.step.name] = (reach, random)
        steps.append(StepEstimate(factual, fixed, known))
    calls = sum(step.factual + step.fixed for step in steps)
    return Estimate(coalitions, cases * len(steps), calls, cases * factual_cost, cost, tuple(steps))


def _read(variant: Variant, behind: dict[str, tuple[frozenset[int], bool]]) -> tuple[frozenset[int], bool]:
    """Return which players a variant's inputs depend on, and whether its call may differ between worlds."""
    reach, random = frozenset[int](), variant.has_luck
    for name in variant.reads:
        reach, random = reach | behind[name][0], random or behind[name][1]
    return reach, random
