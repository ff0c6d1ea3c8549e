"""Turns the jobs of a command into game files, and says what they take, do and find."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from analyzer.amounts import calls_text, cost_text
from analyzer.batch import ALL_ANALYSED, Batch, analyze, at_failing_calls
from analyzer.budget import BudgetReached
from analyzer.commands.forecast import forecast
from analyzer.commands.gates import Gate
from analyzer.commands.progress import Progress, is_terminal
from analyzer.commands.run_options import interruptible
from analyzer.commands.show import counted
from analyzer.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_PARTIAL
from analyzer.headers import scenario_id
from analyzer.memory import Memory
from analyzer.pipeline import Case
from analyzer.plan import Plan, estimate
from analyzer.program import Program
from analyzer.redacted_games import Redaction
from analyzer.system import System

_ERRORS_SHOWN = 5


@dataclass(frozen=True)
class Job:
    """A pipeline with the fixes to try, its cases, and the plan for it."""

    system: System
    cases: Sequence[Case]
    plan: Plan


def say_estimate(job: Job, seconds: Mapping[str, float]) -> None:
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


class Session:
    """Jobs that share an engine, a store and a budget; says what they do, and ends with an exit code."""

    def __init__(
        self, out: Path, redaction: Redaction, memory: Memory, gates: Sequence[Gate], *, at_calls: bool = False
    ) -> None:
        self.out, self.redaction, self.memory, self.gates, self.at_calls = out, redaction, memory, gates, at_calls
        self.ended = False
        self._noted = 0

    def run(self, job: Job) -> tuple[bool, list[bool]]:
        """Analyse one pipeline and write its game files; return whether nothing is missing, and which gates are met."""
        say_estimate(job, {})
        system, plan, memory = job.system, job.plan, self.memory
        variants = [variant for node in system.nodes for variant in node.variants]
        if plan.modes != ("replayed",) and not any(variant.has_luck for variant in variants):
            click.echo(
                "  no step has any luck, so every world is the same; if one samples by itself, as a hosted model does, "
                "say samples_itself=True",
                err=True,
            )
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
        with contextlib.closing(progress), interruptible(memory, progress.say), _talking():
            if self.at_calls and isinstance(system, Program):
                try:
                    system = at_failing_calls(system, job.cases, plan, memory)
                except BudgetReached as reached:
                    progress.say(f"  {reached} was reached before the calls of the failing runs were known")
                    self.ended = True
                    return False, []
                progress.say(f"  {counted(len(system.players), 'call')} of the failing runs can be fixed")
                plan.check(system, job.cases)
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
            why = "no case could be run as it is" if counts.seen else "no case was analysed yet"
            click.echo(f"  {why}, so no game file was written", err=True)
        self._tell_how_to_go_on(batch)
        if batch.interrupted:
            raise KeyboardInterrupt
        met = [self._judge(gate, batch) for gate in self.gates]
        return some and not (batch.errored or batch.missing or batch.capped), met

    def finish(self, results: Sequence[tuple[bool, list[bool]]]) -> int:
        """Return the exit code for what came of the jobs."""
        if not all(met for _, gates in results for met in gates):
            return EXIT_GATE
        return EXIT_DONE if all(complete for complete, _ in results) and not self.ended else EXIT_PARTIAL

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
        far = " (so far: not all cases were examined)" if batch.capped else ""
        click.echo(f"  {what}: {judgement.sentence}{far}", err=True)
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
        for sentence in batch.uncalled:
            click.echo(f"  {sentence}", err=True)
        if counts.passed == counts.seen > 0:
            click.echo("  every case passed: there is nothing to blame", err=True)

    def _tell_how_to_go_on(self, batch: Batch) -> None:
        path = self.memory.store.path
        if path is None or not (batch.interrupted or batch.capped or batch.errored or batch.missing):
            return
        left = "what failed" if not (batch.interrupted or batch.capped) else "what is missing"
        click.echo(f"  run the same command again to go on: {path} holds every call, and only {left} runs", err=True)


@contextlib.contextmanager
def _talking() -> Iterator[None]:
    """Let what steps print, and the programs that they start, go to stderr."""
    try:
        number = sys.stdout.fileno()
        kept = os.dup(number)
    except (AttributeError, OSError, ValueError):
        # There is no such stream, or it is none of the system's.
        with contextlib.redirect_stdout(sys.stderr):
            yield
        return
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), number)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, number)
        os.close(kept)
