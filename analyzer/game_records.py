"""Turns what a game file says into typed records: a header, and one record per failing case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.batch_table import CaseFigures, case_figures
from analyzer.game import Game, touched
from analyzer.rules import Verdict, repair_level, verdict
from analyzer.sampled_verdict import sampled_verdict
from analyzer.slug import slug

SUFFIX = ".jsonl"
#: The noise modes, in the order they are shown.
MODES = ("replayed", "abducted", "fresh")


@dataclass(frozen=True)
class ScoreInfo:
    """What a worth means: in words, whether it is graded, its range, and the threshold from which a run passed."""

    meaning: str
    graded: bool
    low: float
    high: float
    threshold: float


@dataclass(frozen=True)
class Scenario:
    """What was examined: identity, prose, score and the unit costs are counted in.

    Attributes
    ----------
    pipeline : str
        Id of the pipeline. Scenarios that share it try other fixes at some of its steps and can be compared.
    """

    id: str
    pipeline: str
    title: str
    summary: str
    score: ScoreInfo
    cost_unit: str


@dataclass(frozen=True)
class FixInfo:
    """The fix tried at a step: its label, kind (``variant``, ``constant`` or ``resample``), prose and text diff."""

    label: str
    kind: str
    description: str
    diff: str


@dataclass(frozen=True)
class StepInfo:
    """A step as the page shows it.

    Attributes
    ----------
    interventional : bool
        It samples outside the addressed noise.
    fix : FixInfo or None
        The fix that was tried.
    alternatives : tuple of FixInfo
        What else could be tried; no game here says anything of it.
    """

    id: str
    title: str
    parents: tuple[str, ...]
    role: str | None
    interventional: bool
    fix: FixInfo | None
    alternatives: tuple[FixInfo, ...] = ()


@dataclass(frozen=True)
class Counts:
    """How many cases were seen, passed, failed, errored and analysed."""

    seen: int
    passed: int
    failed: int
    errored: int
    analysed: int


@dataclass(frozen=True)
class Header:
    """The first line: everything the cases of one scenario and mode have in common.

    Attributes
    ----------
    delta : float
        Error probability of what is claimed over all cases: that the intervals of the mean values hold jointly, and
        that a fix which is said to come first does.
    stopped : str
        Why no more cases were analysed.
    ordered : bool
        Whether the steps run in the order in which they are listed. Those of a program run as it calls them.
    """

    scenario: Scenario
    steps: tuple[StepInfo, ...]
    players: tuple[str, ...]
    mode: str
    worlds: int
    reference_world: int
    seed: str
    package: str
    version: str
    fingerprint: str
    counts: Counts
    delta: float
    stopped: str
    redacted: tuple[str, ...]
    ordered: bool = True

    @property
    def returned(self) -> StepInfo | None:
        """What stands for the output of a program, after its steps; each of them may have had a part in it."""
        return None if self.ordered else self.steps[-1]

    @property
    def player_titles(self) -> tuple[str, ...]:
        """Titles of the steps that have a fix, as they are listed."""
        return tuple(step.title for step in self.steps if step.fix is not None)


@dataclass(frozen=True)
class Output:
    """One distinct output of a step in the reference world: its shown text and its fingerprint."""

    text: str
    fingerprint: str


@dataclass(frozen=True)
class SeenOutputs:
    """A step's distinct outputs once, and for each coalition the index of the one it saw (None: missing)."""

    id: str
    outputs: tuple[Output, ...]
    index: tuple[int | None, ...]


@dataclass(frozen=True)
class CoalitionError:
    """Why a coalition is missing: the step that failed (or ``score``) and its message."""

    step: str
    message: str


@dataclass(frozen=True)
class Shown:
    """One named text."""

    name: str
    text: str


@dataclass(frozen=True)
class SampledValues:
    """How the Shapley values of a game with too many coalitions were estimated.

    Attributes
    ----------
    estimator : str
    draws : int
        Observations behind the estimate.
    evaluations : int
        Distinct coalitions that were run.
    delta : float
        Error probability of the intervals, all together, and of the claim.
    values, low, high : tuple of float
        The estimates and their confidence interval, one per player.
    leader : int or None
        The player whose value is claimed to be the single largest.
    stopped : str
        Why no more was drawn.
    """

    estimator: str
    draws: int
    evaluations: int
    delta: float
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    leader: int | None
    stopped: str


