"""Turns a scenario's games under one mode into figures over all of them, each computed when first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from analyzer.batch_table import BatchTable, CaseFigures, batch_table
from analyzer.game_file import CaseGame, Header, figures_of
from site_builder.batch_view import BatchView, batch_view
from site_builder.batch_words import Basis, basis
from site_builder.errors import SiteError, computed
from site_builder.scenario_games import ScenarioGames


@dataclass(frozen=True)
class OverAll:
    """All failing cases of a scenario under one mode.

    Attributes
    ----------
    scenario : ScenarioGames
    header : Header
        Of that mode.
    """

    scenario: ScenarioGames
    header: Header

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The cases analysed in this mode, by their place among all of the scenario."""
        return tuple(k for k, case in enumerate(self.scenario.cases) if self.header.mode in case.games)

    @cached_property
    def games(self) -> tuple[CaseGame, ...]:
        """Their games."""
        return tuple(self.scenario.cases[place].games[self.header.mode] for place in self.places)

    @cached_property
    def figures(self) -> Sequence[CaseFigures | None]:
        """What each of them adds to the table."""
        return tuple(computed(partial(figures_of, self.header, game), game, self.header) for game in self.games)

    @cached_property
    def basis(self) -> Basis:
        """What the figures rest on."""
        return basis(self.header)

    @cached_property
    def table(self) -> BatchTable:
        """The table over all of them.

        Raises
        ------
        SiteError
            If the scores are too large to compute with.
        """
        on = self.basis
        try:
            return batch_table(self.figures, len(self.header.players), on.spread, on.delta)
        except ValueError as error:
            what = f"scenario {self.header.scenario.id!r}, over all cases: {error}"
            raise SiteError(f"{what}. See `agentblame validate`.") from error

    @cached_property
    def view(self) -> BatchView:
        """What the page shows of it."""
        return batch_view(self.table, self.figures, self.header.player_titles, self.basis, len(self.games))


def over_all(scenario: ScenarioGames, mode: str | None = None) -> OverAll:
    """Return all failing cases of a scenario under a mode: the first one of its first case, unless one is named."""
    if mode is None:
        modes = scenario.cases[0].games if scenario.cases else scenario.headers
        mode = next(one for one in scenario.headers if one in modes)
    return OverAll(scenario, scenario.headers[mode])
