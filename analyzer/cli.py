"""Turns the analyzer's commands on the command line into game files, checks of them, and tables in the terminal."""

from __future__ import annotations

import json
import shlex
from importlib import resources
from pathlib import Path

import click

from analyzer.commands.analyze import analyze_command
from analyzer.commands.commitment import commitment_command
from analyzer.commands.gates import GateError
from analyzer.commands.loading import LoadingError
from analyzer.commands.show import as_data, counted, lines
from analyzer.game_file import GameFile, GameFileError, check_arithmetic, check_together, read, read_folder
from analyzer.pipeline import PipelineError
from analyzer.scenarios import bundle, names
from analyzer.settings import SettingsError
from analyzer.store import StoreError
from analyzer.workers.calls import EngineError

#: What a user can put right: shown as one message, without a traceback, with exit code 2.
INPUT_ERRORS = (EngineError, GameFileError, GateError, LoadingError, PipelineError, SettingsError, StoreError)

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
commands: tuple[click.Command, ...] = (scenarios, analyze_command, commitment_command, validate, show, init)
