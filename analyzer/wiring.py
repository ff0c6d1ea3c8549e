"""Turns declared steps into nodes in run order: what each variant reads, and which player each fix is."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analyzer.amounts import counts_calls
from analyzer.shown import well_formed
from analyzer.steps import CASE, DRAW, IDEMPOTENCY_KEY, Codec, Fix, PipelineError, Step

#: What a fix does, in the words of game files.
FIX_KINDS = ("variant", "constant", "resample", "action", "observation", "context", "policy")

_ROLES = ("producer", "checker", None)
_TAKEN = {
    CASE: "the case's inputs",
    DRAW: "the source of randomness",
    IDEMPOTENCY_KEY: "the key of a call",
    "score": "the score, in messages",
}
# Calling one of these returns something that has not run yet.
_UNCALLED: tuple[tuple[str, Callable[[object], bool], str], ...] = (
    ("a generator", inspect.isgeneratorfunction, "return list(…) of what it yields"),
    ("an async generator", inspect.isasyncgenfunction, "collect what it yields into a list"),
)


@dataclass(frozen=True)
class Variant:
    """One way to run a step.

    Attributes
    ----------
    name : str
        Tells the variants of a step apart in messages.
    run : callable
        Called with what it reads, by keyword.
    reads : tuple of str
        Names of what it is given: `case` and earlier steps.
    draws : bool
        Whether it is given `draw`.
    cost : float
        Of one executed call, in the pipeline's cost unit.
        NaN where the price is not known.
    samples_itself : bool
        Whether it has randomness that `draw` does not provide.
    keyed : bool
        Whether it is given `idempotency_key`.
    version : str
        Text that changes when what the variant does may have changed, and tells the variants of a step apart in keys.
    batch : callable or None
        Takes many calls at once (see `Step`).
    codec : Codec or None
        What tells its outputs apart where they have no fingerprint of their own.
    case_fields : tuple of str or None
        The fields of the case that it is given; None for all.
    """

    name: str
    run: Callable[..., Any]
    reads: tuple[str, ...]
    draws: bool
    cost: float
    samples_itself: bool = False
    keyed: bool = False
    version: str = ""
    batch: Callable[[list[dict[str, Any]]], Any] | None = None
    codec: Codec | None = None
    case_fields: tuple[str, ...] | None = None

    @property
    def is_async(self) -> bool:
        """Whether calling it gives something to await."""
        return is_async(self.run)

    @property
    def has_luck(self) -> bool:
        """Whether it may give something else in another world, where it is given the same."""
        return self.draws or self.samples_itself


@dataclass(frozen=True)
class Node:
    """A step resolved: its variants, what it reads, and the player it is, if any.

    Attributes
    ----------
    step : Step
    fix : Fix or None
        The one that is tried.
    factual, fixed : Variant
        As it ran, and with the fix applied (the same one for a resample or where there is no fix).
    parents : tuple of str
        Everything either variant reads, steps in run order, `case` first.
    player : int or None
        Its bit in a coalition's mask.
    """

    step: Step
    fix: Fix | None
    factual: Variant
    fixed: Variant
    parents: tuple[str, ...]
    player: int | None

    @property
    def variants(self) -> tuple[Variant, Variant]:
        """The ways to run it: as it ran, and with the fix applied."""
        return self.factual, self.fixed

    @property
    def resamples(self) -> bool:
        """Whether the fix is fresh luck rather than another variant."""
        return self.fix is not None and self.fix.kind == "resample"


def price_of_a_call(unit: str) -> float:
    """Return what a call costs of which nothing says so: a price in calls is known, one in money is not (NaN)."""
    return 1.0 if counts_calls(unit) else math.nan


def check_steps(whole: str, steps: Sequence[Step]) -> None:
    """Raise `PipelineError` for names, roles, costs and fixes that cannot stand; `whole` begins every message."""
    if not steps:
        raise PipelineError(f"{whole} has no steps")
    seen = set[str]()
    for step in steps:
        where = f"{whole}: step {step.name!r}"
        check_text(f"{where}: name", step.name, blank=False)
        check_text(f"{where}: title", step.title)
        if step.name in _TAKEN:
            raise PipelineError(f"{where}: the name is taken: it stands for {_TAKEN[step.name]}")
        if step.name in seen:
            raise PipelineError(f"{where}: two steps have this name; give one of them another")
        seen.add(step.name)
        if step.role not in _ROLES:
            raise PipelineError(f"{where}: role {step.role!r} is not known; use 'producer', 'checker' or none")
        _check_cost(where, step.cost)
        _check_manners(where, step)
        for fix in step.fixes:
            check_fix(where, fix)
        labels = [fix.label for fix in step.fixes]
        if len(set(labels)) < len(labels):
            raise PipelineError(f"{where}: two of its fixes have one label; give them others")


def check_fix(where: str, fix: Fix) -> None:
    """Raise `PipelineError` for a fix that cannot stand."""
    if not isinstance(fix, Fix):
        raise PipelineError(f"{where}: fix is a {type(fix).__name__}; write Fix('what it does', function)")
    check_text(f"{where}: its fix's label", fix.label, blank=False)
    check_text(f"{where}: fix {fix.label!r}: description", fix.description)
    check_text(f"{where}: fix {fix.label!r}: diff", fix.diff)
    if fix.kind not in FIX_KINDS:
        raise PipelineError(f"{where}: fix {fix.label!r} has the unknown kind {fix.kind!r}")
    if fix.kind != "resample" and not callable(fix.edit if fix.edit is not None else fix.run):
        raise PipelineError(
            f"{where}: fix {fix.label!r} names no variant: give it the function to run instead, "
            "or use Fix.constant or Fix.resample"
        )
    check_text(f"{where}: fix {fix.label!r}: version", fix.version)
    _check_case_fields(f"{where}: fix {fix.label!r}", fix.case_fields)
    _check_cost(f"{where}: fix {fix.label!r}", fix.cost)


def _check_cost(where: str, cost: float | None) -> None:
    if cost is not None and (not isinstance(cost, int | float) or not 0 <= cost < float("inf")):
        raise PipelineError(f"{where}: cost {cost!r} is not a number from 0 up")


def _check_manners(where: str, step: Step) -> None:
    check_text(f"{where}: version", step.version)
    if step.concurrency is not None and (not isinstance(step.concurrency, int) or step.concurrency < 1):
        raise PipelineError(f"{where}: concurrency {step.concurrency!r} is not a whole number from 1 up")
    rate = step.per_minute
    if rate is not None and (not isinstance(rate, int | float) or not 0 < rate < float("inf")):
        raise PipelineError(f"{where}: per_minute {rate!r} is not a number above 0")
    _check_case_fields(where, step.case_fields)
    if step.codec is not None and not isinstance(step.codec, Codec):
        raise PipelineError(f"{where}: codec is a {type(step.codec).__name__}; write Codec('name', encode, decode)")


def _check_case_fields(where: str, fields: Sequence[str] | None) -> None:
    if isinstance(fields, str):
        raise PipelineError(f"{where}: case_fields is the text {fields!r}; write a list, [{fields!r}]")
    if fields is not None and not isinstance(fields, list | tuple):
        raise PipelineError(f"{where}: case_fields is a {type(fields).__name__}; write a list of names")
    for name in fields or ():
        check_text(f"{where}: case_fields", name)


def is_async(run: object) -> bool:
    """Return whether calling something gives something to await."""
    while isinstance(run, functools.partial):
        run = run.func
    return inspect.iscoroutinefunction(run) or inspect.iscoroutinefunction(getattr(run, "__call__", None))  # noqa: B004


def check_text(where: str, text: object, *, blank: bool = True) -> None:
    """Raise `PipelineError` unless a text can be written into a file, and says something where it must."""
    if not isinstance(text, str):
        raise PipelineError(f"{where}: {text!r} is no text")
    if not blank and not text.strip():
        raise PipelineError(f"{where}: is blank; say in a few words what it is")
    if text != well_formed(text):
        raise PipelineError(f"{where}: {text!r} holds half a character (a lone surrogate), which no file can hold")


def check_function(where: str, run: object) -> None:
    """Raise `PipelineError` for what cannot be called, or runs nothing when it is."""
    if not callable(run):
        raise PipelineError(f"{where}: {run!r} is not a function")
    for kind, is_kind, remedy in _UNCALLED:
        if is_kind(run):
            raise PipelineError(f"{where}: is {kind}, so calling it runs nothing; {remedy}")


def read_variant(
    name: str, run: Callable[..., Any], cost: float, known: Iterable[str], others: Sequence[str] | None, where: str
) -> Variant:
    """Read off a function's parameters what it reads.

    Parameters
    ----------
    name, run, cost
        See `Variant`.
    known : iterable of str
        The steps it may read.
    others : sequence of str or None
        What ``**inputs`` stands for; None where nothing says.
    where : str
        Begins every message.
    """
    check_function(where, run)
    try:
        parameters = inspect.signature(run).parameters.values()
    except (TypeError, ValueError) as error:
        raise PipelineError(f"{where}: the parameters of {run!r} cannot be read; wrap it in a function") from error
    steps = set(known)
    reads, draws, keyed = list[str](), False, False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            if others is None:
                raise PipelineError(f"{where}: takes **{parameter.name}, so say what it reads with parents=[…]")
            reads.extend(other for other in others if other not in reads)
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise PipelineError(f"{where}: parameter {parameter.name!r} cannot be given by name; drop the '/' or '*'")
        elif parameter.name == DRAW:
            draws = True
        elif parameter.name == IDEMPOTENCY_KEY:
            keyed = True
        elif parameter.name == CASE or parameter.name in steps:
            reads.append(parameter.name)
        elif parameter.default is parameter.empty:
            raise PipelineError(
                f"{where}: reads {parameter.name!r}, which is neither {CASE!r}, {DRAW!r} nor a step; "
                f"the steps are {_listed(steps)}"
            )
    return Variant(name, run, tuple(reads), draws, float(cost), keyed=keyed)


def _step_variant(variant: Variant, step: Step, known: set[str], where: str) -> Variant:
    """Read off what a variant of a step reads, and hold it against the parents that the step declares."""
    parents = step.parents
    if isinstance(parents, str):
        raise PipelineError(f"{where}: parents is the text {parents!r}; write a list, [{parents!r}]")
    unknown = [parent for parent in parents or () if parent != CASE and parent not in known]
    if unknown:
        raise PipelineError(f"{where}: its parent {unknown[0]!r} is no step; the steps are {_listed(known)}")
    if variant.batch is not None and not callable(variant.batch):
        raise PipelineError(f"{where}: batch: {variant.batch!r} is not a function")
    found = read_variant(variant.name, variant.run, variant.cost, known, parents, where)
    undeclared = [read for read in found.reads if parents is not None and read not in parents]
    if undeclared:
        raise PipelineError(f"{where}: reads {undeclared[0]!r}, which its parents do not list")
    return replace(variant, reads=found.reads, draws=found.draws, keyed=found.keyed)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(map(repr, names))) or "none"


def resolve(pipeline: str, steps: Sequence[Step], tried: Mapping[str, str], price: float) -> tuple[Node, ...]:
    """Put the steps in run order and number the players.

    Parameters
    ----------
    pipeline : str
        Begins every message.
    steps : sequence of Step
    tried : mapping of str to str
        By step, the label of the fix to try, where it is not the first.
    price : float
        Of a call of which nothing says what it costs; NaN where that is unknown.
    """
    known = {step.name for step in steps}
    fixes = {step.name: fix_to_try(pipeline, step, tried) for step in steps}
    if stray := [name for name in tried if name not in known]:
        raise PipelineError(f"pipeline {pipeline!r}: step {stray[0]!r}, whose fix was asked for, is no step")
    variants = dict[str, tuple[Variant, Variant]]()
    for step in steps:
        where = f"pipeline {pipeline!r}: step {step.name!r}"
        others = known - {step.name}
        factual = _step_variant(declared_variant(step, price), step, others, where)
        variants[step.name], reading = (factual, factual), {*factual.reads}
        # All of them, so that a fault in one that is not tried shows at once.
        for fix in step.fixes:
            if fix.edit is not None or fix.since != 1:
                raise PipelineError(f"{where}: fix {fix.label!r} is for single calls, which only a Program makes")
            check_resample(where, fix, factual)
            if fix.run is not None:
                fixed = _step_variant(fix_variant(step, fix, price), step, others, f"{where}: fix {fix.label!r}")
                reading |= {*fixed.reads}
                if fix is fixes[step.name]:
                    variants[step.name] = (factual, fixed)
        if step.case_fields is not None and CASE not in reading:
            raise PipelineError(f"{where}: case_fields says what it reads of {CASE!r}, but it does not read that")
    reads = {name: {*factual.reads, *fixed.reads} - {CASE} for name, (factual, fixed) in variants.items()}
    ordered = _in_run_order(pipeline, steps, reads)
    position = {step.name: index for index, step in enumerate(ordered)}
    nodes, player = list[Node](), 0
    for step in ordered:
        factual, fixed = variants[step.name]
        everything = {*factual.reads, *fixed.reads}
        parents = tuple(sorted(everything, key=lambda name: position.get(name, -1)))
        tried_fix = fixes[step.name]
        nodes.append(Node(step, tried_fix, factual, fixed, parents, player if tried_fix else None))
        player += tried_fix is not None
    return tuple(nodes)


def _in_run_order(pipeline: str, steps: Sequence[Step], reads: Mapping[str, set[str]]) -> list[Step]:
    """Put each step after what it reads, and otherwise as given."""
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
    return ordered


def declared_variant(step: Step, price: float) -> Variant:
    """Return a step as it runs, before it is known what it reads; `price` is that of a call where nothing says it."""
    run, batch = (step.run, step.batch) if step.stub is None else (step.stub, None)
    cost = price if step.cost is None else float(step.cost)
    return Variant(
        "as it ran",
        run,
        (),
        False,
        cost,
        step.samples_itself,
        version=step.code_version,
        batch=batch,
        codec=step.codec,
        case_fields=None if step.case_fields is None else tuple(step.case_fields),
    )


def fix_variant(step: Step, fix: Fix, price: float, others: Iterable[Fix] = ()) -> Variant:
    """Return the same for a fix of it that runs another function; `others` may be tried beside those of the step."""
    assert fix.run is not None
    factual = declared_variant(step, price)
    return Variant(
        f"fix: {fix.label}",
        fix.run,
        (),
        False,
        factual.cost if fix.cost is None else float(fix.cost),
        step.samples_itself if fix.samples_itself is None else fix.samples_itself,
        version=_version_of(step, fix, others),
        batch=fix.batch,
        codec=step.codec,
        case_fields=factual.case_fields if fix.case_fields is None else tuple(fix.case_fields),
    )


def _version_of(step: Step, fix: Fix, others: Iterable[Fix]) -> str:
    """Return the version of a fix, with its label only where the version alone does not say which fix it is.

    A declared one may be that of any fix, and code may be alike in all that can be seen of it: two objects of another
    package that differ in what they keep to themselves.
    """
    rivals = {one.code_version for one in (*step.fixes, *others) if one.label != fix.label}
    if fix.version or fix.code_version in {step.code_version, *rivals}:
        return f"fix {fix.label!r}: {fix.code_version}"
    return fix.code_version


def check_resample(where: str, fix: Fix, factual: Variant) -> None:
    """Raise `PipelineError` for a fix that runs a step again which has no luck to be had anew."""
    if fix.kind == "resample" and not factual.has_luck:
        raise PipelineError(
            f"{where}: fix {fix.label!r} runs it again with fresh luck, but it has none: let its function take "
            f"{DRAW!r} and draw from that, or, if it samples where {DRAW!r} does not reach (a hosted model), say "
            "samples_itself=True"
        )


def codecs_of(nodes: Iterable[Node]) -> tuple[Codec, ...]:
    """Return the codecs that steps declare, each name's once, in the order of the steps."""
    return tuple({node.step.codec.name: node.step.codec for node in nodes if node.step.codec is not None}.values())


