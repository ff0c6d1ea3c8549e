"""Turns a pipeline and a plan into the header of its game files."""

from __future__ import annotations

from analyzer import __version__
from analyzer.game_file import Counts, FixInfo, Header, Scenario, ScoreInfo, StepInfo
from analyzer.pipeline import CASE, Fix, Node
from analyzer.plan import Plan
from analyzer.program import OUTPUT, Program
from analyzer.shown import well_formed
from analyzer.system import System
from analyzer.wiring import with_fixes_named

#: The world whose outputs are shown, by its place among those that a mode looks at.
REFERENCE_WORLD = 0


def header(system: System, mode: str, plan: Plan) -> Header:
    """Return the header of the file for one mode, its counts all zero."""
    scoring = system.scoring
    return Header(
        scenario=Scenario(
            id=scenario_id(system),
            pipeline=system.id,
            title=system.title or system.id,
            summary=system.summary,
            score=ScoreInfo(
                scoring.meaning, scoring.graded, float(scoring.low), float(scoring.high), float(scoring.threshold)
            ),
            cost_unit=system.cost_unit,
        ),
        steps=(*map(_step_info, system.nodes), *_what_it_returned(system)),
        players=system.players,
        mode=mode,
        worlds=plan.worlds_in(mode),
        reference_world=REFERENCE_WORLD,
        seed=plan.seed,
        package="agent-blame-site",
        version=__version__,
        fingerprint=system.fingerprint(),
        counts=Counts(0, 0, 0, 0, 0),
        delta=plan.delta,
        stopped="",
        redacted=(),
        ordered=not isinstance(system, Program),
    )


def scenario_id(system: System) -> str:
    """Return the id of a pipeline's scenario: its own, with the fixes that are not the first of their step."""
    return with_fixes_named(system.id, system.steps, system.tried)


def _what_it_returned(system: System) -> tuple[StepInfo, ...]:
    """Return what stands for a program's output: a last step that reads all others."""
    if not isinstance(system, Program):
        return ()
    parents = tuple(node.step.name for node in system.nodes)
    return (StepInfo(OUTPUT, "Output", parents, role=None, interventional=False, fix=None),)


def _step_info(node: Node) -> StepInfo:
    step = node.step
    return StepInfo(
        id=step.name,
        title=step.title or step.name,
        parents=tuple(parent for parent in node.parents if parent != CASE),
        role=step.role,
        interventional=node.factual.samples_itself or node.fixed.samples_itself,
        fix=None if node.fix is None else _fix_info(node.fix),
        alternatives=tuple(_fix_info(fix) for fix in step.fixes if fix is not node.fix),
    )


def _fix_info(fix: Fix) -> FixInfo:
    return FixInfo(fix.label, fix.kind, well_formed(fix.description or _first_line(fix.run)), fix.diff)


def _first_line(run: object) -> str:
    return (getattr(run, "__doc__", None) or "").strip().split("\n")[0] if run is not None else ""
