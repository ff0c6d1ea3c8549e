"""The section on how the fixes work together: the same numbers, words and shades in Python and in the page."""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import groupby

import pytest
from playwright.sync_api import Page, expect

from analyzer.game_file import GameFile
from analyzer.rules import repair_level, set_outcome
from analyzer.slug import slug
from site_builder.interplay import Figures, InterplayView, interplay_figures, interplay_view, view_of
from tests.browser.conftest import OPENINGS, settle, show
from tests.browser.doubles import HEX, in_hex
from tests.browser.test_parity import random_game, visible_id
from tests.known_game_files import HOSTILE

A = "refund-policy-a"

EVERY_GAME = (
    "async (scenario) => {"
    + HEX
    + """
    const { interplay, rules } = AgentBlame;
    const summary = await AgentBlame.load(scenario);
    const found = [];
    for (const { slug } of summary.cases) {
        const data = await AgentBlame.load(scenario, slug);
        for (const [mode, game] of Object.entries(data.modes)) {
            if (game.coalitions !== null || game.worth.includes(null)) continue;
            const level = rules.repairLevel(summary.threshold, game.denominator);
            const figures = interplay.interplayFigures(game.worth, game.denominator, level, summary.graded);
            const view = interplay.interplayView(figures, summary.titles);
            found.push([data.id, mode, hex(figures), view]);
        }
    }
    return found;
}"""
)

EDITED = (
    "(games) => games.map(({ worth, denominator, edits, titles, level }) => {"
    + HEX
    + """
    const table = AgentBlame.hypothetical.apply({ worth, denominator }, new Map(edits));
    const figures = AgentBlame.interplay.interplayFigures(table.worth, table.denominator, level, true);
    return [hex(figures), AgentBlame.interplay.interplayView(figures, titles)];
})"""
)


def figures_in_page(figures: Figures) -> dict[str, object]:
    """Return figures under the names they have in the page, doubles as hex digits."""
    found: dict[str, object] = in_hex(asdict(figures))
    for name in ("repair", "dividend"):
        found[f"{name}Count"] = found.pop(f"{name}_count")
    return found


def in_page(view: InterplayView) -> dict[str, object]:
    """Return a view under the names it has in the page."""
    content = asdict(view)
    for note in ("repairs", "pairs", "dividends"):
        content[f"{note}Note"] = content.pop(f"{note}_note")
    return as_lists(content)


def as_lists(content):
    if isinstance(content, dict):
        return {name: as_lists(value) for name, value in content.items()}
    return [as_lists(value) for value in content] if isinstance(content, list | tuple) else content


def computed_by_python(file: GameFile, number: int) -> list[object]:
    case, score = file.cases[number], file.header.scenario.score
    level = repair_level(score.threshold, case.denominator)
    figures = interplay_figures(case.worth, case.denominator, level, graded=score.graded)
    return [figures_in_page(figures), in_page(view_of(figures, list(map(visible_id, file.header.player_titles))))]


@pytest.mark.parametrize("opening", OPENINGS)
def test_page_finds_in_every_exported_game_what_python_finds(page, exported, opening):
    build, games = exported
    compared, wrong = 0, []
    for scenario, files in groupby(games, lambda file: slug(file.header.scenario.id)):
        show(page, build.address(opening, scenario))
        found = {(case, mode): rest for case, mode, *rest in page.evaluate(EVERY_GAME, scenario)}
        for file in files:
            for number, case in enumerate(file.cases):
                if case.coalitions is None and None not in case.worth:
                    compared += 1
                    key = (visible_id(case.id), file.header.mode)
                    wrong += [key] if found[key] != computed_by_python(file, number) else []
    assert wrong == []
    assert compared > 90


def test_page_finds_in_500_edited_games_what_python_finds(page, built):
    show(page, built.address("folder", A))
    games = [random_game(number) for number in range(500)]
    games.append({**games[0], **thirteen_fixes()})
    found = page.evaluate(EDITED, games)
    wrong = []
    for number, game in enumerate(games):
        worth, denominator = game["worth"], game["denominator"]
        for mask, value in game["edits"]:
            worth, denominator = set_outcome(worth, denominator, mask, value)
        figures = interplay_figures(worth, denominator, game["level"], graded=True)
        if found[number] != [figures_in_page(figures), in_page(view_of(figures, game["titles"]))]:
            wrong.append(number)
    assert wrong == []


def thirteen_fixes() -> dict[str, object]:
    worth = [int(mask & 3 == 3 or mask.bit_count() > 9) for mask in range(2**13)]
    return {"worth": worth, "denominator": 1, "edits": [], "titles": [f"step {k}" for k in range(13)]}


def section_of(page: Page) -> str:
    """Return the section's markup without the white space between its elements."""
    markup = page.locator("[data-scenario]:not([hidden]) [data-part=interplay]").first.evaluate(
        "(section) => section.outerHTML"
    )
    return re.sub(r">\s+<", "><", markup)


