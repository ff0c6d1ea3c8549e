"""Turns plain Python that calls steps, under any control flow, into something whose runs can be examined.

A program is a function of a case and of `step`, which calls a declared step by name: ``step("search", query)``. It may
loop, branch, hand over, and, where it is async, call steps at the same time. Its own code must do the same whenever its
steps give the same; whatever is random, slow or paid for belongs into a step.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from analyzer.scoring import fingerprint_of, resolve_score
from analyzer.steps import CASE, DRAW, IDEMPOTENCY_KEY, Fix, PipelineError, Score, Step
from analyzer.versions.source import source_text
from analyzer.wiring import (
    Node,
    Variant,
    check_fix,
    check_function,
    check_resample,
    check_steps,
    check_text,
    declared_variant,
    fix_to_try,
    fix_variant,
    is_async,
    price_of_a_call,
    with_fixes_named,
)

#: What a score calls what the program returned.
OUTPUT = "output"
_CALL = re.compile(r"(?P<step>.*)\[(?P<occurrence>[1-9][0-9]*)\]", re.DOTALL)


class StepError(RuntimeError):
    """A call that failed, raised in the program that made it.

    A program that catches it goes on, and its outcome counts; one that does not has no outcome.

    Attributes
    ----------
    call : str
        The call's address.
    message : str
        What went wrong, as one line.
    """

    def __init__(self, call: str, message: str) -> None:
        super().__init__(f"{call}: {message}")
        self.call, self.message = call, message


@dataclass(frozen=True)
class Program:
    """Steps, and a function that calls them.

    Parameters
    ----------
    id : str
        Names game files and pages.
    run : callable
        Takes `case` and `step`; returns the output. Where it is async, ``step(…)`` is to be awaited. What it gives a
        step, and what a step returns, is plain data, copied on the way. A call that fails raises `StepError` in it.
    steps : sequence of Step
        What it may call. Their functions take what the program gives them, and `draw`.
    score : Score or callable
        Reads `case`, `output`, and under the name of a step the list of its outputs, in the order of its calls.
    fixes : mapping of str to Fix, optional
        The players: what is tried where. A target is a step, all of whose calls it then means, or a single call:
        ``"search"``, ``"search[2]"`` for the second one. By default each step with its first fix.
    title, summary, cost_unit, tried
        As a `Pipeline` has them.

    Raises
    ------
    PipelineError
        For names, fixes and scores that cannot stand.

    Notes
    -----
    A call is addressed by its step and by how often that was called before, so that a fix which adds a call elsewhere
    does not shift its luck. In an async program every task counts for itself: the second child of the first child of
    the program makes ``1.2/search[1]``.

    Examples
    --------
    >>> def agent(case, step):
    ...     return [step("act", task) for task in step("plan", case["task"])]
    >>> def plan(task):
    ...     return task.split(" and ")
    >>> def act(task, draw):
    ...     return draw.categorical(task, {"done": 1.0, "failed": 0.0})
    >>> steps = [Step("plan", plan), Step("act", act, fix=Fix.resample())]
    >>> Program("agent", agent, steps, score=lambda output: len(output) == 2).players
    ('act',)
    """

    id: str
    run: Callable[..., Any]
    steps: Sequence[Step]
    score: Score | Callable[..., Any]
    fixes: Mapping[str, Fix] | None = None
    title: str = ""
    summary: str = ""
    cost_unit: str = "calls"
    tried: Mapping[str, str] = field(default_factory=dict)
    nodes: tuple[Node, ...] = field(init=False, repr=False, compare=False)
    scorer: Variant = field(init=False, repr=False, compare=False)
    failure: Variant | None = field(init=False, repr=False, compare=False)
    code_version: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        steps = tuple(self.steps)
        where = f"program {self.id!r}"
        check_text("program: id", self.id, blank=False)
        for name in ("title", "summary", "cost_unit"):
            check_text(f"{where}: {name}", getattr(self, name))
        check_function(where, self.run)
        check_steps(where, steps)
        for step in steps:
            if step.name == OUTPUT:
                raise PipelineError(f"{where}: step {step.name!r}: the name is taken by what the run returned")
            if "/" in step.name or _CALL.fullmatch(step.name):
                raise PipelineError(f"{where}: step {step.name!r}: a name like that is the address of a single call")
        nodes = _nodes(where, steps, self._targets(where, steps), price_of_a_call(self.cost_unit))
        score, scorer, failure = resolve_score(where, self.score, [OUTPUT, *(step.name for step in steps)])
        resolved = {
            "steps": steps,
            "score": score,
            "nodes": nodes,
            "scorer": scorer,
            "failure": failure,
            "code_version": source_text(self.run),
        }
        for name, content in resolved.items():
            object.__setattr__(self, name, content)

    def _targets(self, where: str, steps: Sequence[Step]) -> dict[str, Fix]:
        """Return what is tried where."""
        if self.fixes is None:
            found = ((step.name, fix_to_try(self.id, step, self.tried)) for step in steps)
            return {name: fix for name, fix in found if fix is not None}
        if self.tried:
            raise PipelineError(f"{where}: fixes says what is tried, so no other fix of a step can be asked for")
        return dict(self.fixes)

    @property
    def scoring(self) -> Score:
        """The score, with its meaning and range."""
        assert isinstance(self.score, Score)
        return self.score

    @property
    def players(self) -> tuple[str, ...]:
        """The targets of the fixes: steps as they were given, after each its single calls."""
        return tuple(node.step.name for node in self.nodes if node.player is not None)

    @property
    def is_async(self) -> bool:
        """Whether calling it gives something to await."""
        return is_async(self.run)

    @functools.cached_property
    def nodes_of(self) -> Mapping[str, tuple[Node, ...]]:
        """The nodes by target: each step's own first one, whether it is a player or not, and those of single calls."""
        return {node.step.name: (node,) for node in self.nodes}

    def trying(self, choices: Mapping[str, str]) -> Program:
        """Return this program with other fixes tried: by step, the label of one of its fixes."""
        return replace(self, tried={**self.tried, **choices}) if choices else self

    def at_calls(self, calls: Iterable[str]) -> Program:
        """Return this program with single calls as players, each tried with the fix of its step; its id says so.

        Parameters
        ----------
        calls : iterable of str
            Such as ``"search[2]"``; those that no fix of their step is meant for are left out.
        """
        tried = {step.name: fix_to_try(self.id, step, self.tried) for step in self.steps}
        fixes = {call: tried.get(step_of(call)) for call in dict.fromkeys(calls)}
        meant = {call: fix for call, fix in fixes.items() if fix is not None and _place(call)[1] >= fix.since}
        id = f"{with_fixes_named(self.id, self.steps, self.tried)}-single-calls"
        return replace(self, id=id, title=f"{self.title or self.id}: single calls", fixes=meant, tried={})

    def fingerprint(self) -> str:
        """Return 32 hex digits that change when the program's code, a step's, or a setting changes."""
        return fingerprint_of(self.id, self.scoring, self.nodes, self.code_version)


