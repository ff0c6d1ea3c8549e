"""Turns the analyzer's commands on the command line into game files, checks of them, and tables in the terminal."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import click

from analyzer.batch import Batch, Plan, analyze
from analyzer.game import RULES
from analyzer.game_file import (
    MODES,
    CaseGame,
    GameFile,
    GameFileError,
    case_verdict,
    check_arithmetic,
    check_together,
    make_ready,
    read,
    read_folder,
    write,
)
from analyzer.loading import LoadingError, load_cases, load_pipeline
from analyzer.pipeline import Case, Pipeline, PipelineError
from analyzer.rules import number_text, rank
from analyzer.scenarios import bundle, names

#: Exit codes of every command.
EXIT_DONE, EXIT_INTERNAL, EXIT_INPUT, EXIT_PARTIAL, EXIT_INTERRUPTED = 0, 1, 2, 3, 130
#: What a user can put right: shown as one message, without a traceback, with exit code 2.
INPUT_ERRORS = (GameFileError, LoadingError, PipelineError)

_games_argument = click.argument("games", type=click.Path(path_type=Path))


@click.command()
def scenarios() -> None:
    """List the bundled scenarios."""
    for name in names():
        found = bundle(name)
        click.echo(f"{name}: {found.summary}")
        for pipeline in found.pipelines:
            steps = " → ".join(node.step.name for node in pipeline.nodes)
            cases, fixes = _count(len(found.cases), "case"), _count(len(pipeline.players), "fix", "fixes")
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
def analyze_command(
    target: str,
    cases: Path | None,
    out: Path,
    modes: tuple[str, ...],
    worlds: int,
    seed: str,
    fixes: tuple[str, ...],
) -> None:
    """Re-run failing cases under every coalition of fixes and write game files.

    TARGET is a bundled scenario (see `agentblame scenarios`) or a pipeline of your own, FILE.py:NAME or MODULE:NAME.
    Exits with 3 if a case or a coalition could not be scored; what could be is written all the same.
    """
    plan = Plan(tuple(mode for mode in MODES if mode in modes) or MODES, worlds, seed)
    partial = False
    tried = dict(_choice(fix) for fix in fixes)
    targets = [(pipeline.trying(tried), chosen) for pipeline, chosen in _targets(target, cases)]
    make_ready(out, [(pipeline.id, mode) for pipeline, _ in targets for mode in plan.modes])
    for pipeline, chosen in targets:
        counted = f"{_count(len(chosen), 'case')}, {_count(len(pipeline.players), 'fix', 'fixes')}"
        click.echo(f"{pipeline.id}: {counted}", err=True)
        # What a step prints is talk; stdout lists the files written and nothing else.
        with contextlib.redirect_stdout(sys.stderr):
            batch = analyze(pipeline, chosen, plan, progress=_reporter(len(chosen)))
        partial = partial or bool(batch.errored or batch.missing)
        _summarise(pipeline, batch)
        if len(batch.errored) == len(chosen):
            click.echo("  no case could be run as it is, so no game file was written", err=True)
            continue
        for path in [write(file, out) for file in batch.files]:
            click.echo(str(path))
    if partial:
        click.get_current_context().exit(EXIT_PARTIAL)


def _choice(text: str) -> tuple[str, str]:
    step, equals, label = text.partition("=")
    if not equals:
        raise LoadingError(f"--fix {text}: write STEP=LABEL.")
    return step, label


def _targets(target: str, cases: Path | None) -> list[tuple[Pipeline, Sequence[Case]]]:
    for name in names():
        found = bundle(name)
        chosen = [pipeline for pipeline in found.pipelines if target in (name, pipeline.id)]
        if chosen:
            if cases is not None:
                raise LoadingError(f"{target}: a bundled scenario has its own cases; leave --cases away.")
            return [(pipeline, found.cases) for pipeline in chosen]
    pipeline = load_pipeline(target)
    if cases is None:
        raise LoadingError(f"{target}: needs cases. Add --cases FILE.jsonl, one JSON object per line.")
    return [(pipeline, load_cases(cases))]


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
        f"{batch.executed} step calls executed, {batch.cost:g} {pipeline.cost_unit}",
        err=True,
    )
    for id, reason in batch.errored:
        click.echo(f"  case {id!r}: not analysed: {reason}", err=True)
    if batch.missing:
        click.echo(
            f"  {batch.missing} coalitions have no score; the games they belong to show the error, not values", err=True
        )
        for file in batch.files:
            for case in file.cases:
                for mask, error in list(case.errors.items())[:1]:
                    click.echo(
                        f"  case {case.id!r}, {file.header.mode}: coalition {mask}: {error.step}: {error.message}",
                        err=True,
                    )
    if not counts.failed and not counts.errored:
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
            click.echo(f"{path}: {_count(len(file.cases), 'game')}, every rule's values recomputed")
    problems += check_together(sound)
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        raise GameFileError(f"{_count(len(problems), 'problem')} in {games}.")


@click.command()
@_games_argument
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, for machines.")
@click.option("--cases", "each_case", is_flag=True, help="A table for each case, also where there are many.")
def show(games: Path, as_json: bool, each_case: bool) -> None:
    """Print what game files say."""
    files = read_folder(games)
    if as_json:
        click.echo(json.dumps([_as_data(file) for file in files], ensure_ascii=False, indent=2, allow_nan=False))
        return
    for file in files:
        header = file.header
        worlds = "" if header.worlds == 1 else f", {header.worlds} worlds"
        click.echo(
            f"{header.scenario.title}: {header.mode}{worlds}, "
            f"{_count(len(file.cases), 'failing case')} of {header.counts.seen}"
        )
        if len(file.cases) > 1:
            _print_table(*_firsts(file))
            click.echo(f"    {_ends(file, file.cases)}")
        if each_case or len(file.cases) == 1:
            for case in file.cases:
                _print_case(file, case)
        click.echo()


def _as_data(file: GameFile) -> dict[str, Any]:
    header = file.header
    return {
        "scenario": header.scenario.id,
        "mode": header.mode,
        "worlds": header.worlds,
        "players": list(header.players),
        "counts": vars(header.counts),
        "cases": [
            {
                "id": case.id,
                "worth": list(case.worth),
                "denominator": case.denominator,
                "values": {rule: None if numbers is None else list(numbers) for rule, numbers in case.values.items()},
                "verdict": list(case_verdict(header, case).sentences),
                "withheld": case.withheld,
            }
            for case in file.cases
        ],
    }


def _ends(file: GameFile, cases: Sequence[CaseGame]) -> str:
    """Say what happens without any fix, the control beside every claim, and with all of them."""
    said = []
    for name, mask in (("without a fix", 0), ("with all fixes", -1)):
        present = [worth for worth in (case.worth[mask] for case in cases) if worth is not None]
        if not file.header.scenario.score.graded:
            found = f"{sum(map(int, present))} of {file.header.worlds * len(present)} runs pass"
        elif present:
            total = 0.0
            for worth in present:
                total += worth
            found = f"the score is {number_text(total / len(present))} on average"
        else:
            found = "there is no score"
        missing = len(cases) - len(present)
        said.append(f"{name} {found}" + (f" ({_count(missing, 'case')} missing)" if missing else ""))
    return "; ".join(said)


def _firsts(file: GameFile) -> tuple[list[str], list[list[str]]]:
    """Count, over the cases with values, how often each step comes first by each rule."""
    complete = [case for case in file.cases if case.withheld is None]
    counts: dict[str, Counter[int]] = {rule: Counter() for rule in RULES}
    for case in complete:
        for rule in RULES:
            numbers = case.values[rule] or ()
            top = max(numbers, default=0.0)
            counts[rule].update(index for index, value in enumerate(numbers) if value == top > 0)
    order = rank([counts["shapley"][index] for index in range(len(file.header.players))])
    rows = [
        [file.header.players[index], *(f"{counts[rule][index]}/{len(complete)}" for rule in RULES)] for index in order
    ]
    return ["first (or tied) by", *RULES], rows


def _print_case(file: GameFile, case: CaseGame) -> None:
    click.echo(f"  case {_printable(case.id)}")
    click.echo(f"    {_ends(file, [case])}")
    for sentence in case_verdict(file.header, case).sentences:
        click.echo(f"    {_printable(sentence)}")
    shapley = case.values["shapley"]
    if shapley is not None:
        rows = [
            [file.header.players[index], *(number_text((case.values[rule] or ())[index]) for rule in RULES)]
            for index in rank(shapley)
        ]
        _print_table(["step", *RULES], rows)


def _print_table(head: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        click.echo("    " + "  ".join(cells))


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


def _printable(text: str) -> str:
    """Return a text on one line, without what a terminal would obey."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


#: Mounted on the front door, in the order help lists them.
commands: tuple[click.Command, ...] = (scenarios, analyze_command, validate, show, init)
