"""Turns a scenario's cases into the texts that its page searches: what their steps read and put out without any fix."""

from __future__ import annotations

from typing import Any

from analyzer.game_file import CaseGame
from site_builder.scenario_games import ScenarioCase, ScenarioGames

#: The name of the chunk; no slug of a case has a dot.
SEARCH = "search.all"

#: Characters of one text that are searched.
SEARCHED = 20_000


def search_data(scenario: ScenarioGames) -> dict[str, Any]:
    """Return the chunk for a scenario: ``texts`` has what can be found of each case, besides what its line shows."""
    return {"texts": [_text(case) for case in scenario.cases]}


def _text(case: ScenarioCase) -> str:
    found = dict.fromkeys(text[:SEARCHED] for game in case.games.values() for text in _texts(game))
    return "\n".join(found)


def _texts(game: CaseGame) -> list[str]:
    outputs = [step.outputs[step.index[0]].text for step in game.steps if step.index[0] is not None]
    reasons = [game.reasons[0]] if game.worth[0] is None else []
    return [shown.text for shown in game.inputs] + outputs + reasons
