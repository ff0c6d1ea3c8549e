"""Turns what the factual runs showed into what examining the failing cases can take at most: calls, cost and time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.amounts import calls_text, cost_text
from analyzer.durations import about
from analyzer.plan import Plan, estimate
from analyzer.system import System


@dataclass(frozen=True)
class Forecast:
    """What is still to come, at most.

    Attributes
    ----------
    calls : int
        Calls of steps.
    cost : float
        Of these, in the pipeline's cost unit; NaN where a step has no price.
    seconds : float
        Until all of them have run; NaN where the duration of a step is not known.
    sentence : str
        All of it for people, without a period.
    """

    calls: int
    cost: float
    seconds: float
    sentence: str


def forecast(
    system: System, plan: Plan, cases: int, failed: int, seconds_per_call: Mapping[str, float], at_once: int
) -> Forecast:
    """Return what examining the failing cases can take at most, after every case was run as it happened.

    Parameters
    ----------
    system : System
    plan : Plan
    cases, failed : int
        Cases that were run, and those of them that fail.
    seconds_per_call : mapping of str to float
        Mean duration of a call by step name, as measured; the step's fix is taken to be as fast, and a constant to take
        no time.
    at_once : int
        Calls that run at a time, at least 1; a step may allow fewer.

    Returns
    -------
    Forecast

    Notes
    -----
    A step's calls take ``calls · seconds / at once``, and no less than its rate limit asks for; steps follow one
    another.
    """
    examined = failed if plan.max_failures is None else min(failed, plan.max_failures)
    if not examined:
        return Forecast(0, 0.0, 0.0, f"{_failing(cases, failed)}: there is nothing to examine")
    first = "" if examined == failed else f", {examined:,} of which are examined"
    whole = estimate(system, cases, plan)
    if whole is None:
        unknown = "how many calls that takes shows only as the program runs"
        return Forecast(0, math.nan, math.nan, f"{_failing(cases, failed)}{first}: {unknown}")
    calls, timed, cost, busy, seconds = 0, 0, 0.0, 0.0, 0.0
    for node, most in zip(system.nodes, whole.steps, strict=True):
        # The factual call has run, where it is one of them.
        factual, fixed = examined * (most.factual - most.known), examined * most.fixed
        calls += factual + fixed
        for number, variant in ((factual, node.factual), (fixed, node.fixed)):
            # None of them costs nothing, whatever the price.
            cost += number * variant.cost if number else 0.0
        constant = node.fix is not None and node.fix.kind == "constant"
        slow = factual if constant else factual + fixed
        duration = seconds_per_call.get(node.step.name, math.nan) if slow else 0.0
        timed += slow
        busy += slow * duration
        least = 60 * slow / node.step.per_minute if node.step.per_minute else 0.0
        together = min(at_once, node.step.concurrency or at_once)
        # Written so that NaN stays NaN.
        taken = slow * duration / together
        seconds += least if taken < least else taken
    price = cost_text(cost, system.cost_unit, calls)
    told = f"{_failing(cases, failed)}{first}: at most {calls_text(calls)} more{price and f' ({price})'}"
    if timed and not math.isnan(seconds):
        side = f", {at_once} at a time" if at_once > 1 else ""
        told += f", {about(seconds)} at {busy / timed:.2g} s a call{side}"
    return Forecast(calls, cost, seconds, told)


def _failing(cases: int, failed: int) -> str:
    return f"{failed or 'none'} of {cases:,} {'case' if cases == 1 else 'cases'} {'fails' if failed < 2 else 'fail'}"
