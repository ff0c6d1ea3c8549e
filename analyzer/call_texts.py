"""Turns the calls of a program's run into the text that shows them: address, what each was given, and what it gave."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from analyzer.codec import plain_form
from analyzer.fingerprint import fingerprint
from analyzer.known_calls import Output
from analyzer.replay import Made
from analyzer.request import Value
from analyzer.shown import line_text, output_text
from analyzer.steps import Codec

# What is longer is not cut but left out: half a secret is not recognised as one.
_LONGEST_INPUT = 400
# Its mark is that of no text.
_NOT_CALLED = Value(Output(fingerprint(("not called",))), lambda: "not called")


class CallTexts:
    """What is told of calls, in the runs of one case; an input that many of them have is put into words once.

    Parameters
    ----------
    codecs : sequence of Codec
        Of the steps: what they encode is shown of objects that say nothing of themselves.
    """

    def __init__(self, codecs: Sequence[Codec] = ()) -> None:
        self._codecs = codecs
        self._lines: dict[str, str] = {}

    def told(self, calls: Sequence[Made]) -> Value:
        """Return what some calls of a run were given and gave, a paragraph each; or that there were none.

        Two are the same where their addresses and outputs are, and what is told of their inputs.
        """
        if not calls:
            return _NOT_CALLED
        given = [self._given(call) for call in calls]
        marks = [
            (call.id, inputs, call.output.error or "", call.output.fingerprint)
            for call, inputs in zip(calls, given, strict=True)
        ]
        return Value(Output(fingerprint(marks)), functools.partial(self._text, calls, given))

    def _given(self, call: Made) -> str:
        """Return what a call was given, on one line; nothing where its output was forced."""
        if call.request is None:
            return ""
        named = zip(call.request.names, call.request.inputs, strict=True)
        return ", ".join(f"{name}: {self._line(value)}" for name, value in named)

    def _line(self, value: Value) -> str:
        """Return an input, or how long it is where it is long."""
        found = self._lines.get(value.fingerprint)
        if found is None:
            found = line_text(plain_form(value.content, self._codecs))
            if len(found) > _LONGEST_INPUT:
                found = f"… ({len(found):,} characters)"
            self._lines[value.fingerprint] = found
        return found

    def _text(self, calls: Sequence[Made], given: Sequence[str]) -> str:
        return "\n\n".join(
            "\n".join([call.id, *([inputs] if inputs else []), f"→ {self._gave(call.output)}"])
            for call, inputs in zip(calls, given, strict=True)
        )

    def _gave(self, output: Value) -> str:
        """Return what a call gave; where it failed, which the program put up with, that."""
        if output.error is not None:
            return f"failed: {output.error}"
        return output_text(plain_form(output.content, self._codecs))
