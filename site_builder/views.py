"""Turns scenarios into what the templates show: every sentence, number and bar of the pre-rendered pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from analyzer.game_file import CaseGame, FixInfo, Header, case_verdict
from analyzer.rules import isolated
from analyzer.rules.verdict import listed
from site_builder import wording
from site_builder.errors import computed
from site_builder.gist import Gist, gist
from site_builder.interplay import InterplayView, interplay_view
from site_builder.lattice_picture import LatticeView, lattice_view
from site_builder.outcomes import OutcomeRow, ends, outcome_of, outcome_rows, passing
from site_builder.pipeline_graph import pipeline_graph
from site_builder.ranking import RankRow, ranking_rows
from site_builder.scenario_games import ScenarioCase, ScenarioGames
from site_builder.waterfall import WaterfallView, waterfall_view
from site_builder.wording import Outcome, outcome

#: Rows of the case table that are pre-rendered; the page turns pages beyond.
CASE_ROWS = 200


@dataclass(frozen=True)
class VerdictView:
    """The sentences of a verdict: the first is the headline."""

    kind: str
    headline: str
    remarks: tuple[str, ...]
    players: tuple[int, ...]


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
    parents: tuple[int, ...]
    reads_known: bool
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
    gave: str
    world: str


@dataclass(frozen=True)
class CaseRow:
    """A case in the table of all cases.

    Attributes
    ----------
    sentences : mapping of str to str
        By mode the first sentence of its verdict, with the control.
    sampled : tuple of str
        The modes in which its game lists only some coalitions.
    """

    slug: str
    id: str
    sentences: Mapping[str, str]
    sampled: tuple[str, ...]


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
    gist: Gist
    inputs: tuple[tuple[str, str], ...]
    steps: tuple[StepView, ...]
    player_titles: tuple[str, ...]
    verdict: VerdictView
    ends: tuple[tuple[str, Outcome], ...]
    passing: str
    withheld: str
    rules: Mapping[str, tuple[str, str]]
    ordered: bool
    ranking: tuple[RankRow, ...]
    sampling: str
    graded: bool
    interplay: InterplayView | None
    lattice: LatticeView | None
    waterfall: WaterfallView | None
    graph: Markup
    echo: str
    listed: bool
    some_sampled: bool
    outcomes: tuple[OutcomeRow, ...]
    outcome_count: int
    world: str
    interventional: str


def verdict_view(case: CaseGame, header: Header) -> VerdictView:
    """Return the verdict on a case."""
    said = computed(lambda: case_verdict(header, case), case, header)
    return VerdictView(said.kind, said.sentences[0], said.sentences[1:], said.players)


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
    withheld, ranking = wording.withheld_reason(game, titles), ranking_rows(game, header)
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
        gist=gist(game, header),
        inputs=tuple((shown.name, shown.text) for shown in game.inputs),
        steps=tuple(_step_view(number, header, game) for number in range(len(header.steps))),
        player_titles=titles,
        verdict=verdict_view(game, header),
        ends=ends(game, header),
        passing=passing(game, header),
        withheld=withheld,
        rules=_rules(rows, header),
        ordered=header.ordered,
        ranking=ranking,
        sampling=wording.sampling(game, len(titles)),
        graded=header.scenario.score.graded,
        interplay=interplay_view(game, header),
        lattice=lattice_view(game, header),
        waterfall=waterfall_view(game, header),
        graph=pipeline_graph(game, header),
        echo="" if withheld else " · ".join(f"{isolated(row.title)} {row.cells['shapley'].text}" for row in ranking),
        listed=game.coalitions is not None,
        some_sampled=any(row.sampled for row in rows),
        outcomes=outcome_rows(game, header),
        outcome_count=len(game.worth),
        world=wording.world_sentence(mode.world, shown.state),
        interventional=_interventional(header),
    )


def counts(header: Header) -> tuple[tuple[str, str], ...]:
    """Return how many cases were seen, failed and analysed, and how many errored where any did."""
    counted = header.counts
    found = [("Cases seen", counted.seen), ("Failed", counted.failed), ("Analysed", counted.analysed)]
    if counted.errored:
        found.insert(2, ("Errored", counted.errored))
    return tuple((name, str(number)) for name, number in found)


def _mode_view(header: Header) -> ModeView:
    return ModeView(
        header.mode,
        wording.MODE_TITLES[header.mode],
        wording.question(header),
        wording.passing(header),
        wording.factual_title(header.mode),
        wording.gave_title(header.mode),
        wording.world_text(header),
    )


def _case_row(case: ScenarioCase, scenario: ScenarioGames) -> CaseRow:
    return CaseRow(
        case.slug,
        case.id,
        {mode: _case_sentence(game, scenario.headers[mode]) for mode, game in case.games.items()},
        tuple(mode for mode, game in case.games.items() if game.coalitions is not None),
    )


def _case_sentence(game: CaseGame, header: Header) -> str:
    headline = verdict_view(game, header).headline
    # New luck repairs some failures without any fix, so no claim about it stands alone.
    return f"{headline} {wording.control(outcome_of(game, 0, header))}" if header.mode == "fresh" else headline


def _rules(rows: Sequence[CaseRow], header: Header) -> Mapping[str, tuple[str, str]]:
    """Return the rules that have a column: one that needs what none of the games has, has none."""
    every_combination = any(len(row.sampled) < len(row.sentences) for row in rows)
    there = {"banzhaf": every_combination, "last_touch": header.ordered}
    return {rule: told for rule, told in wording.RULES.items() if there.get(rule, True)}


def _step_view(number: int, header: Header, game: CaseGame) -> StepView:
    step = header.steps[number]
    ids, titles = [one.id for one in header.steps], [one.title or one.id for one in header.steps]
    returned = header.returned is step
    parents = () if returned else tuple(ids.index(parent) for parent in step.parents)
    seen = game.steps[number]
    index = seen.index[0]
    return StepView(
        number=number + 1,
        title=titles[number],
        role="what the program returned" if returned else step.role or "",
        reads=listed([isolated(title) for title in titles], parents, "and") if parents else "",
        parents=parents,
        reads_known=bool(parents) or header.ordered,
        interventional=step.interventional,
        player=header.players.index(step.id) if step.fix is not None else None,
        fix=None if step.fix is None else _fix_view(step.fix),
        factual=wording.no_output(game.reasons[0]) if index is None else seen.outputs[index].text,
    )


def _fix_view(fix: FixInfo) -> FixView:
    kinds = {"+": "added", "-": "removed", "@": "place"}
    diff = tuple((kinds.get(line[:1], "kept"), line) for line in fix.diff.split("\n")) if fix.diff else ()
    return FixView(fix.label, wording.FIX_KINDS[fix.kind], fix.description, diff)


def _interventional(header: Header) -> str:
    anew = [number for number, step in enumerate(header.steps) if step.interventional]
    if not anew:
        return ""
    verb = "samples" if len(anew) == 1 else "sample"
    names = listed([isolated(step.title) for step in header.steps], anew, "and")
    return (
        f"{names} {verb} outside the recorded luck, so what depends on that is interventional in every mode: it speaks "
        "of such runs in general, not of this one."
    )
