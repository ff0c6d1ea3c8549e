"""Turns a condition such as ``mean(retrieve) > 0.3`` and game files into whether a gate is met.

A gate is met unless its condition holds. A condition is a figure, a comparison and a number::

    failed > 10
    mean(retrieve) > 0.3
    low('query rewriter', fresh) >= 25%

Figures of a step that has a fix, over the failing cases: ``mean`` (its mean Shapley value), ``low`` and ``high`` (the
ends of the interval of that mean), ``share`` (its part of all repair) and ``alone`` (the fraction of cases that its fix
alone repairs). Figures without a step: ``failed`` and ``errored`` (numbers of cases), ``failure_rate`` (the fraction of
the cases that could be run), ``repaired`` (the fraction of failing cases that all fixes together repair) and
``missing`` (the number of coalitions without a score).

A step is named as in the pipeline, not by its title; in single or double quotes, doubled where they are part of the
name, if it holds anything but letters, digits, hyphens and the like. A noise mode may follow it, or stand alone in the
parentheses of ``repaired`` and ``missing``. Without one, the first mode that was analysed counts, in the order
replayed, abducted, fresh; for ``missing``, all of them together. Comparisons are ``< <= > >= == !=``; ``30%`` is 0.3.

Where no case failed there is nothing to blame, and a gate on a step or on the repair is met. Where a figure cannot be
told, the gate cannot either.
"""

from __future__ import annotations

import difflib
import math
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from analyzer.commands.show import counted, table_of
from analyzer.game_file import MODES, GameFile
from analyzer.rules import number_text

OF_A_STEP = ("mean", "low", "high", "share", "alone")
OF_ALL_STEPS = ("failed", "errored", "failure_rate", "repaired", "missing")

