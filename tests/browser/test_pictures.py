"""The pictures of a case: the page draws what the builder draws, and what a reader does in them."""

from __future__ import annotations

import random
from itertools import groupby

import pytest
from playwright.sync_api import Page, expect

from analyzer.game_file import CaseGame, GameFile, Header
from analyzer.rules import repair_level, set_outcome
from analyzer.slug import slug
from site_builder.drawing import Drawing, Mark, svg
from site_builder.lattice_outcomes import Outcomes, shades_text
from site_builder.lattice_picture import box_of, lattice_drawing
from site_builder.payload import visible
from site_builder.pipeline_graph import graph_drawing
from site_builder.waterfall import rows, sentence, waterfall, waterfall_drawing
from tests.browser.conftest import Built, build, settle, show
from tests.browser.test_parity import OPENINGS, visible_id
from tests.known_game_files import HOSTILE, refund_a_repairs
from tests.made_game_files import case_game, fix, game_file, scenario, step

A = "refund-policy-a"
A_WORTH = [int(refund_a_repairs(mask)) for mask in range(16)]

#: Draws what the page makes of each game, with its edits, and compares it with what Python made: those that differ.
DRAWN = """async ([scenario, wanted]) => {
    const { drawing, hypothetical, latticeOutcomes, latticePicture, waterfall } = AgentBlame;
    const summary = await AgentBlame.load(scenario);
    const inPage = (made) => {
        const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        drawing.draw(svg, made);
        return svg;
    };
    const parsed = (markup) => {
        const template = document.createElement("template");
        template.innerHTML = markup;
        return template.content.firstElementChild;
    };
    const wrong = [];
    for (const { id, mode, edits, mask, path, level, worlds, pictures, texts } of wanted) {
        const { slug } = summary.cases.find((one) => one.id === id);
        const game = (await AgentBlame.load(scenario, slug)).modes[mode];
        const made = new Map(edits);
        const table = hypothetical.apply(game, made);
        const shares = Array.from(table.worth.keys(), (place) => hypothetical.share(table, place));
        const found = { titles: summary.titles, shares, level, worlds, graded: summary.graded };
        const way = waterfall.waterfall(summary.titles, table, path, level, worlds, made);
        const own = [latticePicture.drawing(found, mask, made), waterfall.drawing(way)].map(inPage);
        own.forEach((svg, k) => svg.isEqualNode(parsed(pictures[k])) || wrong.push([id, mode, k, svg.outerHTML]));
        const added = waterfall.rows(way).flatMap((row) => [row.change, row.edited]);
        const said = [latticeOutcomes.shadesText(found), waterfall.sentence(way), ...added];
        said.forEach((text, k) => text === texts[k] || wrong.push([id, mode, text, texts[k]]));
    }
    return wrong;
}"""


def edited_case(case: CaseGame, header: Header, number: int) -> dict[str, object]:
    """Return a game with edits, an order and a combination of its own, and what Python draws and says of it."""
    luck, score = random.Random(f"{visible_id(case.id)}{header.mode}{number}"), header.scenario.score
    players = len(header.players)
    choices = [score.low, score.high, score.threshold] if score.graded else [0.0, 1.0, 0.25, 0.5]
    masks = luck.sample(range(2**players), min(2**players, number * 2))
    edits = {mask: luck.choice(choices) for mask in masks}
    worth, denominator = case.worth, case.denominator
    for mask in sorted(edits):
        worth, denominator = set_outcome(worth, denominator, mask, edits[mask])
    level, worlds = repair_level(score.threshold, case.denominator), case.denominator or 1
    shares = tuple(None if value is None else value / (denominator or 1) for value in worth)
    path = luck.sample(range(players), players) if number else list(range(players))
    mask = luck.randrange(2**players) if number else 0
    titles = tuple(map(visible_id, header.player_titles))
    found = Outcomes(titles, shares, level, worlds, score.graded)
    way = waterfall(titles, worth, denominator, path, level, worlds, edits)
    return {
        "id": visible_id(case.id), "mode": header.mode, "edits": list(edits.items()), "mask": mask, "path": path,
        "level": level, "worlds": worlds,
        "pictures": [svg(lattice_drawing(found, mask, edits)), svg(waterfall_drawing(way))],
        "texts": [shades_text(found), sentence(way), *(part for row in rows(way) for part in (row.change, row.edited))],
    }  # fmt: skip


