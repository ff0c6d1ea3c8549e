"""Turns declared steps into nodes in run order: what each variant reads, and which player each fix is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyzer.steps import CASE, DRAW, Fix, PipelineError, Step

MAX_PLAYERS = 20
_ROLES = ("producer", "checker", None)


@dataclass(frozen=True)
class Variant:
    """One way to run a step.

    Attributes
    ----------
    name : str
        Tells the variants of a step apart in keys and messages.
    run : callable
        Called with what it reads, by keyword.
    reads : tuple of str
        Names of what it is given: `case` and earlier steps.
    draws : bool
        Whether it is given `draw`.
    cost : float
        Of one executed call, in the pipeline's cost unit.
    """

    name: str
    run: Callable[..., Any]
    reads: tuple[str, ...]
    draws: bool
    cost: float


@dataclass(frozen=True)
class Node:
    """A step resolved: its variants, what it reads, and the player it is, if any.

    Attributes
    ----------
    step : Step
    factual, fixed : Variant
        As it ran, and with the fix applied (the same one for a resample or where there is no fix).
    parents : tuple of str
        Everything either variant reads, steps in run order, `case` first.
    player : int or None
        Its bit in a coalition's mask.
    """

    step: Step
    factual: Variant
    fixed: Variant
    parents: tuple[str, ...]
    player: int | None

    @property
    def resamples(self) -> bool:
        """Whether the fix is fresh luck rather than another variant."""
        return self.step.fix is not None and self.step.fix.kind == "resample"


def check_steps(pipeline: str, steps: Sequence[Step]) -> None:
    """Raise `PipelineError` for names, roles, costs and fixes that cannot stand."""
    if not steps:
        raise PipelineError(f"pipeline {pipeline!r} has no steps")
    seen = set[str]()
    for step in steps:
        where = f"pipeline {pipeline!r}: step {step.name!r}"
        if not isinstance(step.name, str) or not step.name.strip():
            raise PipelineError(f"{where}: a step's name is a text that is not blank")
        if step.name in (CASE, DRAW):
            raise PipelineError(
                f"{where}: the name is taken: {CASE!r} is the case's inputs and {DRAW!r} the source of randomness"
            )
        if step.name in seen:
            raise PipelineError(f"{where}: two steps have this name; give one of them another")
        seen.add(step.name)
        if step.role not in _ROLES:
            raise PipelineError(f"{where}: role {step.role!r} is not known; use 'producer', 'checker' or none")
        _check_cost(where, step.cost)
        if step.fix is not None:
            _check_fix(where, step.fix)
    if sum(step.fix is not None for step in steps) > MAX_PLAYERS:
        raise PipelineError(
            f"pipeline {pipeline!r} has more than {MAX_PLAYERS} fixes, so more than 2**{MAX_PLAYERS} coalitions; "
            "leave the fix away from the steps you trust"
        )


def _check_fix(where: str, fix: Fix) -> None:
    if not isinstance(fix, Fix):
        raise PipelineError(f"{where}: fix is a {type(fix).__name__}; write Fix('what it does', function)")
    if not fix.label.strip():
        raise PipelineError(f"{where}: its fix has no label; say in a few words what it does")
    if fix.kind not in ("variant", "constant", "resample"):
        raise PipelineError(f"{where}: fix {fix.label!r} has the unknown kind {fix.kind!r}")
    if fix.kind != "resample" and not callable(fix.run):
        raise PipelineError(
            f"{where}: fix {fix.label!r} names no variant: give it the function to run instead, "
            "or use Fix.constant or Fix.resample"
        )
    if fix.cost is not None:
        _check_cost(f"{where}: fix {fix.label!r}", fix.cost)


def _check_cost(where: str, cost: float) -> None:
    if not isinstance(cost, int | float) or not 0 <= cost < float("inf"):
        raise PipelineError(f"{where}: cost {cost!r} is not a number from 0 up")


def read_variant(
    name: str, run: Callable[..., Any], parents: Sequence[str] | None, cost: float, known: set[str], where: str
) -> Variant:
    """Read off a function's parameters what it reads."""
    if not callable(run):
        raise PipelineError(f"{where}: {run!r} is not a function")
    try:
        parameters = inspect.signature(run).parameters.values()
    except (TypeError, ValueError) as error:
        raise PipelineError(f"{where}: the parameters of {run!r} cannot be read; wrap it in a function") from error
    reads, draws, open_ended = list[str](), False, False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            open_ended = True
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise PipelineError(f"{where}: parameter {parameter.name!r} cannot be given by name; drop the '/' or '*'")
        elif parameter.name == DRAW:
            draws = True
        elif parameter.name == CASE or parameter.name in known:
            reads.append(parameter.name)
        elif parameter.default is parameter.empty:
            raise PipelineError(
                f"{where}: reads {parameter.name!r}, which is neither {CASE!r}, {DRAW!r} nor a step; "
                f"the steps are {', '.join(sorted(map(repr, known)))}"
            )
    if parents is not None:
        unknown = [parent for parent in parents if parent != CASE and parent not in known]
        if unknown:
            raise PipelineError(
                f"{where}: its parent {unknown[0]!r} is no step; the steps are {', '.join(sorted(map(repr, known)))}"
            )
        undeclared = [read for read in reads if read not in parents]
        if undeclared:
            raise PipelineError(f"{where}: reads {undeclared[0]!r}, which its parents do not list")
        if open_ended:
            reads = list(parents)
    return Variant(name, run, tuple(reads), draws, float(cost))


def resolve(pipeline: str, steps: Sequence[Step]) -> tuple[Node, ...]:
    """Put the steps in run order and number the players."""
    known = {step.name for step in steps}
    variants = dict[str, tuple[Variant, Variant]]()
    for step in steps:
        where = f"pipeline {pipeline!r}: step {step.name!r}"
        others = known - {step.name}
        factual = read_variant("as it ran", step.run, step.parents, step.cost, others, where)
        fixed = factual
        if step.fix is not None and step.fix.run is not None:
            cost = step.cost if step.fix.cost is None else step.fix.cost
            name = f"fix: {step.fix.label}"
            fixed = read_variant(name, step.fix.run, step.parents, cost, others, f"{where}: fix {step.fix.label!r}")
        variants[step.name] = (factual, fixed)
    reads = {name: {*factual.reads, *fixed.reads} - {CASE} for name, (factual, fixed) in variants.items()}
    ordered = list[Step]()
    waiting = list(steps)
    while waiting:
        done = {step.name for step in ordered}
        ready = next((step for step in waiting if reads[step.name] <= done), None)
        if ready is None:
            raise PipelineError(
                f"pipeline {pipeline!r}: the steps read each other in a cycle: {_cycle(reads, waiting)}"
            )
        ordered.append(ready)
        waiting.remove(ready)
    position = {step.name: index for index, step in enumerate(ordered)}
    nodes, player = list[Node](), 0
    for step in ordered:
        factual, fixed = variants[step.name]
        everything = {*factual.reads, *fixed.reads}
        parents = tuple(sorted(everything, key=lambda name: position.get(name, -1)))
        nodes.append(Node(step, factual, fixed, parents, player if step.fix else None))
        player += step.fix is not None
    return tuple(nodes)


def _cycle(reads: Mapping[str, set[str]], waiting: Iterable[Step]) -> str:
    names = {step.name for step in waiting}
    path = [min(names)]
    while path[-1] not in path[:-1]:
        path.append(min(reads[path[-1]] & names))
    return " → ".join(reversed(path[path.index(path[-1]) :]))
