"""Pipelines whose guilty step, executed calls or outcomes are known, for tests to hold the analyzer against."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from analyzer.fingerprint import fingerprint
from analyzer.lattice import Lattice
from analyzer.noise import Draws, World
from analyzer.pipeline import CASE, Case, Fix, Pipeline, Step
from analyzer.workers.calls import own_copy


@dataclass
class Ledger:
    """Writes down each executed call: (step, variant, inputs, noise consumed)."""

    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def note(self, step: str, variant: str, inputs: dict[str, Any], draw: Draws | None) -> None:
        self.calls.append((step, variant, fingerprint(inputs), consumed(draw)))


def random_pipeline(rng: random.Random, ledger: Ledger, steps: int) -> Pipeline:
    """A pipeline of random shape: some steps draw, some only on some inputs, some have a fix of any kind, or none.

    A step that is resampled is given luck, though it may not use it.
    """
    made: list[Step] = []
    for number in range(steps):
        name = f"s{number}"
        parents = [step.name for step in made if rng.random() < 0.5]
        if not parents or rng.random() < 0.3:
            parents.append(CASE)
        kind = rng.choice(["none", "variant", "variant", "constant", "resample"])
        run = _step(rng, ledger, name, "as it ran", draws=kind == "resample" or rng.random() < 0.7)
        fix = {
            "none": None,
            "variant": Fix("other", _step(rng, ledger, name, "fix: other", draws=rng.random() < 0.7)),
            "constant": Fix.constant("constant", rng.randrange(3)),
            "resample": Fix.resample(),
        }[kind]
        made.append(Step(name, run, fix=fix, parents=parents))
    scored = rng.sample([step.name for step in made], k=min(2, steps))

    def score(**outputs: Any) -> bool:
        return sum(int(outputs[name]) for name in scored) % 2 == 1

    # Named explicitly, so that the score reads some outputs and not others.
    exec_scope: dict[str, Any] = {"score": score}
    exec(f"def chosen({', '.join(scored)}): return score(**locals())", exec_scope)
    return Pipeline("random", made, score=exec_scope["chosen"])


def _step(rng: random.Random, ledger: Ledger, name: str, variant: str, *, draws: bool) -> Callable[..., int]:
    shift, threshold = rng.randrange(3), rng.randrange(4)
    # Draws of several kinds; some whose noise the choice determines, some under a name of the variant's own.
    kind, place = rng.choice(["categorical", "uniform", "integer"]), rng.choice(["turn", variant])

    def total(inputs: dict[str, Any]) -> int:
        return shift + sum(value["n"] if isinstance(value, dict) else value for value in inputs.values())

    def turn(draw: Draws) -> int:
        if kind == "uniform":
            return int(3 * draw.uniform(place))
        if kind == "integer":
            return draw.integer(place, 0, 3)
        return draw.categorical(place, {0: 0.5, 1: 0.0, 2: -0.5})

    def with_noise(draw: Draws, **inputs: Any) -> int:
        result = total(inputs) % 4
        # Drawing on some inputs only, and again on some choices: what a call consumes shows only as it runs.
        if result >= threshold:
            result = (result + turn(draw)) % 4
            if result == 3:
                result = (result + turn(draw)) % 4
        ledger.note(name, variant, inputs, draw)
        return result

    def without_noise(**inputs: Any) -> int:
        ledger.note(name, variant, inputs, None)
        return total(inputs) % 4

    return with_noise if draws else without_noise


def run_plainly(
    pipeline: Pipeline, case: Case, world: World, mask: int, keys: set[tuple[Any, ...]] | None = None
) -> dict[str, Any]:
    """Run one coalition in one world step by step, remembering nothing: the definition that the lattice must meet.

    `keys` takes each call's (step, variant, inputs, noise consumed).
    """
    outputs: dict[str, Any] = {CASE: dict(case.inputs)}
    for node in pipeline.nodes:
        applied = node.player is not None and bool(mask >> node.player & 1)
        variant = node.fixed if applied else node.factual
        inputs = {name: own_copy(outputs[name]) for name in variant.reads}
        mark = fingerprint(inputs)
        draw = Draws(world.of_step(node.step.name, resampled=applied and node.resamples))
        outputs[node.step.name] = variant.run(**inputs, **({"draw": draw} if variant.draws else {}))
        if keys is not None:
            keys.add((node.step.name, variant.name, mark, consumed(draw)))
    return outputs


def consumed(draw: Draws | None) -> tuple[Any, ...]:
    return tuple((tuple(record.address), tuple(record.noise)) for record in draw.records) if draw else ()


def outputs_of(lattice: Lattice, world: int, column: int) -> dict[str, Any]:
    return {name: lattice.values[int(ids[world, column])].content for name, ids in lattice.seen.items()}


def chain(players: int = 3, *, draws: bool = False, **options: Any) -> Pipeline:
    """A pipeline whose steps read the one before, and whose every fix changes what its step puts out.

    Cases have an input "n"; the first step draws noise or not; `options` are those of each step.
    """

    def first(case: Any) -> Any:
        return (case["n"], 0)

    def random_first(case: Any, draw: Draws) -> Any:
        return (case["n"], draw.integer("x", 0, 10**9))

    def then(**inputs: Any) -> Any:
        (before,) = inputs.values()
        return (*before, 0)

    def fixed(**inputs: Any) -> Any:
        (before,) = inputs.values()
        return (*before, 1)

    steps = [Step("s0", random_first if draws else first, fix=Fix("f", lambda case: (case["n"], 1)), **options)]
    for number in range(1, players):
        steps.append(Step(f"s{number}", then, fix=Fix("f", fixed), parents=[f"s{number - 1}"], **options))
    return Pipeline("chain", steps, score=lambda **outputs: 0, cost_unit="USD")
