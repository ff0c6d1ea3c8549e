"""Turns what a command prints into the same without secrets, whoever prints it: a step, a library, a traceback.

A line goes out when it is complete, so that a secret written in two pieces is seen as one. What another process writes
by itself does not come through here.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import re
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO, cast

from analyzer.redaction import Redactor, default_redactor

# A private key takes many lines; they wait for its last one, but not for more than this.
_BEGIN, _END = re.compile("-----BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY"), "-----END "
_LONGEST_KEY = 1 << 14


class Guard:
    """What is a secret in what is printed; a command that reads settings puts its own in."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor


class _Door(io.RawIOBase):
    """Bytes in, the text of complete lines out, without secrets."""

    def __init__(self, target: TextIO, guard: Guard) -> None:
        self._target, self._guard = target, guard
        self._waiting, self._holds = "", True
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # Steps may print from several threads, and a signal's handler in the middle of it.
        self._turn = threading.RLock()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._target.fileno()

    def isatty(self) -> bool:
        return self._target.isatty()

    def write(self, data: Any) -> int:
        content = bytes(data)
        with self._turn:
            self._waiting += self._decoder.decode(content)
            # A progress bar returns to the start of its line instead of ending it.
            complete = max(self._waiting.rfind("\n"), self._waiting.rfind("\r")) + 1
            self._let_out(complete if self._holds else len(self._waiting))
        return len(content)

    def flush(self) -> None:
        self._target.flush()

    def end(self) -> None:
        """Let out what is left; from now on nothing waits for the end of its line."""
        with self._turn:
            self._holds = False
            self._let_out(len(self._waiting))
        self._target.flush()

    def _let_out(self, end: int) -> None:
        if self._holds:
            begun = [
                key for key in _BEGIN.finditer(self._waiting, 0, end) if _END not in self._waiting[key.end() : end]
            ]
            if begun and end - begun[0].start() < _LONGEST_KEY:
                end = begun[0].start()
        text, self._waiting = self._waiting[:end], self._waiting[end:]
        if text:
            self._target.write(self._guard.redactor.clean(text))


@contextlib.contextmanager
def guarded_output() -> Iterator[Guard]:
    """Let nothing out to stdout and stderr but through a guard, until the block ends."""
    guard = Guard(default_redactor())
    before = sys.stdout, sys.stderr
    # There is none when the caller closed it.
    doors = [_Door(stream, guard) if stream is not None else None for stream in before]
    sys.stdout, sys.stderr = (cast("TextIO", door and _stream(door)) for door in doors)
    try:
        yield guard
    finally:
        sys.stdout, sys.stderr = before
        for door in doors:
            if door is not None:
                door.end()


def _stream(door: _Door) -> TextIO:
    # What UTF-8 has no form for is shown as what stands for it in code.
    return io.TextIOWrapper(cast("BinaryIO", door), "utf-8", errors="backslashreplace", newline="", write_through=True)
