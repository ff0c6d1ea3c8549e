"""The built pages compute what Python computes, to the last bit."""

from __future__ import annotations

import random
import shutil
from dataclasses import asdict
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from analyzer.game import RULES, values
from analyzer.game_file import GameFile
from analyzer.rules import (
    banzhaf,
    fix_alone,
    last_touch,
    leave_one_out,
    number_text,
    rank,
    set_outcome,
    shapley,
    verdict,
)
from analyzer.slug import slug
from site_builder.figures import bar
from site_builder.ranking import place, spread
from site_builder.wording import coalition_name, outcome
from tests.browser.conftest import OPENINGS, Built, add_to_script, settle, show
from tests.browser.doubles import HEX, in_hex

EVERY_GAME = (
    """async (scenario) => {"""
    + HEX
    + """
    const summary = await AgentBlame.load(scenario);
    const found = [];
    for (const { slug } of summary.cases) {
        const data = await AgentBlame.load(scenario, slug);
        for (const [mode, game] of Object.entries(data.modes)) {
            const { hypothetical } = AgentBlame;
            const table = hypothetical.apply(game, new Map());
            found.push([data.id, mode, hex(hypothetical.values(game, table, summary.players))]);
        }
    }
    return found;
}"""
)

SHOWN = (
    """() => {"""
    + HEX
    + """
    const section = document.querySelector("[data-scenario]:not([hidden])");
    const rows = Array.from(section.querySelectorAll("[data-player]:not(button)"));
    rows.sort((a, b) => a.dataset.player - b.dataset.player);
    const texts = {};
    for (const row of rows) {
        for (const cell of row.querySelectorAll("[data-rule]")) {
            (texts[cell.dataset.rule] = texts[cell.dataset.rule] || []).push(
                cell.querySelector("[data-part=number]").textContent);
        }
    }
    return { values: hex(AgentBlame.page.values()), texts };
}"""
)

EDITED = (
    """(games) => games.map(({ worth, denominator, outputs, edits, titles, level, worlds }) => {"""
    + HEX
    + """
    const { hypothetical, wording, figures, rules } = AgentBlame;
    const game = { worth, denominator, coalitions: null, steps: outputs.map((index) => ({ index })) };
    const table = hypothetical.apply(game, new Map(edits));
    const values = hypothetical.values(game, table, outputs.map((row, player) => player));
    const masks = Array.from(worth.keys());
    const spans = figures.spread(values, denominator);
    return {
        worth: hex(table.worth),
        denominator: table.denominator,
        values: hex(values),
        rank: rules.rank(values.shapley),
        places: values.shapley.map((value, player) => wording.place(player, values.shapley)),
        texts: Array.from(values.shapley, rules.numberText),
        bars: Object.fromEntries(Object.entries(values).map(([rule, numbers]) =>
            [rule, Array.from(numbers, (number) => figures.bar(number, spans[rule]))])),
        names: masks.map((mask) => wording.coalitionName(mask, titles)),
        outcomes: masks.map((mask) => wording.outcome(hypothetical.share(table, mask), worlds, level)),
        sentences: hypothetical.verdict(titles, table, level, worlds, values.last_touch).sentences,
    };
})"""
)


def differences(page: Page, built: Built, opening: str, games: list[GameFile]) -> list[tuple[str, str, str]]:
    """Return case, mode and rule of every value in which page and Python differ."""
    wrong = []
    for scenario, files in groupby(games, lambda file: slug(file.header.scenario.id)):
        show(page, built.address(opening, scenario))
        found = {(case, mode): computed for case, mode, computed in page.evaluate(EVERY_GAME, scenario)}
        for file in files:
            for case in file.cases:
                key = (visible_id(case.id), file.header.mode)
                computed = in_hex(values(case.game(file.header.players)))
                wrong.extend((*key, rule) for rule in RULES if found[key][rule] != computed[rule])
    return wrong


def visible_id(name: str) -> str:
    """Return a case id as a page can hold it."""
    return name.replace("\ud800", "\ufffd")


@pytest.mark.parametrize("opening", OPENINGS)
def test_page_computes_every_exported_game_as_python_does(page, exported, opening):
    build, games = exported
    assert sum(len(file.cases) for file in games) > 90
    assert differences(page, build, opening, games) == []


@pytest.mark.parametrize("opening", OPENINGS)
def test_page_shows_every_exported_game_as_python_computes_it(page, exported, opening):
    build, games = exported
    for file in games:
        scenario = slug(file.header.scenario.id)
        for case in file.cases[:12]:
            show(page, build.address(opening, scenario, f"case={slug(case.id)}&mode={file.header.mode}"))
            computed = values(case.game(file.header.players))
            shown = page.evaluate(SHOWN)
            assert shown["values"] == in_hex(computed)
            if file.header.players:
                # What takes every combination has no column where none of the games has them.
                columns = [rule for rule in RULES if rule != "banzhaf" or "banzhaf" in shown["texts"]]
                nothing = ["withheld" if computed["shapley"] is None else "–"] * len(file.header.players)
                assert shown["texts"] == {
                    rule: nothing if computed[rule] is None else list(map(number_text, computed[rule]))
                    for rule in columns
                }


