"""Pipelines whose guilty step, executed calls or outcomes are known, for tests to hold the analyzer against."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from analyzer.engines import own_copy
from analyzer.fingerprint import fingerprint
from analyzer.lattice import Memory
from analyzer.noise import Draws, World
from analyzer.pipeline import CASE, Case, Fix, Pipeline, Step


@dataclass
class Ledger:
    """Writes down each executed call: (step, variant, inputs, noise consumed)."""

    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def note(self, step: str, variant: str, inputs: dict[str, Any], draw: Draws | None) -> None:
        noise = tuple((tuple(record.address), tuple(record.noise)) for record in draw.records) if draw else ()
        self.calls.append((step, variant, fingerprint(inputs), noise))


def random_pipeline(rng: random.Random, ledger: Ledger, steps: int) -> Pipeline:
    """A pipeline of random shape: some steps draw, some only on some inputs, some have a fix of any kind, or none."""
    made: list[Step] = []
    for number in range(steps):
        name = f"s{number}"
        parents = [step.name for step in made if rng.random() < 0.5]
        if not parents or rng.random() < 0.3:
            parents.append(CASE)
        run = _step(rng, ledger, name, "as it ran")
        kind = rng.choice(["none", "variant", "variant", "constant", "resample"])
        fix = {
            "none": None,
            "variant": Fix("other", _step(rng, ledger, name, "fix: other")),
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


def _step(rng: random.Random, ledger: Ledger, name: str, variant: str) -> Callable[..., int]:
    shift, draws, threshold = rng.randrange(3), rng.random() < 0.6, rng.randrange(4)

    def total(inputs: dict[str, Any]) -> int:
        return shift + sum(value["n"] if isinstance(value, dict) else value for value in inputs.values())

    def with_noise(draw: Draws, **inputs: Any) -> int:
        result = total(inputs) % 4
        # Drawing on some inputs only: whether a call consumes noise is not known before it runs.
        if result >= threshold:
            result = (result + draw.categorical("turn", {0: 0.5, 1: 0.0, 2: -0.5})) % 4
        ledger.note(name, variant, inputs, draw)
        return result

    def without_noise(**inputs: Any) -> int:
        ledger.note(name, variant, inputs, None)
        return total(inputs) % 4

    return with_noise if draws else without_noise


def run_plainly(pipeline: Pipeline, case: Case, world: World, mask: int) -> dict[str, Any]:
    """Run one coalition in one world step by step, remembering nothing: the definition that the lattice must meet."""
    outputs: dict[str, Any] = {CASE: dict(case.inputs)}
    for node in pipeline.nodes:
        applied = node.player is not None and bool(mask >> node.player & 1)
        variant = node.fixed if applied else node.factual
        inputs = {name: own_copy(outputs[name]) for name in variant.reads}
        if variant.draws:
            inputs["draw"] = Draws(world.luck(node.step.name, resampled=applied and node.resamples))
        outputs[node.step.name] = variant.run(**inputs)
    return outputs


def outputs_of(memory: Memory, seen: Any, world: int, column: int) -> dict[str, Any]:
    return {name: memory.values[int(ids[world, column])].content for name, ids in seen.items()}


def chain(*fixes: Fix | None, repaired_by: Callable[[frozenset[str]], bool]) -> Pipeline:
    """Steps a, b, c, … each handing on which fixes were applied so far; a rule on that set is the score."""
    names = "abcdefghij"[: len(fixes)]
    steps = []
    for position, (name, fix) in enumerate(zip(names, fixes, strict=True)):
        before = names[position - 1] if position else CASE
        scope: dict[str, Any] = {}
        source = f"def plain({before}): return [] if {before!r} == 'case' else list({before})\n"
        source += f"def fixed({before}): return plain({before}) + [{name!r}]\n"
        exec(source, scope)
        chosen = fix if fix is None or fix.run is None else Fix(fix.label, scope["fixed"])
        steps.append(Step(name, scope["plain"], fix=chosen))
    scope = {"rule": repaired_by}
    exec(f"def score({names[-1]}): return rule(frozenset({names[-1]}))", scope)
    return Pipeline("chain", steps, score=scope["score"])


ANY_FIX = Fix("apply", lambda: None)
