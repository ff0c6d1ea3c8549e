"""Turns scenarios into what the templates show: every sentence, number and bar of the pre-rendered pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from analyzer.game import RULES, values
from analyzer.game_file import CaseGame, FixInfo, Header, case_verdict
from analyzer.rules import number_text, rank, repair_level
from analyzer.rules.verdict import listed
from site_builder import wording
from site_builder.errors import SiteError
from site_builder.figures import Scale, bar, bar_svg, scale
from site_builder.scenario_games import ScenarioCase, ScenarioGames
from site_builder.wording import Outcome, coalition_name, outcome

#: Rows of the outcome table and of the case table that are pre-rendered; the page turns pages beyond.
OUTCOME_ROWS = 256
CASE_ROWS = 200


Found = TypeVar("Found")


@dataclass(frozen=True)
class Branding:
    """Whose name the site carries."""

    title: str = "Agent Blame"


@dataclass(frozen=True)
class VerdictView:
    """The sentences of a verdict: the first is the headline."""

    kind: str
    headline: str
    remarks: tuple[str, ...]
    players: tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """One rule's value for one fix: the text and the bar."""

    text: str
    bar: str


@dataclass(frozen=True)
class RankRow:
    """One fix in the ranking."""

    player: int
    place: str
    title: str
    label: str
    cells: Mapping[str, Cell]


@dataclass(frozen=True)
class OutcomeRow:
    """One coalition: its name, which fixes are on, its outcome, and the error where there is none."""

    mask: int
    name: str
    on: tuple[bool, ...]
    outcome: Outcome
    error: str


@dataclass(frozen=True)
class FixView:
    """A fix as shown; each line of its diff carries a class."""

    label: str
    kind: str
    description: str
    diff: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StepView:
    """A step's card: who it is, its fix, and what it put out without any."""

    number: int
    title: str
    role: str
    reads: str
    interventional: bool
    player: int | None
    fix: FixView | None
    factual: str


@dataclass(frozen=True)
class ModeView:
    """A noise mode: its name, what it asks, and the words that depend on it."""

    id: str
    title: str
    question: str
    passing: str
    factual: str
    world: str


@dataclass(frozen=True)
class CaseRow:
    """A case in the table of all cases: the first sentence of its verdict under each mode, with the control."""

    slug: str
    id: str
    sentences: Mapping[str, str]


@dataclass(frozen=True)
class ScenarioView:
    """A scenario page, with its first case under its first mode pre-rendered."""

    slug: str
    id: str
    title: str
    summary: str
    score: str
    figures: tuple[tuple[str, str], ...]
    modes: tuple[ModeView, ...]
    mode: ModeView
    cases: tuple[CaseRow, ...]
    case: CaseRow
    inputs: tuple[tuple[str, str], ...]
    steps: tuple[StepView, ...]
    player_titles: tuple[str, ...]
    verdict: VerdictView
    ends: tuple[tuple[str, Outcome], ...]
    passing: str
    withheld: str
    ranking: tuple[RankRow, ...]
    echo: str
    outcomes: tuple[OutcomeRow, ...]
    outcome_count: int
    world: str
    interventional: str
    provenance: tuple[tuple[str, tuple[str, ...]], ...]


def verdict_view(case: CaseGame, header: Header) -> VerdictView:
    """Return the verdict on a case."""
    said = _computed(lambda: case_verdict(header, case), case, header)
    return VerdictView(said.kind, said.sentences[0], said.sentences[1:], said.players)


def _level(case: CaseGame, header: Header) -> float:
    """Return the worth from which a coalition counts as passed."""
    return repair_level(header.scenario.score.threshold, case.denominator)