def random_game(number: int) -> dict[str, Any]:
    """Return a seeded game of 1 to 8 fixes and a few edits of it."""
    luck = random.Random(number)
    players = luck.randint(1, 8)
    size = 2**players
    kind = number % 4
    if kind == 0:
        worth, denominator = [luck.randint(0, 1) for _ in range(size)], 1
    elif kind == 1:
        denominator = luck.choice((2, 3, 8, 10))
        worth = [luck.randint(0, denominator) for _ in range(size)]
    elif kind == 2:
        worth, denominator = [luck.random() for _ in range(size)], None
    else:
        worth, denominator = [luck.gauss(0, 10.0 ** luck.randint(-12, 12)) for _ in range(size)], None
    choices = [0, 1, 0.25, 1 / 3, 3 / 8, luck.random(), -luck.random(), 0.1 + 0.2, 1e-300, -1e12]
    edits = sorted({luck.randrange(size): luck.choice(choices) for _ in range(luck.randint(0, 5))}.items())
    return {
        "worth": worth,
        "denominator": denominator,
        "outputs": [[luck.randint(0, 2) for _ in range(size)] for _ in range(players)],
        "edits": edits,
        "titles": [f"step {player}" for player in range(players)],
        "level": luck.choice((0.5, 0.75, 1.0)),
        "worlds": denominator or 1,
    }


def computed_by_python(game: dict[str, Any]) -> dict[str, Any]:
    """Return what the page is to return for an edited game."""
    worth, denominator, worlds, level = game["worth"], game["denominator"], game["worlds"], game["level"]
    for mask, value in game["edits"]:
        worth, denominator = set_outcome(worth, denominator, mask, value)
    found = {
        "shapley": tuple(shapley(worth, denominator).tolist()),
        "banzhaf": tuple(banzhaf(worth, denominator).tolist()),
        "fix_alone": tuple(fix_alone(worth, denominator).tolist()),
        "leave_one_out": tuple(leave_one_out(worth, denominator).tolist()),
        "last_touch": tuple(last_touch(np.array(game["outputs"])).tolist()),
    }
    shares = found["shapley"]
    spans = spread(found, game["denominator"])
    said = verdict(game["titles"], worth, denominator, level, worlds, found["last_touch"])
    return {
        "worth": in_hex(worth),
        "denominator": denominator,
        "values": in_hex(found),
        "rank": rank(shares).tolist(),
        "places": [place(player, shares) for player in range(len(shares))],
        "texts": [number_text(share) for share in shares],
        "bars": {rule: [asdict(bar(number, spans[rule])) for number in numbers] for rule, numbers in found.items()},
        "names": [coalition_name(mask, game["titles"]) for mask in range(len(worth))],
        "outcomes": [asdict(outcome(value / (denominator or 1), worlds, level)) for value in worth],
        "sentences": list(said.sentences),
    }


@pytest.fixture(scope="module")
def edited_games():
    return [random_game(number) for number in range(500)]


@pytest.mark.parametrize("opening", OPENINGS)
def test_page_follows_500_edited_games_as_python_does(page, built, edited_games, opening):
    show(page, built.address(opening, "refund-policy-a"))
    found = page.evaluate(EDITED, edited_games)
    wrong = [number for number, game in enumerate(edited_games) if found[number] != computed_by_python(game)]
    assert wrong == []


def test_edited_games_cover_all_sizes_and_both_kinds_of_table(edited_games):
    assert {len(game["outputs"]) for game in edited_games} == set(range(1, 9))
    kinds = {(game["denominator"] is None, computed_by_python(game)["denominator"] is None) for game in edited_games}
    assert kinds == {(False, False), (False, True), (True, True)}


#: A rule that is off by the last bit, or by a little more where the last bit would round away.
PERTURBED = {
    "shapley": "(f) => (...table) => f(...table).map((value) => value * (1 + 2 ** -52))",
    "banzhaf": "(f) => (...table) => f(...table).map((value) => value * (1 + 2 ** -52))",
    "fixAlone": "(f) => (...table) => f(...table).map((value) => value * (1 + 2 ** -52))",
    "leaveOneOut": "(f) => (...table) => f(...table).map((value) => value * (1 + 2 ** -52))",
    "lastTouch": "(f) => (outputs) => f(outputs).reverse()",
}
FILE_OF = {
    "shapley": "shapley",
    "banzhaf": "banzhaf",
    "fixAlone": "fix_alone",
    "leaveOneOut": "leave_one_out",
    "lastTouch": "last_touch",
}


@pytest.mark.parametrize("rule", PERTURBED)
def test_rule_that_is_off_by_a_bit_is_caught(page, built, exported_games, tmp_path, rule):
    shutil.copytree(built.site, tmp_path / "site")
    change = f"AgentBlame.rules.{rule} = ({PERTURBED[rule]})(AgentBlame.rules.{rule});\n"
    add_to_script(tmp_path / "site", f"js/rules/{FILE_OF[rule]}.js", change)
    wrong = differences(page, Built(tmp_path / "site", built.report), "folder", exported_games)
    assert {name for _, _, name in wrong} == {FILE_OF[rule]}


@pytest.mark.parametrize("opening", OPENINGS)
def test_flipping_outcomes_on_the_page_gives_what_python_gives(page, built, opening):
    file_worth = [0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1]
    show(page, built.address(opening, "refund-policy-a"))
    section = page.locator("[data-scenario]:not([hidden])")
    worth, denominator = file_worth, 1
    for mask in (12, 1, 15):
        section.locator(f"tr[data-mask='{mask}'] [data-part=flip]").click()
        settle(page)
        worth, denominator = set_outcome(worth, denominator, mask, 1 - file_worth[mask])
        shown = page.evaluate(SHOWN)
        assert shown["values"]["shapley"] == in_hex(shapley(worth, denominator))
        assert shown["values"]["fix_alone"] == in_hex(fix_alone(worth, denominator))
        assert shown["values"]["leave_one_out"] == in_hex(leave_one_out(worth, denominator))
        assert shown["texts"]["shapley"] == [number_text(value) for value in shapley(worth, denominator)]
