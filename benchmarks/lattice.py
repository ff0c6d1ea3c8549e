"""Measures the lattice's bookkeeping beside a plain loop over coalitions with a dictionary of known calls.

    python benchmarks/lattice.py

Sixteen trivial steps, sixteen fixes, 65,536 coalitions, few distinct outputs: nearly all the time is bookkeeping.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from analyzer.lattice import run_lattice
from analyzer.memory import Memory
from analyzer.noise import Draws, World
from analyzer.pipeline import Case, Fix, Pipeline, Step

PLAYERS = 16
ROUNDS = 5


def pipeline() -> Pipeline:
    """A chain of steps that hand on a number below four; each fix adds one to it."""
    steps = []
    for number in range(PLAYERS):
        before = f"s{number - 1}" if number else "case"
        scope: dict[str, Callable[..., Any]] = {}
        start = "0" if not number else before
        exec(f"def run({before}): return {start}\ndef fixed({before}): return ({start} + 1) % 4", scope)
        steps.append(Step(f"s{number}", scope["run"], fix=Fix("add one", scope["fixed"])))
    scope = {}
    exec(f"def score(s{PLAYERS - 1}): return s{PLAYERS - 1} == 3", scope)
    return Pipeline("chain", steps, score=scope["score"])


def plain_loop(pipeline: Pipeline, case: Case, world: World) -> list[float]:
    """Run coalition by coalition, looking each call up in a dictionary by its step, variant and inputs."""
    known: dict[Any, Any] = {}
    scores = []
    plan = [
        (node.step.name, node.player, node.variants, node.parents, world.of_step(node.step.name))
        for node in pipeline.nodes
    ]
    for mask in range(2 ** len(pipeline.players)):
        outputs = {"case": 0}
        for name, player, variants, parents, luck in plan:
            fixed = mask >> player & 1
            key = (name, fixed, *[outputs[parent] for parent in parents])
            if key not in known:
                inputs = {parent: outputs[parent] for parent in parents}
                if variants[fixed].draws:
                    inputs["draw"] = Draws(luck)
                known[key] = variants[fixed].run(**inputs)
            outputs[name] = known[key]
        scores.append(float(pipeline.scorer.run(**{name: outputs[name] for name in pipeline.scorer.reads})))
    return scores


def main() -> None:
    chain, case, world = pipeline(), Case("c", {}), World("0")
    lattice_times, loop_times = [], []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        lattice = run_lattice(chain, case, [world], range(2**PLAYERS), Memory())
        middle = time.perf_counter()
        scores = plain_loop(chain, case, world)
        lattice_times.append(middle - begin)
        loop_times.append(time.perf_counter() - middle)
        assert list(lattice.scores[0]) == scores
    ours, loop = statistics.median(lattice_times), statistics.median(loop_times)
    print(f"| {PLAYERS} fixes, {2**PLAYERS:,} coalitions, {PLAYERS} steps | median of {ROUNDS} | ratio |")
    print("|---|---:|---:|")
    print(f"| plain loop with a dictionary | {loop * 1000:.0f} ms | 1 |")
    print(f"| level by level | {ours * 1000:.0f} ms | {loop / ours:.1f}× faster |")


if __name__ == "__main__":
    main()