@pytest.mark.parametrize("opening", OPENINGS)
def test_page_draws_of_every_known_game_what_python_draws(page, built, exported_games, opening):
    compared, wrong = 0, []
    for scenario_slug, files in groupby(exported_games, lambda file: slug(file.header.scenario.id)):
        wanted = [
            edited_case(case, file.header, number)
            for file in files
            for case in file.cases
            for number in range(3)
            if case.coalitions is None and file.header.players
        ]
        if wanted:
            show(page, built.address(opening, scenario_slug))
            compared += len(wanted)
            wrong += page.evaluate(DRAWN, [scenario_slug, wanted])
    assert wrong == []
    assert compared > 300


#: What stands in the page, beside what Python made.
SAME = """([name, markup]) => {
    const live = document.querySelector(`[data-scenario]:not([hidden]) [data-part=${name}]`).cloneNode(true);
    const template = document.createElement("template");
    template.innerHTML = markup;
    const made = template.content.firstElementChild;
    // What makes the picture something to press is the page's own.
    const own = ["role", "tabindex", "aria-label"];
    for (const one of [live, made, ...live.querySelectorAll("*"), ...made.querySelectorAll("*")]) {
        own.forEach((attribute) => one.removeAttribute(attribute));
        one.classList.remove("is-grid");
    }
    for (const attribute of ["class", "data-part", "aria-hidden", "focusable"]) live.removeAttribute(attribute);
    return live.isEqualNode(made) ? "" : live.outerHTML;
}"""


def file_of(games: list[GameFile], scenario: str, mode: str = "replayed") -> GameFile:
    return next(one for one in games if (one.header.scenario.id, one.header.mode) == (scenario, mode))


def test_graph_shows_for_every_combination_what_python_draws(page, built, exported_games):
    file = file_of(exported_games, A)
    case = file.cases[0]
    for mask in range(16):
        show(
            page,
            built.address("folder", A, f"on={'.'.join(str(p + 1) for p in range(4) if mask >> p & 1)}" if mask else ""),
        )
        states = ["same" if seen.index[mask] == seen.index[0] else "changed" for seen in case.steps]
        drawn = graph_drawing(file.header.steps, states, [bool(mask >> player & 1) for player in range(4)])
        assert page.evaluate(SAME, ["graph-picture", svg(drawn)]) == ""


def test_graph_shows_a_run_that_broke_off(page, built, exported_games):
    file = file_of(exported_games, "time-outs")
    show(page, built.address("folder", "time-outs", "case=torn&mode=replayed&on=1.3"))
    drawn = graph_drawing(file.header.steps, ["missing"] * 3, [True, False, True])
    assert page.evaluate(SAME, ["graph-picture", svg(drawn)]) == ""


def test_pictures_in_the_page_are_python_s_after_edits_and_in_another_order(page, built):
    show(page, built.address("folder", A, "on=1.3&path=4.3.2.1&edits=5_0~12_0.25"))
    worth, denominator = set_outcome(A_WORTH, 1, 5, 0.0)
    worth, denominator = set_outcome(worth, denominator, 12, 0.25)
    titles = ("Planner", "Retriever", "Writer", "Reviewer")
    found = Outcomes(titles, tuple(value / (denominator or 1) for value in worth), 1.0, 1, False)
    assert page.evaluate(SAME, ["lattice-picture", svg(lattice_drawing(found, 5, {5, 12}))]) == ""
    way = waterfall(titles, worth, denominator, (3, 2, 1, 0), 1.0, 1, {5, 12})
    assert page.evaluate(SAME, ["waterfall-picture", svg(waterfall_drawing(way))]) == ""


TOUCHED = """() => {
    const svg = document.querySelector("[data-scenario]:not([hidden]) [data-part=lattice-picture]");
    window.touched = new Set();
    new MutationObserver((all) => all.forEach((one) => window.touched.add(one.target.closest("g")))).observe(svg, {
        subtree: true, attributes: true, childList: true, characterData: true });
}"""


