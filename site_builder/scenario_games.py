"""Turns game files into scenarios: the modes and cases that belong on one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.game_file import MODES, CaseGame, GameFile, Header
from site_builder.errors import SiteError
from site_builder.slugs import slugs


@dataclass(frozen=True)
class ScenarioCase:
    """One failing case under each mode it was analysed in."""

    slug: str
    id: str
    games: Mapping[str, CaseGame]


@dataclass(frozen=True)
class ScenarioGames:
    """One scenario: a header per mode, and its cases."""

    slug: str
    headers: Mapping[str, Header]
    cases: tuple[ScenarioCase, ...]

    @property
    def header(self) -> Header:
        """What all modes share: the header of the first one."""
        return next(iter(self.headers.values()))


def group(files: Sequence[GameFile]) -> list[ScenarioGames]:
    """Put the modes of each scenario together, in the order the files came.

    Raises
    ------
    SiteError
        If two files of a scenario describe different steps or hold the same mode.
    """
    by_id: dict[str, dict[str, GameFile]] = {}
    for file in files:
        modes = by_id.setdefault(file.header.scenario.id, {})
        if file.header.mode in modes:
            what = f"mode {file.header.mode} of scenario {file.header.scenario.id!r}"
            raise SiteError(f"{file.name}: {what} is there twice. Remove one of the files.")
        modes[file.header.mode] = file
    names = slugs(by_id)
    return [_scenario(names[name], modes) for name, modes in by_id.items()]


def _scenario(name: str, files: Mapping[str, GameFile]) -> ScenarioGames:
    modes = [mode for mode in MODES if mode in files]
    first = files[modes[0]].header
    for mode in modes[1:]:
        header = files[mode].header
        if (header.scenario, header.steps, header.players) != (first.scenario, first.steps, first.players):
            raise SiteError(
                f"{files[mode].name}: describes other steps than {files[modes[0]].name}, though both are scenario "
                f"{first.scenario.id!r}. Run `agentblame analyze` again for all its modes."
            )
    games: dict[str, dict[str, CaseGame]] = {}
    for mode in modes:
        for case in files[mode].cases:
            games.setdefault(case.id, {})[mode] = case
    short = slugs(games)
    return ScenarioGames(
        name,
        {mode: files[mode].header for mode in modes},
        tuple(ScenarioCase(short[case], case, found) for case, found in games.items()),
    )
