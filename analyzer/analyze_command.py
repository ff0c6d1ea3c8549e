"""Turns the options of `agentblame analyze` into a run: jobs, an engine, a store, and what is said about them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from analyzer.amounts import calls_text, cost_text
from analyzer.batch import ALL_ANALYSED, Batch, analyze
from analyzer.calls import Limit
from analyzer.durations import DurationError, seconds_of
from analyzer.engines import Engine, Serial, processes, threads
from analyzer.exit_codes import EXIT_GATE, EXIT_INTERRUPTED, EXIT_PARTIAL
from analyzer.forecast import forecast
from analyzer.game import MOST_LISTED
from analyzer.game_file import MODES, make_ready
from analyzer.gates import Gate, gate_of
from analyzer.headers import scenario_id
from analyzer.loading import LoadingError, load_cases, load_pipeline
from analyzer.memory import Budget, Memory
from analyzer.pipeline import Case
from analyzer.plan import Plan, estimate
from analyzer.progress import Progress, is_terminal
from analyzer.redacted_games import Redaction
from analyzer.redacted_output import Guard
from analyzer.redaction import redactor_of
from analyzer.sampling import ESTIMATORS
from analyzer.scenarios import bundle, names
from analyzer.settings import FILE_NAME, read_settings
from analyzer.show import counted
from analyzer.slug import slug
from analyzer.store import Store
from analyzer.system import System

#: Where stores lie unless a place is named: in the working folder, for nobody else, and out of sight of git, since they
#: hold what steps wrote before anything is redacted.
STORES = Path(".agentblame")
ENGINES = ("auto", "serial", "threads", "processes", "dask")

_ERRORS_SHOWN = 5
# Calls of models wait for servers; more at a time than this want to be asked for.
_THREADS = 8


_Number = TypeVar("_Number", int, float)
_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Duration(click.ParamType[float]):
    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return seconds_of(value)
        except DurationError as error:
            self.fail(str(error), param, ctx)


def _group(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Return a decorator that adds options in their order."""

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_what = _group(
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

_budget = _group(
    click.option("--estimate", "only_estimate", is_flag=True, help="Say what it can take at most, and run nothing."),
    click.option("--max-calls", type=click.IntRange(1), help="Execute no more calls of steps than this."),
    click.option("--max-cost", type=click.FloatRange(0), help="Spend no more than this, in the cost unit."),
    click.option("--max-time", type=_Duration(), help="Start no call after so long, such as 90s, 15m or 1h30m."),
    click.option("--fail-on", "conditions", metavar="CONDITION", multiple=True,
                 help="Exit with 10 if it holds, such as 'mean(retrieve) > 0.3'; repeat for several."),
)  # fmt: skip

_how = _group(
    click.option("--engine", type=click.Choice(ENGINES), default=ENGINES[0], show_default=True,
                 help="Where calls run. auto: threads for async steps, else one call after the other."),
    click.option("--workers", type=click.IntRange(1), help=f"Calls at a time. Default: {_THREADS} threads, or cores."),
    click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster, tcp://…; without one, a local cluster."),
    click.option("--max-retries", type=click.IntRange(0), default=2, show_default=True,
                 help="Of a call after a rate limit, a time-out or a server's error. 0: none."),
    click.option("--concurrency", "concurrency", metavar="STEP=N", multiple=True, help="Calls of a step at a time."),
    click.option("--rate", "rates", metavar="STEP=N", multiple=True, help="Calls of a step that start in a minute."),
    click.option("--store", type=click.Path(path_type=Path),
                 help=f"File that keeps every result, to go on from. Default: one per pipeline in {STORES}/."),
    click.option("--no-store", is_flag=True, help="Keep nothing but the game files."),
    click.option("--config", type=click.Path(path_type=Path),
                 help=f"Settings file. Default: {FILE_NAME} in the working folder."),
)  # fmt: skip


@click.command("analyze")
@click.argument("target")
@_what
@_budget
@_how
def analyze_command(
    target: str,
    cases: Path | None,
    out: Path,
    modes: tuple[str, ...],
    fixes: tuple[str, ...],
    alternatives: bool,
    max_failures: int | None,
    only_estimate: bool,
    max_calls: int | None,
    max_cost: float | None,
    max_time: float | None,
    conditions: tuple[str, ...],
    store: Path | None,
    no_store: bool,
    config: Path | None,
    engine: str,
    workers: int | None,
    scheduler: str | None,
    max_retries: int,
    concurrency: tuple[str, ...],
    rates: tuple[str, ...],
    **settings: Any,
) -> None:
    """Re-run failing cases under coalitions of fixes and write game files.

    TARGET is a bundled scenario (see `agentblame scenarios`) or a pipeline of your own, FILE.py:NAME or MODULE:NAME.
    Run the same command again to go on where it ended: what is stored is not run again. Exits with 3 if a case or a
    coalition could not be scored, or a cap was reached; what is complete is written all the same.
    """
    redaction = Redaction(redactor_of(read_settings(config)))
    guard = click.get_current_context().find_object(Guard)
    if guard is not None:
        guard.redactor = redaction.redactor
    wanted = tuple(mode for mode in MODES if mode in modes) or MODES
    plan = Plan(modes=wanted, budget=Budget(max_calls, max_cost, max_time), **settings)
    gates = [gate_of(condition) for condition in conditions]
    tried = dict(_choice("--fix", fix, "LABEL") for fix in fixes)
    jobs = []
    for system, chosen, shown in _targets(target, cases):
        assignments = _assignments(system.trying(tried)) if alternatives else [system.trying(tried)]
        enough = max_failures or (None if plan.until_separated else shown)
        jobs += [_Job(one, chosen, replace(plan, max_failures=enough)) for one in assignments]
    limits = _limits(concurrency, rates, {node.step.name for job in jobs for node in job.system.nodes})
    for job in jobs:
        job.plan.check(job.system, job.cases)
        scoring = job.system.scoring
        for gate in gates:
            gate.check(job.system.players, wanted, float(scoring.high) - float(scoring.low))
    name = redaction.name("scenario", target if target in names() else jobs[0].system.id)
    path = None if no_store else store or STORES / f"{slug(name)}.sqlite"
    if only_estimate:
        for job in jobs:
            _say_estimate(job, _durations(path))
        return
    ids = [redaction.name("scenario", scenario_id(job.system)) for job in jobs]
    make_ready(out, [(id, mode) for id in ids for mode in wanted])
    with contextlib.ExitStack() as stack:
        kept = stack.enter_context(Store.temporary() if path is None else Store.open(path))
        if path is not None and path.parent == STORES:
            (STORES / ".gitignore").write_text("*\n")
        where = _engine([job.system for job in jobs], engine, workers, scheduler, max_retries, limits)
        stack.callback(where.close)
        session = _Session(out, redaction, Memory(where, kept), gates)
        results = [session.run(job) for job in jobs if not session.ended]
        code = session.finish(results)
    click.get_current_context().exit(code)


@dataclass(frozen=True)
class _Job:
    """A pipeline with the fixes to try, its cases, and the plan for it."""

    system: System
    cases: Sequence[Case]
    plan: Plan


def _assignments(system: System) -> list[System]:
    """Return a system, and the same with each other fix of a step in turn."""
    others = [
        system.trying({node.step.name: fix.label})
        for node in system.nodes
        for fix in node.step.fixes
        if fix is not node.fix
    ]
    return [system, *others]


def _choice(option: str, text: str, what: str) -> tuple[str, str]:
    step, equals, chosen = text.partition("=")
    if not equals:
        raise LoadingError(f"{option} {text}: write STEP={what}.")
    return step, chosen


def _limits(concurrency: Sequence[str], rates: Sequence[str], steps: set[str]) -> dict[str, Limit]:
    """Return the limits that were asked for, by step."""

    def asked(option: str, texts: Sequence[str], kind: Callable[[str], _Number]) -> Iterator[tuple[str, _Number]]:
        for text in texts:
            step, number = _choice(option, text, "N")
            if step not in steps:
                raise LoadingError(f"{option} {text}: there is no step {step!r}; there are {', '.join(sorted(steps))}.")
            try:
                value = kind(number)
            except ValueError:
                value = kind("0")
            if not 0 < value < float("inf"):
                raise LoadingError(f"{option} {text}: {number!r} is no number above 0.")
            yield step, value

    found = {step: Limit(concurrency=number) for step, number in asked("--concurrency", concurrency, int)}
    for step, rate in asked("--rate", rates, float):
        found[step] = replace(found.get(step, Limit()), per_minute=rate)
    return found


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


def _engine(
    systems: Sequence[System],
    name: str,
    workers: int | None,
    scheduler: str | None,
    retries: int,
    limits: Mapping[str, Limit],
) -> Engine:
    """Return the engine that was asked for."""
    if scheduler is not None and name != "dask":
        raise LoadingError(f"--scheduler {scheduler}: is for --engine dask.")
    if name == "auto":
        variants = [variant for one in systems for node in one.nodes for variant in (node.factual, node.fixed)]
        waits = any(variant.is_async for variant in variants)
        name = "threads" if waits or workers is not None else "serial"
    if name == "serial":
        if workers not in (None, 1):
            raise LoadingError(f"--workers {workers}: --engine serial runs one call at a time; use threads.")
        return Serial(retries, limits)
    if name == "threads":
        return threads(workers or _THREADS, retries, limits)
    if name == "processes":
        return processes(workers or os.cpu_count() or 1, retries, limits)
    from analyzer.dask_engine import dask

    return dask(scheduler, workers or os.cpu_count() or 1, retries, limits)


def _durations(path: Path | None) -> Mapping[str, float]:
    """Return the mean duration of a call by step, as far as earlier runs measured it."""
    if path is None or not path.is_file():
        return {}
    with Store.open(path) as store:
        return store.seconds_per_call()


def _say_estimate(job: _Job, seconds: Mapping[str, float]) -> None:
    """Say what an analysis can take at most, before it runs."""
    system, plan, cases = job.system, job.plan, len(job.cases)
    most = estimate(system, cases, plan)
    players, unit = len(system.players), system.cost_unit
    click.echo(f"{scenario_id(system)}: {counted(cases, 'case')}, {counted(players, 'fix', 'fixes')}", err=True)
    if most is None:
        click.echo("  how many calls it takes shows only as the program runs; --max-calls is a cap", err=True)
        return
    failures = cases if plan.max_failures is None else min(cases, plan.max_failures)
    calls, cost = most.factual_calls + failures * most.failure_calls, most.factual_cost + failures * most.failure_cost
    how = f"a sample of at most {most.coalitions:,}" if plan.samples(system) else f"all {most.coalitions:,}"
    worlds = [plan.worlds_in(mode) for mode in plan.modes]
    click.echo(
        f"  at most {_priced(most.factual_calls, most.factual_cost, unit)} to run every case once; at most "
        f"{_priced(most.failure_calls, most.failure_cost, unit)} more per failing case, for {how} coalitions in "
        f"{' + '.join(map(str, worlds))} {'world' if sum(worlds) == 1 else 'worlds'}; "
        f"at most {_priced(calls, cost, unit)} in all, if {failures:,} fail",
        err=True,
    )
    if seconds:
        click.echo(f"  if all of them fail: {forecast(system, plan, cases, failures, seconds, 1).sentence}", err=True)


def _priced(calls: int, cost: float, unit: str) -> str:
    price = cost_text(cost, unit, calls)
    return calls_text(calls) + (f" ({price})" if price else "")


class _Session:
    """Jobs that share an engine, a store and a budget; says what they do, and ends with an exit code."""

    def __init__(self, out: Path, redaction: Redaction, memory: Memory, gates: Sequence[Gate]) -> None:
        self.out, self.redaction, self.memory, self.gates = out, redaction, memory, gates
        self.ended = False
        self._noted = 0

    def run(self, job: _Job) -> tuple[bool, list[bool]]:
        """Analyse one pipeline and write its game files; return whether nothing is missing, and which gates are met."""
        _say_estimate(job, {})
        system, plan, memory = job.system, job.plan, self.memory
        endless = plan.until_separated or plan.max_failures is not None
        total = None if endless else len(job.cases)
        progress = Progress(total, system.cost_unit, sys.stderr, terminal=is_terminal(sys.stderr))

        def surveyed(failed: int) -> None:
            seconds, at_once = memory.store.seconds_per_call(), memory.engine.at_once
            progress.say(f"  {forecast(system, plan, len(job.cases), failed, seconds, at_once).sentence}")
            progress.stage(total)

        if not plan.ends_early:
            progress.stage(total, "cases run as they happened")
        start = memory.executed, memory.cost
        memory.told = lambda: progress.call_done(memory.executed - start[0], memory.cost - start[1])
        self._tell_notes()
        # What a step prints is talk; stdout lists the files written and nothing else.
        with contextlib.closing(progress), _interruptible(memory, progress), contextlib.redirect_stdout(sys.stderr):
            batch = analyze(
                system,
                job.cases,
                plan,
                memory,
                progress=lambda _, outcome, done: progress.case_done(outcome, done),
                redaction=self.redaction,
                surveyed=surveyed,
            )
        self._tell_notes()
        self._summarise(system, batch)
        self.ended = batch.interrupted or bool(batch.capped)
        counts = batch.counts[plan.modes[0]]
        some = counts.seen > counts.errored
        if some:
            self._write(batch)
        else:
            why = "no case could be run as it is" if counts.seen else "no case was run"
            click.echo(f"  {why}, so no game file was written", err=True)
        self._tell_how_to_go_on(batch)
        if batch.interrupted:
            raise KeyboardInterrupt
        met = [self._judge(gate, batch) for gate in self.gates] if some else []
        return some and not (batch.errored or batch.missing or batch.capped), met

    def finish(self, results: Sequence[tuple[bool, list[bool]]]) -> int:
        """Return the exit code for what came of the jobs."""
        if not all(met for _, gates in results for met in gates):
            return EXIT_GATE
        return 0 if all(complete for complete, _ in results) and not self.ended else EXIT_PARTIAL

    def _write(self, batch: Batch) -> None:
        written = batch.write(self.out)
        for path, _ in written:
            click.echo(str(path))
        told = {header.mode: ", ".join(header.redacted) for _, header in written if header.redacted}
        if told and len(told) == len(written) and len(set(told.values())) == 1:
            click.echo(f"  redacted in each file: {next(iter(told.values()))}", err=True)
        else:
            for mode, what in told.items():
                click.echo(f"  redacted, {mode}: {what}", err=True)

    def _judge(self, gate: Gate, batch: Batch) -> bool:
        judgement = gate.judge(batch.files)
        what = {True: "gate met", False: "gate not met", None: "gate not met, as it cannot be told"}[judgement.met]
        click.echo(f"  {what}: {judgement.sentence}", err=True)
        return bool(judgement.met)

    def _tell_notes(self) -> None:
        notes = self.memory.store.notes
        for note in notes[self._noted :]:
            click.echo(f"  {note}", err=True)
        self._noted = len(notes)

    def _summarise(self, system: System, batch: Batch) -> None:
        counts, unit = next(iter(batch.counts.values())), system.cost_unit
        click.echo(
            f"  {counts.failed:,} failed, {counts.passed:,} passed, {counts.errored:,} errored; "
            f"{_priced(batch.executed, batch.cost, unit)} executed",
            err=True,
        )
        if batch.known:
            share = 100 * batch.known / (batch.known + batch.executed)
            click.echo(
                f"  {_priced(batch.known, batch.saved, unit)} known from earlier runs and saved: {share:.0f} % of all",
                err=True,
            )
        if batch.stopped != ALL_ANALYSED:
            click.echo(f"  stopped: {batch.stopped}", err=True)
        for id, reason in batch.errored[:_ERRORS_SHOWN]:
            click.echo(f"  case {id!r}: not analysed: {reason}", err=True)
        if len(batch.errored) > _ERRORS_SHOWN:
            click.echo(f"  {counted(len(batch.errored) - _ERRORS_SHOWN, 'more case')} not analysed", err=True)
        if batch.missing:
            click.echo(
                f"  {counted(batch.missing, 'coalition')} without a score; the games they belong to show the error, "
                "not values",
                err=True,
            )
        for mode in batch.modes:
            holes = [hole for hole in batch.holes if hole.mode == mode]
            for hole in holes[:_ERRORS_SHOWN]:
                where = f"case {hole.case!r}, {mode}: coalition {hole.mask}"
                click.echo(f"  {where}: {hole.error.step}: {hole.error.message}", err=True)
            if len(holes) > _ERRORS_SHOWN:
                more = counted(len(holes) - _ERRORS_SHOWN, "more case")
                click.echo(f"  {mode}: {more} with a coalition that has no score", err=True)
        if counts.passed == counts.seen > 0:
            click.echo("  every case passed: there is nothing to blame", err=True)

    def _tell_how_to_go_on(self, batch: Batch) -> None:
        path = self.memory.store.path
        if path is None or not (batch.interrupted or batch.capped or batch.errored or batch.missing):
            return
        left = "what failed" if not (batch.interrupted or batch.capped) else "what is missing"
        click.echo(f"  run the same command again to go on: {path} holds every call, and only {left} runs", err=True)


@contextlib.contextmanager
def _interruptible(memory: Memory, progress: Progress) -> Iterator[None]:
    """Let Ctrl-C end the run once the calls under way are done, and a second one at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def at_once(*_: object) -> None:
        if memory.engine.at_once == 1:
            raise KeyboardInterrupt
        # Threads wait for calls that nobody waits for any more; what is stored is safe.
        os._exit(EXIT_INTERRUPTED)

    def first(*_: object) -> None:
        signal.signal(signal.SIGINT, at_once)
        # Not in the handler: whoever was interrupted may hold a lock that this needs.
        threading.Thread(target=end, daemon=True).start()

    def end() -> None:
        memory.end(KeyboardInterrupt)
        progress.say("  interrupted: waiting for the calls under way; Ctrl-C again to drop them")

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