def scenario_view(scenario: ScenarioGames) -> ScenarioView:
    """Return everything the page of a scenario, which must have a case, shows before a script runs."""
    header = scenario.header
    modes = tuple(_mode_view(one) for one in scenario.headers.values())
    first = scenario.cases[0]
    mode = next(mode for mode in modes if mode.id in first.games)
    game = first.games[mode.id]
    header = scenario.headers[mode.id]
    titles = header.player_titles
    rows = tuple(_case_row(case, scenario) for case in scenario.cases)
    shown = outcome(game.shown_scores[0], 1, header.scenario.score.threshold)
    withheld, ranking = wording.withheld_reason(game.worth, titles, game.reasons), ranking_rows(game, header)
    return ScenarioView(
        slug=scenario.slug,
        id=header.scenario.id,
        title=header.scenario.title or header.scenario.id,
        summary=header.scenario.summary,
        score=header.scenario.score.meaning,
        figures=counts(header),
        modes=modes,
        mode=mode,
        cases=rows,
        case=rows[0],
        inputs=tuple((shown.name, shown.text) for shown in game.inputs),
        steps=tuple(_step_view(number, header, game) for number in range(len(header.steps))),
        player_titles=titles,
        verdict=verdict_view(game, header),
        ends=_ends(game, header),
        passing=_passing(game, header),
        withheld=withheld,
        ranking=ranking,
        echo="" if withheld else " · ".join(f"{row.title} {row.cells['shapley'].text}" for row in ranking),
        outcomes=tuple(_outcome_row(mask, game, header) for mask in range(min(len(game.worth), OUTCOME_ROWS))),
        outcome_count=len(game.worth),
        world=wording.world_sentence(mode.world, shown.state),
        interventional=_interventional(header),
        provenance=_provenance(scenario),
    )


def counts(header: Header) -> tuple[tuple[str, str], ...]:
    """Return how many cases were seen, failed and analysed, and how many errored where any did."""
    counted = header.counts
    found = [("Cases seen", counted.seen), ("Failed", counted.failed), ("Analysed", counted.analysed)]
    if counted.errored:
        found.insert(2, ("Errored", counted.errored))
    return tuple((name, str(number)) for name, number in found)


def _game_values(case: CaseGame, header: Header) -> Mapping[str, tuple[float, ...] | None]:
    """Return each rule's values for a case.

    Raises
    ------
    SiteError
        If its scores are too large to compute with.
    """
    return _computed(lambda: values(case.game(header.players)), case, header)


def _computed(compute: Callable[[], Found], case: CaseGame, header: Header) -> Found:
    try:
        return compute()
    except ValueError as error:
        raise SiteError(
            f"scenario {header.scenario.id!r}, case {case.id!r}: {error}. See `agentblame validate`."
        ) from error


def _mode_view(header: Header) -> ModeView:
    return ModeView(
        header.mode,
        wording.MODE_TITLES[header.mode],
        wording.question(header),
        wording.passing(header),
        wording.factual_title(header.mode),
        wording.world_text(header),
    )


def _case_row(case: ScenarioCase, scenario: ScenarioGames) -> CaseRow:
    return CaseRow(
        case.slug, case.id, {mode: _case_sentence(game, scenario.headers[mode]) for mode, game in case.games.items()}
    )


def _case_sentence(game: CaseGame, header: Header) -> str:
    headline = verdict_view(game, header).headline
    # New luck repairs some failures without any fix, so no claim about it stands alone.
    return f"{headline} {wording.control(outcome_of(game, 0, header))}" if header.mode == "fresh" else headline


def outcome_of(game: CaseGame, mask: int, header: Header) -> Outcome:
    """Return how the outcome of a coalition is shown."""
    worth, worlds = game.worth[mask], game.denominator or 1
    return outcome(None if worth is None else worth / worlds, worlds, _level(game, header))


def _step_view(number: int, header: Header, game: CaseGame) -> StepView:
    step = header.steps[number]
    ids, titles = [one.id for one in header.steps], [one.title or one.id for one in header.steps]
    seen = game.steps[number]
    index = seen.index[0]
    return StepView(
        number=number + 1,
        title=titles[number],
        role={"producer": "producer", "checker": "checker", None: ""}[step.role],
        reads=listed(titles, [ids.index(parent) for parent in step.parents], "and") if step.parents else "",
        interventional=step.interventional,
        player=header.players.index(step.id) if step.fix is not None else None,
        fix=None if step.fix is None else _fix_view(step.fix),
        factual=wording.no_output(game.reasons[0]) if index is None else seen.outputs[index].text,
    )


