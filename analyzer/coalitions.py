"""Turns a system, a case and some worlds into what happened under coalitions of fixes, whichever its kind."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer import lattice, program_runs
from analyzer.lattice import Lattice, Trace
from analyzer.memory import Memory
from analyzer.noise import World
from analyzer.pipeline import Case
from analyzer.program import Program
from analyzer.system import System


def run_factual(system: System, case: Case, world: World, memory: Memory) -> Trace:
    """Run a case once as it is, in one world."""
    if isinstance(system, Program):
        return program_runs.run_factual_program(system, case, world, memory)[0]
    return lattice.run_factual(system, case, world, memory)


def run_coalitions(
    system: System, case: Case, worlds: Sequence[World], masks: Sequence[int], memory: Memory
) -> Lattice:
    """Run a case under coalitions of fixes in worlds; see `run_lattice` and `run_program`."""
    if isinstance(system, Program):
        return program_runs.run_program(system, case, worlds, masks, memory)
    return lattice.run_lattice(system, case, worlds, masks, memory)