@dataclass(frozen=True)
class CaseGame:
    """One failing case: its inputs as shown, its worth table, and the outputs behind every entry.

    Attributes
    ----------
    tags : tuple of str
        What the case can be filtered by.
    failure : str
        What kind of failure it is, in the pipeline's words; empty where it does not say.
    coalitions : tuple of int or None
        The masks that entries belong to, increasing, where the values were sampled; None for all ``2**n`` in order.
        Sampled games list at least no fix, each fix alone, all but each fix, and all fixes.
    worth : tuple of int, float or None
        An entry per coalition; see `analyzer.game.Game`.
    shown_scores : tuple of float or None
        Score of the reference world, whose outputs are the shown ones, per coalition.
    evaluations : tuple of int
        Worlds scored per coalition.
    errors : mapping of str to CoalitionError
        By mask, written in decimal.
    calls : int
        Distinct calls behind the table, whether this game or another one ran them first.
    cost : float or None
        Of those calls, in the scenario's cost unit; None where a price is not known.
    sampled : SampledValues or None
        How the Shapley values were estimated, where they were.
    values : mapping of str to tuple of float, or None
        Each rule's values, one per player; None when withheld, and for a rule that needs what was not run, or an order
        of steps where there is none.
    withheld : str or None
        Why the values are withheld.
    called : tuple of str, or None
        Addresses of the calls that a program made in any run behind it, sorted; None where that is not known.
    """

    id: str
    seed: str
    inputs: tuple[Shown, ...]
    tags: tuple[str, ...]
    failure: str
    coalitions: tuple[int, ...] | None
    denominator: int | None
    worth: tuple[int | float | None, ...]
    shown_scores: tuple[float | None, ...]
    steps: tuple[SeenOutputs, ...]
    evaluations: tuple[int, ...]
    errors: Mapping[str, CoalitionError]
    calls: int
    cost: float | None
    sampled: SampledValues | None
    values: Mapping[str, tuple[float, ...] | None]
    withheld: str | None
    called: tuple[str, ...] | None = None

    @property
    def masks(self) -> Sequence[int]:
        """The coalition of each entry."""
        return range(len(self.worth)) if self.coalitions is None else self.coalitions

    @property
    def reasons(self) -> dict[int, str]:
        """Why each missing coalition is missing, by mask."""
        return {int(mask): f"{error.step}: {error.message}" for mask, error in self.errors.items()}

    def game(self, players: tuple[str, ...], *, ordered: bool = True) -> Game:
        """Return the game this line holds; its steps are `ordered` where the header says so."""
        seen = {step.id: step.index for step in self.steps}
        outputs = tuple(seen[player] for player in players) if ordered else None
        estimates = None if self.sampled is None else self.sampled.values
        return Game(players, self.worth, self.denominator, outputs, self.reasons, self.coalitions, estimates)


def figures_of(header: Header, case: CaseGame) -> CaseFigures | None:
    """Return what a case adds to the table over all of them; None where a coalition has no outcome."""
    score = header.scenario.score
    level = repair_level(score.threshold, case.denominator)
    return case_figures(case.game(header.players, ordered=header.ordered), level, graded=score.graded)


def case_verdict(header: Header, case: CaseGame) -> Verdict:
    """Say what a case's game means."""
    level = repair_level(header.scenario.score.threshold, case.denominator)
    game = case.game(header.players, ordered=header.ordered)
    if case.coalitions is not None:
        return _sampled_verdict(header, game, case.sampled, level)
    last_touch = touched(game)
    return verdict(header.player_titles, case.worth, case.denominator, level, case.denominator or 1, last_touch)


def _sampled_verdict(header: Header, game: Game, sampled: SampledValues | None, level: float) -> Verdict:
    if game.withheld is not None or sampled is None:
        return Verdict(
            "withheld", (), (), ("A combination that was drawn has no outcome, so the fixes are not ranked.",)
        )

    def outcome(worth: int | float | None) -> float:
        assert worth is not None
        return worth / (game.denominator or 1)

    ends = outcome(game.worth[0]), outcome(game.worth[-1])
    alone = [outcome(game.alone(player)[1]) for player in range(len(game.players))]
    titles = header.player_titles
    return sampled_verdict(titles, ends, alone, sampled.values, sampled.low, sampled.high, sampled.leader, level)


@dataclass(frozen=True)
class GameFile:
    """A header and its cases."""

    header: Header
    cases: tuple[CaseGame, ...]

    @property
    def name(self) -> str:
        """The file name this content belongs under."""
        return file_name(self.header.scenario.id, self.header.mode)


def file_name(scenario: str, mode: str) -> str:
    """Return the file name for a scenario and mode, which no other scenario's has in any file system."""
    return f"{slug(scenario)}.{mode}{SUFFIX}"
