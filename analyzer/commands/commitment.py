"""Turns the options of `agentblame commitment` into a table of what was open before each call of a program's run."""

from __future__ import annotations

import contextlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from analyzer.amounts import calls_text, cost_text
from analyzer.budget import Budget, BudgetReached
from analyzer.commands.loading import LoadingError, load_cases, load_pipeline
from analyzer.commands.progress import Progress, is_terminal
from analyzer.commands.run_options import Duration, Where, how, interruptible
from analyzer.commitment import Commitment, commitment
from analyzer.exit_codes import EXIT_PARTIAL
from analyzer.plan import SMALLEST_DELTA
from analyzer.program import Program
from analyzer.redacted_output import Guard
from analyzer.redaction import redactor_of
from analyzer.rules import number_text
from analyzer.settings import read_settings

#: What the order of calls at the same time means.
OVERLAPS = "it may run at the same time as others here: which of them comes first is a convention"


@click.command("commitment")
@click.argument("target")
@click.option("--cases", type=click.Path(path_type=Path), required=True, help="JSON Lines file of cases.")
@click.option("--case", "id", help="Id of the case whose run is replayed. Default: the first of the file.")
@click.option(
    "--replays", type=click.IntRange(1, 100_000), default=64, show_default=True, help="Replays from each call on."
)
@click.option("--seed", default="0", show_default=True, help="Root of all noise, as in the analysis.")
@click.option(
    "--delta",
    type=click.FloatRange(SMALLEST_DELTA, 1, max_open=True),
    default=0.05,
    show_default=True,
    help="Probability that any interval misses.",
)
@click.option("--max-calls", type=click.IntRange(1), help="Execute no more calls of steps than this.")
@click.option("--max-cost", type=click.FloatRange(0), help="Spend no more than this, in the cost unit.")
@click.option("--max-time", type=Duration(), help="Start no call after so long, such as 90s, 15m or 1h30m.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, for machines.")
@how
def commitment_command(
    target: str,
    cases: Path,
    id: str | None,
    replays: int,
    seed: str,
    delta: float,
    max_calls: int | None,
    max_cost: float | None,
    max_time: float | None,
    as_json: bool,
    config: Path | None,
    **options: Any,
) -> None:
    """Replay a program's run from each of its calls on, and say which call committed it.

    TARGET is a program, FILE.py:NAME or MODULE:NAME. Each call has the mean score of replays with new luck from it on,
    and by how much it drops once the call is settled as it was recorded, with intervals that hold together. A call
    comes after all those it waits for; calls that may run at the same time are marked, since their order is a
    convention. Exits with 3 if the cap was reached; run the same command again to go on.
    """
    guard = click.get_current_context().find_object(Guard)
    if guard is not None:
        guard.redactor = redactor_of(read_settings(config))
    program = load_pipeline(target)
    if not isinstance(program, Program):
        raise LoadingError(f"{target}: is a Pipeline, whose steps are fixed; only a Program's run commits itself.")
    listed = {case.id: case for case in load_cases(cases)}
    if id is not None and id not in listed:
        raise LoadingError(f"--case {id}: {cases} holds no case of that id.")
    case = next(iter(listed.values())) if id is None else listed[id]

    progress = Progress(None, program.cost_unit, sys.stderr, terminal=is_terminal(sys.stderr))

    def told(done: int, total: int) -> None:
        if done == 1:
            progress.stage(total, "replays")
        progress.case_done("made", done)

    with Where.of(options).memory([program], program.id) as memory, contextlib.closing(progress):
        memory.budget = Budget(max_calls, max_cost, max_time)
        memory.told = lambda: progress.call_done(memory.executed, memory.cost)
        try:
            # What a step prints is talk; stdout holds the table and nothing else.
            with interruptible(memory, progress.say), contextlib.redirect_stdout(sys.stderr):
                found = commitment(program, case, memory, replays=replays, seed=seed, delta=delta, told=told)
        except BudgetReached as reached:
            progress.say(f"  {reached} was reached before all replays were made; run the same command again to go on")
            click.get_current_context().exit(EXIT_PARTIAL)
        finally:
            progress.close()
            price = cost_text(memory.cost, program.cost_unit, memory.executed)
            progress.say(f"  {calls_text(memory.executed)} executed{f' ({price})' if price else ''}")
    if as_json:
        content = {**asdict(found), "point": found.point, "case": case.id, "program": program.id, "seed": seed}
        click.echo(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False))
        return
    for line in table_lines(found, case.id):
        click.echo(line)


def table_lines(found: Commitment, case: str) -> list[str]:
    """Return what was open before each call, as lines for a terminal."""
    heads = ("call", "replays", "mean score from here on", "drops once settled by")
    rows = [
        (
            f"{turn.call}{' *' if turn.matters else ''}{' ~' if turn.overlaps else ''}",
            str(turn.replays),
            f"{number_text(turn.rate)} ({number_text(turn.low)} to {number_text(turn.high)})",
            f"{number_text(turn.change)} ({number_text(turn.change_low)} to {number_text(turn.change_high)})",
        )
        for turn in found.turns
    ]
    table = (heads, *rows)
    widths = [max(len(row[column]) for row in table) for column in range(len(heads))]
    return [
        f"case {case}: recorded score {number_text(found.score)}",
        *("  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in table),
        *(["  * it matters: the interval leaves 0 out"] if found.point is not None else []),
        *([f"  ~ {OVERLAPS}"] if any(turn.overlaps for turn in found.turns) else []),
        f"  {found.sentence}",
    ]
