"""Turns what a game file says into typed records: a header, and one record per failing case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.game import Game, touched
from analyzer.rules import Verdict, repair_level, verdict
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
    """What was examined: identity, prose, score and the unit costs are counted in."""

    id: str
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
    """The first line: everything the cases of one scenario and mode have in common."""

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
    stopped: str
    redacted: tuple[str, ...]

    @property
    def player_titles(self) -> tuple[str, ...]:
        """Titles of the steps that have a fix, in run order."""
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
class CaseGame:
    """One failing case: its inputs as shown, its worth table, and the outputs behind every entry.

    Attributes
    ----------
    worth : tuple of int, float or None
        ``2**n`` entries in mask order; see `analyzer.game.Game`.
    shown_scores : tuple of float or None
        Score of the reference world, whose outputs are the shown ones, per coalition.
    evaluations : tuple of int
        Worlds scored per coalition.
    errors : mapping of str to CoalitionError
        By mask, written in decimal.
    calls : int
        Distinct calls behind the table, whether this game or another one ran them first.
    cost : float
        Of those calls, in the scenario's cost unit.
    values : mapping of str to tuple of float, or None
        Each rule's values, one per player; None when withheld.
    withheld : str or None
        Why the values are withheld.
    """

    id: str
    seed: str
    inputs: tuple[Shown, ...]
    denominator: int | None
    worth: tuple[int | float | None, ...]
    shown_scores: tuple[float | None, ...]
    steps: tuple[SeenOutputs, ...]
    evaluations: tuple[int, ...]
    errors: Mapping[str, CoalitionError]
    calls: int
    cost: float
    values: Mapping[str, tuple[float, ...] | None]
    withheld: str | None

    @property
    def reasons(self) -> dict[int, str]:
        """Why each missing coalition is missing, by mask."""
        return {int(mask): f"{error.step}: {error.message}" for mask, error in self.errors.items()}

    def game(self, players: tuple[str, ...]) -> Game:
        """Return the game this line holds."""
        seen = {step.id: step.index for step in self.steps}
        return Game(players, self.worth, self.denominator, tuple(seen[player] for player in players), self.reasons)


def case_verdict(header: Header, case: CaseGame) -> Verdict:
    """Say what a case's game means."""
    level = repair_level(header.scenario.score.threshold, case.denominator)
    last_touch = touched(case.game(header.players))
    return verdict(header.player_titles, case.worth, case.denominator, level, case.denominator or 1, last_touch)


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
