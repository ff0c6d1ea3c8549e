"""Turns the scenarios of a site into the figures its articles can name, whatever game files the site is built from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from analyzer.game_file import CaseGame, Header
from analyzer.rules import number_text
from site_builder.article_games import values_table
from site_builder.links import Links
from site_builder.markdown import Part
from site_builder.over_all import OverAll
from site_builder.ranking import game_values
from site_builder.views import verdict_view
from site_builder.wording import MODE_TITLES, withheld_reason


@dataclass(frozen=True)
class LargestFigures:
    """What articles can say of the scenario with most failing cases, under the mode its page shows first.

    Any of its games may be sampled, and any may have no values.
    """

    over: OverAll
    links: Links

    @property
    def title(self) -> str:
        """Its title."""
        return self.over.header.scenario.title or self.over.header.scenario.id

    @property
    def link(self) -> Markup:
        """Its title, as a link to its page."""
        address = self.links.scenario(self.over.scenario.slug)
        return Markup('<a href="{}"><bdi>{}</bdi></a>').format(address, self.title)

    @property
    def seen(self) -> int:
        """Cases that were run."""
        return self.over.header.counts.seen

    @property
    def failed(self) -> int:
        """Cases that failed."""
        return self.over.header.counts.failed

    @property
    def analysed(self) -> int:
        """Failing cases that were run under combinations of fixes."""
        return len(self.over.games)

    @property
    def complete(self) -> int:
        """Of these, cases that have values."""
        return self.over.table.complete

    @property
    def passes(self) -> int:
        """Of those with values, cases that pass without any fix: the control."""
        return self.over.table.passes

    @property
    def repaired(self) -> int:
        """Of those with values, cases that all fixes together repair."""
        return self.over.table.repaired

    @property
    def headline(self) -> str:
        """Its verdict in a sentence: over all cases, or on the only one."""
        if len(self.over.games) == 1:
            return verdict_view(self.over.games[0], self.over.header).headline
        return self.over.view.headline

    @property
    def leader(self) -> str | None:
        """The step whose fix is claimed to come first over several cases; None where that is not claimed."""
        leader = self.over.table.leader if len(self.over.games) > 1 else None
        return None if leader is None else self.over.header.player_titles[leader]

    @property
    def confidence(self) -> str:
        """How sure such a claim, and all intervals together, are."""
        return self.over.basis.confidence

    @property
    def mode(self) -> str:
        """The noise mode by its name on the page."""
        return MODE_TITLES[self.over.header.mode]

    @property
    def worlds(self) -> int:
        """Worlds per combination and case."""
        return self.over.header.worlds

    @property
    def steps(self) -> int:
        """Steps of its pipeline."""
        return len(self.over.header.steps)

    @property
    def fixes(self) -> int:
        """Fixes that were tried."""
        return len(self.over.header.players)

    @property
    def combinations(self) -> int:
        """Combinations that these fixes have."""
        return 1 << self.fixes

    @property
    def sampled(self) -> bool:
        """Whether some case has too many combinations to run them all."""
        return any(game.coalitions is not None for game in self.over.games)

    @property
    def runs(self) -> int:
        """Runs of the whole pipeline behind its tables: combinations, times worlds, over all cases."""
        return sum(sum(game.evaluations) for game in self.over.games)

    @property
    def step_calls(self) -> int:
        """Distinct calls of steps behind its tables, counted case by case."""
        return sum(game.calls for game in self.over.games)


@dataclass(frozen=True)
class ExampleFigures:
    """What articles can say of one case: the first of the largest scenario."""

    game: CaseGame
    header: Header

    @property
    def id(self) -> str:
        """Its id."""
        return self.game.id

    @property
    def verdict(self) -> str:
        """The first sentence of its verdict."""
        return verdict_view(self.game, self.header).headline

    @property
    def withheld(self) -> str:
        """Why it has no values; empty where it has."""
        return withheld_reason(self.game, self.header.player_titles)

    @property
    def coalitions(self) -> int:
        """Combinations that were run."""
        return len(self.game.worth) if self.game.sampled is None else self.game.sampled.evaluations

    @property
    def calls(self) -> int:
        """Distinct calls of steps behind its table."""
        return self.game.calls

    @property
    def values(self) -> Part | None:
        """A block: its fixes and their values; None where they are withheld or no fix was tried."""
        found = game_values(self.game, self.header)
        if not self.header.players or found["shapley"] is None:
            return None
        return values_table(self.header.player_titles, found)

    @property
    def shapley(self) -> dict[str, str]:
        """The Shapley value of each fix by its title, as text; empty where they are withheld."""
        found = game_values(self.game, self.header)["shapley"]
        return {} if found is None else dict(zip(self.header.player_titles, map(number_text, found), strict=True))


@dataclass(frozen=True)
class SiteFigures:
    """What articles can say of a site, as ``site``.

    Parameters
    ----------
    everything : sequence of OverAll
        All scenarios.
    links : Links
        Those of the page the article stands on.
    """

    everything: Sequence[OverAll]
    links: Links

    @property
    def scenarios(self) -> int:
        """How many scenarios there are."""
        return len(self.everything)

    @property
    def cases(self) -> int:
        """How many failing cases they have."""
        return sum(len(over.scenario.cases) for over in self.everything)

    @cached_property
    def largest(self) -> LargestFigures | None:
        """The first of the scenarios with most failing cases analysed; None where no case is."""
        found = max(self.everything, key=lambda over: len(over.games), default=None)
        return None if found is None or not found.games else LargestFigures(found, self.links)

    @property
    def example(self) -> ExampleFigures | None:
        """The first case of the largest scenario; None where there is none."""
        if self.largest is None:
            return None
        return ExampleFigures(self.largest.over.games[0], self.largest.over.header)