class Pictures:
    """A scenario that is open, by the names a reader would give its pictures."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.section = page.locator("[data-scenario]:not([hidden])")
        self.lattice = self.part("lattice-box")

    def part(self, name: str):
        return self.section.locator(f"[data-part={name}]").first

    def point(self, mask: int, players: int = 4) -> dict[str, int]:
        """Return a point of the picture within a combination."""
        box = box_of(players, mask)
        return {"x": box.x + box.width - 4, "y": box.y + 4}

    def hover(self, mask: int, players: int = 4) -> None:
        self.lattice.hover(position=self.point(mask, players))

    def click(self, mask: int, players: int = 4) -> None:
        self.act(lambda: self.lattice.click(position=self.point(mask, players)))

    def step(self, number: int):
        return self.section.locator(f".graph .step[data-node='{number}']")

    def act(self, what) -> None:
        what()
        settle(self.page)

    def press(self, key: str) -> None:
        self.act(lambda: self.page.keyboard.press(key))

    def state(self) -> dict[str, object]:
        found = self.page.evaluate("() => { const s = AgentBlame.page.state(); return {...s, edits: [...s.edits]}; }")
        return dict(found)

    def order(self) -> list[str]:
        return self.section.locator("[data-part=waterfall-rows] th").all_inner_texts()


@pytest.fixture(params=OPENINGS)
def refund(request, page, built) -> Pictures:
    show(page, built.address(request.param, A))
    return Pictures(page)


def test_flip_touches_only_what_changed(refund):
    refund.page.evaluate(TOUCHED)
    refund.click(8)
    touched = refund.page.evaluate(
        "() => [...window.touched].map((g) => g.dataset.coalition || g.getAttribute('class')).sort()"
    )
    assert touched == ["8", "edges"]


def test_pointing_at_a_combination_explains_it(refund):
    refund.hover(12)
    expect(refund.part("lattice-said")).to_have_text(
        "Writer + Reviewer: Pass; adding Planner or Retriever → Pass; removing Writer or Reviewer → Fail."
    )
    expect(refund.part("lattice-cursor").locator("rect")).to_have_count(1)
    refund.page.mouse.move(5, 5)
    expect(refund.part("lattice-said")).to_contain_text("No fix: Fail")


def test_explanation_says_which_neighbour_was_edited(page, built):
    show(page, built.address("folder", A, "on=3.4&edits=8_1"))
    expect(Pictures(page).part("lattice-said")).to_have_text(
        "Writer + Reviewer: Pass; adding Planner or Retriever → Pass; removing Writer → Pass, edited; "
        "removing Reviewer → Fail."
    )
    assert Pictures(page).section.locator("[data-coalition='8'] > title").text_content() == "Reviewer: Pass, edited"


def test_waterfall_says_which_numbers_come_of_an_edit(page, built):
    show(page, built.address("folder", A, "edits=1_0"))
    refund = Pictures(page)
    numbers = refund.section.locator("[data-part=waterfall-picture] .number").all_text_contents()
    assert numbers == ["Fail 0", "0 · edited", "+1 · edited", "0", "0", "Pass 1"]
    added = refund.section.locator("[data-part=waterfall-rows] [data-part=adds]").all_inner_texts()
    assert added == numbers[1:-1]
    tags = refund.section.locator("[data-part=waterfall] .tag-edited")
    assert [tag.is_visible() for tag in tags.all()] == [False, True, False, False, False]
    show(page, built.address("folder", A, "edits=0_1"))
    assert [tag.is_visible() for tag in tags.all()] == [True, False, False, False, False]


def test_combination_without_an_outcome_is_explained_too(page, built):
    show(page, built.address("folder", "time-outs", "case=torn&mode=replayed&on=1.3"))
    expect(Pictures(page).part("lattice-said")).to_have_text(
        "Intake + Planner: No outcome; adding Router → Pass; removing Intake or Planner → Fail."
    )


def test_scores_and_counts_are_explained_in_numbers(page, built):
    show(page, built.address("folder", "graded-answers", "case=rising&mode=replayed"))
    expect(Pictures(page).part("lattice-said")).to_have_text(
        "No fix: Fail (0.100); adding Intake → Fail (0.200); adding Router → Fail (0.300); "
        "adding Planner → Fail (0.150)."
    )


def test_click_flips_the_outcome_and_a_second_takes_it_back(refund):
    refund.click(8)
    assert refund.state()["edits"] == [[8, 1]]
    expect(refund.section.locator("[data-coalition='8'] .said")).to_have_text("Pass")
    expect(refund.section.locator("[data-coalition='8'] .edited-text")).to_have_text("edited")
    expect(refund.part("hypothetical")).to_be_visible()
    refund.click(8)
    assert refund.state()["edits"] == []


def test_flip_can_be_undone_beside_the_picture(refund):
    undo = refund.part("lattice-undo")
    expect(undo).to_be_disabled()
    refund.click(3)
    refund.act(undo.click)
    assert refund.state()["edits"] == []


def test_click_can_be_made_to_choose(refund):
    refund.section.get_by_label("Click shows the outputs").check()
    refund.click(12)
    assert (refund.state()["mask"], refund.state()["edits"]) == (12, [])
    refund.press("1")
    refund.click(4)
    assert (refund.state()["mask"], refund.state()["edits"]) == (4, [])
    expect(refund.section.locator("[data-coalition='4'] .ring")).to_have_count(1)


def test_every_combination_is_reached_chosen_and_flipped_by_keyboard(refund):
    refund.lattice.focus()
    refund.press("ArrowDown")
    expect(refund.lattice).to_have_attribute("aria-valuenow", "2")
    refund.press("ArrowRight")
    expect(refund.lattice).to_have_attribute("aria-valuenow", "4")
    refund.press("ArrowLeft")
    refund.press("ArrowUp")
    expect(refund.lattice).to_have_attribute("aria-valuenow", "0")
    refund.press("End")
    expect(refund.lattice).to_have_attribute("aria-valuenow", "15")
    refund.press("Enter")
    assert refund.state()["mask"] == 15
    refund.press("Home")
    refund.press("f")
    assert refund.state()["edits"] == [[0, 1]]
    expect(refund.lattice).to_be_focused()
    expect(refund.lattice).to_have_accessible_name("Combination of fixes")
    expect(refund.lattice).to_have_attribute(
        "aria-valuetext", "No fix: Pass, edited; adding Planner or Retriever → Pass; adding Writer or Reviewer → Fail."
    )


def test_arrow_keys_reach_every_combination(page, built):
    for scenario_slug, players in ((A, 4), ("chain-of-8", 8)):
        show(page, built.address("folder", scenario_slug))
        reached = page.evaluate(
            """(players) => {
                const seen = new Set([0]);
                for (const mask of seen) {
                    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
                        seen.add(AgentBlame.latticePicture.moved(players, mask, key));
                    }
                }
                return seen.size;
            }""",
            players,
        )
        assert reached == 2**players


def test_every_place_in_the_picture_is_that_of_its_combination(page, built):
    show(page, built.address("folder", A))
    for players in range(1, 13):
        boxes = [box_of(players, mask) for mask in range(2**players)]
        corners = [[box.x, box.y, box.x + box.width - 1, box.y + box.height - 1] for box in boxes]
        wrong = page.evaluate(
            """([players, corners]) => {
                const { maskAt } = AgentBlame.latticePicture;
                return corners.filter(([x, y, right, bottom], mask) =>
                    maskAt(players, x, y) !== mask || maskAt(players, right, bottom) !== mask);
            }""",
            [players, corners],
        )
        assert wrong == []
        outside = "([players, place]) => AgentBlame.latticePicture.maskAt(players, place, place)"
        assert page.evaluate(outside, [players, 0]) is page.evaluate(outside, [players, 1e4]) is None


def flips(page: Page, found: dict[str, object], given: dict[str, object]) -> object:
    return page.evaluate("([found, given]) => AgentBlame.latticeOutcomes.flipped(found, given)", [found, given])


@pytest.mark.parametrize(
    ("measured", "share", "edited", "wanted"),
    [
        (0.25, 0.25, False, 1),
        (0.25, 1, True, None),
        (1, 1, False, 0),
        (1, 0, True, None),
        (0.25, 0.4, True, 1),
        (None, None, False, 1),
        (None, 1, True, 0),
        (None, 0, True, None),
    ],
)
def test_flip_of_a_share(page, built, measured, share, edited, wanted):
    show(page, built.address("folder", A))
    given = {"measured": measured, "share": share, "edited": edited, "low": 0, "empty": 0.25}
    assert flips(page, {"graded": False, "level": 0.5}, given) == wanted


@pytest.mark.parametrize(
    ("share", "empty", "wanted"), [(0.2, 0.1, 0.75), (0.9, 0.1, 0.1), (0.9, 0.8, -3), (0.9, None, -3), (0.75, 0.1, 0.1)]
)
def test_flip_of_a_score_goes_to_the_threshold_or_to_where_no_fix_is(page, built, share, empty, wanted):
    show(page, built.address("folder", A))
    given = {"measured": share, "share": share, "edited": False, "low": -3, "empty": empty}
    assert flips(page, {"graded": True, "level": 0.75}, given) == wanted


def test_grid_is_pointed_at_and_flipped(page, built):
    show(page, built.address("folder", "chain-of-9"))
    found = Pictures(page)
    found.hover(77, 9)
    expect(found.part("lattice-said")).to_contain_text("Intake + Planner + Search + Drafter:")
    before = page.evaluate("() => AgentBlame.page.table().worth[77]")
    found.click(77, 9)
    assert found.state()["edits"] == [[77, 1 - before]]
    expect(found.section.locator(".lattice .edited-corner")).to_have_count(1)


def test_step_in_the_graph_leads_to_its_card(refund):
    refund.act(lambda: refund.step(3).click(position={"x": 40, "y": 20}))
    heading = refund.section.locator("[data-step='3'] h3")
    expect(heading).to_be_focused()
    expect(heading).to_be_in_viewport()
    assert refund.state()["mask"] == 0


def test_switch_in_the_graph_turns_the_fix_on(refund):
    refund.act(refund.step(2).locator(".fix-switch").click)
    assert refund.state()["mask"] == 4
    expect(refund.step(2)).to_have_accessible_name("3 Writer · producer · fix: cites its sources · changed · fix on")


def test_graph_is_walked_by_keyboard(refund):
    refund.step(0).focus()
    refund.press("ArrowRight")
    expect(refund.step(1)).to_be_focused()
    refund.press(" ")
    assert refund.state()["mask"] == 2
    refund.press("End")
    expect(refund.step(3)).to_be_focused()
    assert refund.section.locator(".graph [tabindex='0']").count() == 1
    refund.press("Enter")
    expect(refund.section.locator("[data-step='3'] h3")).to_be_focused()


def test_arrow_button_moves_a_fix_and_keeps_the_focus(refund):
    button = refund.section.get_by_role("button", name="Reviewer: earlier")
    refund.act(button.click)
    assert refund.order() == ["Planner", "Retriever", "Reviewer", "Writer"]
    assert refund.state()["path"] == [0, 1, 3, 2]
    expect(button).to_be_focused()
    expect(refund.part("waterfall-moved")).to_have_text("Reviewer is now number 3 of 4.")
    refund.press("ArrowUp")
    refund.press("ArrowUp")
    assert refund.order() == ["Reviewer", "Planner", "Retriever", "Writer"]
    expect(refund.section.get_by_role("button", name="Reviewer: later")).to_be_focused()
    refund.press("ArrowDown")
    assert refund.order()[:2] == ["Planner", "Reviewer"]


def test_order_is_taken_back_by_back(refund):
    refund.act(refund.section.get_by_role("button", name="Writer: earlier").click)
    refund.act(refund.page.go_back)
    assert refund.order() == ["Planner", "Retriever", "Writer", "Reviewer"]


def drag(found: Pictures, start, end, *, drop: bool = True) -> None:
    one, other = start.bounding_box(), end.bounding_box()
    mouse = found.page.mouse
    mouse.move(one["x"] + one["width"] / 2, one["y"] + one["height"] / 2)
    mouse.down()
    mouse.move(other["x"] + other["width"] / 2, other["y"] + other["height"] / 2 + 8, steps=5)
    if drop:
        found.act(mouse.up)


def row(found: Pictures, key: object):
    return found.section.locator(f".waterfall [data-key='{key}'] .name")


def test_bar_is_dragged_to_another_place(refund):
    refund.part("waterfall").scroll_into_view_if_needed()
    drag(refund, row(refund, 3), row(refund, 0))
    assert refund.order() == ["Reviewer", "Planner", "Retriever", "Writer"]
    assert refund.state()["path"] == [3, 0, 1, 2]


def test_row_of_the_table_is_dragged_by_its_handle(refund):
    refund.part("waterfall").scroll_into_view_if_needed()
    grips = refund.section.locator("[data-part=grip]")
    drag(refund, grips.nth(0), grips.nth(3))
    assert refund.order() == ["Retriever", "Writer", "Reviewer", "Planner"]


def test_dragging_shows_the_order_there_would_be_and_escape_drops_it(refund):
    refund.part("waterfall").scroll_into_view_if_needed()
    drag(refund, row(refund, 3), row(refund, 0), drop=False)
    assert refund.order()[0] == "Reviewer"
    refund.page.keyboard.press("Escape")
    refund.act(refund.page.mouse.up)
    assert refund.order()[0] == "Planner"
    assert (refund.state()["path"], refund.state()["view"]) == (None, "case")


def test_order_by_rank_and_back(page, built):
    show(page, built.address("folder", "graded-answers", "case=rising&mode=replayed"))
    found = Pictures(page)
    found.act(found.part("path-rank").click)
    assert found.order() == ["Router", "Intake", "Planner"]
    expect(found.part("path-rank")).to_have_attribute("aria-pressed", "true")
    expect(found.part("path-steps")).to_have_attribute("aria-pressed", "false")
    found.act(found.part("path-steps").click)
    assert found.state()["path"] is None


def test_missing_outcome_on_the_way_is_a_gap_until_it_is_set(page, built):
    show(page, built.address("folder", "time-outs", "case=torn&mode=replayed&path=1.3.2"))
    found = Pictures(page)
    expect(found.section.locator(".waterfall .hole")).to_have_count(2)
    expect(found.part("waterfall-sentence")).to_contain_text("Outcomes on the way are missing")
    expect(found.part("path-rank")).to_be_disabled()
    found.click(5, 3)
    expect(found.section.locator(".waterfall .hole")).to_have_count(0)


def test_sampled_game_says_why_it_has_no_pictures(page, built, exported_games):
    file = next(one for one in exported_games if one.cases[0].coalitions is not None)
    name = slug(file.header.scenario.id)
    show(page, built.address("folder", name, f"case={slug(file.cases[0].id)}&mode={file.header.mode}"))
    found = Pictures(page)
    for part in ("lattice", "waterfall"):
        expect(found.part(f"{part}-reason")).to_contain_text("This needs the outcome of every combination of fixes")
        expect(found.part(f"{part}-shown")).to_be_hidden()
    assert found.section.locator(".graph .step").count() == len(file.header.steps)


def test_hostile_titles_stay_text(page, built):
    name = slug(HOSTILE[1] + " 1")
    show(page, built.address("folder", name, f"case={slug(HOSTILE[1] + ' 1')}&mode=replayed"))
    found = Pictures(page)
    titles = found.section.locator(".graph title").all_text_contents()
    assert titles[0].startswith(visible(f"1 {HOSTILE[1]} 1"))
    assert found.section.locator(".graph :not(g, path, rect, circle, text, title)").count() == 0
    assert page.title() != "owned"


def marked(drawing: Drawing, kind: str) -> list[Mark]:
    return [one for one in drawing.marks if one.attributes["class"] == kind]


@pytest.fixture(scope="module")
def sixty(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build a pipeline of sixty steps, of which four have a fix."""
    luck = random.Random(60)
    steps = [
        step(
            f"s{k}", [f"s{j}" for j in sorted(luck.sample(range(max(0, k - 9), k), min(k, 2)))],
            ("producer", "checker", None)[k % 3], fix(f"fix {k}") if k % 15 == 0 else None, title=f"Step number {k}",
        )
        for k in range(60)
    ]  # fmt: skip
    worth = [int(mask == 15) for mask in range(16)]
    about = scenario("sixty", "Sixty steps", "Many steps, few fixes.")
    case = case_game(steps, "only", worth, 1, lambda name, mask: f"{name} {mask}")
    return build([game_file(about, steps, "replayed", 1, [case])], tmp_path_factory.mktemp("sixty"))


