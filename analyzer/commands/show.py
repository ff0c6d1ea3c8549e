"""Turns a game file into tables for a terminal, and into plain data for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from analyzer.batch_table import BatchTable, batch_table
from analyzer.game import RULES
from analyzer.game_file import CaseGame, GameFile, GameFileError, case_verdict, figures_of
from analyzer.rules import number_text, rank
from analyzer.rules.verdict import listed


def as_data(file: GameFile) -> dict[str, Any]:
    """Return everything a game file says, and what follows from it, as plain data."""
    header = file.header
    return {
        "scenario": header.scenario.id,
        "mode": header.mode,
        "worlds": header.worlds,
        "players": list(header.players),
        "counts": vars(header.counts),
        "stopped": header.stopped,
        "delta": header.delta,
        "batch": asdict(table_of(file)),
        "cases": [
            {
                "id": case.id,
                "tags": list(case.tags),
                "failure": case.failure,
                "worth": list(case.worth),
                "coalitions": None if case.coalitions is None else list(case.coalitions),
                "denominator": case.denominator,
                "values": {rule: None if numbers is None else list(numbers) for rule, numbers in case.values.items()},
                "sampled": None if case.sampled is None else asdict(case.sampled),
                "verdict": list(case_verdict(header, case).sentences),
                "withheld": case.withheld,
            }
            for case in file.cases
        ],
    }


def table_of(file: GameFile) -> BatchTable:
    """Return the table over all cases of a game file."""
    header, score = file.header, file.header.scenario.score
    try:
        figures = [figures_of(header, case) for case in file.cases]
        return batch_table(figures, len(header.players), score.high - score.low, header.delta)
    except ValueError as error:
        raise GameFileError(f"{file.name}: {error}. See `agentblame validate`.") from error


def lines(file: GameFile, fresh: GameFile | None = None, *, each_case: bool = False) -> Iterator[str]:
    """Yield what a game file says, line by line: the table over all cases, and one for each case if asked for.

    The control is what happens under new luck without any fix: `fresh` says it, where there is such a file.
    """
    header = file.header
    worlds = "" if header.worlds == 1 else f", {header.worlds} worlds"
    scenario, counts = header.scenario, header.counts
    name = scenario.title if scenario.id == scenario.pipeline else f"{scenario.title} ({scenario.id})"
    analysed = "" if counts.analysed == counts.failed else f"{counts.analysed} analysed of "
    yield (
        f"{_printable(name)}: {header.mode}{worlds}, "
        f"{analysed}{counted(counts.failed, 'failing case')} of {counts.seen}"
    )
    if counts.errored:
        yield f"    {counted(counts.errored, 'case')} could not be run as it is, and count for nothing here"
    if len(file.cases) > 1:
        yield from _batch_lines(file, table_of(file), fresh)
    if each_case or len(file.cases) == 1:
        for case in file.cases:
            yield from _case_lines(file, case)


def _batch_lines(file: GameFile, table: BatchTable, fresh: GameFile | None) -> Iterator[str]:
    header, titles = file.header, file.header.players
    yield f"    {_ends(file, file.cases)}"
    if fresh is not None and fresh is not file and fresh.cases:
        yield f"    with new luck: {_ends(fresh, fresh.cases)}"
    if not table.complete:
        yield "    no case has values"
        return
    sure = f"{100 * (1 - header.delta):g} %"
    # No step of a program is the last.
    touch = ["last touch"] if header.ordered else []
    head = ["step", "mean Shapley value", f"{sure} interval", "sd", "share", "repairs alone", *touch, "PN", "PS"]
    rows = []
    for player in (int(player) for player in rank([fix.mean for fix in table.fixes])):
        fix = table.fixes[player]
        rows.append(
            [
                titles[player],
                number_text(fix.mean),
                _span(fix.low, fix.high),
                "" if fix.deviation is None else number_text(fix.deviation),
                "" if fix.share is None else f"{100 * fix.share:.0f} %",
                f"{fix.alone}/{table.complete}",
                *(f"{fix.last_touch}/{table.complete}" for _ in touch),
                _probability(fix.necessity, table.complete),
                _probability(fix.sufficiency, table.complete),
            ]
        )
    yield from _table_lines(head, rows)
    if len(titles) < 2:
        return
    if table.exact < table.complete:
        yield "    the values of some cases are estimates, so nothing is claimed over all of them"
    elif table.leader is None:
        yield f"    no fix is separated from all others (δ = {header.delta:g})"
    else:
        yield f"    {titles[table.leader]} is separated from every other fix (δ = {header.delta:g})"
    for mask, repaired, ties in table.sets[1:]:
        among = f", as {counted(ties - 1, 'other set does', 'other sets do')}" if ties > 1 else ""
        size = mask.bit_count()
        yield (
            f"    of {counted(size, 'fix', 'fixes')}, {_named(titles, mask)} repairs most: "
            f"{repaired}/{table.exact}{among}"
        )


def _named(titles: Sequence[str], mask: int) -> str:
    return listed(titles, [player for player in range(len(titles)) if mask >> player & 1], "and")


def _span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{number_text(low)} to {number_text(high)}"


def _probability(bounds: tuple[float, float, int] | None, complete: int) -> str:
    """Return bounds as one number or two, with the number of cases behind them where that is not all."""
    if bounds is None:
        return ""
    low, high, cases = number_text(bounds[0]), number_text(bounds[1]), bounds[2]
    return (low if low == high else f"{low} to {high}") + ("" if cases == complete else f" ({cases})")


def _ends(file: GameFile, cases: Sequence[CaseGame]) -> str:
    """Say what happens without any fix, the control beside every claim, and with all of them."""
    said = []
    for name, place in (("without a fix", 0), ("with all fixes", -1)):
        present = [worth for worth in (case.worth[place] for case in cases) if worth is not None]
        if not file.header.scenario.score.graded:
            found = f"{sum(map(int, present))} of {file.header.worlds * len(present)} runs pass"
        elif present:
            total = 0.0
            for worth in present:
                total += worth
            found = f"the score is {number_text(total / len(present))} on average"
        else:
            found = "there is no score"
        missing = len(cases) - len(present)
        said.append(f"{name} {found}" + (f" ({counted(missing, 'case')} missing)" if missing else ""))
    return "; ".join(said)


def _case_lines(file: GameFile, case: CaseGame) -> Iterator[str]:
    yield f"  case {_printable(case.id)}"
    yield f"    {_ends(file, [case])}"
    for sentence in case_verdict(file.header, case).sentences:
        yield f"    {_printable(sentence)}"
    shapley, sampled = case.values["shapley"], case.sampled
    if shapley is None:
        return
    rules = [rule for rule in RULES if file.header.ordered or rule != "last_touch"]
    head = ["step", *rules] if sampled is None else ["step", *rules, "interval"]
    rows = []
    for player in (int(player) for player in rank(shapley)):
        row = [file.header.players[player]]
        for rule in rules:
            numbers = case.values[rule]
            row.append("" if numbers is None else number_text(numbers[player]))
        if sampled is not None:
            row.append(f"{number_text(sampled.low[player])} to {number_text(sampled.high[player])}")
        rows.append(row)
    yield from _table_lines(head, rows)
    if sampled is not None:
        yield (
            f"    {sampled.estimator} sampling: {sampled.evaluations} of 2**{len(shapley)} coalitions, "
            f"{counted(sampled.draws, 'draw')}; stopped: {sampled.stopped}"
        )


def _table_lines(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield ("    " + "  ".join(cells)).rstrip()


def _printable(text: str) -> str:
    """Return a text on one line, without what a terminal would obey."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"
