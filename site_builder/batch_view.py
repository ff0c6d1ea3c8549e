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
from site_builder.wording import coalition_name

#: Minimal repairing sets that are listed; how many more there are is told.
SETS_LISTED = 8


@dataclass(frozen=True)
class FixLine:
    """A fix over all cases, as shown; ``–`` stands where there is no number."""

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
    sufficiency: str
    bar: Bar
    whiskers: Whiskers
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
    """Everything the page shows over all failures of a scenario and mode."""

    headline: str
    remarks: tuple[str, ...]
    ends: tuple[tuple[str, str], ...]
    lines: tuple[FixLine, ...]
    control: str
    together: str
    ranges: tuple[RangeLine, ...]
    sets_sentence: str
    sets: tuple[SetLine, ...]
    minimal: tuple[SetLine, ...]
    rarer: str
    pairs_note: str
    matrix: tuple[tuple[Pair | None, ...], ...]
    strongest: tuple[tuple[str, Pair], ...]


def batch_view(
    table: BatchTable, figures: Sequence[CaseFigures | None], titles: Sequence[str], on: Basis, total: int
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
    """
    rows = [one.shapley for one in figures if one is not None]
    interplay = _interplay(table, titles, on)
    return BatchView(
        headline=batch_words.headline(table, figures, titles, on),
        remarks=batch_words.remarks(table, figures, titles, on),
        ends=_ends(table, on, total),
        lines=_lines(table, rows, titles, on) if rows else tuple(_no_line(k, title) for k, title in enumerate(titles)),
        control=f"{table.passes}/{table.complete}",
        together=f"{table.repaired}/{table.complete}",
        ranges=_ranges(rows, _ruler(rows, on)),
        sets_sentence=batch_words.sets_sentence(table, titles) if table.complete else "",
        sets=tuple(
            _set_line(coalition_name(mask, titles), repaired, table.exact, _tied(ties - 1))
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


def _end(cases: int, outcome: float, table: BatchTable, on: Basis) -> str:
    counted = f"{cases} of {table.complete}"
    if on.graded:
        return f"{counted}, mean score {number_text(outcome)}"
    return f"{counted}, {percent(outcome)} of runs" if on.worlds > 1 else counted


def _ruler(rows: Sequence[Sequence[float]], on: Basis) -> Ruler:
    return ruler(rows, None if on.graded else on.spread)


def _lines(table: BatchTable, rows: Sequence[Sequence[float]], titles: Sequence[str], on: Basis) -> tuple[FixLine, ...]:
    means = [fix.mean for fix in table.fixes]
    span = scale([end for fix in table.fixes for end in (fix.low, fix.high)], 0.0)
    shared = _ruler(rows, on)
    return tuple(
        _line(player, place(player, means), titles[player], table, span, strip([row[player] for row in rows], shared))
        for player in (int(player) for player in rank(means))
    )


def _line(player: int, where: str, title: str, table: BatchTable, span: Scale, values: Strip) -> FixLine:
    fix: FixRow = table.fixes[player]
    return FixLine(
        player=player,
        place=where,
        title=title,
        mean=number_text(fix.mean),
        interval=f"{number_text(fix.low)} to {number_text(fix.high)}",
        deviation="–" if fix.deviation is None else number_text(fix.deviation),
        share="–" if fix.share is None else percent(fix.share),
        alone=f"{fix.alone}/{table.complete}",
        last_touch=f"{fix.last_touch}/{table.complete}",
        necessity=_probability(fix.necessity),
        sufficiency=_probability(fix.sufficiency),
        bar=bar(fix.mean, span),
        whiskers=whiskers(fix.low, fix.high, span),
        strip=values,
    )


def _no_line(player: int, title: str) -> FixLine:
    span, no = Scale(0.0, 1.0), "–"
    flat, ends = bar(0.0, span), whiskers(0.0, 0.0, span)
    nothing = strip([], ruler([], 1.0))
    return FixLine(player, no, title, no, no, no, no, no, no, no, no, flat, ends, nothing)


def _probability(bounds: tuple[float, float, int] | None) -> str:
    """Return the bounds of a probability as a number or a range."""
    if bounds is None:
        return "–"
    low, high = number_text(bounds[0]), number_text(bounds[1])
    return low if low == high else f"{low} to {high}"


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
    named = " + ".join(title for player, title in enumerate(titles) if mask >> player & 1)
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
