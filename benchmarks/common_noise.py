"""Measures what common noise is worth: marginal contributions along an order under one world, and under many.

    python benchmarks/common_noise.py

Failing cases of two bundled scenarios under new luck. One observation puts the fixes in, in a random order, and notes
what each adds. Either all coalitions of the order are run in one world, that of the order's number, or each in a world
of its own. The variance of an observation is what a Monte-Carlo estimate has to average away; at an equal budget it
counts too that coalitions in one world share calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, islice

import numpy as np

from analyzer.examine import case_seed
from analyzer.lattice import run_factual, run_lattice
from analyzer.memory import Memory
from analyzer.noise import World, units
from analyzer.pipeline import Case, Pipeline
from analyzer.plan import Plan
from analyzer.scenarios import bundle

#: Scenario, failing cases, orders for each.
RUNS = (("stochastic-rag", 40, 100), ("eight-step", 12, 100))


def failing(pipeline: Pipeline, cases: Sequence[Case]) -> list[Case]:
    """Return the cases that fail as they happened."""
    memory, plan = Memory(), Plan()
    traces = ((case, run_factual(pipeline, case, World(case_seed(plan, case)), memory)) for case in cases)
    return [case for case, trace in traces if not trace.passed(pipeline)]


def observe(pipeline: Pipeline, case: Case, number: int, common: bool) -> tuple[np.ndarray, int]:
    """Return what each fix adds along the order of a number, and the calls that took."""
    players = len(pipeline.players)
    order = np.argsort(units(players, "order", number))
    masks = list(accumulate((1 << int(player) for player in order), initial=0))
    scores, calls = [], 0
    if common:
        lattice = run_lattice(pipeline, case, [World(f"{case.id}/{number}")], masks, Memory())
        scores, calls = [float(score or 0) for score in lattice.scores[0]], lattice.calls
    else:
        for mask in masks:
            lattice = run_lattice(pipeline, case, [World(f"{case.id}/{number}/{mask}")], [mask], Memory())
            scores.append(float(lattice.scores[0][0] or 0))
            calls += lattice.calls
    marginals = np.empty(players)
    marginals[order] = np.diff(scores)
    return marginals, calls


def main() -> None:
    print("| scenario | variance, own worlds / common world | calls, own / common | at an equal budget |")
    print("|---|---:|---:|---:|")
    for name, count, orders in RUNS:
        found = bundle(name)
        pipeline = found.pipelines[0]
        chosen = failing(pipeline, list(islice(found.cases, 2 * count)))[:count]
        variance, calls = np.zeros(2), np.zeros(2)
        for case in chosen:
            for way, common in enumerate((False, True)):
                seen = [observe(pipeline, case, number, common) for number in range(orders)]
                variance[way] += np.array([marginals for marginals, _ in seen]).var(axis=0, ddof=1).mean()
                calls[way] += sum(number for _, number in seen)
        apart, dearer = variance[0] / variance[1], calls[0] / calls[1]
        print(f"| {name}, {len(chosen)} failures | {apart:.1f}x | {dearer:.1f}x | {apart * dearer:.1f}x |", flush=True)


if __name__ == "__main__":
    main()
