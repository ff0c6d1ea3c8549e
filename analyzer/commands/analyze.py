"""Turns the options of `agentblame analyze` into jobs, and runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from analyzer.budget import Budget
from analyzer.commands.gates import Gate, gate_of
from analyzer.commands.loading import LoadingError, load_cases, load_pipeline
from analyzer.commands.run_options import Duration, Where, choice, group, how
from analyzer.commands.session import Job, Session, say_estimate
from analyzer.game import MOST_LISTED
from analyzer.game_file import MODES, make_ready
from analyzer.headers import scenario_id
from analyzer.pipeline import Case
from analyzer.plan import Plan
from analyzer.program import Program, step_of
from analyzer.redacted_games import Redaction
from analyzer.redacted_output import Guard
from analyzer.redaction import redactor_of
from analyzer.sampling import ESTIMATORS
from analyzer.scenarios import bundle, names
from analyzer.settings import read_settings
from analyzer.store import Store
from analyzer.system import System

_what = group(
    click.option(
        "--cases", type=click.Path(path_type=Path), help="JSON Lines file of cases (not for bundled scenarios)."
    ),
    click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for the game files."),
    click.option(
        "--mode", "modes", type=click.Choice(MODES), multiple=True, help="Noise mode; repeat for several. Default: all."
    ),
    click.option(
        "--worlds",
        type=click.IntRange(1, 10_000),
        default=8,
        show_default=True,
        help="Worlds K of the abducted and fresh modes.",
    ),
    click.option("--seed", default="0", show_default=True, help="Root of all noise."),
    click.option("--fix", "fixes", metavar="STEP=LABEL", multiple=True, help="Fix to try at a step that has several."),
    click.option(
        "--players",
        type=click.Choice(["fixes", "calls"]),
        default="fixes",
        show_default=True,
        help="Of a program: its fixes, or each single call that a failing run makes of a step with a fix.",
    ),
    click.option("--alternatives", is_flag=True, help="Also try every other fix of a step, one step at a time."),
    click.option("--max-failures", type=click.IntRange(1), help="Stop after so many failing cases."),
    click.option("--until-separated", is_flag=True, help="Stop as soon as one fix is separated from all others."),
    click.option(
        "--delta",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        help="Error probability of intervals and claims.",
    ),
    click.option(
        "--exact-up-to",
        type=click.IntRange(0, MOST_LISTED),
        default=Plan.exact_up_to,
        show_default=True,
        help="Most fixes whose coalitions are all run; with more, they are sampled.",
    ),
    click.option(
        "--estimator", type=click.Choice(ESTIMATORS), default=ESTIMATORS[0], show_default=True, help="Of sampled games."
    ),
    click.option(
        "--max-coalitions",
        type=click.IntRange(1),
        default=Plan.max_coalitions,
        show_default=True,
        help="Coalitions that a sampled game may run.",
    ),
)

_budget = group(
    click.option("--estimate", "only_estimate", is_flag=True, help="Say what it can take at most, and run nothing."),
    click.option("--max-calls", type=click.IntRange(1), help="Execute no more calls of steps than this."),
    click.option("--max-cost", type=click.FloatRange(0), help="Spend no more than this, in the cost unit."),
    click.option("--max-time", type=Duration(), help="Start no call after so long, such as 90s, 15m or 1h30m."),
    click.option("--fail-on", "conditions", metavar="CONDITION", multiple=True,
                 help="Exit with 10 if it holds, such as 'mean(retrieve) > 0.3'; repeat for several."),
)  # fmt: skip


@click.command("analyze")
@click.argument("target")
@_what
@_budget
@how
def analyze_command(
    target: str,
    cases: Path | None,
    out: Path,
    modes: tuple[str, ...],
    fixes: tuple[str, ...],
    players: str,
    alternatives: bool,
    max_failures: int | None,
    only_estimate: bool,
    max_calls: int | None,
    max_cost: float | None,
    max_time: float | None,
    conditions: tuple[str, ...],
    config: Path | None,
    **settings: Any,
) -> None:
    """Re-run failing cases under coalitions of fixes and write game files.

    TARGET is a bundled scenario (see `agentblame scenarios`) or a pipeline of your own, FILE.py:NAME or MODULE:NAME.
    Run the same command again to go on where it ended: what is stored is not run again. Exits with 3 if a case or a
    coalition could not be scored, or a cap was reached; what is complete is written all the same.
    """
    where = Where.of(settings)
    redaction = Redaction(redactor_of(read_settings(config)))
    guard = click.get_current_context().find_object(Guard)
    if guard is not None:
        guard.redactor = redaction.redactor
    wanted = tuple(mode for mode in MODES if mode in modes) or MODES
    plan = Plan(modes=wanted, budget=Budget(max_calls, max_cost, max_time), **settings)
    gates = [gate_of(condition) for condition in conditions]
    targets = _targets(target, cases)
    steps = {node.step.name for system, _, _ in targets for node in system.nodes}
    tried = dict(choice("--fix", fix, "LABEL", steps) for fix in fixes)
    jobs = []
    for system, chosen, shown in targets:
        assignments = _assignments(system.trying(tried)) if alternatives else [system.trying(tried)]
        enough = max_failures or (None if plan.until_separated else shown)
        jobs += [Job(one, chosen, replace(plan, max_failures=enough)) for one in assignments]
    systems = [job.system for job in jobs]
    at_calls = players == "calls"
    for job in jobs:
        job.plan.check(job.system, job.cases)
        scoring = job.system.scoring
        for gate in gates:
            known = _calls_for(gate, job.system.players) if at_calls else job.system.players
            gate.check(known, wanted, float(scoring.high) - float(scoring.low))
    name = redaction.name("scenario", target if target in names() else systems[0].id)
    where.checked(systems)
    if only_estimate:
        for job in jobs:
            say_estimate(job, _durations(where.path(name)))
        return
    shown_as = [_at_calls(system) for system in systems] if at_calls else systems
    ids = [redaction.name("scenario", scenario_id(system)) for system in shown_as]
    make_ready(out, [(id, mode) for id in ids for mode in wanted])
    with where.memory(systems, name) as memory:
        session = Session(out, redaction, memory, gates, at_calls=at_calls)
        results = [session.run(job) for job in jobs if not session.ended]
        code = session.finish(results)
    click.get_current_context().exit(code)


def _at_calls(system: System) -> Program:
    """Return a program whose players are single calls, as far as is known before any has run."""
    if not isinstance(system, Program):
        raise LoadingError("--players calls: is for programs; the steps of a pipeline are each called once.")
    return system.at_calls(())


def _calls_for(gate: Gate, players: Sequence[str]) -> Sequence[str]:
    """Return calls that a gate may be about: which of them are made shows only as the program runs."""
    meant = step_of(gate.step)
    return [gate.step] if meant != gate.step and meant in players else [f"{step}[1]" for step in players]


def _durations(path: Path | None) -> Mapping[str, float]:
    """Return the mean duration of a call by step, as far as earlier runs measured it."""
    if path is None or not path.is_file():
        return {}
    with Store.open(path) as store:
        return store.seconds_per_call()


def _assignments(system: System) -> list[System]:
    """Return a system, and the same with each other fix of a step in turn."""
    others = [
        system.trying({node.step.name: fix.label})
        for node in system.nodes
        for fix in node.step.fixes
        if fix is not node.fix
    ]
    return [system, *others]


def _targets(target: str, cases: Path | None) -> list[tuple[System, Sequence[Case], int | None]]:
    """Return pipelines, the cases of each, and how many failing ones are enough unless more are asked for."""
    for name in names():
        found = bundle(name)
        chosen = [system for system in found.pipelines if target in (name, system.id)]
        if chosen:
            if cases is not None:
                raise LoadingError(f"{target}: a bundled scenario has its own cases; leave --cases away.")
            return [(system, found.cases, found.failures) for system in chosen]
    system = load_pipeline(target)
    if cases is None:
        raise LoadingError(f"{target}: needs cases. Add --cases FILE.jsonl, one JSON object per line.")
    return [(system, load_cases(cases), None)]