def fix_to_try(pipeline: str, step: Step, tried: Mapping[str, str]) -> Fix | None:
    """Return the fix of a step that is tried: the one asked for by its label, or the first."""
    label = tried.get(step.name)
    if label is None:
        return step.fixes[0] if step.fixes else None
    found = [fix for fix in step.fixes if fix.label == label]
    if not found:
        there = f"it has {_listed(fix.label for fix in step.fixes)}" if step.fixes else "it has none"
        raise PipelineError(f"pipeline {pipeline!r}: step {step.name!r} has no fix {label!r}; {there}")
    return found[0]


def with_fixes_named(id: str, steps: Iterable[Step], tried: Mapping[str, str]) -> str:
    """Return the id of a system, with the fixes it tries that are not the first of their step."""
    firsts = {step.name: step.fixes[0].label for step in steps if step.fixes}
    others = [f"{name}={tried[name]}" for name, first in firsts.items() if tried.get(name, first) != first]
    return " + ".join([id, *others])


def _cycle(reads: Mapping[str, set[str]], waiting: Iterable[Step]) -> str:
    names = {step.name for step in waiting}
    path = [min(names)]
    while path[-1] not in path[:-1]:
        path.append(min(reads[path[-1]] & names))
    return " → ".join(reversed(path[path.index(path[-1]) :]))
