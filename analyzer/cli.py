"""Turns the analyzer's commands on the command line into game files, checks of them, and tables in the terminal."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import click

from analyzer.batch import ALL_ANALYSED, Batch, analyze
from analyzer.game import MOST_LISTED
from analyzer.game_file import (
    MODES,
    GameFile,
    GameFileError,
    check_arithmetic,
    check_together,
    make_ready,
    read,
    read_folder,
    write,
)
from analyzer.headers import scenario_id
from analyzer.loading import LoadingError, load_cases, load_pipeline
from analyzer.memory import Budget, Memory
from analyzer.pipeline import Case, Pipeline, PipelineError
from analyzer.plan import Plan, estimate
from analyzer.redacted_games import Redaction
from analyzer.redacted_output import Guard
from analyzer.redaction import redactor_of
from analyzer.sampling import ESTIMATORS
from analyzer.scenarios import bundle, names
from analyzer.settings import FILE_NAME, SettingsError, read_settings
from analyzer.show import as_data, counted, lines

#: Exit codes of every command.
EXIT_DONE, EXIT_INTERNAL, EXIT_INPUT, EXIT_PARTIAL, EXIT_INTERRUPTED = 0, 1, 2, 3, 130
#: What a user can put right: shown as one message, without a traceback, with exit code 2.
INPUT_ERRORS = (GameFileError, LoadingError, PipelineError, SettingsError)

_ERRORS_SHOWN = 5

_games_argument = click.argument("games", type=click.Path(path_type=Path))


@click.command()
def scenarios() -> None:
    """List the bundled scenarios."""
    for name in names():
        found = bundle(name)
        click.echo(f"{name}: {found.summary}")
        for pipeline in found.pipelines:
            steps = " → ".join(node.step.name for node in pipeline.nodes)
            cases, fixes = counted(len(found.cases), "case"), counted(len(pipeline.players), "fix", "fixes")
            click.echo(f"  {pipeline.id}: {steps}; {cases}, {fixes}")


@click.command("analyze")
@click.argument("target")
@click.option("--cases", type=click.Path(path_type=Path), help="JSON Lines file of cases (not for bundled scenarios).")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for the game files.")
@click.option(
    "--mode", "modes", type=click.Choice(MODES), multiple=True, help="Noise mode; repeat for several. Default: all."
)
@click.option(
    "--worlds",
    type=click.IntRange(1, 10_000),
    default=8,
    show_default=True,
    help="Worlds K of the abducted and fresh modes.",
)
@click.option("--seed", default="0", show_default=True, help="Root of all noise.")
@click.option("--fix", "fixes", metavar="STEP=LABEL", multiple=True, help="Fix to try at a step that has several.")
@click.option("--alternatives", is_flag=True, help="Also try every other fix of a step, one step at a time.")
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it can take at most, and run nothing.")
@click.option("--max-calls", type=click.IntRange(1), help="Stop before more calls of steps than this.")
@click.option("--max-cost", type=click.FloatRange(0), help="Stop before a higher cost than this, in the cost unit.")
@click.option("--max-failures", type=click.IntRange(1), help="Stop after so many failing cases.")
@click.option("--until-separated", is_flag=True, help="Stop as soon as one fix is separated from all others.")
@click.option(
    "--delta",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Error probability of intervals and claims.",
)
@click.option(
    "--exact-up-to",
    type=click.IntRange(0, MOST_LISTED),
    default=Plan.exact_up_to,
    show_default=True,
    help="Most fixes whose coalitions are all run; with more, they are sampled.",
)
@click.option(
    "--estimator", type=click.Choice(ESTIMATORS), default=ESTIMATORS[0], show_default=True, help="Of sampled games."
)
@click.option(
    "--max-coalitions",
    type=click.IntRange(1),
    default=Plan.max_coalitions,
    show_default=True,
    help="Coalitions that a sampled game may run.",
)
@click.option(
    "--config", type=click.Path(path_type=Path), help=f"Settings file. Default: {FILE_NAME} in the working folder."
)
def analyze_command(
    target: str,
    cases: Path | None,
    out: Path,
    modes: tuple[str, ...],
    worlds: int,
    seed: str,
    fixes: tuple[str, ...],
    alternatives: bool,
    only_estimate: bool,
    max_calls: int | None,
    max_cost: float | None,
    max_failures: int | None,
    until_separated: bool,
    delta: float,
    exact_up_to: int,
    estimator: str,
    max_coalitions: int,
    config: Path | None,
) -> None:
    """Re-run failing cases under coalitions of fixes and write game files.

    TARGET is a bundled scenario (see `agentblame scenarios`) or a pipeline of your own, FILE.py:NAME or MODULE:NAME.
    Exits with 3 if a case or a coalition could not be scored, or a cap was reached; what is complete is written all
    the same.
    """
    redaction = Redaction(redactor_of(read_settings(config)))
    guard = click.get_current_context().find_object(Guard)
    if guard is not None:
        guard.redactor = redaction.redactor
    wanted = tuple(mode for mode in MODES if mode in modes) or MODES
    budget = Budget(max_calls, max_cost)
    plan = Plan(
        modes=wanted,
        worlds=worlds,
        seed=seed,
        delta=delta,
        until_separated=until_separated,
        exact_up_to=exact_up_to,
        max_coalitions=max_coalitions,
        estimator=estimator,
    )
    tried = dict(_choice(fix) for fix in fixes)
    jobs = []
    for pipeline, chosen, shown in _targets(target, cases):
        assignments = _assignments(pipeline.trying(tried)) if alternatives else [pipeline.trying(tried)]
        enough = max_failures or (None if until_separated else shown)
        jobs.append(_Job(assignments, chosen, replace(plan, max_failures=enough)))
    for job in jobs:
        for pipeline in job.pipelines:
            job.plan.check(pipeline, job.cases)
            if only_estimate:
                _say_estimate(pipeline, len(job.cases), job.plan)
    if only_estimate:
        return
    ids = [redaction.name("scenario", scenario_id(one)) for job in jobs for one in job.pipelines]
    make_ready(out, [(id, mode) for id in ids for mode in wanted])
    complete = True
    for job in jobs:
        memory = Memory()
        for pipeline in job.pipelines:
            complete &= _run(pipeline, job.cases, replace(job.plan, budget=budget), out, memory, redaction)
        budget = budget.less(memory.executed, memory.cost)
    if not complete:
        click.get_current_context().exit(EXIT_PARTIAL)


@dataclass(frozen=True)
class _Job:
    """Assignments of one pipeline's fixes, which share what was executed; their cases, and the plan for each."""

    pipelines: Sequence[Pipeline]
    cases: Sequence[Case]
    plan: Plan


