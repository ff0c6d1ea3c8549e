"""Turns a pipeline and a plan into the header of its game files."""

from __future__ import annotations

from analyzer import __version__
from analyzer.game_file import Counts, FixInfo, Header, Scenario, ScoreInfo, StepInfo
from analyzer.pipeline import CASE, Fix, Node, Pipeline
from analyzer.plan import Plan
from analyzer.shown import well_formed

#: The world whose outputs are shown, by its place among those that a mode looks at.
REFERENCE_WORLD = 0


def header(pipeline: Pipeline, mode: str, plan: Plan) -> Header:
    """Return the header of the file for one mode, its counts all zero."""
    scoring = pipeline.scoring
    return Header(
        scenario=Scenario(
            id=scenario_id(pipeline),
            pipeline=pipeline.id,
            title=pipeline.title or pipeline.id,
            summary=pipeline.summary,
            score=ScoreInfo(
                scoring.meaning, scoring.graded, float(scoring.low), float(scoring.high), float(scoring.threshold)
            ),
            cost_unit=pipeline.cost_unit,
        ),
        steps=tuple(map(_step_info, pipeline.nodes)),
        players=pipeline.players,
        mode=mode,
        worlds=plan.worlds_in(mode),
        reference_world=REFERENCE_WORLD,
        seed=plan.seed,
        package="agent-blame-site",
        version=__version__,
        fingerprint=pipeline.fingerprint(),
        counts=Counts(0, 0, 0, 0, 0),
        delta=plan.delta,
        stopped="",
        redacted=(),
    )


def scenario_id(pipeline: Pipeline) -> str:
    """Return the id of a pipeline's scenario: its own, with the fixes that are not the first of their step."""
    others = [
        f"{node.step.name}={node.fix.label}"
        for node in pipeline.nodes
        if node.fix is not None and node.fix is not node.step.fixes[0]
    ]
    return " + ".join([pipeline.id, *others])


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
