"""Turns the table over many failing cases into what the page shows of it: sentences, rows, bars, strips and a matrix.

The page makes the same view live, after edits and filters: batch_rows.js is the twin, to the last character and unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from analyzer.batch_table import BatchTable, CaseFigures, FixRow
from analyzer.rules import number_text, rank
from site_builder import batch_words
from site_builder.batch_words import ROUNDING, Basis, percent
from site_builder.figures import Bar, Scale, Whiskers, bar, scale, whiskers
from site_builder.interplay import Figures, InterplayView, Pair, view_of
from site_builder.ranking import place
from site_builder.strips import Ruler, Strip, bin_text, ruler, strip
from site_builder.wording import coalition_name, interval_text, joined

#: Minimal repairing sets that are listed; how many more there are is told.
SETS_LISTED = 8


@dataclass(frozen=True)
class FixLine:
    """A fix over all cases, as shown; ``–`` stands where there is no number.

    `necessity_of` and `sufficiency_of` say over how many cases a probability is, if not over all.
    """

    player: int
    place: str
    title: str
    mean: str
    interval: str
    deviation: str
    share: str
    alone: str
    last_touch: str
    necessity: str
    necessity_of: str
    sufficiency: str
    sufficiency_of: str
    bar: Bar
    whiskers: Whiskers | None
    strip: Strip


@dataclass(frozen=True)
class RangeLine:
    """The table behind the strips: a range of values, and how many cases each fix has there."""

    text: str
    cases: tuple[int, ...]


@dataclass(frozen=True)
class SetLine:
    """A set of fixes: its name, in how many cases it repairs or is needed, what ties, and the bar."""

    name: str
    cases: str
    ties: str
    bar: Bar


@dataclass(frozen=True)
class BatchView:
    """Everything the page shows over all failures of a scenario and mode.

    Attributes
    ----------
    intervals : bool
        Whether the means have intervals: not where a value is an estimate, nor where the cases were chosen by their
        outcome.
    shares : bool
        Whether there are shares of the repair.
    partly : str
        What part of the cases the sets and pairs of fixes are about, if not all.
    """

    headline: str
    remarks: tuple[str, ...]
    ends: tuple[tuple[str, str], ...]
    intervals: bool
    shares: bool
    lines: tuple[FixLine, ...]
    control: str
    together: str
    ranges: tuple[RangeLine, ...]
    partly: str
    sets_sentence: str
    sets: tuple[SetLine, ...]
    minimal: tuple[SetLine, ...]
    rarer: str
    pairs_note: str
    matrix: tuple[tuple[Pair | None, ...], ...]
    strongest: tuple[tuple[str, Pair], ...]


def batch_view(
    table: BatchTable,
    figures: Sequence[CaseFigures | None],
    titles: Sequence[str],
    on: Basis,
    total: int,
    *,
    by_outcome: bool = False,
) -> BatchView:
    """Return what is shown of a table.

    Parameters
    ----------
    table : BatchTable
    figures : sequence of CaseFigures or None
        What it was made of.
    titles : sequence of str
        The players'.
    on : Basis
    total : int
        Cases there are before any filter.
    by_outcome : bool
        Whether a filter chose them by what they take.
    """
    rows = [one.shapley for one in figures if one is not None]
    interplay = _interplay(table, titles, on)
    if rows:
        lines = _lines(table, rows, titles, on, by_outcome=by_outcome)
    else:
        lines = tuple(_no_line(player, title) for player, title in enumerate(titles))
    return BatchView(
        headline=batch_words.headline(table, figures, titles, on, by_outcome=by_outcome),
        remarks=batch_words.remarks(table, figures, titles, on, by_outcome=by_outcome),
        ends=_ends(table, on, total),
        intervals=not by_outcome and all(interval_of(fix) is not None for fix in table.fixes),
        shares=any(fix.share is not None for fix in table.fixes),
        lines=lines,
        control=_of_cases(table.passes, table.complete),
        together=_of_cases(table.repaired, table.complete),
        ranges=_ranges(rows, _ruler(rows, on)),
        partly=_partly(table),
        sets_sentence=batch_words.sets_sentence(table, titles) if table.complete else "",
        sets=tuple(
            _set_line(
                coalition_name(mask, titles), repaired, table.exact, _tied(ties - 1) if mask else "pass without one"
            )
            for mask, repaired, ties in table.sets
        ),
        minimal=tuple(
            _set_line(_minimal_name(mask, titles), cases, table.exact, "")
            for mask, cases in table.minimal[:SETS_LISTED]
        ),
        rarer=_rarer(table),
        pairs_note=interplay.pairs_note if interplay else "",
        matrix=interplay.matrix if interplay else (),
        strongest=interplay.strongest if interplay else (),
    )


def _ends(table: BatchTable, on: Basis, total: int) -> tuple[tuple[str, str], ...]:
    """Return how many cases there are, and what happens without any fix and with all of them."""
    chosen = f" of {total}" if table.cases != total else ""
    found = [("Failing cases", f"{table.cases}{chosen}")]
    if table.complete < table.cases:
        found.append(("Without values", f"{table.cases - table.complete}"))
    if table.complete:
        found.append(("Pass with no fix", _end(table.passes, table.empty, table, on)))
        found.append(("Pass with all fixes", _end(table.repaired, table.grand, table, on)))
    return tuple(found)


def _of_cases(cases: int, complete: int) -> str:
    return f"{cases}/{complete}" if complete else "no case"


def _end(cases: int, outcome: float, table: BatchTable, on: Basis) -> str:
    counted = f"{cases} of {table.complete}"
    if on.graded:
        return f"{counted}, mean score {number_text(outcome)}"
    return f"{counted}, {percent(outcome)} of runs" if on.worlds > 1 else counted


def _ruler(rows: Sequence[Sequence[float]], on: Basis) -> Ruler:
    return ruler(rows, None if on.graded else on.spread)


def _lines(
    table: BatchTable, rows: Sequence[Sequence[float]], titles: Sequence[str], on: Basis, *, by_outcome: bool
) -> tuple[FixLine, ...]:
    means = [fix.mean for fix in table.fixes]
    intervals = [None if by_outcome else interval_of(fix) for fix in table.fixes]
    span = scale([*means, *(end for ends in intervals if ends is not None for end in ends)], 0.0)
    shared = _ruler(rows, on)
    lines = []
    for player in (int(player) for player in rank(means)):
        drawn = strip([row[player] for row in rows], shared)
        lines.append(_line(player, place(player, means), titles[player], table, span, intervals[player], drawn))
    return tuple(lines)


def interval_of(fix: FixRow) -> tuple[float, float] | None:
    """Return the interval of a fix's mean, if it has one."""
    return None if fix.low is None or fix.high is None else (fix.low, fix.high)