def _assignments(pipeline: Pipeline) -> list[Pipeline]:
    """Return a pipeline, and the same with each other fix of a step in turn."""
    others = [
        pipeline.trying({node.step.name: fix.label})
        for node in pipeline.nodes
        for fix in node.step.fixes
        if fix is not node.fix
    ]
    return [pipeline, *others]


def _run(
    pipeline: Pipeline, cases: Sequence[Case], plan: Plan, out: Path, memory: Memory, redaction: Redaction
) -> bool:
    """Analyse one pipeline and write its game files; return whether nothing is missing."""
    _say_estimate(pipeline, len(cases), plan)
    before, cost = memory.executed, memory.cost
    # What a step prints is talk; stdout lists the files written and nothing else.
    with contextlib.redirect_stdout(sys.stderr):
        batch = analyze(pipeline, cases, plan, memory, _reporter(len(cases)), redaction)
    _summarise(pipeline, replace(batch, executed=batch.executed - before, cost=batch.cost - cost))
    counts = batch.files[0].header.counts
    if counts.seen == counts.errored:
        why = "no case could be run as it is" if counts.seen else "no case was run"
        click.echo(f"  {why}, so no game file was written", err=True)
    else:
        for path in [write(file, out) for file in batch.files]:
            click.echo(str(path))
    _tell_redacted(batch)
    if batch.interrupted:
        raise KeyboardInterrupt
    return counts.seen > counts.errored and not (batch.errored or batch.missing or batch.capped)


