"""The totals that a page keeps as cases change are those from nothing, in the page and in Python, to the last bit."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pytest
from playwright.sync_api import Page

from analyzer.batch_table import batch_table
from analyzer.game_file import GameFile, ScoreInfo
from analyzer.slug import slug
from site_builder.batch_words import basis
from tests.browser.conftest import Built, build, show
from tests.browser.doubles import HEX, in_hex
from tests.browser.test_batch_view import edited
from tests.known_game_files import letters, plain_text
from tests.made_game_files import case_game, game_file, scenario

STEPS = 12

#: After each step of a walk: the table that was kept, and the one of totals that begin there.
WALKED = (
    "async ({ scenario, mode, names, walk }) => {"
    + HEX
    + """
    const [summary, chunk] = await Promise.all([AgentBlame.load(scenario), AgentBlame.load(scenario, "batch." + mode)]);
    const placeOf = (name) => summary.cases.findIndex((one) => one.slug === name);
    const places = names.map(placeOf);
    const open = () => AgentBlame.batchGames(chunk, summary, summary.batch[mode]);
    const after = (games, { edits, chosen }) => {
        games.follow(new Map(edits.map(([number, made]) => [places[number], new Map(made)])));
        games.totals.choose(chosen.map((number) => places[number]).sort((a, b) => a - b));
        const table = games.totals.table();
        const { kinds, idle, tallies, capitals } = games.totals.basis();
        const told = {
            kinds: Array.from(kinds).filter(([, cases]) => cases > 0).sort(),
            idle,
            tallies: tallies.map(({ values, counts }) => [Array.from(values), Array.from(counts)]),
            capitals: capitals === null ? null : Array.from(capitals),
        };
        return { table: hex(table), told: hex(told) };
    };
    const kept = await open();
    const found = [];
    for (const step of walk) found.push({ kept: after(kept, step), fresh: after(await open(), step) });
    return found;
}"""
)


@dataclass(frozen=True)
class Step:
    """The edits in force, outcomes by mask by the number of a case, and the numbers of the cases that are chosen."""

    edits: Mapping[int, Mapping[int, float]]
    chosen: Sequence[int]

    def as_data(self) -> dict[str, Any]:
        edits = [[number, [list(made) for made in found.items()]] for number, found in self.edits.items()]
        return {"edits": edits, "chosen": list(self.chosen)}


def random_walk(luck: random.Random, file: GameFile) -> list[Step]:
    """Return a walk through edits made and taken back, and cases chosen."""
    editable = [number for number, case in enumerate(file.cases) if case.coalitions is None]
    edits: dict[int, dict[int, float]] = {}
    everything = tuple(range(len(file.cases)))
    chosen: Sequence[int] = everything
    found = []
    for _ in range(STEPS):
        what = luck.choice(("edit", "edit", "edit", "undo", "choose", "all"))
        if what == "edit" and editable:
            number = luck.choice(editable)
            mask = luck.randrange(len(file.cases[number].worth))
            value = luck.choice((0.0, 1.0, 0.5, 0.375, luck.random()))
            edits = {**edits, number: {**edits.get(number, {}), mask: value}}
        elif what == "undo" and edits:
            edits = {number: made for number, made in edits.items() if number != luck.choice(list(edits))}
        elif what == "choose":
            chosen = tuple(number for number in everything if luck.random() < luck.choice((0.1, 0.7)))
        else:
            chosen = everything
        found.append(Step(edits, chosen))
    return found


def table_after(file: GameFile, step: Step) -> Any:
    """Return what Python computes from nothing."""
    on = basis(file.header)
    figures = [edited(file, file.cases[number], step.edits.get(number, {})) for number in sorted(step.chosen)]
    return in_hex(asdict(batch_table(figures, len(file.header.players), on.spread, on.delta)))


def walked(page: Page, file: GameFile, walk: Sequence[Step]) -> list[Any]:
    asked = {
        "scenario": slug(file.header.scenario.id),
        "mode": file.header.mode,
        "names": [slug(case.id) for case in file.cases],
        "walk": [step.as_data() for step in walk],
    }
    found: list[Any] = page.evaluate(WALKED, asked)
    return found


def assert_kept(page: Page, file: GameFile, walk: Sequence[Step]) -> None:
    """Compare three tables after each step."""
    for step, found in zip(walk, walked(page, file, walk), strict=True):
        assert found["kept"] == found["fresh"]
        assert found["kept"]["table"] == table_after(file, step)


@pytest.fixture(scope="module")
def several(exported_games: list[GameFile]) -> list[GameFile]:
    """Return the known games over several cases: with holes, sampled, graded, in all modes."""
    return [file for file in exported_games if len(file.cases) > 1 and file.header.players]


def test_totals_kept_through_edits_and_choices_are_those_from_nothing(page, built, several):
    show(page, built.address("folder", "triage"))
    luck = random.Random(5)
    at = ""
    for file in several:
        if slug(file.header.scenario.id) != at:
            at = slug(file.header.scenario.id)
            show(page, built.address("folder", at))
        for _ in range(2):
            assert_kept(page, file, random_walk(luck, file))


def made_up(name: str, players: int, cases: int, *, graded: bool) -> GameFile:
    """Return random games: few distinct values where outcomes pass or fail, no two alike where they are graded."""
    luck, steps = random.Random(name), letters(players)
    score = [ScoreInfo("share", True, 0.0, 1.0, 0.5)] if graded else []
    worlds = None if graded else 1

    def worth() -> list[float]:
        draw = luck.random() if not graded else 0.0
        return [luck.random() if graded else int(luck.random() < draw) for _ in range(2**players)]

    found = [case_game(steps, f"case-{number}", worth(), worlds, plain_text) for number in range(cases)]
    return game_file(scenario(name, name, "", *score), steps, "replayed", 1, found)


@pytest.fixture(scope="module")
def larger(tmp_path_factory) -> tuple[Built, list[GameFile]]:
    files = [
        made_up("plain", 3, 400, graded=False),
        made_up("graded", 3, 300, graded=True),
        made_up("one-fix", 1, 60, graded=False),
    ]
    return build(files, tmp_path_factory.mktemp("larger")), files


@pytest.mark.parametrize("number", range(3))
def test_totals_of_many_cases_are_kept_to_the_last_bit(page, larger, number):
    found, files = larger
    show(page, found.address("folder", slug(files[number].header.scenario.id)))
    luck = random.Random(number)
    for _ in range(3):
        assert_kept(page, files[number], random_walk(luck, files[number]))


def test_claim_follows_the_cases_that_are_chosen(page, tmp_path):
    steps = letters(2)
    cases = [
        case_game(steps, f"case-{number}", [0, number % 2, 1 - number % 2, 1], 1, plain_text) for number in range(40)
    ]
    file = game_file(scenario("both", "Both", ""), steps, "replayed", 1, cases)
    odd, even = range(1, 40, 2), range(0, 40, 2)
    walk = [Step({}, odd), Step({}, even), Step({}, range(40)), Step({}, odd), Step({0: {1: 1.0}}, [*odd, 0])]
    assert [table_after(file, step)["leader"] for step in walk] == in_hex([0, 1, None, 0, 0])
    show(page, build([file], tmp_path).address("folder", "both"))
    assert_kept(page, file, walk)
