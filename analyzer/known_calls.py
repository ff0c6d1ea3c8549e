"""Turns calls that ran into what a call gives in any world, as far as that is known.

Which noise a call consumes shows only as it runs, so what calls of one variant on the same inputs drew is kept as a
tree: at each branching point a place and what was chosen from there, and one branch for each noise met. A call in
another world walks the tree along that world's noise; where it arrives at a leaf, the result is known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analyzer.noise import Address, Label, StepNoise
from analyzer.store import Branch, StoredCall


@dataclass(frozen=True)
class Output:
    """What identifies a value that some call returned: its fingerprint, or the step and the error in place of one."""

    fingerprint: str
    error: str | None = None
    step: str = ""


@dataclass(frozen=True)
class Executed:
    """A call that ran: its number, in the order of execution, what it returned, and how `StoredCall` has it."""

    number: int
    output: Output
    recorded: bool


@dataclass
class _Point:
    """A point in the tree of draws: a draw from options at an address, or (with a call) the end of it."""

    call: Executed | None = None
    address: Address | None = None
    options: Sequence[Label] = ()
    branches: dict[bytes, _Point] = field(default_factory=dict)

    def takes(self, path: Sequence[Branch]) -> bool:
        """Whether a call's draws fit below this point: as far as the noise is the same, the draws are."""
        point = self
        for address, _, mark in path:
            if point.call is not None or point.address not in (None, address):
                return False
            if mark not in point.branches:
                return True
            point = point.branches[mark]
        return point.address is None

    def grow(self, path: Sequence[Branch], call: Executed) -> None:
        """Add a call's draws, which fit, below this point."""
        point = self
        for address, options, mark in path:
            point.address, point.options = address, options
            point = point.branches.setdefault(mark, _Point())
        point.call = call

    def walk(self, noise: StepNoise) -> tuple[_Point, tuple[bytes, ...]]:
        """Follow the tree along a world's noise; return where it ends, and the noise that led there or no further."""
        point, marks = self, list[bytes]()
        while point.address is not None:
            marks.append(mark_of(noise.of(point.address, point.options)))
            if marks[-1] not in point.branches:
                break
            point = point.branches[marks[-1]]
        return point, tuple(marks)


@dataclass
class KnownCalls:
    """All that calls of one variant on one set of inputs gave: by the noise consumed, or by the world."""

    tree: _Point = field(default_factory=_Point)
    worlds: dict[str, Executed] = field(default_factory=dict)
    failed: bool = False

    def in_world(self, noise: StepNoise) -> Executed | None:
        """Return the result that a world has of its own.

        What the factual run observed of a step that samples itself holds in every world that explains it, and in no
        other: a world of new luck, though its seed may be the same, has samples of its own. An error explains nothing.
        """
        observed = self.worlds.get(noise.observed_in) if noise.observed_in is not None else None
        if observed is not None and observed.output.error is None:
            return observed
        return self.worlds.get(noise.key)

    def add(self, stored: StoredCall, step: str) -> None:
        """Take in a call."""
        call = Executed(
            stored.number, Output(stored.output, stored.error, step if stored.error else ""), stored.recorded
        )
        self.failed |= stored.error is not None
        if stored.world is not None:
            self.worlds[stored.world] = call
        elif self.tree.takes(stored.path):
            self.tree.grow(stored.path, call)


def mark_of(noise: Sequence[float] | np.ndarray[Any, Any]) -> bytes:
    """Return 16 bytes that stand for noise in the tree."""
    return hashlib.blake2b(np.asarray(noise, dtype=np.float64).tobytes(), digest_size=16).digest()
