"""Turns a call that somebody needs into what identifies it, and into the call to execute."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from analyzer.fingerprint import fingerprint
from analyzer.known_calls import Output
from analyzer.noise import StepNoise
from analyzer.pipeline import CASE, Step, Variant
from analyzer.workers.calls import Call, Limit


@dataclass(frozen=True)
class Value:
    """A distinct value that a case meets, or an error in its place; the content is fetched when it is first asked for.

    Attributes
    ----------
    output : Output
    fetch : callable
        Returns the content.
    """

    output: Output
    fetch: Callable[[], Any] = field(repr=False, compare=False)

    @functools.cached_property
    def content(self) -> Any:
        """The value itself; shared, so not to be changed."""
        return self.fetch()

    @property
    def fingerprint(self) -> str:
        """The value's fingerprint; empty for an error."""
        return self.output.fingerprint

    @property
    def error(self) -> str | None:
        """Why there is no value."""
        return self.output.error

    @property
    def step(self) -> str:
        """Where the error came up."""
        return self.output.step


@dataclass(frozen=True)
class Request:
    """A call that somebody needs: a variant of a step on named inputs, under a step's noise."""

    step: Step
    variant: Variant
    names: tuple[str, ...]
    inputs: tuple[Value, ...]
    noise: StepNoise

    @functools.cached_property
    def given(self) -> tuple[Value, ...]:
        """What the call is given: the inputs, of the case only the fields that the variant reads."""
        fields = self.variant.case_fields
        if fields is None or CASE not in self.names:
            return self.inputs
        named = zip(self.names, self.inputs, strict=True)
        return tuple(_part(value, fields) if name == CASE else value for name, value in named)

    @functools.cached_property
    def base(self) -> bytes:
        """What identifies the call but for its noise: 16 bytes."""
        variant = self.variant
        parts = [self.step.name, variant.version, "world" if variant.samples_itself else ""]
        return key_of(*parts, *self.names, *(one.fingerprint for one in self.given))

    def call(self) -> Call:
        """Return the call to execute."""
        step = self.step
        return Call(
            step.name,
            self.variant,
            {name: value.content for name, value in zip(self.names, self.given, strict=True)},
            self.noise,
            # Of the world rather than the noise consumed, which is not known yet.
            key_of(self.base.hex(), self.noise.key).hex(),
            Limit(step.concurrency, step.per_minute),
        )


# The requests of a case follow each other.
@functools.lru_cache(maxsize=64)
def _part(case: Value, fields: tuple[str, ...]) -> Value:
    """Return some fields of a case's inputs, in the order in which they are asked for."""
    inputs = {name: case.content[name] for name in fields if name in case.content}
    return Value(Output(fingerprint(inputs)), lambda: inputs)


def key_of(*parts: str) -> bytes:
    """Return 16 bytes that identify texts in their order."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        # Each behind its length, so that no other parts give the same bytes.
        content = part.encode("utf-8", "surrogatepass")
        state.update(b"%d:%b" % (len(content), content))
    return state.digest()
