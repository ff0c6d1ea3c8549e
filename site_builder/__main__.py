"""Turns `python -m site_builder` into the `agentblame` command."""

from site_builder.cli import main

main()
