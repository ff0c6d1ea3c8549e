"""Turns the command line into a site: the front door, with every command of the analyzer and of the builder.

Exit codes: 0 done, 1 internal error, 2 usage or bad input, 3 partial result, 10 a gate is not met or secrets were found
in what would be published, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

import analyzer
from analyzer.cli import INPUT_ERRORS, commands
from analyzer.exit_codes import EXIT_DONE, EXIT_GATE, EXIT_INPUT, EXIT_INTERNAL, EXIT_INTERRUPTED
from analyzer.game_file import SUFFIX, GameFile, read_folder
from analyzer.redacted_output import Guard, guarded_output
from analyzer.redaction import Redactor, redactor_of
from analyzer.settings import FILE_NAME, SettingsError, read_settings
from site_builder import assets
from site_builder.branding import Branding, branding_sources, read_branding
from site_builder.errors import SiteError
from site_builder.publish import check, how, lines
from site_builder.secret_scan import refuse_secrets, refuse_secrets_in_words, scanner
from site_builder.serve import Server, server
from site_builder.served import INDEX, LiveSite
from site_builder.site import plan_report, plan_site, report_warnings, warnings
from site_builder.writer import write_report, write_site

_games = click.argument("games", type=click.Path(path_type=Path))
_config = click.option(
    "--config", type=click.Path(path_type=Path), help=f"Settings file. Default: {FILE_NAME} in the working folder."
)


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
        with guarded_output() as guard:
            code = _exit_code(partial(run, obj=guard))
        sys.exit(code)

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
    except (SiteError, SettingsError, *INPUT_ERRORS) as error:
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
@_config
def build(games: Path, out: Path, config: Path | None) -> None:
    """Build a site from game files.

    GAMES is a folder of game files, or one of them. The folder written opens by double click on its index.html.
    """
    plan = _planned(games, config)
    _warn(warnings(plan))
    write_site(plan, out)
    click.echo(str((out / "index.html").resolve()))


@main.command()
@_games
@click.option("--out", type=click.Path(path_type=Path), required=True, help="File for the report, such as report.html.")
@_config
def report(games: Path, out: Path, config: Path | None) -> None:
    """Write one self-contained HTML file with all views and data.

    GAMES is a folder of game files, or one of them.
    """
    page = plan_report(_read(games, config), _branding(config))
    _warn(report_warnings(page))
    write_report(page, out)
    click.echo(str(out.resolve()))


@main.command()
@click.argument("shown", metavar="GAMES|SITE", type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port; 0 takes any free one."
)
@_config
def serve(shown: Path, port: int, config: Path | None) -> None:
    """Show a site in a browser on this machine, until Ctrl-C.

    GAMES, a folder of game files or one of them, is built in memory, and again whenever a game file, the settings or
    what they name changes. SITE is a folder that `build` wrote. Open pages load themselves again.
    """
    with _server(shown, port, config) as running:
        click.echo(f"http://127.0.0.1:{running.server_address[1]}/  (Ctrl-C ends)")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            click.echo("Stopped.")


@main.command()
@click.argument("site", type=click.Path(path_type=Path))
@click.option("--check", "only_check", is_flag=True, help="List what would become public, and secrets in it.")
@_config
def publish(site: Path, only_check: bool, config: Path | None) -> None:
    """Say what publishing a built SITE, a folder or a report, would make public, and how it is done.

    Publishes nothing and changes nothing. With --check it exits with 10 if there is a secret in the site, or something
    in it cannot be looked into.
    """
    if not only_check:
        click.echo(how(site))
        return
    looking = scanner(_redactor(config))
    found = check(site, looking)
    for line in lines(found, looking):
        click.echo(line)
    if not found.clean:
        click.get_current_context().exit(EXIT_GATE)


def _read(games: Path, config: Path | None) -> list[GameFile]:
    """Return the game files to show, which hold no secrets."""
    files = read_folder(games)
    refuse_secrets(files, _redactor(config))
    return files


def _branding(config: Path | None) -> Branding:
    """Return whose name the site carries; nothing it says holds a secret."""
    branding = read_branding(read_settings(config))
    refuse_secrets_in_words(branding.texts, _redactor(config))
    return branding


def _redactor(config: Path | None) -> Redactor:
    """Return what is a secret by the settings, also in what is printed from now on."""
    redactor = redactor_of(read_settings(config))
    context = click.get_current_context(silent=True)
    guard = None if context is None else context.find_object(Guard)
    if guard is not None:
        guard.redactor = redactor
    return redactor


def _server(shown: Path, port: int, config: Path | None) -> Server:
    """Return a server for a built site or, in a folder that is none, for the site of its game files."""
    is_site = shown.is_dir() and ((shown / INDEX).is_file() or not any(shown.glob(f"*{SUFFIX}")))
    if is_site:
        if config is not None:
            raise SiteError(f"{shown}: is a built site, which settings no longer change. Leave --config away.")
        return server(shown, port)
    live = LiveSite(
        build=lambda: _planned(shown, config),
        sources=lambda: _sources(shown, config),
        say=partial(click.echo, err=True),
    )
    running = Server(live, port)
    threading.Thread(target=live.follow, args=(running.ended,), daemon=True).start()
    return running


def _planned(games: Path, config: Path | None) -> dict[str, bytes]:
    return plan_site(_read(games, config), _branding(config))


def _sources(games: Path, config: Path | None) -> list[Path]:
    """Return the files a site is built from; in a checkout that includes its own templates, scripts and styles."""
    found = [config or Path(FILE_NAME), *(games.glob(f"*{SUFFIX}") if games.is_dir() else [games])]
    # Settings that cannot be read name no file; that is told when the site is built.
    with contextlib.suppress(SettingsError):
        found += branding_sources(read_settings(config))
    return found + assets.sources()


def _warn(sentences: list[str]) -> None:
    for sentence in sentences:
        click.echo(f"Warning: {sentence}", err=True)


for _command in commands:
    main.add_command(_command)