def step_of(target: str) -> str:
    """Return the step that a target belongs to."""
    call = _CALL.fullmatch(target)
    return call["step"].rpartition("/")[2] if call else target


def call_id(path: Sequence[int], step: str, occurrence: int) -> str:
    """Return the address of a call: the task it was made in, its step, and how often that task called it."""
    task = ".".join(map(str, path))
    return f"{task}/{step}[{occurrence}]" if task else f"{step}[{occurrence}]"


def _nodes(where: str, steps: Sequence[Step], targets: Mapping[str, Fix], price: float) -> tuple[Node, ...]:
    """Return a node for each step, and one for each single call that is a target."""
    named = {step.name: step for step in steps}
    calls: dict[str, list[str]] = {step.name: [] for step in steps}
    for target, fix in targets.items():
        check_fix(f"{where}: {target!r}", fix)
        if target not in named:
            owner = step_of(target)
            if owner == target or owner not in named:
                known = ", ".join(map(repr, named))
                raise PipelineError(f"{where}: fixes: {target!r} is no step and no call of one; the steps are {known}")
            calls[owner].append(target)
    nodes = list[Node]()
    for step in steps:
        # Every fix of the step, so that a fault in one that is not tried shows at once.
        for declared in step.fixes:
            _fixed(f"{where}: step {step.name!r}", step, declared, price, ())
        others = [fix for target, fix in targets.items() if target in (step.name, *calls[step.name])]
        for target in [step.name, *sorted(calls[step.name], key=_place)]:
            shown = step if target == step.name else replace(step, name=target, title=_title(step, target))
            tried = targets.get(target)
            factual = _checked(f"{where}: step {step.name!r}", declared_variant(step, price))
            fixed = factual if tried is None else _fixed(f"{where}: {target!r}", step, tried, price, others)
            player = None if tried is None else sum(node.player is not None for node in nodes)
            parents = tuple(parent for parent in step.parents or () if parent in {node.step.name for node in nodes})
            nodes.append(Node(shown, tried, factual, fixed, parents, player))
    return tuple(nodes)