def _tell_redacted(batch: Batch) -> None:
    """Say what was redacted, and how often, in each file in which something was."""
    told = {file.header.mode: ", ".join(file.header.redacted) for file in batch.files if file.header.redacted}
    if told and len(told) == len(batch.files) and len(set(told.values())) == 1:
        click.echo(f"  redacted in each file: {next(iter(told.values()))}", err=True)
    else:
        for mode, what in told.items():
            click.echo(f"  redacted, {mode}: {what}", err=True)


def _say_estimate(pipeline: Pipeline, cases: int, plan: Plan) -> None:
    """Say what an analysis can take at most, before it runs."""
    most = estimate(pipeline, cases, plan)
    failures = cases if plan.max_failures is None else min(cases, plan.max_failures)
    calls, cost = most.factual_calls + failures * most.failure_calls, most.factual_cost + failures * most.failure_cost
    players, unit = len(pipeline.players), pipeline.cost_unit
    click.echo(f"{scenario_id(pipeline)}: {counted(cases, 'case')}, {counted(players, 'fix', 'fixes')}", err=True)
    how = f"a sample of at most {most.coalitions}" if plan.samples(pipeline) else f"all {most.coalitions}"
    worlds = [plan.worlds_in(mode) for mode in plan.modes]
    click.echo(
        f"  at most {_priced(most.factual_calls, most.factual_cost, unit)} to run every case once; at most "
        f"{_priced(most.failure_calls, most.failure_cost, unit)} more per failing case, for {how} coalitions in "
        f"{' + '.join(map(str, worlds))} {'world' if sum(worlds) == 1 else 'worlds'}; "
        f"at most {_priced(calls, cost, unit)} in all, if {failures} fail",
        err=True,
    )


def _priced(calls: int, cost: float, unit: str) -> str:
    return counted(calls, "call") + ("" if cost == calls and "call" in unit else f" ({cost:g} {unit})")


def _choice(text: str) -> tuple[str, str]:
    step, equals, label = text.partition("=")
    if not equals:
        raise LoadingError(f"--fix {text}: write STEP=LABEL.")
    return step, label


def _targets(target: str, cases: Path | None) -> list[tuple[Pipeline, Sequence[Case], int | None]]:
    """Return pipelines, the cases of each, and how many failing ones are enough unless more are asked for."""
    for name in names():
        found = bundle(name)
        chosen = [pipeline for pipeline in found.pipelines if target in (name, pipeline.id)]
        if chosen:
            if cases is not None:
                raise LoadingError(f"{target}: a bundled scenario has its own cases; leave --cases away.")
            return [(pipeline, found.cases, found.failures) for pipeline in chosen]
    pipeline = load_pipeline(target)
    if cases is None:
        raise LoadingError(f"{target}: needs cases. Add --cases FILE.jsonl, one JSON object per line.")
    return [(pipeline, load_cases(cases), None)]