def test_pre_rendered_section_equals_the_live_one(browser, page, built):
    context = browser.new_context(java_script_enabled=False, offline=True)
    still = context.new_page()
    compared = 0
    for address in sorted(path.as_uri() for path in (built.site / "scenarios").glob("*.html")):
        still.goto(address)
        show(page, address)
        page.keyboard.press("Enter")
        settle(page)
        if page.locator("[data-part=interplay]").count():
            compared += 1
            assert section_of(page) == section_of(still)
    context.close()
    assert compared > 10


def sets(page: Page) -> list[str]:
    return page.locator("[data-part=repairs] button").all_inner_texts()


@pytest.fixture(params=OPENINGS)
def refund(request, page, built):
    show(page, built.address(request.param, A))
    return page


def visible(page: Page, selector: str):
    return page.locator(f"[data-scenario]:not([hidden]) {selector}")


def test_smallest_sets_are_named(refund):
    assert visible(refund, "[data-part=repairs] button").all_inner_texts() == [
        "Planner",
        "Retriever",
        "Writer + Reviewer",
    ]


def test_choosing_a_smallest_set_switches_its_fixes_on(refund):
    visible(refund, "[data-part=repairs]").get_by_role("button", name="Writer + Reviewer").click()
    settle(refund)
    assert refund.evaluate("() => AgentBlame.page.state().mask") == 12
    expect(visible(refund, "[data-part=now-name]")).to_have_text("Writer + Reviewer")
    expect(visible(refund, "[data-part=steps] h2")).to_be_in_viewport()


def test_set_that_is_on_is_marked_and_keeps_the_focus(refund):
    button = visible(refund, "[data-part=repairs] button").nth(2)
    button.focus()
    refund.keyboard.press("Enter")
    settle(refund)
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()
    refund.keyboard.press("1")
    settle(refund)
    expect(button).to_have_attribute("aria-pressed", "false")


def test_section_follows_an_edit(refund):
    visible(refund, "tr[data-mask='12'] [data-part=flip]").click()
    settle(refund)
    assert visible(refund, "[data-part=repairs] button").all_inner_texts() == ["Planner", "Retriever"]
    worth = [int(bool(mask & 3) or (mask & 12 == 12 and mask != 12)) for mask in range(16)]
    titles = ["Planner", "Retriever", "Writer", "Reviewer"]
    wanted = view_of(interplay_figures(worth, 1, 0.5, graded=False), titles)
    numbers = [pair.number for row in wanted.matrix for pair in row if pair is not None]
    assert visible(refund, "[data-part=matrix] .number").all_inner_texts() == numbers
    expect(visible(refund, "[data-part=pairs-note]")).to_have_text(wanted.pairs_note)


def test_game_with_a_hole_says_so_until_it_is_filled(page, built):
    show(page, built.address("folder", "time-outs"))
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator("[data-part=interplay-reason]")).to_contain_text("Values are withheld")
    expect(page.locator("[data-part=interplay-shown]")).to_be_hidden()
    page.locator("tr[data-mask='5'] [data-part=flip]").click()
    settle(page)
    expect(page.locator("[data-part=interplay-reason]")).to_be_hidden()
    assert sets(page) == ["Router", "Intake + Planner"]


def test_hostile_titles_stay_text(page, built):
    show(page, built.address("folder", slug(HOSTILE[1] + " 1"), f"case={slug(HOSTILE[1] + ' 1')}&mode=replayed"))
    heads = page.locator("[data-part=matrix-head] th")
    assert heads.count() == 3
    expect(heads.nth(1)).to_have_text(HOSTILE[1] + " 1")
    assert page.title() != "owned"


def test_on_paper_the_sets_stand_as_text(page, built):
    show(page, built.address("folder", A))
    page.emulate_media(media="print")
    assert page.locator("[data-part=repairs] button:visible").count() == 0
    assert page.locator(".set-name:visible").all_inner_texts() == ["Planner", "Retriever", "Writer + Reviewer"]


def test_without_scripts_the_sets_and_pairs_are_readable(offline, built):
    page = offline(java_script_enabled=False).new_page()
    page.goto(built.address("folder", A))
    assert page.locator(".set-name:visible").all_inner_texts() == ["Planner", "Retriever", "Writer + Reviewer"]
    expect(page.locator("[data-part=matrix] td.pair-overlap").first).to_be_visible()
    page.locator(".dividends summary").click()
    expect(page.locator("[data-part=dividends] tr").first).to_be_visible()


def test_matrix_scrolls_in_its_own_box_on_a_phone(offline, built):
    page = offline(viewport={"width": 360, "height": 700}).new_page()
    show(page, built.address("folder", "chain-of-9"))
    page.keyboard.press("Enter")
    settle(page)
    box = page.locator("[data-part=matrix-box]")
    assert box.evaluate("(box) => box.scrollWidth > box.clientWidth")
    assert page.evaluate("() => document.documentElement.scrollWidth === document.documentElement.clientWidth")


def test_known_games_have_every_kind_of_note(exported_games):
    views = [interplay_view(case, file.header) for file in exported_games for case in file.cases]
    notes = {view.repairs_note for view in views if view is not None}
    assert {"", "It passes without any fix.", "No set of fixes repairs it."} <= notes
