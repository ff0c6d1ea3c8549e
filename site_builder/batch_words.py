"""Turns the table over many failing cases into sentences: which fix comes first, how sure that is, and beside what.

The page says the same live: batch_words.js is the twin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.batch_table import BatchTable, CaseFigures, FixRow
from analyzer.game_file import Header
from analyzer.rules import mean_and_deviation, number_text, rank
from analyzer.rules.betting import capital
from analyzer.rules.verdict import listed
from site_builder.wording import coalition_name

#: What a case takes, by the kind of its verdict, in the order cases are sorted: what its row says, and its chip.
KINDS: Mapping[str, str] = {
    "repairable": "one fix is enough",
    "no_single": "takes several fixes",
    "all_fail": "all fixes are not enough",
    "passes": "passes without a fix",
    "withheld": "no values",
    "unknown": "not analysed",
}

_NAMED = 3

# Rounding of graded scores, as a part of their range: what is nearer to 0 is told as 0.
ROUNDING = 2.0**-40


@dataclass(frozen=True)
class Basis:
    """What the figures of a scenario and mode rest on.

    Attributes
    ----------
    fresh : bool
        Whether the luck is new, so that some failures pass without any fix.
    spread : float
        The length of the score's range.
    delta : float
        Error probability of the intervals jointly, and of the claim which fix comes first.
    confidence : str
        The same in words, such as ``95 %``.
    """

    graded: bool
    fresh: bool
    worlds: int
    spread: float
    delta: float
    confidence: str


def basis(header: Header) -> Basis:
    """Return what the figures under a header rest on."""
    score = header.scenario.score
    confidence = f"{100 * (1 - header.delta):g} %"
    spread = score.high - score.low
    return Basis(score.graded, header.mode == "fresh", header.worlds, spread, header.delta, confidence)


def kind_of(figures: CaseFigures | None) -> str:
    """Return the kind of a case's verdict."""
    if figures is None:
        return "withheld"
    if figures.passes:
        return "passes"
    if not figures.repaired:
        return "all_fail"
    return "repairable" if any(figures.alone) else "no_single"


def contenders(rows: Sequence[Sequence[float]], spread: float, threshold: float) -> tuple[int, ...]:
    """Return the players that may have the largest mean, by rank: the first, and all it is not separated from.

    That the one with the largest true mean is missing here has at most the error probability of the claim that one
    leads: only its own difference to the first could have ruled it out.
    """
    first, *others = (int(player) for player in rank(mean_and_deviation(rows)[0]))
    if not others:
        return (first,)
    leads = capital([[row[first] - row[other] for other in others] for row in rows], -spread, spread, 0.0)
    return (first, *(other for other, lead in zip(others, leads, strict=True) if lead < threshold))


def headline(table: BatchTable, figures: Sequence[CaseFigures | None], titles: Sequence[str], on: Basis) -> str:
    """Return the one sentence on which fix is worth doing first; under new luck with its control."""
    if table.cases == 0:
        return "No case is left to compare."
    if not titles:
        return "No fix was tried."
    if table.complete == 0:
        return f"The fixes can be compared in none of {table.cases} failing cases."
    said = _first(table, [one.shapley for one in figures if one is not None], titles, on)
    return f"{said} {control(table)}" if on.fresh else said


def control(table: BatchTable) -> str:
    """Return what happens without any fix: new luck repairs some failures by itself."""
    return f"Without any fix, {table.passes} of {table.complete} pass under new luck."


def _first(table: BatchTable, rows: Sequence[Sequence[float]], titles: Sequence[str], on: Basis) -> str:
    order = [int(player) for player in rank([fix.mean for fix in table.fixes])]
    best, title = table.fixes[order[0]], titles[order[0]]
    failures = f"{table.complete} failure{'s' if table.complete > 1 else ''}"
    if best.mean <= 0:
        return f"No fix helps on average over {failures}."
    sure = f"{on.confidence} interval {number_text(best.low)} to {number_text(best.high)}"
    if table.leader is not None:
        apart = "" if len(titles) == 1 else ", separated from every other fix"
        if best.low > 0 or len(titles) == 1:
            return f"Fixing {title} {_gain(best, on, most=len(titles) > 1)} ({sure}){apart}."
        return f"Fixing {title} comes before every other fix, but may not help at all ({_number(best, on)}; {sure})."
    threshold = len(titles) / on.delta
    enough = bool(capital([1.0] * table.complete, -1.0, 1.0, 0.0) >= threshold)
    if len(titles) == 1:
        tail = "tell apart from nothing" if enough else "are too few to judge by"
        return f"Fixing {title} {_gain(best, on, most=False)} ({sure}), which {failures} {'do not ' * enough}{tail}."
    if not enough:
        tied = [player for player in order if table.fixes[player].mean == best.mean]
        verb = "has" if len(tied) == 1 else "have"
        few = f"{failures} {'are' if table.complete > 1 else 'is'} too few to tell the fixes apart"
        return f"{few}; {_some(titles, tied)} {verb} the largest mean value ({number_text(best.mean)})."
    # Sampled values of two fixes may lie further apart than two scores.
    spread = on.spread if table.exact == table.complete else 2 * on.spread
    close = contenders(rows, spread, threshold)
    values = [f"{title} ({number_text(fix.mean)})" for title, fix in zip(titles, table.fixes, strict=True)]
    if len(close) < len(titles):
        return f"{_some(values, close)} lead; {failures} do not tell them apart."
    if len(titles) == 2:
        return f"{failures} do not tell {_some(values, close)} apart."
    return f"{failures} do not tell the fixes apart; {title} has the largest mean value ({number_text(best.mean)})."