def _reporter(total: int) -> Any:
    """Report progress sparsely: about ten lines however many cases there are, and no carriage returns."""
    every = max(1, total // 10)

    def report(case: Case, outcome: str, done: int) -> None:
        if total > 1 and (done % every == 0 or done == total):
            click.echo(f"  {done}/{total} cases", err=True)

    return report


def _summarise(pipeline: Pipeline, batch: Batch) -> None:
    counts = batch.files[0].header.counts
    click.echo(
        f"  {counts.failed} failed, {counts.passed} passed, {counts.errored} errored; "
        f"{counted(batch.executed, 'step call')} executed, {batch.cost:g} {pipeline.cost_unit}",
        err=True,
    )
    if batch.files[0].header.stopped != ALL_ANALYSED:
        click.echo(f"  stopped: {batch.files[0].header.stopped}", err=True)
    for id, reason in batch.errored[:_ERRORS_SHOWN]:
        click.echo(f"  case {id!r}: not analysed: {reason}", err=True)
    if len(batch.errored) > _ERRORS_SHOWN:
        click.echo(f"  {counted(len(batch.errored) - _ERRORS_SHOWN, 'more case')} not analysed", err=True)
    if batch.missing:
        click.echo(
            f"  {batch.missing} coalitions have no score; the games they belong to show the error, not values", err=True
        )
        for file in batch.files:
            first = [(case.id, *next(iter(case.errors.items()))) for case in file.cases if case.errors]
            for id, mask, error in first[:_ERRORS_SHOWN]:
                where = f"case {id!r}, {file.header.mode}: coalition {mask}"
                click.echo(f"  {where}: {error.step}: {error.message}", err=True)
            if len(first) > _ERRORS_SHOWN:
                more = counted(len(first) - _ERRORS_SHOWN, "more case")
                click.echo(f"  {file.header.mode}: {more} with a coalition that has no score", err=True)
    if counts.passed == counts.seen > 0:
        click.echo("  every case passed: there is nothing to blame", err=True)


@click.command()
@_games_argument
def validate(games: Path) -> None:
    """Check game files against the schema and recompute every rule's values.

    GAMES is a folder of game files or one of them.
    """
    paths = [games] if games.is_file() else sorted(games.glob("*.jsonl"))
    if not paths:
        read_folder(games)
    problems: list[str] = []
    sound: dict[Path, GameFile] = {}
    for path in paths:
        try:
            file = read(path)
        except GameFileError as error:
            problems.append(str(error))
            continue
        wrong = [f"{path}: {problem}" for problem in check_arithmetic(file)]
        problems += wrong
        if not wrong:
            sound[path] = file
            click.echo(f"{path}: {counted(len(file.cases), 'game')}, every rule's values recomputed")
    problems += check_together(sound)
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        raise GameFileError(f"{counted(len(problems), 'problem')} in {games}.")


@click.command()
@_games_argument
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, for machines.")
@click.option("--cases", "each_case", is_flag=True, help="A table for each case, also where there are many.")
def show(games: Path, as_json: bool, each_case: bool) -> None:
    """Print what game files say."""
    files = read_folder(games)
    if as_json:
        click.echo(json.dumps([as_data(file) for file in files], ensure_ascii=False, indent=2, allow_nan=False))
        return
    for file in files:
        fresh = [
            one for one in files if (one.header.scenario.id, one.header.mode) == (file.header.scenario.id, "fresh")
        ]
        for line in lines(file, next(iter(fresh), None), each_case=each_case):
            click.echo(line)
        click.echo()


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Write a small pipeline and its cases into FOLDER, to start from."""
    starter = resources.files("analyzer").joinpath("starter")
    contents = {name: starter.joinpath(name).read_bytes() for name in ("my_bot.py", "cases.jsonl")}
    taken = [name for name in contents if (folder / name).exists()]
    if taken:
        raise LoadingError(f"{folder / taken[0]}: is there already. Choose another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise LoadingError(f"{folder}: cannot be written: {error.strerror}. Choose another folder.") from error
    bot, cases = folder / "my_bot.py", folder / "cases.jsonl"
    click.echo(f"Wrote {bot} and {cases}. Run:")
    click.echo(f"  agentblame analyze {shlex.quote(f'{bot}:pipeline')} --cases {shlex.quote(str(cases))} --out games/")


#: Mounted on the front door, in the order help lists them.
commands: tuple[click.Command, ...] = (scenarios, analyze_command, validate, show, init)
