"""Runs the command `agentblame` in this process, as a user types it."""

from __future__ import annotations

from click.testing import CliRunner, Result

from site_builder.cli import main


def invoke(*arguments: object) -> Result:
    """Run the command, however it ends; return what it printed and its exit code."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def run(*arguments: object, code: int = 0) -> Result:
    """Run the command, which must end with an exit code, and without a traceback."""
    result = invoke(*arguments)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result