_COUNTS = ("failed", "errored", "missing")
_FRACTIONS = ("share", "alone", "failure_rate", "repaired")
# What is the same in every mode has none.
_WITHOUT_MODE = ("failed", "errored", "failure_rate")

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quoted> '(?:[^']|'')*' | "(?:[^"]|"")*" )
      | (?P<word> [^\s'"(),<>=!]+ )
      | (?P<sign> [(),] | [<>=!]+ )
    )""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(%?)", re.ASCII)
_FORMS = "write mean(STEP) > 0.3 or failed > 10"


class GateError(ValueError):
    """A gate that cannot be judged; the message names the condition, what is wrong with it and what is known."""


@dataclass(frozen=True)
class Judgement:
    """Whether a gate is met, None where that cannot be told; and a sentence that says why, without a period."""

    met: bool | None
    sentence: str


@dataclass(frozen=True)
class Gate:
    """A condition that must not hold; see `gate_of`.

    Attributes
    ----------
    text : str
        The condition as it was written, on one line.
    figure : str
        One of `OF_A_STEP` or `OF_ALL_STEPS`.
    step : str
        Name of the step; empty where the figure is of none.
    mode : str
        The noise mode; empty where none was named.
    comparison : str
    number : float
    """

    text: str
    figure: str
    step: str
    mode: str
    comparison: str
    number: float

    def check(self, players: Sequence[str], modes: Sequence[str], spread: float = math.inf) -> None:
        """Refuse a condition on what an analysis will not give, before it runs.

        Parameters
        ----------
        players : sequence of str
            Names of the steps that have a fix.
        modes : sequence of str
            The noise modes to be analysed.
        spread : float
            The length of the score's range, which no mean value exceeds.

        Raises
        ------
        GateError
        """
        if self.figure in OF_A_STEP and self.step not in players:
            raise self._refused(f"step {self.step!r} {_unknown(self.step, players, 'steps with a fix')}")
        if self.mode and self.mode not in modes:
            raise self._refused(f"mode {self.mode} is not analysed here (analysed: {', '.join(modes)})")
        if self.figure in ("mean", "low", "high") and abs(self.number) > spread:
            raise self._refused(f"{self.figure} lies between {-spread:g} and {spread:g} here")

    def judge(self, files: Sequence[GameFile]) -> Judgement:
        """Say whether the gate is met.

        Parameters
        ----------
        files : sequence of GameFile
            Of one scenario, one per mode that was analysed; at least one.

        Returns
        -------
        Judgement

        Raises
        ------
        GameFileError
            If the values in a file cannot be put together.
        """
        counts = files[0].header.counts
        blames = self.figure in OF_A_STEP or self.figure == "repaired"
        if counts.seen == 0:
            return self._untold("no case was run")
        if counts.seen == counts.errored and self.figure != "errored":
            return self._untold("no case could be run as it is")
        if blames and counts.failed == 0:
            ran = f" of {counts.seen - counts.errored} that could be run" if counts.errored else ""
            return Judgement(True, f"{self.text} does not hold: no case{ran} failed, so nothing is to blame")
        if blames:
            return self._on_repair(self._file(files))
        if self.figure == "missing":
            chosen = [file for file in files if self.mode in ("", file.header.mode)]
            number = sum(worth is None for file in chosen for case in file.cases for worth in case.worth)
            total = sum(len(case.worth) for file in chosen for case in file.cases)
            where = f", {self.mode}" if self.mode else ""
            return self._told(number, f" of {counted(total, 'coalition')}{where}")
        if self.figure == "failure_rate":
            total = counts.seen - counts.errored
            return self._told(counts.failed / total, f" ({counts.failed} of {counted(total, 'case')})")
        number = counts.failed if self.figure == "failed" else counts.errored
        return self._told(number, f" of {counted(counts.seen, 'case')}")

    def _file(self, files: Sequence[GameFile]) -> GameFile:
        by_mode = {file.header.mode: file for file in files}
        return by_mode[self.mode or next(mode for mode in MODES if mode in by_mode)]

    def _on_repair(self, file: GameFile) -> Judgement:
        """Judge a figure that is taken over the failing cases with values."""
        header, table = file.header, table_of(file)
        failed, complete = header.counts.failed, table.complete
        if not complete:
            return self._untold(f"{header.mode}, none of {counted(failed, 'failing case')} has values")
        cases = counted(failed, "failing case") if complete == failed else f"{complete} of {failed} failing cases"
        where = f", {header.mode}, {cases}"
        if self.figure == "repaired":
            return self._told(table.repaired / complete, f" ({table.repaired} of {complete}){where}")
        # A name that held a secret is another one in the file.
        if self.step not in header.players:
            return self._untold(f"no step of this name is in {file.name}")
        fix = table.fixes[header.players.index(self.step)]
        interval = ""
        if fix.low is not None and fix.high is not None:
            sure = f"{100 * (1 - header.delta):g} %"
            interval = f"{sure} interval {number_text(fix.low)} to {number_text(fix.high)}"
        if self.figure == "mean":
            return self._told(fix.mean, (f" ({interval})" if interval else "") + where)
        if self.figure == "alone":
            return self._told(fix.alone / complete, f" ({fix.alone} of {complete}){where}")
        if self.figure == "share":
            if fix.share is None:
                return self._untold(f"there is no repair to share, or a fix makes things worse on average{where}")
            return self._told(fix.share, where)
        end = fix.low if self.figure == "low" else fix.high
        if end is None:
            return self._untold(f"the values of some cases are estimates, so their mean has no interval{where}")
        return self._told(end, f" (mean {number_text(fix.mean)}, {interval}){where}")

    def _told(self, value: float, beside: str) -> Judgement:
        holds = _COMPARISONS[self.comparison](value, self.number)
        shown = number_text(value)
        if value != self.number and shown == number_text(self.number):
            # The text shown for both is the same, and would not say which is larger.
            shown = repr(value)
        return Judgement(not holds, f"{self.text} {'holds' if holds else 'does not hold'}: {shown}{beside}")

    def _untold(self, why: str) -> Judgement:
        return Judgement(None, f"{self.text} cannot be told: {why}")

    def _refused(self, why: str) -> GateError:
        return GateError(f"gate {self.text!r}: {why}.")


def gate_of(text: str) -> Gate:
    """Return the gate that a condition describes; the module says how one is written.

    Raises
    ------
    GateError
        If it is no condition; the message says what is wrong.

    Examples
    --------
    >>> gate = gate_of("mean('query rewriter', fresh) > 30%")
    >>> gate.figure, gate.step, gate.mode, gate.comparison, gate.number
    ('mean', 'query rewriter', 'fresh', '>', 0.3)
    """
    try:
        figure, arguments, comparison, number = _parts(text)
        step, mode = _step_and_mode(figure, arguments)
        return Gate(_one_line(text), figure, step, mode, comparison, _number(figure, number))
    except GateError as error:
        raise GateError(f"gate {_one_line(text)!r}: {error}.") from None


def _parts(text: str) -> tuple[str, list[str], str, str]:
    """Split a condition into its figure, what stands in parentheses, the comparison and the number."""
    tokens = _tokens(text)
    kind, figure = tokens.pop(0) if tokens else ("", "")
    if kind != "word" or _NUMBER.fullmatch(figure):
        raise GateError(f"it does not begin with a figure; {_FORMS}")
    if figure not in OF_A_STEP + OF_ALL_STEPS:
        raise GateError(f"figure {figure} {_unknown(figure, OF_A_STEP + OF_ALL_STEPS, 'known')}")
    arguments = list[str]()
    if tokens[:1] == [("sign", "(")]:
        arguments = _arguments(tokens)
    kind, comparison = tokens.pop(0) if tokens else ("", "")
    if comparison not in _COMPARISONS or kind != "sign":
        after = f"{comparison} is no comparison" if comparison else "no comparison follows the figure"
        raise GateError(f"{after}; there are {' '.join(_COMPARISONS)}")
    kind, number = tokens.pop(0) if tokens else ("", "")
    if kind != "word":
        raise GateError(f"no number follows {comparison}")
    if tokens:
        raise GateError(f"{tokens[0][1]} follows the number; give one condition to each --fail-on")
    return figure, arguments, comparison, number


def _tokens(text: str) -> list[tuple[str, str]]:
    """Split a condition into words, quoted texts and signs, each with its kind."""
    tokens, end, place = list[tuple[str, str]](), len(text.rstrip()), 0
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None:
            raise GateError("a quote is not closed")
        assert found.lastgroup is not None
        tokens.append((found.lastgroup, found[found.lastgroup]))
        place = found.end()
    return tokens


def _arguments(tokens: list[tuple[str, str]]) -> list[str]:
    """Take what stands in parentheses off the front of the tokens."""
    arguments = list[str]()
    between = tokens.pop(0)
    while between != ("sign", ")"):
        kind, written = tokens.pop(0) if tokens else ("", "")
        if kind not in ("word", "quoted"):
            raise GateError(f"a name is missing in the parentheses; {_FORMS}")
        arguments.append(written if kind == "word" else written[1:-1].replace(written[0] * 2, written[0]))
        between = tokens.pop(0) if tokens else ("", "")
        if between not in (("sign", ","), ("sign", ")")):
            more = f"; if {between[1]} is part of the name, put the name in quotes" if between[1] else ""
            raise GateError(f"a parenthesis is not closed after {written}{more}")
    return arguments


def _step_and_mode(figure: str, arguments: list[str]) -> tuple[str, str]:
    """Return the step and the mode named in parentheses."""
    if figure in OF_A_STEP:
        if not arguments:
            raise GateError(f"{figure} is a figure of a step; write {figure}(STEP)")
        step, *modes = arguments
    else:
        step, modes = "", arguments
        if modes and figure in _WITHOUT_MODE:
            raise GateError(f"{figure} is over all cases, whatever the step or mode; write {figure} alone")
    if len(modes) > 1:
        raise GateError(f"{modes[1]} is one name too many; a comma in a step's name needs quotes around the name")
    mode = modes[0] if modes else ""
    if mode and mode not in MODES:
        raise GateError(f"mode {mode} {_unknown(mode, MODES, 'known')}")
    return step, mode


def _number(figure: str, written: str) -> float:
    found = _NUMBER.fullmatch(written)
    if found is None:
        raise GateError(f"{written} is no number; write one such as 0.3, -2 or 30%")
    # The exponent rather than a division: 30% is then the very number that 0.3 is.
    number = float(f"{written[:-1]}e-2") if found[1] else float(written)
    if not math.isfinite(number):
        raise GateError(f"{written[:20]}… is too large a number")
    if figure in _COUNTS and found[1]:
        instead = "; write failure_rate for their fraction" if figure == "failed" else ""
        raise GateError(f"{figure} is a count, not a fraction{instead}")
    if figure in _FRACTIONS and not 0 <= number <= 1:
        percent = f"; write {written}% for a percentage" if 0 <= number <= 100 else ""
        raise GateError(f"{figure} lies between 0 and 1{percent}")
    return number


def _unknown(name: str, known: Collection[str], what: str) -> str:
    """Return that a name is unknown, what is known, and the one that was probably meant."""
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"is unknown{meant} ({what}: {', '.join(known) or 'none'})"


def _one_line(text: str) -> str:
    return " ".join(text.split())