def test_graph_of_sixty_steps_scrolls_in_its_own_box(offline, sixty):
    page = offline(viewport={"width": 360, "height": 700}).new_page()
    show(page, sixty.address("folder", "sixty"))
    assert page.evaluate("() => document.documentElement.scrollWidth") == 360
    found = Pictures(page)
    box = found.section.locator("[data-part=graph] .scroll")
    assert box.evaluate("(box) => box.scrollWidth > box.clientWidth")
    found.step(0).focus()
    found.press("End")
    expect(found.step(59)).to_be_focused()
    expect(found.step(59)).to_be_in_viewport()


def test_without_scripts_the_pictures_stand_still(offline, built):
    page = offline(java_script_enabled=False).new_page()
    page.goto(built.address("folder", A))
    found = Pictures(page)
    for part in ("graph-picture", "lattice-picture", "waterfall-picture"):
        expect(found.part(part)).to_be_visible()
    assert (
        found.section.locator("[data-part=lattice] button:visible, [data-part=waterfall] button:visible").count() == 0
    )
    expect(found.section.locator("[data-part=waterfall-rows] tr").first).to_contain_text("Planner")


def test_on_paper_the_pictures_are_whole_and_nothing_is_to_press(page, built):
    show(page, built.address("folder", A, "edits=3_0"))
    page.emulate_media(media="print")
    found = Pictures(page)
    expect(found.part("lattice-picture")).to_be_visible()
    expect(found.section.locator("[data-coalition='3'] .edited-text")).to_be_visible()
    assert (
        found.section.locator("[data-part=lattice] button:visible, [data-part=waterfall] button:visible").count() == 0
    )