def _fix_view(fix: FixInfo) -> FixView:
    kinds = {"+": "added", "-": "removed", "@": "place"}
    diff = tuple((kinds.get(line[:1], "kept"), line) for line in fix.diff.split("\n")) if fix.diff else ()
    return FixView(fix.label, wording.FIX_KINDS[fix.kind], fix.description, diff)


def _ends(game: CaseGame, header: Header) -> tuple[tuple[str, Outcome], ...]:
    ends = [("No fix", 0)] if not header.players else [("No fix", 0), ("All fixes", -1)]
    return tuple((name, outcome_of(game, mask, header)) for name, mask in ends)


def _passing(game: CaseGame, header: Header) -> str:
    passing = sum(outcome_of(game, mask, header).state == "pass" for mask in range(len(game.worth)))
    return f"{passing} of {len(game.worth)}"


def ranking_rows(game: CaseGame, header: Header) -> tuple[RankRow, ...]:
    """Return a row for each fix, by rank; in step order where values are withheld."""
    found = _game_values(game, header)
    labels = [step.fix.label for step in header.steps if step.fix is not None]
    titles = header.player_titles
    shapley = found["shapley"]
    if shapley is None:
        nothing = dict.fromkeys(RULES, Cell("withheld", bar_svg(bar(0.0, Scale(0.0, 1.0)))))
        return tuple(RankRow(player, "–", title, labels[player], nothing) for player, title in enumerate(titles))
    spans = spread(found, game.denominator)
    return tuple(
        RankRow(
            player,
            place(player, shapley),
            titles[player],
            labels[player],
            {
                rule: Cell(number_text(numbers[player]), bar_svg(bar(numbers[player], spans[rule])))
                for rule, numbers in found.items()
                if numbers is not None
            },
        )
        for player in (int(player) for player in rank(np.array(shapley)))
    )


def spread(found: Mapping[str, tuple[float, ...] | None], denominator: int | None) -> dict[str, Scale]:
    """Return the scale of each rule's bars: one for the three that measure worth, its own for last touch."""
    measured = [number for rule in RULES if rule != "last_touch" for number in found[rule] or ()]
    shared = scale(measured, 0.0 if denominator is None else 1.0)
    return {rule: scale((), 1.0) if rule == "last_touch" else shared for rule in RULES}


def place(player: int, numbers: Sequence[float]) -> str:
    """Return a fix's place in the ranking; fixes that tie exactly share it, marked with ``=``."""
    ahead = sum(number > numbers[player] for number in numbers)
    tied = sum(number == numbers[player] for number in numbers) > 1
    return f"{'=' if tied else ''}{ahead + 1}"


def _outcome_row(mask: int, game: CaseGame, header: Header) -> OutcomeRow:
    titles = header.player_titles
    return OutcomeRow(
        mask,
        coalition_name(mask, titles),
        tuple(bool(mask >> player & 1) for player in range(len(titles))),
        outcome_of(game, mask, header),
        game.reasons[mask] if game.worth[mask] is None else "",
    )


def _interventional(header: Header) -> str:
    anew = [number for number, step in enumerate(header.steps) if step.interventional]
    if not anew:
        return ""
    verb = "samples" if len(anew) == 1 else "sample"
    names = listed([step.title for step in header.steps], anew, "and")
    return (
        f"{names} {verb} outside the recorded luck, so what depends on that is interventional in every mode: it speaks "
        "of such runs in general, not of this one."
    )


def _provenance(scenario: ScenarioGames) -> tuple[tuple[str, tuple[str, ...]], ...]:
    headers = tuple(scenario.headers.values())
    facts = {
        "Mode": [f"{wording.MODE_TITLES[header.mode]} ({header.mode})" for header in headers],
        "Worlds": [str(header.worlds) for header in headers],
        "Seed": [header.seed for header in headers],
        "Analysed": [f"{header.counts.analysed} of {header.counts.failed} failing cases" for header in headers],
        "Errored": [str(header.counts.errored) for header in headers],
        "Stopped because": [header.stopped for header in headers],
        "Redacted": [", ".join(header.redacted) or "nothing" for header in headers],
        "Pipeline fingerprint": [header.fingerprint for header in headers],
        "Made by": [f"{header.package} {header.version}" for header in headers],
    }
    return tuple((name, tuple(found)) for name, found in facts.items())
