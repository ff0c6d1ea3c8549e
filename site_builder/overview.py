"""Turns a scenario into what its page shows beyond one case: all failures, the list of cases, and its rivals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from analyzer.game_file import Header
from analyzer.rules import number_text
from site_builder.alternatives import Alternatives, alternatives
from site_builder.batch_view import BatchView
from site_builder.batch_words import basis
from site_builder.case_list import CaseList, case_list, failure_of, offered_failures, offered_tags, tags_of
from site_builder.over_all import OverAll
from site_builder.scenario_games import ScenarioGames
from site_builder.views import CASE_ROWS, ScenarioView


@dataclass(frozen=True)
class Overview:
    """What a page shows beyond one case, under the mode that is pre-rendered.

    Attributes
    ----------
    batch : BatchView or None
        The table over all failures; None, as is `cases`, where there is only one.
    labels : tuple of str
        What was tried at each step that has a fix.
    confidence, question : str
        How sure the intervals are, and what the table is about.
    every, some : bool
        Whether some game lists all coalitions, so that sets of fixes can be compared; whether any has values at all.
    again : (str, str) or None
        What happens under new luck without any fix, over all games as they were run; None without such games.
    rivals : Alternatives or None
        Other scenarios of the same pipeline.
    """

    batch: BatchView | None
    labels: tuple[str, ...]
    confidence: str
    question: str
    every: bool
    some: bool
    cases: CaseList | None
    again: tuple[str, str] | None
    rivals: Alternatives | None


def overview(view: ScenarioView, over: OverAll, everything: Sequence[OverAll]) -> Overview:
    """Return what the page of a scenario shows beyond one case.

    Parameters
    ----------
    view : ScenarioView
        The page.
    over : OverAll
        All its cases under the mode that is pre-rendered.
    everything : sequence of OverAll
        Those of every scenario of the site, to find its rivals in.
    """
    header, many = over.header, len(over.scenario.cases) > 1
    sentences = [row.sentences.get(header.mode, "") for row in view.cases]
    return Overview(
        batch=over.view if many else None,
        labels=tuple(step.fix.label for step in header.steps if step.fix is not None),
        confidence=over.basis.confidence,
        question=question(header),
        every=bool(many and over.table.exact),
        some=bool(many and over.table.complete),
        cases=case_list(over, sentences, CASE_ROWS) if many else None,
        again=_again(over.scenario) if many else None,
        rivals=alternatives(over, everything),
    )


def _again(scenario: ScenarioGames) -> tuple[str, str] | None:
    """Return how often a case passes again under new luck without any fix, or its mean score, and over what."""
    if "fresh" not in scenario.headers:
        return None
    graded = scenario.headers["fresh"].scenario.score.graded
    games = [case.games["fresh"] for case in scenario.cases if "fresh" in case.games]
    measured = [(game.worth[0], game.denominator) for game in games if game.worth[0] is not None]
    if not measured:
        return None
    among = f"of {len(measured)} case{'s' if len(measured) > 1 else ''}, as run"
    if graded:
        mean = math.fsum(worth / (denominator or 1) for worth, denominator in measured) / len(measured)
        return "Mean score again with new luck and no fix", f"{number_text(mean)} {among}"
    passes, runs = int(sum(worth for worth, _ in measured)), sum(denominator or 1 for _, denominator in measured)
    # In whole numbers, halves rounded up.
    return (
        "Pass again with new luck and no fix",
        f"{(200 * passes + runs) // (2 * runs)} %, {passes} of {runs} runs {among}",
    )


def question(header: Header) -> str:
    """Return the one sentence that says what the table over all failures is about under a mode."""
    worlds = "one world" if header.worlds == 1 else f"{header.worlds} worlds"
    return {
        "replayed": "Each failing case, run again with the very luck that was recorded.",
        "abducted": f"Each failing case, run again over {worlds} of luck that explain what was seen.",
        "fresh": f"The inputs of the failing cases, run again with new luck in {worlds}: this speaks of the pipeline "
        "in general, and some pass without any fix.",
    }[header.mode]


def batch_summary(scenario: ScenarioGames) -> dict[str, Any]:
    """Return what the page's scripts know of all cases from the start: how sure each mode is, and the filters."""
    return {
        "batch": {
            mode: {**asdict(basis(header)), "question": question(header)} for mode, header in scenario.headers.items()
        },
        "tags": list(offered_tags(scenario)),
        "failures": list(offered_failures(scenario)),
    }


def case_marks(scenario: ScenarioGames) -> list[dict[str, Any]]:
    """Return each case's tags and kind of failure, by their numbers among those offered."""
    tags = {tag: number for number, tag in enumerate(offered_tags(scenario))}
    failures = {failure: number for number, failure in enumerate(offered_failures(scenario))}
    return [
        {
            "tags": [tags[tag] for tag in tags_of(case) if tag in tags],
            "failure": failures.get(failure_of(case)),
        }
        for case in scenario.cases
    ]
