"""Turns scenarios into their cards on the index: a verdict in words, key figures and a small picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.batch_table import BatchTable
from analyzer.game_file import CaseGame, Header
from analyzer.rules import isolated
from site_builder import batch_words
from site_builder.alternatives import differing, tried_at
from site_builder.figures import bar_svg
from site_builder.outcomes import outcome_of
from site_builder.over_all import OverAll
from site_builder.ranking import Cell, ranking_rows
from site_builder.views import counts, verdict_view
from site_builder.wording import MODE_TITLES, coalition_name, control

#: Fixes whose bars are drawn; how many more there are is told.
BARS = 8


@dataclass(frozen=True)
class Card:
    """A scenario on the index: its verdict in words, key figures, and a small picture that is also a table.

    `best` says how many failures the best fix and the best two repair, or nothing; `sampled` whether some case has too
    many combinations of fixes to run them all.
    """

    slug: str
    linked: bool
    sampled: bool
    title: str
    tried: str
    summary: str
    headline: str
    best: str
    remarks: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]
    picture: str
    bars: tuple[tuple[str, Cell], ...]
    more_bars: int


def card(over: OverAll, everything: Sequence[OverAll]) -> Card:
    """Return a scenario's card on the index, under its first mode.

    Parameters
    ----------
    over : OverAll
    everything : sequence of OverAll
        Those of every scenario of the site: what tells this one from others of its pipeline is named.
    """
    header, games = over.header, over.games
    luck = MODE_TITLES[header.mode].lower()
    headline, best, remarks = "No case failed, so there is nothing to repair.", "", tuple[str, ...]()
    picture, bars = "", tuple[tuple[str, Cell], ...]()
    if len(games) == 1:
        said = verdict_view(games[0], header)
        headline, remarks = said.headline, said.remarks[:2]
        if header.mode == "fresh":
            remarks = (control(outcome_of(games[0], 0, header)), *remarks)
        picture, bars = f"Shapley value per fix · {luck}", _case_bars(games[0], header)
    elif games:
        headline, best, remarks = over.view.headline, best_fixes(over.table, header.player_titles), _remarks(over)
        interval = f", {over.basis.confidence} interval" if over.view.intervals else ""
        picture = f"Mean Shapley value{interval} · {luck}"
        bars = tuple(
            (line.title, Cell(line.mean, bar_svg(line.bar, line.whiskers), line.interval)) for line in over.view.lines
        )
    group = [one for one in everything if one.header.scenario.pipeline == header.scenario.pipeline]
    most = max((len(game.worth) for game in games), default=2 ** len(header.players))
    return Card(
        slug=over.scenario.slug,
        linked=bool(over.scenario.cases),
        sampled=any(game.coalitions is not None for case in over.scenario.cases for game in case.games.values()),
        title=header.scenario.title or header.scenario.id,
        tried=tried_at(over, differing(group)),
        summary=header.scenario.summary,
        headline=headline,
        best=best,
        remarks=remarks,
        figures=(*counts(header), ("Fixes tried", str(len(header.players))), ("Combinations per case", str(most))),
        picture=picture,
        bars=bars[:BARS],
        more_bars=max(0, len(bars) - BARS),
    )


def _case_bars(game: CaseGame, header: Header) -> tuple[tuple[str, Cell], ...]:
    return tuple((row.title, row.cells["shapley"]) for row in ranking_rows(game, header))


def _remarks(over: OverAll) -> tuple[str, ...]:
    """Return what an overview has room for of the remarks on many cases, and how many have no values."""
    table, titles = over.table, over.header.player_titles
    said = list(batch_words.remarks(table, over.figures, titles, over.basis))
    left = table.cases - table.complete
    if left and table.complete:
        said.insert(1, f"In {left} of {table.cases}, the values are withheld, because a combination has no outcome.")
    return tuple(said)


def best_fixes(table: BatchTable, titles: Sequence[str]) -> str:
    """Return how many failures the best fix alone repairs, and how many the best two do.

    Nothing is said of a single failure: its verdict says more. Where some pass without any fix, no fix repaired those,
    so it is told how many pass, and how many without one.

    Parameters
    ----------
    table : BatchTable
    titles : sequence of str
        The players'.
    """
    if table.complete < 2 or not titles:
        return ""
    most = max(fix.alone for fix in table.fixes)
    names = [isolated(title) for title in titles]
    best = batch_words.some(names, [player for player, fix in enumerate(table.fixes) if fix.alone == most], "or")
    unknown = len(titles) > 1 and table.exact < table.complete
    two = None if len(titles) == 1 or unknown else _best_two(table, titles)
    said = _passing(table, best, most, two) if table.passes else _repairing(table, best, most, two)
    return f"{said}; the best pair is unknown, as not every combination was run." if unknown else f"{said}."


@dataclass(frozen=True)
class _Pair:
    """The two fixes that repair most cases, and how many; `only` where there are no others."""

    name: str
    cases: int
    only: bool


def _best_two(table: BatchTable, titles: Sequence[str]) -> _Pair:
    mask, cases, ties = table.sets[2]
    others = "" if ties == 1 else " or one other pair" if ties == 2 else f" or another of {ties} such pairs"
    return _Pair(f"{coalition_name(mask, titles)}{others}", cases, len(titles) == 2)


def _passing(table: BatchTable, best: str, most: int, two: _Pair | None) -> str:
    fix = f"the best fix alone, {best}" if len(table.fixes) > 1 else f"the one fix, {best}"
    said = f"With {fix}, {most} of these {table.complete} failures pass"
    if two is not None:
        said += f"; with {'both fixes' if two.only else f'the best pair, {two.name}'}, {two.cases}"
    return f"{said}; without any fix, {table.passes}"


def _repairing(table: BatchTable, best: str, most: int, two: _Pair | None) -> str:
    failures = f"these {table.complete} failures"
    said = f"{best} alone repairs {most} of {failures}" if most else f"No fix alone repairs any of {failures}"
    if two is None:
        return said
    if two.cases > most:
        together = "both fixes together repair" if two.only else f"the best pair, {two.name}, repairs"
        return f"{said}; {together} {two.cases}"
    if most == 0:
        return f"No fix alone and no two together repair any of {failures}"
    return f"{said}; {'both fixes together repair no' if two.only else 'no pair repairs'} more"
