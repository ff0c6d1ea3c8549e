"""Turns a scenario into what is known of it besides its numbers, for texts and files that a reader takes along."""

from __future__ import annotations

from typing import Any

from analyzer.game_file import Header
from site_builder.scenario_games import ScenarioGames


def share_data(scenario: ScenarioGames) -> dict[str, Any]:
    """Return the part of a scenario's summary that a copy or an export is made from.

    Returns
    -------
    dict
        ``scenario``: its id, pipeline, title, summary and the meaning of its score. ``steps``: each with id, title,
        role, places of its parents, and its fix or None. ``modes``: for each what made its games, and how.
    """
    header = scenario.header
    about, ids = header.scenario, [step.id for step in header.steps]
    return {
        "scenario": {
            "id": about.id,
            "pipeline": about.pipeline,
            "title": about.title or about.id,
            "summary": about.summary,
            "score": about.score.meaning,
        },
        "steps": [
            {
                "id": step.id,
                "title": step.title or step.id,
                "role": step.role,
                # What a program's output depends on is not known.
                "parents": [] if step is header.returned else [ids.index(parent) for parent in step.parents],
                "fix": None
                if step.fix is None
                else {
                    "label": step.fix.label,
                    "kind": step.fix.kind,
                    "description": step.fix.description,
                    "diff": step.fix.diff,
                },
            }
            for step in header.steps
        ],
        "modes": {mode: _made_by(one) for mode, one in scenario.headers.items()},
    }


def _made_by(header: Header) -> dict[str, Any]:
    return {
        "worlds": header.worlds,
        "seed": header.seed,
        "delta": header.delta,
        "package": header.package,
        "version": header.version,
        "fingerprint": header.fingerprint,
        "redacted": list(header.redacted),
    }
