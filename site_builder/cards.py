"""Turns scenarios into their cards on the index: a verdict in words, key figures and a small picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.game_file import CaseGame, Header
from site_builder import batch_words
from site_builder.alternatives import differing, tried_at
from site_builder.figures import bar_svg
from site_builder.outcomes import outcome_of
from site_builder.over_all import OverAll
from site_builder.ranking import Cell, ranking_rows
from site_builder.views import counts, verdict_view
from site_builder.wording import MODE_TITLES, control

#: Fixes whose bars are drawn; how many more there are is told.
BARS = 8


@dataclass(frozen=True)
class Card:
    """A scenario on the index: its verdict in words, key figures, and a small picture that is also a table.

    `sampled` says whether some case has too many combinations of fixes to run them all.
    """

    slug: str
    linked: bool
    sampled: bool
    title: str
    tried: str
    summary: str
    headline: str
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
    headline, remarks = "No case failed, so there is nothing to repair.", tuple[str, ...]()
    picture, bars = "", tuple[tuple[str, Cell], ...]()
    if len(games) == 1:
        said = verdict_view(games[0], header)
        headline, remarks = said.headline, said.remarks[:2]
        if header.mode == "fresh":
            remarks = (control(outcome_of(games[0], 0, header)), *remarks)
        picture, bars = f"Shapley value per fix · {luck}", _case_bars(games[0], header)
    elif games:
        headline, remarks = over.view.headline, _remarks(over)
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