def _some(titles: Sequence[str], players: Sequence[int]) -> str:
    """Name the first few players, and say how many more there are."""
    more = len(players) - _NAMED
    if more <= 0:
        return listed(titles, players, "and")
    return f"{', '.join(titles[player] for player in players[:_NAMED])} and {more} more"


def _gain(fix: FixRow, on: Basis, *, most: bool) -> str:
    if on.graded:
        return f"{'helps most: it ' * most}adds {number_text(fix.mean)} to the score on average"
    return f"repairs {'most: ' * most}{number_text(fix.mean)} of a failure on average"


def _number(fix: FixRow, on: Basis) -> str:
    return f"{number_text(fix.mean)}{'' if on.graded else ' of a failure'} on average"


def remarks(
    table: BatchTable, figures: Sequence[CaseFigures | None], titles: Sequence[str], on: Basis
) -> tuple[str, ...]:
    """Return what stands below the headline: what the cases take, what does harm, what last-step blame would say."""
    if not titles or table.complete == 0:
        return ()
    said = [what_it_takes(table, figures)]
    complete = [one for one in figures if one is not None]
    idle = sum(max(one.shapley) <= on.spread * ROUNDING for one in complete)
    if idle:
        said.append(f"In {idle} of {table.complete}, no fix helps on balance.")
    fewer = sum(not one.repaired and bool(one.minimal) for one in complete)
    if fewer:
        said.append(f"In {fewer} of {table.complete}, all fixes together fail although fewer would repair it.")
    said.extend(
        f"Fixing {title} makes things worse on average ({number_text(fix.mean)}, {on.confidence} interval "
        f"{number_text(fix.low)} to {number_text(fix.high)})."
        for title, fix in zip(titles, table.fixes, strict=True)
        if fix.high < 0
    )
    return (*said, *last_step(table, titles))


def what_it_takes(table: BatchTable, figures: Sequence[CaseFigures | None]) -> str:
    """Return how many cases are of each kind, in words."""
    kinds = [kind_of(one) for one in figures if one is not None]
    phrases = {
        "repairable": "one fix is enough for",
        "no_single": "several are needed for",
        "all_fail": "all together are not enough for",
        "passes": "none is needed for",
    }
    counted = [f"{words} {kinds.count(kind)}" for kind, words in phrases.items() if kind in kinds]
    return f"Of {table.complete} compared, {listed(counted, range(len(counted)), 'and')}."


def last_step(table: BatchTable, titles: Sequence[str]) -> list[str]:
    """Return what blaming the last step would have said, where it names a step."""
    blamed = [fix.last_touch for fix in table.fixes]
    if not any(blamed):
        return []
    named = blamed.index(max(blamed))
    place = [int(player) for player in rank([fix.mean for fix in table.fixes])].index(named)
    where = f"{blamed[named]} of {table.complete}"
    if place == 0:
        return [f"Last-step blame would have named the same step, {titles[named]}, in {where}."]
    mean = number_text(table.fixes[named].mean)
    return [f"Last-step blame would have named {titles[named]} in {where}; its fix is worth {mean} on average."]


def sets_sentence(table: BatchTable, titles: Sequence[str]) -> str:
    """Return how few fixes repair as many cases as any set does."""
    if not table.sets:
        return "Which fixes to ship together needs every combination; these games were sampled."
    most = max(repaired for _, repaired, _ in table.sets)
    mask = next(mask for mask, repaired, _ in table.sets if repaired == most)
    if most == 0:
        return "No set of fixes repairs any case."
    if mask == 0:
        return f"No set of fixes does better than none: {most} of {table.exact} pass."
    if len(titles) > 1 and mask == 2 ** len(titles) - 1:
        whole = "both" if len(titles) == 2 else f"all {len(titles)}"
        return f"It takes {whole} fixes to repair the most: {most} of {table.exact}."
    fixes = "one fix is enough" if mask.bit_count() == 1 else f"{mask.bit_count()} fixes are enough"
    said = f"To repair as many as any set does, {fixes}: {coalition_name(mask, titles)}, {most} of {table.exact}."
    grand = table.sets[-1][1]
    return said if grand == most else f"{said} All fixes together repair {grand}."


def percent(part: float) -> str:
    """Return a part of a whole in percent, halves rounded up."""
    return f"{math.floor(100 * part + 0.5)} %"