def _line(
    player: int,
    where: str,
    title: str,
    table: BatchTable,
    span: Scale,
    ends: tuple[float, float] | None,
    values: Strip,
) -> FixLine:
    fix: FixRow = table.fixes[player]
    return FixLine(
        player=player,
        place=where,
        title=title,
        mean=number_text(fix.mean),
        interval="" if ends is None else interval_text(ends[0], ends[1]),
        deviation="–" if fix.deviation is None else number_text(fix.deviation),
        share="–" if fix.share is None else percent(fix.share),
        alone=f"{fix.alone}/{table.complete}",
        last_touch="–" if fix.last_touch is None else f"{fix.last_touch}/{table.complete}",
        necessity=_probability(fix.necessity),
        necessity_of=_of(fix.necessity, table.complete),
        sufficiency=_probability(fix.sufficiency),
        sufficiency_of=_of(fix.sufficiency, table.complete),
        bar=bar(fix.mean, span),
        whiskers=None if ends is None else whiskers(*ends, span),
        strip=values,
    )


def _no_line(player: int, title: str) -> FixLine:
    span, no = Scale(0.0, 1.0), "–"
    flat, ends = bar(0.0, span), whiskers(0.0, 0.0, span)
    nothing = strip([], ruler([], 1.0))
    return FixLine(player, no, title, no, no, no, no, no, no, no, "", no, "", flat, ends, nothing)


def _probability(bounds: tuple[float, float, int] | None) -> str:
    """Return the bounds of a probability as a number or a range."""
    if bounds is None:
        return "–"
    low, high = number_text(bounds[0]), number_text(bounds[1])
    return low if low == high else f"{low} to {high}"


def _of(bounds: tuple[float, float, int] | None, complete: int) -> str:
    return "" if bounds is None or bounds[2] == complete else f"of {bounds[2]}"


def _partly(table: BatchTable) -> str:
    if table.exact in (0, table.complete):
        return ""
    verb = "lists" if table.exact == 1 else "list"
    return f"What follows is over the {table.exact} of {table.complete} cases that {verb} every combination."


def _ranges(rows: Sequence[Sequence[float]], on: Ruler) -> tuple[RangeLine, ...]:
    if not rows:
        return ()
    strips = [strip([row[player] for row in rows], on) for player in range(len(rows[0]))]
    found = []
    for number in range(on.last, on.first - 1, -1):
        cases = tuple(sum(one.cases for one in drawn.bins if one.number == number) for drawn in strips)
        if any(cases):
            found.append(RangeLine(bin_text(number, on.step), cases))
    return tuple(found)


def _set_line(name: str, cases: int, of: int, ties: str) -> SetLine:
    return SetLine(name, f"{cases}/{of}", ties, bar(float(cases), Scale(0.0, float(of or 1))))


def _tied(others: int) -> str:
    if others == 0:
        return ""
    return "so does 1 other set of this size" if others == 1 else f"so do {others} other sets of this size"


def _minimal_name(mask: int, titles: Sequence[str]) -> str:
    if mask == 0:
        return "No fix needed"
    named = joined([title for player, title in enumerate(titles) if mask >> player & 1])
    return f"{named} alone" if mask.bit_count() == 1 else named


def _rarer(table: BatchTable) -> str:
    more = len(table.minimal) - SETS_LISTED
    if more <= 0:
        return ""
    return "and 1 rarer set" if more == 1 else f"and {more} rarer sets"


def _interplay(table: BatchTable, titles: Sequence[str], on: Basis) -> InterplayView | None:
    """Return how the fixes work together on average, two at a time; None where no game says so."""
    found, players = table.interactions, len(titles)
    if found is None or players < 2:
        return None
    pairs = [found[one * players + other] for one, other in combinations(range(players), 2)]
    rounding = on.spread * ROUNDING
    told = tuple(0.0 if abs(index) <= rounding else index for index in pairs)
    return view_of(Figures((), 0, None, None, told, (), 0), titles)