def _title(step: Step, call: str) -> str:
    """Return what a single call is called: its address, with the step's title for its name."""
    path, slash, _ = call.rpartition("/")
    return f"{path}{slash}{step.title or step.name}[{_place(call)[1]}]"


def _place(target: str) -> tuple[str, int]:
    call = _CALL.fullmatch(target)
    assert call is not None
    return call["step"], int(call["occurrence"])


def _fixed(where: str, step: Step, fix: Fix, price: float, others: Sequence[Fix]) -> Variant:
    """Return the variant of a step that runs under a fix: its own, where the fix changes something else."""
    if fix.since < 1:
        raise PipelineError(f"{where}: fix {fix.label!r}: since {fix.since} is no call; the first is 1")
    factual = _checked(where, declared_variant(step, price))
    check_resample(where, fix, factual)
    if fix.run is not None:
        variant = fix_variant(step, fix, price, others)
        # What is forced is no call; it may read the case.
        return variant if fix.kind in FORCED else _checked(f"{where}: fix {fix.label!r}", variant)
    # Its code is the step's; that it is edited is part of what identifies the run.
    if fix.edit is None:
        return factual
    return replace(factual, name=f"fix: {fix.label}", version=f"{factual.version} {fix.code_version}")


#: Kinds of fix that put an output in place of the step's.
FORCED = frozenset({"constant", "action", "observation"})


def _checked(where: str, variant: Variant) -> Variant:
    """Return a variant that can be called with names, with whether it draws."""
    check_function(where, variant.run)
    if variant.case_fields is not None:
        raise PipelineError(
            f"{where}: case_fields is for a Pipeline; a program says itself what it gives a step, as in "
            "step('plan', case['question'])"
        )
    draws = keyed = False
    try:
        parameters = inspect.signature(variant.run).parameters.values()
    except (TypeError, ValueError) as error:
        raise PipelineError(f"{where}: its parameters cannot be read; wrap it in a function") from error
    for parameter in parameters:
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise PipelineError(f"{where}: parameter {parameter.name!r} cannot be given by name; drop the '/' or '*'")
        draws |= parameter.name == DRAW
        keyed |= parameter.name == IDEMPOTENCY_KEY
    return replace(variant, draws=draws, keyed=keyed)


@functools.lru_cache(maxsize=1024)
def _signature(run: Callable[..., Any]) -> inspect.Signature:
    """Return what a function is given by the program."""
    signature = inspect.signature(run)
    own = [parameter for name, parameter in signature.parameters.items() if name not in (DRAW, IDEMPOTENCY_KEY)]
    return signature.replace(parameters=own)


def bound(run: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a call gives a function, by the names of its parameters.

    Raises
    ------
    TypeError
        If it does not fit.
    """
    signature = _signature(run) if isinstance(run, Hashable) else _signature.__wrapped__(run)
    found = signature.bind(*given, **named).arguments
    inputs: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        if parameter.name in found:
            if parameter.kind is parameter.VAR_KEYWORD:
                inputs.update(found[parameter.name])
            else:
                inputs[parameter.name] = found[parameter.name]
    return inputs


def forced(fix: Fix, case: Mapping[str, Any]) -> Any:
    """Return the output that a fix puts in place of the step's; raises what the fix raises."""
    assert fix.run is not None
    return fix.run(**bound(fix.run, (), {CASE: case} if CASE in inspect.signature(fix.run).parameters else {}))
