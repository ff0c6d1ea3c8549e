"""Turns the table over many failing cases into sentences: which fix comes first, how sure that is, and beside what.

The page says the same live: batch_words.js is the twin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.batch_table import BatchTable, CaseFigures, FixRow
from analyzer.game_file import Header
from analyzer.rules import isolated, mean_and_deviation, number_text, rank
from analyzer.rules.betting import capital
from analyzer.rules.verdict import listed
from site_builder.wording import coalition_name, interval_text

#: What a case takes, by the kind of its verdict, in the order cases are sorted: what its row says, and its chip.
KINDS: Mapping[str, str] = {
    "repairable": "one fix is enough",
    "no_single": "takes several fixes",
    "fewer": "all fixes together fail, fewer repair it",
    "all_fail": "no combination repairs it",
    "unsettled": "all fixes together fail",
    "passes": "passes without a fix",
    "withheld": "no values",
    "unknown": "not analysed",
}

#: What is said on cases that a filter chose by what they take.
BY_OUTCOME = "Chosen by their outcome: these figures describe the cases chosen and support no claim beyond them."

#: What is said where the value of a case is an estimate.
NO_CLAIM = "Some values are estimates, so it is not claimed which fix comes first."

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
    ordered : bool
        Whether the steps have an order, so that one of them can be the last.
    """

    graded: bool
    fresh: bool
    worlds: int
    spread: float
    delta: float
    confidence: str
    ordered: bool = True


def basis(header: Header) -> Basis:
    """Return what the figures under a header rest on."""
    score = header.scenario.score
    confidence = f"{100 * (1 - header.delta):g} %"
    spread = score.high - score.low
    return Basis(score.graded, header.mode == "fresh", header.worlds, spread, header.delta, confidence, header.ordered)


def kind_of(figures: CaseFigures | None) -> str:
    """Return the kind of a case's verdict; it is of one kind only.

    Where all fixes together fail and only some combinations were run, it may be unsettled whether fewer do better.
    """
    if figures is None:
        return "withheld"
    if figures.passes:
        return "passes"
    if not figures.repaired:
        if figures.minimal or any(figures.alone):
            return "fewer"
        return "unsettled" if figures.minimal is None else "all_fail"
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


def headline(
    table: BatchTable,
    figures: Sequence[CaseFigures | None],
    titles: Sequence[str],
    on: Basis,
    *,
    by_outcome: bool = False,
) -> str:
    """Return the one sentence on which fix is worth doing first; under new luck with its control.

    Where the cases were chosen by their outcome it describes them, and claims nothing.
    """
    if table.cases == 0:
        return "No case is left to compare."
    if not titles:
        return "No fix was tried."
    if table.complete == 0:
        return f"The fixes can be compared in none of {table.cases} failing cases."
    titles = [isolated(title) for title in titles]
    if by_outcome:
        said = _described(table, titles, f"the {_failures(table)} chosen")
    else:
        said = _first(table, [one.shapley for one in figures if one is not None], titles, on)
    return f"{said} {control(table)}" if on.fresh else said


def control(table: BatchTable) -> str:
    """Return what happens without any fix: new luck repairs some failures by itself."""
    return f"Without any fix, {table.passes} of {table.complete} pass under new luck."


def _failures(table: BatchTable) -> str:
    return f"{table.complete} failure{'s' if table.complete > 1 else ''}"


def _described(table: BatchTable, titles: Sequence[str], chosen: str) -> str:
    order = [int(player) for player in rank([fix.mean for fix in table.fixes])]
    if table.fixes[order[0]].mean <= 0:
        return f"No fix helps on average over {chosen}."
    if len(titles) == 1:
        return f"Over {chosen}, fixing {titles[0]} has a mean value of {number_text(table.fixes[0].mean)}."
    return f"Over {chosen}, {_most(table, order, titles)}."


def _first(table: BatchTable, rows: Sequence[Sequence[float]], titles: Sequence[str], on: Basis) -> str:
    order = [int(player) for player in rank([fix.mean for fix in table.fixes])]
    best, title = table.fixes[order[0]], titles[order[0]]
    failures = _failures(table)
    if best.mean <= 0:
        return f"No fix helps on average over {failures}."
    if best.low is None or best.high is None:
        return f"{_described(table, titles, failures)} {NO_CLAIM}"
    sure = f"{on.confidence} interval {interval_text(best.low, best.high)}"
    if table.leader is not None:
        apart = "" if len(titles) == 1 else ", separated from every other fix"
        if best.low > 0 or len(titles) == 1:
            return f"Fixing {title} {_gain(best, on, most=len(titles) > 1)} ({sure}){apart}."
        doubt = f"too few failures to rule out that it does nothing ({sure})"
        return f"Fixing {title} comes before every other fix ({_number(best, on)}); {doubt}."
    threshold = len(titles) / on.delta
    enough = bool(capital([1.0] * table.complete, -1.0, 1.0, 0.0) >= threshold)
    if len(titles) == 1:
        tail = "tell apart from nothing" if enough else "are too few to judge by"
        return f"Fixing {title} {_gain(best, on, most=False)} ({sure}), which {failures} {'do not ' * enough}{tail}."
    if not enough:
        few = f"{failures} {'are' if table.complete > 1 else 'is'} too few to tell the fixes apart"
        return f"{few}; {_most(table, order, titles)}."
    close = contenders(rows, on.spread, threshold)
    if len(close) == len(titles):
        return f"{failures} do not tell the fixes apart; {_most(table, order, titles)}."
    # Only the first was tested against the others; fixes whose means are equal cannot be told apart.
    tied = [player for player in order if table.fixes[player].mean == best.mean]
    if len(tied) == len(close):
        return f"F{_most(table, order, titles)[1:]}; {failures} do not tell them apart."
    values = [
        title if fix.mean == best.mean else f"{title} ({number_text(fix.mean)})"
        for title, fix in zip(titles, table.fixes, strict=True)
    ]
    others = some(values, close[1:])
    if len(tied) == 1:
        return f"F{_most(table, order, titles)[1:]}; {failures} do not tell it apart from {others}."
    return f"F{_most(table, order, titles)[1:]}; {failures} do not tell {title} apart from {others}."


