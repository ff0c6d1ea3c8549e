"""Turns scenarios into their cards on the index: a verdict in words, key figures and a small picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.game import touched
from analyzer.game_file import CaseGame, Header
from analyzer.rules.verdict import listed
from site_builder.figures import Scale, bar, bar_svg
from site_builder.scenario_games import ScenarioGames
from site_builder.views import (
    Cell,
    VerdictView,
    counts,
    outcome_of,
    ranking_rows,
    verdict_view,
)
from site_builder.wording import MODE_TITLES, control


@dataclass(frozen=True)
class Card:
    """A scenario on the index: its verdict in words, key figures, and a small picture that is also a table."""

    slug: str
    linked: bool
    title: str
    summary: str
    headline: str
    remarks: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]
    picture: str
    bars: tuple[tuple[str, Cell], ...]


def card(scenario: ScenarioGames) -> Card:
    """Return a scenario's card on the index, under its first mode."""
    header = scenario.header
    games = [case.games[header.mode] for case in scenario.cases if header.mode in case.games]
    titles, luck = header.player_titles, MODE_TITLES[header.mode].lower()
    verdicts = [verdict_view(game, header) for game in games]
    headline, remarks = "No case failed, so there is nothing to repair.", tuple[str, ...]()
    picture, bars = "", tuple[tuple[str, Cell], ...]()
    if len(games) == 1:
        headline, remarks = verdicts[0].headline, verdicts[0].remarks[:2]
        picture, bars = f"Shapley value per fix · {luck}", _shapley_bars(games[0], header)
    elif games:
        firsts = [sum(player in said.players for said in verdicts) for player in range(len(titles))]
        touches = [touched(game.game(header.players)) for game in games]
        headline, remarks = _batch_sentences(titles, firsts, verdicts, touches)
        picture, bars = f"Helps most, of {len(games)} failing cases · {luck}", _count_bars(titles, firsts, len(games))
    if games and header.mode == "fresh":
        remarks = (_control(games, header), *remarks)
    figures = (*counts(header), ("Fixes tried", str(len(titles))), ("Combinations per case", str(2 ** len(titles))))
    return Card(
        slug=scenario.slug,
        linked=bool(scenario.cases),
        title=header.scenario.title or header.scenario.id,
        summary=header.scenario.summary,
        headline=headline,
        remarks=remarks,
        figures=figures,
        picture=picture,
        bars=bars,
    )


def _shapley_bars(game: CaseGame, header: Header) -> tuple[tuple[str, Cell], ...]:
    return tuple((row.title, row.cells["shapley"]) for row in ranking_rows(game, header))


def _count_bars(titles: Sequence[str], firsts: Sequence[int], cases: int) -> tuple[tuple[str, Cell], ...]:
    span = Scale(0.0, float(cases or 1))
    order = sorted(range(len(titles)), key=lambda player: -firsts[player])
    return tuple((titles[p], Cell(str(firsts[p]), bar_svg(bar(float(firsts[p]), span)))) for p in order)


def _control(games: Sequence[CaseGame], header: Header) -> str:
    """Return how the runs without any fix went: new luck repairs some failures by itself."""
    if len(games) == 1:
        return control(outcome_of(games[0], 0, header))
    passing = sum(outcome_of(game, 0, header).state == "pass" for game in games)
    return f"Without any fix, {passing} of {len(games)} pass under new luck."


def _batch_sentences(
    titles: Sequence[str],
    firsts: Sequence[int],
    verdicts: Sequence[VerdictView],
    last_touches: Sequence[tuple[float, ...] | None],
) -> tuple[str, tuple[str, ...]]:
    """Return the headline and remarks on many cases: whole numbers of cases only."""
    total = len(verdicts)
    order = sorted((player for player in range(len(titles)) if firsts[player]), key=lambda player: -firsts[player])
    remarks = []
    if order:
        shares = [f"{title} in {first}" for title, first in zip(titles, firsts, strict=True)]
        headline = f"Fixing {titles[order[0]]} helps most in {firsts[order[0]]} of {total} failing cases"
        headline += f", {listed(shares, order[1:], 'and')}." if order[1:] else "."
        if sum(firsts) > sum(bool(said.players) for said in verdicts):
            remarks.append("Fixes that tie for that place count once each.")
        idle = sum(said.kind != "withheld" and not said.players for said in verdicts)
        if idle:
            remarks.append(f"In {idle} of {total}, no fix helps on balance.")
    elif all(said.kind == "withheld" for said in verdicts):
        headline = f"The fixes can be compared in none of {total} failing cases."
    else:
        headline = f"No fix helps in any of {total} failing cases."
    named = {
        "repairable": "at least one fix alone repairs it",
        "no_single": "no single fix repairs it",
        "all_fail": "all fixes together don’t repair it",
        "passes": "it passes without any fix",
        "withheld": "the values are withheld, because a combination has no outcome",
    }
    for kind, words in named.items():
        number = sum(said.kind == kind for said in verdicts)
        if number:
            remarks.append(f"In {number} of {total}, {words}.")
    blamed = [sum(bool(touch and touch[player]) for touch in last_touches) for player in range(len(titles))]
    if any(blamed):
        most = max(range(len(titles)), key=lambda player: blamed[player])
        remarks.append(f"Last-step blame would have said {titles[most]} in {blamed[most]} of {total}.")
    return headline, tuple(remarks)
