"""Game files put together by hand: steps, cases and whole files of a few words each, with the values the rules give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from analyzer.game import Game, values
from analyzer.game_file import (
    CaseGame,
    CoalitionError,
    Counts,
    FixInfo,
    GameFile,
    Header,
    Output,
    SampledValues,
    Scenario,
    ScoreInfo,
    SeenOutputs,
    Shown,
    StepInfo,
    dumps,
)

PASS_FAIL = ScoreInfo("1 when the answer is right, 0 when it is not", False, 0.0, 1.0, 1.0)


def scenario(
    id: str, title: str, summary: str, score: ScoreInfo = PASS_FAIL, cost_unit: str = "calls", *, pipeline: str = ""
) -> Scenario:
    """Return a scenario of a pipeline of its own, unless one is named."""
    return Scenario(id, pipeline or id, title, summary, score, cost_unit)


def fix(label: str, description: str = "", diff: str = "", kind: str = "variant") -> FixInfo:
    """Return a fix with little to say."""
    return FixInfo(label, kind, description, diff)


def step(
    name: str,
    parents: Sequence[str] = (),
    role: str | None = "producer",
    fix: FixInfo | None = None,
    *,
    title: str = "",
) -> StepInfo:
    """Return a step whose title is its id unless one is given."""
    return StepInfo(name, title or name, tuple(parents), role, False, fix)


def case_game(
    steps: Sequence[StepInfo],
    name: str,
    worth: Sequence[int | float | None],
    denominator: int | None,
    text: Callable[[str, int], str],
    *,
    inputs: Sequence[Shown] = (),
    errors: Mapping[int, CoalitionError] | None = None,
    shown_scores: Sequence[float | None] | None = None,
    tags: Sequence[str] = (),
    failure: str = "",
    coalitions: Sequence[int] | None = None,
    sampled: SampledValues | None = None,
) -> CaseGame:
    """Return a case whose step `s` shows ``text(s, mask)`` under each coalition, with the values the rules give."""
    players = tuple(step.id for step in steps if step.fix is not None)
    masks = range(2 ** len(players)) if coalitions is None else coalitions
    seen = []
    for one in steps:
        shown: dict[str, int] = {}
        index = tuple(
            None if value is None else shown.setdefault(text(one.id, mask), len(shown))
            for mask, value in zip(masks, worth, strict=True)
        )
        seen.append(SeenOutputs(one.id, tuple(Output(words, f"{k:016x}") for k, words in enumerate(shown)), index))
    if shown_scores is None:
        shown_scores = [
            None if value is None else (float(2 * value >= denominator) if denominator else value) for value in worth
        ]
    case = CaseGame(
        id=name,
        seed="0",
        inputs=tuple(inputs),
        tags=tuple(tags),
        failure=failure,
        coalitions=None if coalitions is None else tuple(coalitions),
        denominator=denominator,
        worth=tuple(worth),
        shown_scores=tuple(shown_scores),
        steps=tuple(seen),
        evaluations=tuple(0 if value is None else denominator or 1 for value in worth),
        errors={str(mask): error for mask, error in (errors or {}).items()},
        calls=4,
        cost=4.0,
        sampled=sampled,
        values={},
        withheld=None,
    )
    game: Game = case.game(players)
    return replace(case, values=values(game), withheld=game.withheld)


def game_file(
    scenario: Scenario,
    steps: Sequence[StepInfo],
    mode: str,
    worlds: int,
    cases: Sequence[CaseGame],
    *,
    seen: int | None = None,
    redacted: Sequence[str] = (),
    delta: float = 0.05,
) -> GameFile:
    """Return a game file around its cases."""
    header = Header(
        scenario=scenario,
        steps=tuple(steps),
        players=tuple(step.id for step in steps if step.fix is not None),
        mode=mode,
        worlds=worlds,
        reference_world=0,
        seed="0",
        package="agent-blame-site",
        version="0.1.0",
        fingerprint="9f2c1e5a7b3d4e60",
        counts=Counts(seen or len(cases), (seen or len(cases)) - len(cases), len(cases), 0, len(cases)),
        delta=delta,
        stopped="every failing case was analysed",
        redacted=tuple(redacted),
    )
    return GameFile(header, tuple(cases))


def write_all(files: Sequence[GameFile], folder: Path) -> Path:
    """Write game files into a folder, also those with a lone surrogate, which only JSON's own escapes can carry."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        (folder / file.name).write_bytes(dumps(file).replace("\ud800", "\\ud800").encode("utf-8"))
    return folder
