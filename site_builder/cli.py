"""Turns the command line into a site: the front door, with every command of the analyzer and of the builder.

Exit codes: 0 done, 1 internal error, 2 usage or bad input, 3 partial result, 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

import analyzer
from analyzer.cli import EXIT_DONE, EXIT_INPUT, EXIT_INTERNAL, EXIT_INTERRUPTED, INPUT_ERRORS, commands
from analyzer.game_file import read_folder
from site_builder.errors import SiteError
from site_builder.serve import server
from site_builder.site import plan_report, plan_site, report_warnings, warnings
from site_builder.writer import write_report, write_site

_games = click.argument("games", type=click.Path(path_type=Path))


class _ReaderGone(Exception):
    """Nobody reads what is printed any more, as after `| head`; click would call that a failure."""


class FrontDoor(click.Group):
    """A group of commands that turns what goes wrong into one message and a documented exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; in standalone mode end the process with its exit code."""
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show a character shows a question mark; it never ends the run.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        run = partial(super().main, args, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        sys.exit(_exit_code(run))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command asked for."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGone from error


def _exit_code(run: Callable[[], Any]) -> int:
    """Run, say in one message what went wrong, and return the exit code."""
    try:
        code = run()
        # There is none when the caller closed it.
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return EXIT_INPUT
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted.", err=True)
        return EXIT_INTERRUPTED
    except (SiteError, *INPUT_ERRORS) as error:
        click.echo(f"Error: {error}", err=True)
        return EXIT_INPUT
    except (_ReaderGone, BrokenPipeError):
        _give_up_stdout()
        return EXIT_DONE
    except OSError as error:
        # What writes to a file names that file.
        if error.filename is not None or error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG):
            return _internal(error)
        _give_up_stdout()
        click.echo(f"Error: cannot write to standard output: {error.strerror}.", err=True)
        return EXIT_INPUT
    except Exception as error:
        return _internal(error)
    return code if isinstance(code, int) else EXIT_DONE


def _give_up_stdout() -> None:
    # Python would complain once more when it closes stdout.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _internal(error: Exception) -> int:
    if os.environ.get("AGENTBLAME_DEBUG"):
        traceback.print_exc()
    else:
        what = " ".join(str(error).split()) or "no message"
        hint = "set AGENTBLAME_DEBUG=1 for the traceback"
        click.echo(f"Internal error: {type(error).__name__}: {what} ({hint})", err=True)
    return EXIT_INTERNAL


@click.group(cls=FrontDoor, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(analyzer.__version__, prog_name="agentblame")
def main() -> None:
    """Find the step whose fix would have repaired a failing run, and publish that as a site that opens offline."""


@main.command()
@_games
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for the site.")
def build(games: Path, out: Path) -> None:
    """Build a site from game files.

    GAMES is a folder of game files, or one of them. The folder written opens by double click on its index.html.
    """
    plan = plan_site(read_folder(games))
    _warn(warnings(plan))
    write_site(plan, out)
    click.echo(str((out / "index.html").resolve()))


@main.command()
@_games
@click.option("--out", type=click.Path(path_type=Path), required=True, help="File for the report, such as report.html.")
def report(games: Path, out: Path) -> None:
    """Write one self-contained HTML file with all views and data.

    GAMES is a folder of game files, or one of them.
    """
    page = plan_report(read_folder(games))
    _warn(report_warnings(page))
    write_report(page, out)
    click.echo(str(out.resolve()))


@main.command()
@click.argument("site", type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port; 0 takes any free one."
)
def serve(site: Path, port: int) -> None:
    """Show a built site in a browser on this machine, until Ctrl-C."""
    with server(site, port) as running:
        click.echo(f"http://127.0.0.1:{running.server_address[1]}/  (Ctrl-C ends)")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            click.echo("Stopped.")


def _warn(sentences: list[str]) -> None:
    for sentence in sentences:
        click.echo(f"Warning: {sentence}", err=True)


for _command in commands:
    main.add_command(_command)
