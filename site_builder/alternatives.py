"""Turns scenarios of one pipeline, in which other fixes were tried at some steps, into a table side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.rules import isolated, number_text
from site_builder.batch_view import interval_of
from site_builder.figures import Bar, Scale, Whiskers, bar, scale, whiskers
from site_builder.over_all import OverAll, over_all
from site_builder.wording import MODE_TITLES, interval_text


@dataclass(frozen=True)
class Tried:
    """What was tried at one step, and what it was worth; ``–`` stands where there is no number."""

    label: str
    mean: str
    interval: str
    alone: str
    bar: Bar
    whiskers: Whiskers | None


@dataclass(frozen=True)
class Assignment:
    """A scenario of the pipeline: its name, which is what it tries else, and what was tried and repaired in it."""

    slug: str
    name: str
    here: bool
    linked: bool
    together: str
    tried: tuple[Tried, ...]


@dataclass(frozen=True)
class Alternatives:
    """The scenarios of one pipeline under one mode.

    Attributes
    ----------
    tried : str
        What was tried in the one at hand, at the steps in which they differ.
    steps : tuple of str
        The titles of these.
    """

    tried: str
    mode: str
    confidence: str
    steps: tuple[str, ...]
    rows: tuple[Assignment, ...]


def alternatives(over: OverAll, everything: Sequence[OverAll]) -> Alternatives | None:
    """Return a scenario beside the others of its pipeline, under its mode; None if it is the only one.

    Parameters
    ----------
    over : OverAll
    everything : sequence of OverAll
        Those of every scenario of the site.
    """
    pipeline, mode = over.header.scenario.pipeline, over.header.mode
    group = [one for one in everything if one.header.scenario.pipeline == pipeline]
    steps = differing(group)
    if len(group) < 2 or not steps:
        return None
    titles = {step.id: step.title or step.id for one in group for step in one.header.steps}
    same = [_under(one, mode) for one in group]
    spans = [_span(step, same) for step in steps]
    rows = tuple(_row(one, found, steps, spans, over) for one, found in zip(group, same, strict=True))
    return Alternatives(
        tried_at(over, steps), MODE_TITLES[mode], over.basis.confidence, tuple(titles[step] for step in steps), rows
    )


def differing(group: Sequence[OverAll]) -> tuple[str, ...]:
    """Return the steps at which scenarios tried different fixes, in run order."""
    order = dict.fromkeys(step.id for one in group for step in one.header.steps)
    return tuple(step for step in order if len({_label(one, step) for one in group}) > 1)


def tried_at(over: OverAll, steps: Sequence[str]) -> str:
    """Return what was tried at some steps, in one line."""
    titles = {step.id: step.title or step.id for step in over.header.steps}
    return " · ".join(
        f"{isolated(titles[step])}: {isolated(label)}" for step in steps if (label := _label(over, step)) is not None
    )


def _label(over: OverAll, step: str) -> str | None:
    return next((one.fix.label for one in over.header.steps if one.id == step and one.fix is not None), None)


def _under(over: OverAll, mode: str) -> OverAll | None:
    """Return a scenario under a mode; None if it was not analysed in it, or no case has values."""
    if over.header.mode != mode:
        if mode not in over.scenario.headers:
            return None
        over = over_all(over.scenario, mode)
    return over if over.table.complete else None


def _span(step: str, group: Sequence[OverAll | None]) -> Scale:
    ends = []
    for one in group:
        if one is not None and step in one.header.players:
            fix = one.table.fixes[one.header.players.index(step)]
            ends += [fix.mean, *(interval_of(fix) or ())]
    return scale(ends, 0.0)


def _row(
    one: OverAll, found: OverAll | None, steps: Sequence[str], spans: Sequence[Scale], here: OverAll
) -> Assignment:
    others = [step for step in steps if _label(one, step) != _label(here, step)]
    return Assignment(
        slug=one.scenario.slug,
        name=tried_at(one, others) or one.header.scenario.id,
        here=one is here,
        linked=bool(one.scenario.cases),
        together="–" if found is None else f"{found.table.repaired}/{found.table.complete}",
        tried=tuple(_tried(one, found, step, span) for step, span in zip(steps, spans, strict=True)),
    )


def _tried(one: OverAll, found: OverAll | None, step: str, span: Scale) -> Tried:
    label = _label(one, step)
    if label is None or found is None or step not in found.header.players:
        return Tried(label or "–", "–", "", "–", bar(0.0, span), whiskers(0.0, 0.0, span))
    fix = found.table.fixes[found.header.players.index(step)]
    interval = interval_of(fix)
    return Tried(
        label,
        number_text(fix.mean),
        "" if interval is None else interval_text(interval[0], interval[1]),
        f"{fix.alone}/{found.table.complete}",
        bar(fix.mean, span),
        None if interval is None else whiskers(*interval, span),
    )