def _most(table: BatchTable, order: Sequence[int], titles: Sequence[str]) -> str:
    """Say which fix has the largest mean value, or which tie for it."""
    mean = table.fixes[order[0]].mean
    tied = [player for player in order if table.fixes[player].mean == mean]
    each = " each" if len(tied) > 1 else ""
    return f"fixing {some(titles, tied, 'or')} helps most on average ({number_text(mean)}{each})"


def some(titles: Sequence[str], players: Sequence[int], word: str = "and") -> str:
    """Return the names of the first few players, and how many more there are."""
    more = len(players) - _NAMED
    if more <= 0:
        return listed(titles, players, word)
    return f"{', '.join(titles[player] for player in players[:_NAMED])} {word} {more} more"


def _gain(fix: FixRow, on: Basis, *, most: bool) -> str:
    if on.graded:
        return f"{'helps most: it ' * most}adds {number_text(fix.mean)} to the score on average"
    return f"repairs {'most: ' * most}{number_text(fix.mean)} of a failure on average"


def _number(fix: FixRow, on: Basis) -> str:
    return f"{number_text(fix.mean)}{'' if on.graded else ' of a failure'} on average"


def remarks(
    table: BatchTable,
    figures: Sequence[CaseFigures | None],
    titles: Sequence[str],
    on: Basis,
    *,
    by_outcome: bool = False,
) -> tuple[str, ...]:
    """Return what stands below the headline: what the cases take, what does harm, what last-step blame would say."""
    if not titles or table.complete == 0:
        return ()
    titles = [isolated(title) for title in titles]
    said = [BY_OUTCOME] if by_outcome else []
    said.append(what_it_takes(table, figures))
    complete = [one for one in figures if one is not None]
    idle = sum(max(one.shapley) <= on.spread * ROUNDING for one in complete)
    if idle:
        said.append(f"In {idle} of {table.complete}, no fix helps on balance.")
    said.extend(
        f"Fixing {title} makes things worse on average ({number_text(fix.mean)}, {on.confidence} interval "
        f"{interval_text(fix.low, fix.high)})."
        for title, fix in zip(titles, table.fixes, strict=True)
        if fix.low is not None and fix.high is not None and fix.high < 0 and not by_outcome
    )
    return (*said, *last_step(table, titles))


def what_it_takes(table: BatchTable, figures: Sequence[CaseFigures | None]) -> str:
    """Return how many cases are of each kind, in words."""
    kinds = [kind_of(one) for one in figures if one is not None]
    phrases = {
        "repairable": "one fix is enough for",
        "no_single": "several are needed for",
        "fewer": "all together fail but fewer repair",
        "all_fail": "no combination repairs",
        "unsettled": "all together are not enough for",
        "passes": "none is needed for",
    }
    counted = [f"{words} {kinds.count(kind)}" for kind, words in phrases.items() if kind in kinds]
    return f"Of {table.complete} compared, {listed(counted, range(len(counted)), 'and')}."


def last_step(table: BatchTable, titles: Sequence[str]) -> list[str]:
    """Return what blaming the last step would have said, where it names a step."""
    most = max((fix.last_touch or 0 for fix in table.fixes), default=0)
    if most == 0:
        return []
    named = [player for player, fix in enumerate(table.fixes) if fix.last_touch == most]
    largest = max(fix.mean for fix in table.fixes)
    first = [player for player in named if table.fixes[player].mean == largest > 0]
    several = len(named) > 1
    if len(first) == len(named):
        worth = f"{'their fixes help' if several else 'its fix helps'} most on average, too"
    elif first:
        worth = f"fixing {some(titles, first, 'or')} helps most on average, too"
    else:
        means = [number_text(fix.mean) for fix in table.fixes]
        worth = f"{'their fixes are' if several else 'its fix is'} worth {some(means, named)} on average"
    where = f"{most} of {table.complete}{' each' * several}"
    return [f"Last-step blame would have named {some(titles, named, 'or')} in {where}; {worth}."]


def sets_sentence(table: BatchTable, titles: Sequence[str]) -> str:
    """Return how few fixes repair as many cases as any set does."""
    if not table.sets:
        return "Which fixes to ship together needs every combination; these games were sampled."
    most = max(repaired for _, repaired, _ in table.sets)
    mask, _, ties = next(best for best in table.sets if best[1] == most)
    if most == 0:
        return "No set of fixes repairs any case."
    if mask == 0:
        return f"No set of fixes does better than none: {most} of {table.exact} pass."
    if len(titles) > 1 and mask == 2 ** len(titles) - 1:
        whole = "both" if len(titles) == 2 else f"all {len(titles)}"
        return f"It takes {whole} fixes to repair the most: {most} of {table.exact}."
    fixes = "one fix is enough" if mask.bit_count() == 1 else f"{mask.bit_count()} fixes are enough"
    others = "" if ties == 1 else " or one other such set" if ties == 2 else f" or another of {ties} such sets"
    named = f"{coalition_name(mask, titles)}{others}"
    said = f"To repair as many as any set does, {fixes}: {named}, {most} of {table.exact}."
    grand = table.sets[-1][1]
    return said if grand == most else f"{said} All fixes together repair {grand}."


def percent(part: float) -> str:
    """Return a part of a whole in percent, halves rounded up."""
    return f"{math.floor(100 * part + 0.5)} %"
