"""Turns what happens in a run into lines on stderr: one rewritten line on a terminal, sparse lines elsewhere."""

from __future__ import annotations

import math
import os
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TextIO

from analyzer.amounts import calls_text, cost_text
from analyzer.durations import about

# Seconds between two drawings of the rewritten line for calls, and between two for cases: a case is done a moment after
# its last call and would else not be seen. And the longest silence where lines stay.
_REDRAW, _SILENCE = 0.2, 30.0
# What a forecast of the time left must rest on.
_FEWEST_CASES, _FEWEST_SECONDS = 5, 2.0
_COUNTED = ("failed", "errored")
_PLAIN_WIDTH = 80


def is_terminal(stream: TextIO | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether somebody watches a stream who sees a line being rewritten."""
    watched = stream is not None and stream.isatty()
    return watched and environment.get("CI", "") in ("", "0", "false") and environment.get("TERM") != "dumb"


class Progress:
    """Says how far a run is. It may be told of cases and calls by several threads.

    Parameters
    ----------
    total_cases : int or None
        How many cases there are; None where a run ends when it has seen enough.
    cost_unit : str
        The pipeline's.
    stream : TextIO or None
        Where to say it; None for nowhere.
    terminal : bool
        Rewrite one line, rather than add lines; see `is_terminal`.
    clock : callable
        Seconds from any start.
    width : callable, optional
        Columns of the terminal; by default the stream is asked.
    """

    def __init__(
        self,
        total_cases: int | None,
        cost_unit: str,
        stream: TextIO | None,
        *,
        terminal: bool,
        clock: Callable[[], float] = time.monotonic,
        width: Callable[[], int] | None = None,
    ) -> None:
        self._unit, self._stream, self._terminal, self._clock = cost_unit, stream, terminal, clock
        self._width = width or (lambda: _columns_of(stream))
        self._turn = threading.RLock()
        self._executed, self._cost = 0, 0.0
        self._started = self._said = clock()
        self._drawn = {"case": -math.inf, "call": -math.inf}
        self._on_screen = 0
        self._closed = False
        self.stage(total_cases)

    def stage(self, total_cases: int | None, what: str = "cases") -> None:
        """Begin another stage, whose cases are counted from 0 and take another time: "failing cases"."""
        with self._turn:
            self._total, self._what = total_cases, what
            self._done, self._tenths = 0, 0
            self._outcomes = Counter[str]()
            self._rests_on(0)

    def case_done(self, outcome: str, done: int) -> None:
        """Tell that a case is done: what became of it, and how many of this stage are done with it."""
        with self._turn:
            self._done = done
            self._outcomes[outcome] += 1
            if self._executed == self._executed_before:
                # It was known from an earlier run, which says nothing of how long the others take.
                self._rests_on(done)
            tenths = 10 * done // self._total if self._total else 0
            due, self._tenths = tenths > self._tenths and self._total != 1, tenths
            self._show("case", due=due)

    def call_done(self, executed: int, cost: float) -> None:
        """Tell that a call is done: how many were executed in this run so far, and their cost (NaN for unknown)."""
        with self._turn:
            self._executed, self._cost = executed, cost
            self._show("call")

    def say(self, line: str) -> None:
        """Print a line of its own."""
        with self._turn:
            self._clear()
            self._write(f"{line}\n")
            self._said = self._clock()
            if self._terminal and not self._closed:
                self._draw()

    def close(self) -> None:
        """Take the rewritten line away; from now on only `say` prints."""
        with self._turn:
            self._clear()
            self._closed = True

    def _rests_on(self, done: int) -> None:
        """Let the forecast of the time left rest on what is done from now on."""
        self._since, self._done_before, self._executed_before = self._clock(), done, self._executed

    def _show(self, told: str, *, due: bool = False) -> None:
        """Draw the line again unless that was done a moment ago, or add one if it is due."""
        if self._closed:
            return
        now = self._clock()
        if self._terminal:
            if now - self._drawn[told] >= _REDRAW:
                self._drawn[told] = now
                self._draw()
        elif due or now - self._said >= _SILENCE:
            self.say(f"  {self._line()}")

    def _draw(self) -> None:
        line, width = self._line(), self._width()
        # The last column stays free: some terminals go on to the next line when it is written to.
        while line and _columns(line) >= width:
            line = line[:-1]
        columns = _columns(line)
        # The return comes last, since a line goes out only when it is complete (see `analyzer.redacted_output`).
        self._write(f"{line}{' ' * (self._on_screen - columns)}\r")
        self._on_screen = columns

    def _clear(self) -> None:
        if self._on_screen:
            self._write(f"{' ' * self._on_screen}\r")
            self._on_screen = 0

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()

    def _line(self) -> str:
        of = "" if self._total is None else f"/{self._total:,}"
        told = [f"{self._outcomes[outcome]:,} {outcome}" for outcome in _COUNTED if self._outcomes[outcome]]
        parts = [", ".join([f"{self._done:,}{of} {self._what}", *told])]
        if self._executed:
            parts.append(", ".join(filter(None, [calls_text(self._executed), self._rate()])))
            parts.append(cost_text(self._cost, self._unit, self._executed))
        parts.append(self._time_left())
        return " · ".join(filter(None, parts))

    def _rate(self) -> str:
        """Return how many calls run in a second, or in a minute where they are few."""
        seconds = self._clock() - self._started
        if seconds < _FEWEST_SECONDS:
            return ""
        rate = self._executed / seconds
        return f"{rate:,.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"

    def _time_left(self) -> str:
        done, seconds = self._done - self._done_before, self._clock() - self._since
        if self._total is None or done < _FEWEST_CASES or seconds < _FEWEST_SECONDS or self._done >= self._total:
            return ""
        return f"{about(seconds / done * (self._total - self._done))} left"


def _columns_of(stream: TextIO | None) -> int:
    """Return how wide a terminal is."""
    try:
        return (os.get_terminal_size(stream.fileno()).columns if stream is not None else 0) or _PLAIN_WIDTH
    except (OSError, ValueError):
        # It has no terminal behind it, or none that says.
        return _PLAIN_WIDTH


def _columns(text: str) -> int:
    """Return how many columns a text takes: Chinese and the like take two for a character."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
