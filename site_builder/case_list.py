"""Turns a scenario's cases into the list to pick from: what each takes, its values, and the filters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analyzer.rules import number_text
from site_builder.batch_words import KINDS, kind_of
from site_builder.over_all import OverAll
from site_builder.scenario_games import ScenarioCase, ScenarioGames

#: Fixes up to which each has a column of values; beyond, one is chosen.
VALUE_COLUMNS = 8

#: Tags, and kinds of failure, that are offered as filters: the most frequent ones.
MOST_OFFERED = 60


@dataclass(frozen=True)
class CaseLine:
    """A case in the list, under the mode that is pre-rendered; its values are those of the columns shown."""

    slug: str
    id: str
    kind: str
    takes: str
    sentence: str
    values: tuple[str, ...]
    marks: tuple[str, ...]


@dataclass(frozen=True)
class CaseList:
    """The list of cases: the fixes that have a column, the first lines, and how many cases there are."""

    columns: tuple[int, ...]
    lines: tuple[CaseLine, ...]
    total: int


def case_list(over: OverAll, sentences: Sequence[str], most: int) -> CaseList:
    """Return the first lines of the list.

    Parameters
    ----------
    over : OverAll
        All cases under the mode that is pre-rendered.
    sentences : sequence of str
        What is said on each case of the scenario under that mode.
    most : int
        Lines that are pre-rendered.
    """
    found = dict(zip(over.places, over.figures, strict=True))
    players = len(over.header.players)
    columns = tuple(range(players)) if players <= VALUE_COLUMNS else (over.view.lines[0].player,)
    lines = []
    for place, case in enumerate(over.scenario.cases[:most]):
        figures = found.get(place)
        kind = kind_of(figures) if place in found else "unknown"
        values = tuple("–" if figures is None else number_text(figures.shapley[player]) for player in columns)
        lines.append(CaseLine(case.slug, case.id, kind, KINDS[kind], sentences[place], values, marks(case)))
    return CaseList(columns, tuple(lines), len(over.scenario.cases))


def marks(case: ScenarioCase) -> tuple[str, ...]:
    """Return what a case's line carries besides its id: the kind of its failure, then its tags."""
    failure = failure_of(case)
    return (*([failure] if failure else []), *tags_of(case))


def tags_of(case: ScenarioCase) -> tuple[str, ...]:
    """Return a case's tags, each once; they are its own, whatever the mode."""
    return tuple(dict.fromkeys(next(iter(case.games.values())).tags))


def failure_of(case: ScenarioCase) -> str:
    """Return the kind of a case's failure, as its first mode has it; empty where the pipeline does not say."""
    return next(iter(case.games.values())).failure


def offered_tags(scenario: ScenarioGames) -> tuple[str, ...]:
    """Return the tags cases can be filtered by, the most frequent first."""
    return _most_frequent(tag for case in scenario.cases for tag in tags_of(case))


def offered_failures(scenario: ScenarioGames) -> tuple[str, ...]:
    """Return the kinds of failure cases can be filtered by, the most frequent first."""
    return _most_frequent(failure for case in scenario.cases if (failure := failure_of(case)))


def _most_frequent(names: Iterable[str]) -> tuple[str, ...]:
    counts = Counter(names)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name))[:MOST_OFFERED])
