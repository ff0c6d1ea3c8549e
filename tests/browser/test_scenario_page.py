"""What a reader does on a scenario page, and what the page then shows."""

from __future__ import annotations

import re
import shutil

import pytest
from playwright.sync_api import Page, expect

from analyzer.rules import number_text, rank, set_outcome, shapley
from analyzer.slug import slug
from site_builder import plan_site, write_site
from site_builder.views import CASE_ROWS
from tests.browser.conftest import OPENINGS, Built, settle, show
from tests.known_game_files import HOSTILE, ODD_IDS, REFUND_STEPS, letters, plain_text, refund_a_repairs, refund_text
from tests.made_game_files import case_game, game_file, scenario

A = "refund-policy-a"
A_WORTH = [int(refund_a_repairs(mask)) for mask in range(16)]
TEXT = refund_text(refund_a_repairs)


class Shown:
    """A scenario that is open, by the names a reader would give its parts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.section = page.locator("[data-scenario]:not([hidden])")

    def part(self, name: str):
        return self.section.locator(f"[data-part={name}]")

    def switch(self, player: int):
        return self.section.locator(f"[role=switch][data-player='{player}']")

    def outcome(self, mask: int):
        return self.section.locator(f"tr[data-mask='{mask}']")

    def act(self, what) -> None:
        what()
        settle(self.page)

    def flip(self, mask: int) -> None:
        self.act(self.outcome(mask).locator("[data-part=flip]").click)

    def type_outcome(self, mask: int, text: str) -> None:
        self.act(lambda: self.outcome(mask).locator("[data-part=set]").fill(text))

    def press(self, key: str) -> None:
        self.act(lambda: self.page.keyboard.press(key))

    def numbers(self, rule: str = "shapley") -> list[str]:
        rows = self.section.locator("[data-part=ranking] tr").all()
        rows.sort(key=lambda row: int(row.get_attribute("data-player") or 0))
        return [row.locator(f"[data-rule={rule}] [data-part=number]").inner_text() for row in rows]

    def state(self) -> dict[str, object]:
        found = self.page.evaluate("""() => { const s = AgentBlame.page.state(); return {...s, edits: [...s.edits],
            otherEdits: [...s.otherEdits].map(([game, edits]) => [game, [...edits]])}; }""")
        return dict(found)


@pytest.fixture(params=OPENINGS)
def opening(request):
    return request.param


@pytest.fixture
def open_all(page: Page, built: Built, opening: str):
    """Open the view of all cases of a scenario."""

    def open_one(scenario: str, view: str = "") -> Shown:
        show(page, built.address(opening, scenario, view))
        return Shown(page)

    return open_one


@pytest.fixture
def open_view(open_all):
    """Open one case of a scenario: the one of the address, or else the first."""

    def open_one(scenario: str, view: str = "") -> Shown:
        shown = open_all(scenario, view)
        if shown.state()["view"] == "all":
            shown.press("Enter")
        return shown

    return open_one


def texts(worth, denominator=1):
    return [number_text(float(value)) for value in shapley(worth, denominator)]


@pytest.mark.parametrize("mode", ["replayed", "fresh"])
def test_link_to_a_case_opens_on_that_cases_inputs_and_outputs(open_view, exported_games, mode):
    (file,) = (one for one in exported_games if (one.header.scenario.id, one.header.mode) == ("triage", mode))
    case = next(one for one in file.cases if one.id == "ticket-07")
    shown = open_view("triage", f"case=ticket-07&mode={mode}")
    inputs = shown.section.locator("[data-part=inputs] .output").all_inner_texts()
    assert inputs == [each.text for each in case.inputs]
    factual = shown.section.locator("[data-step] [data-part=factual]").all_inner_texts()
    assert factual == [step.outputs[step.index[0]].text for step in case.steps]


def test_switch_shows_the_outputs_of_that_coalition(open_view):
    shown = open_view(A)
    for mask, player in ((4, 2), (12, 3), (8, 2)):
        shown.act(shown.switch(player).click)
        outputs = shown.section.locator("[data-step] [data-part=current]").all_inner_texts()
        assert outputs == [TEXT(step.id, mask) for step in REFUND_STEPS]


def test_card_says_whether_its_output_changed(open_view):
    shown = open_view(A, "on=3.4")
    assert shown.section.locator("[data-step] [data-part=mark]").all_inner_texts() == [
        "same",
        "same",
        "changed",
        "changed",
    ]


def test_factual_output_stays_beside_the_current_one(open_view):
    shown = open_view(A, "on=1.2.3.4")
    outputs = shown.section.locator("[data-step] [data-part=factual]").all_inner_texts()
    assert outputs == [TEXT(step.id, 0) for step in REFUND_STEPS]


def test_switch_tells_assistive_technology_its_state(open_view):
    shown = open_view(A)
    shown.act(shown.switch(1).click)
    expect(shown.switch(1)).to_have_attribute("aria-checked", "true")
    expect(shown.switch(1)).to_have_accessible_name("Fix Retriever: drops superseded documents")


def test_bar_above_the_steps_names_the_coalition_and_its_outcome(open_view):
    shown = open_view(A, "on=3.4")
    expect(shown.part("now-name")).to_have_text("Writer + Reviewer")
    expect(shown.part("now-outcome")).to_have_text("Pass1")


def test_all_on_and_all_off_set_every_switch(open_view):
    shown = open_view(A)
    shown.act(shown.part("all-on").click)
    assert shown.state()["mask"] == 15
    shown.act(shown.part("all-off").click)
    assert shown.state()["mask"] == 0


def test_row_of_the_table_sets_the_switches(open_view):
    shown = open_view(A)
    shown.act(shown.outcome(10).locator("[data-part=name]").click)
    states = [shown.switch(player).get_attribute("aria-checked") for player in range(4)]
    assert states == ["false", "true", "false", "true"]


def test_flip_changes_numbers_marks_the_row_and_says_so(open_view):
    shown = open_view(A)
    shown.flip(12)
    worth, denominator = set_outcome(A_WORTH, 1, 12, 0)
    assert shown.numbers() == texts(worth, denominator)
    expect(shown.outcome(12).get_by_text("edited")).to_be_visible()
    expect(shown.part("hypothetical")).to_contain_text("Hypothetical 1 outcome edited")


def test_verdict_and_values_stay_in_view_while_the_last_outcome_is_flipped(open_view):
    shown = open_view(A)
    shown.flip(15)
    worth, denominator = set_outcome(A_WORTH, 1, 15, 0)
    for part, text in (
        ("echo-headline", shown.part("headline").inner_text()),
        (
            "echo-values",
            " · ".join(
                f"{('Planner', 'Retriever', 'Writer', 'Reviewer')[player]} {texts(worth, denominator)[player]}"
                for player in rank(shapley(worth, denominator)).tolist()
            ),
        ),
    ):
        expect(shown.part(part)).to_have_text(text)
        expect(shown.part(part)).to_be_in_viewport()


def test_flipping_back_leaves_no_edit(open_view):
    shown = open_view(A)
    shown.flip(12)
    shown.flip(12)
    assert shown.state()["edits"] == []
    expect(shown.part("hypothetical")).to_be_hidden()


def test_undo_takes_back_one_edit(open_view):
    shown = open_view(A)
    shown.flip(12)
    shown.flip(1)
    shown.act(shown.outcome(12).locator("[data-part=undo]").click)
    assert shown.state()["edits"] == [[1, 0]]


def test_reset_gives_the_computed_numbers_back(open_view):
    shown = open_view(A)
    before = shown.numbers()
    shown.flip(12)
    shown.flip(1)
    shown.act(shown.part("reset").click)
    assert shown.numbers() == before
    assert shown.page.evaluate("() => AgentBlame.page.table().denominator") == 1


def test_outcome_of_several_worlds_is_set_as_a_number(open_view):
    shown = open_view(A, "case=march-headphones&mode=abducted")
    worth = [8 * value for value in A_WORTH]
    shown.type_outcome(12, "0.3")
    assert shown.numbers() == texts(*set_outcome(worth, 8, 12, 0.3))
    shown.type_outcome(12, "3/8")
    assert shown.numbers() == texts(*set_outcome(worth, 8, 12, 0.375))
    expect(shown.outcome(12).locator("[data-part=outcome]")).to_have_text("Fail3/8")


def test_emptied_field_gives_the_measured_outcome_back(open_view):
    shown = open_view(A, "case=march-headphones&mode=abducted")
    shown.type_outcome(12, "0.5")
    shown.type_outcome(12, "")
    assert shown.state()["edits"] == []


def test_text_that_is_no_number_gets_a_message_and_changes_nothing(open_view):
    shown = open_view(A, "case=march-headphones&mode=abducted")
    before = shown.numbers()
    shown.type_outcome(12, "half")
    expect(shown.outcome(12).get_by_role("alert")).to_have_text("Enter a number from 0 to 1, such as 1/8.")
    assert shown.numbers() == before


REFUSED = (
    "1e999", "3/0", "0.1+0.2", "1_000", "5e", "0,5", "1,000", "half", "NaN", "Infinity", "0x1", "1 0", "--1", "/8",
    "3/8/2", "1.5", "-0.1", "9/8",
)  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_text_that_is_no_outcome_gives_back_what_was_there_before(page, built, text):
    show(page, built.address("folder", A, "case=march-headphones&mode=abducted&edits=12_0.5"))
    shown = Shown(page)
    field = shown.outcome(12).locator("[data-part=set]")
    field.press("Control+a")
    shown.act(lambda: field.press_sequentially(text))
    shown.press("Tab")
    assert shown.state()["edits"] == [[12, 0.5]]
    expect(shown.outcome(12).get_by_role("alert")).to_have_text("Enter a number from 0 to 1, such as 1/8.")
    assert field.input_value() == text
    assert field.get_attribute("aria-invalid") == "true"


def test_message_on_an_outcome_goes_with_the_next_good_one(open_view):
    shown = open_view("graded-answers")
    shown.type_outcome(1, "2")
    expect(shown.outcome(1).get_by_role("alert")).to_have_text("Enter a number from 0 to 1.")
    shown.type_outcome(1, "0.75")
    expect(shown.outcome(1).get_by_role("alert")).to_be_hidden()
    assert shown.state()["edits"] == [[1, 0.75]]


def test_message_on_an_outcome_does_not_follow_to_another_case(open_view):
    shown = open_view("graded-answers")
    shown.type_outcome(1, "2")
    shown.press("Tab")
    shown.act(shown.part("next").click)
    expect(shown.outcome(1).get_by_role("alert")).to_be_hidden()
    assert shown.outcome(1).locator("[data-part=set]").input_value() == "0.2"


def test_outcome_below_zero_is_taken_where_the_score_goes_there(open_view):
    shown = open_view("order-margin")
    shown.type_outcome(1, "\u221240.5")
    assert shown.state()["edits"] == [[1, -40.5]]


def test_edit_that_turns_a_table_real_moves_no_threshold(open_view):
    shown = open_view("triage", "case=ticket-03&mode=abducted")
    before = shown.section.locator("[data-part=outcomes] [data-part=word]").all_inner_texts()
    shown.type_outcome(0, "0.01")
    assert shown.section.locator("[data-part=outcomes] [data-part=word]").all_inner_texts() == before


def test_edit_that_turns_a_table_real_leaves_the_other_rows_as_counts(open_view):
    shown = open_view("verdicts", f"case={slug('worse')}&mode=abducted")
    shown.type_outcome(0, "0.3")
    numbers = shown.section.locator("[data-part=outcomes] [data-part=number]").all_inner_texts()
    assert numbers == ["0.300", "0/8", "8/8", "3/8"]


def test_edit_that_turns_a_table_real_keeps_talking_of_worlds(open_view):
    shown = open_view("verdicts", "case=luck&mode=abducted&edits=1_0.3")
    assert "worlds" in shown.part("headline").inner_text()


def test_missing_coalition_shows_its_error_and_withholds_values(open_view):
    shown = open_view("time-outs")
    reason = "planner: TimeoutError: no answer within 30 s"
    expect(shown.outcome(5).locator("[data-part=error]")).to_have_text(reason)
    expect(shown.part("withheld")).to_have_text(
        f"Values are withheld: 1 combination has no outcome. Intake + Planner: {reason}"
    )
    assert shown.numbers() == ["withheld"] * 3


def test_missing_coalition_can_be_filled_in_hypothetically(open_view):
    shown = open_view("time-outs")
    shown.flip(5)
    assert shown.numbers() == texts([0, 0, 1, 1, 0, 1, 1, 1])
    expect(shown.part("withheld")).to_be_hidden()
    expect(shown.part("hypothetical")).to_be_visible()


def test_missing_coalition_shows_its_error_instead_of_outputs(open_view):
    shown = open_view("time-outs", "on=1.3")
    expect(shown.section.locator("[data-step='2'] [data-part=current]")).to_have_text(
        "No output. planner: TimeoutError: no answer within 30 s"
    )


def test_missing_coalition_can_be_made_to_fail_at_once(open_view):
    shown = open_view("time-outs")
    shown.act(shown.outcome(5).locator("[data-part=flip-to-fail]").click)
    assert shown.state()["edits"] == [[5, 0]]
    assert shown.outcome(5).locator("[data-part=flip-to-fail]").is_hidden()


def test_error_of_a_filled_coalition_is_told_as_past(open_view):
    shown = open_view("time-outs", "edits=5_1")
    expect(shown.outcome(5).locator("[data-part=error]")).to_have_text(
        "As it ran, no outcome: planner: TimeoutError: no answer within 30 s"
    )


def test_run_without_fixes_that_raised_says_why_it_shows_no_output(open_view):
    shown = open_view("time-outs", "case=unfixed&mode=replayed")
    expect(shown.section.locator("[data-step='0'] [data-part=factual]")).to_have_text(
        "No output. planner: TimeoutError: no answer within 30 s"
    )


def test_edits_belong_to_one_case_and_mode(open_view):
    shown = open_view("triage")
    shown.flip(0)
    shown.press("j")
    assert shown.state()["edits"] == []
    shown.press("k")
    assert shown.state()["edits"] == [[0, 1]]
    shown.press("m")
    assert shown.state()["edits"] == []


def test_address_carries_the_edits_of_every_case_and_mode(open_view, opening, offline):
    shown = open_view("triage")
    shown.flip(0)
    shown.press("m")
    shown.type_outcome(3, "0.3")
    shown.press("Tab")
    shown.press("j")
    shown.type_outcome(1, "0.3")
    fresh = offline().new_page()
    show(fresh, shown.page.url)
    assert Shown(fresh).state() == shown.state()
    assert re.fullmatch(r"#[A-Za-z0-9._~=&-]+", shown.page.evaluate("() => location.hash"))
    assert shown.state()["otherEdits"] == [["ticket-01.abducted", [[3, 0.3]]], ["ticket-01.replayed", [[0, 1]]]]


def test_edited_cases_and_modes_are_marked(open_view):
    shown = open_view("triage")
    shown.flip(0)
    shown.press("j")
    shown.press("Escape")
    row = shown.section.locator("tr[data-case='ticket-01']")
    expect(row.locator("[data-part=takes] .tag")).to_have_text("edited")
    assert shown.section.locator("[data-part=takes] .tag").count() == 1
    shown.act(row.locator("a").click)
    assert shown.section.locator("[data-part=mode-edited]:visible").count() == 1
    shown.act(shown.part("reset").click)
    shown.press("Escape")
    assert row.locator("[data-part=takes] .tag").count() == 0


def test_banner_says_how_many_edits_are_elsewhere(open_view):
    shown = open_view("triage", "case=ticket-02&mode=replayed&edits=0_1&edits.ticket-01.fresh=1_0.5~2_0.25")
    expect(shown.part("hypothetical-text")).to_have_text(
        "1 outcome edited; this is not what was run. 2 more edited in other cases or kinds of luck."
    )


def test_mode_changes_the_question_and_the_table(open_view):
    shown = open_view("triage")
    shown.act(shown.section.get_by_role("group", name="Case and luck").get_by_label("New luck").check)
    expect(shown.part("question")).to_contain_text("interventional")
    assert shown.state()["mode"] == "fresh"
    assert shown.page.evaluate("() => AgentBlame.page.table().denominator") == 8


def test_rows_follow_the_ranking_or_the_run(open_view):
    shown = open_view("chain-of-8")
    titles = shown.section.locator(".who-title")
    assert titles.first.inner_text() != "Intake"
    shown.act(shown.section.get_by_label("By step").check)
    assert titles.first.inner_text() == "Intake"


def test_tied_fixes_share_a_place(open_view):
    shown = open_view(A)
    assert shown.section.locator("[data-part=place]").all_inner_texts() == ["=1", "=1", "=3", "=3"]


def test_table_of_512_outcomes_turns_pages(open_view):
    shown = open_view("chain-of-9")
    rows = shown.section.locator("[data-part=outcomes] tr:visible")
    assert rows.count() == 32
    shown.section.get_by_role("button", name="Next →").click()
    assert rows.first.get_attribute("data-mask") == "32"
    shown.flip(33)
    assert rows.first.get_attribute("data-mask") == "32"
    assert shown.state()["edits"] == [[33, 1]]


def test_outcomes_turn_to_the_combination_that_is_chosen(open_view):
    shown = open_view("chain-of-9")
    rows = shown.section.locator("[data-part=outcomes] tr:visible")
    shown.act(shown.part("all-on").click)
    assert rows.first.get_attribute("data-mask") == "480"
    assert rows.last.get_attribute("aria-current") == "true"
    shown.section.get_by_role("button", name="← Previous").click()
    assert rows.first.get_attribute("data-mask") == "448"


def test_row_of_the_case_table_picks_its_case(open_all):
    shown = open_all("triage")
    shown.act(shown.section.locator("tr[data-case='ticket-07'] a").click)
    expect(shown.part("case-name")).to_have_text("ticket-07")
    expect(shown.part("position")).to_have_text("7 of 30")


def test_address_describes_the_view_in_safe_characters(open_view):
    shown = open_view("order-margin", "case=loss&mode=replayed")
    shown.act(shown.switch(1).click)
    for mask, text in ((1, "1e21"), (2, "-2.5e-7"), (3, "0.1")):
        shown.type_outcome(mask, text)
    hashed = shown.page.evaluate("() => location.hash")
    assert re.fullmatch(r"#[A-Za-z0-9._~=&-]+", hashed)
    assert hashed == "#s=order-margin&case=loss&mode=replayed&on=2&edits=1_1e21~2_-2.5e-7~3_0.1"


def test_address_restores_the_view_in_a_fresh_browser(open_view, built, opening, offline):
    shown = open_view("triage")
    shown.press("j")
    shown.press("m")
    shown.press("2")
    shown.type_outcome(3, "0.3")
    shown.act(shown.section.get_by_label("By step").check)
    fresh = offline().new_page()
    show(fresh, shown.page.url)
    assert Shown(fresh).state() == shown.state()
    assert Shown(fresh).numbers() == shown.numbers()


def test_back_and_forward_restore_views(open_view):
    shown = open_view(A)
    states = [shown.state()]
    for action in (shown.switch(0).click, lambda: shown.flip(12), lambda: shown.press("m")):
        shown.act(action)
        states.append(shown.state())
    for expected in reversed(states[:-1]):
        shown.act(shown.page.go_back)
        assert shown.state() == expected
    for expected in states[1:]:
        shown.act(shown.page.go_forward)
        assert shown.state() == expected


DAMAGED = (
    "case=nobody", "mode=guessed", "mode=abducted&mode=fresh", "on=9", "on=1.1", "on=0", "edits=16_1", "edits=3",
    "edits=3_x", "edits=3_1e999", "edits=3_1~3_0", "order=chance", "what=ever", "case=%6D", "on", "edits=",
    "edits=3_2", "edits=3_-0.5", "edits.nobody.fresh=3_1", "edits.march-headphones.replayed=3_1",
    "edits.march-headphones=3_1", "edits.march-headphones.fresh=3_9",
)  # fmt: skip


@pytest.mark.parametrize("view", DAMAGED)
def test_damaged_address_is_ignored_with_a_notice(page, built, view):
    show(page, built.address("folder", A, view))
    shown = Shown(page)
    expect(shown.part("notice")).to_contain_text("The link to this view is damaged")
    assert shown.state() == {
        "scenario": A, "view": "case", "case": "march-headphones", "mode": "replayed", "mask": 0, "order": "rank",
        "path": None, "other": None, "edits": [], "otherEdits": [],
        "list": {"find": "", "tags": [], "failures": [], "kinds": [], "sort": "case", "reversed": False},
    }  # fmt: skip


def test_notice_goes_with_the_next_action(open_view):
    shown = open_view(A, "on=9")
    shown.act(shown.switch(0).click)
    expect(shown.part("notice")).to_be_hidden()


def test_report_with_an_unknown_scenario_in_its_address_shows_the_overview(page, built):
    show(page, f"{built.report.as_uri()}#s=nobody")
    expect(page.locator("[data-part=index-notice]")).to_contain_text("The link is damaged")
    assert page.locator("[data-scenario]:visible").count() == 0


def test_report_shows_one_thing_at_a_time(page, built):
    show(page, built.report.as_uri())
    assert page.locator("[data-scenario]:visible").count() == 0
    page.locator(".tiles").get_by_text("Support triage").click()
    settle(page)
    assert page.locator("[data-scenario]:visible").get_attribute("data-scenario") == "triage"
    assert page.locator("[data-part=index]:visible").count() == 0
    page.go_back()
    settle(page)
    assert page.locator("[data-part=index]:visible").count() == 1


def test_keys_choose_case_mode_and_fixes(open_view):
    shown = open_view("triage")
    for key in ("j", "j", "k", "m", "1", "3"):
        shown.press(key)
    state = shown.state()
    assert (state["case"], state["mode"], state["mask"]) == ("ticket-02", "abducted", 5)


def test_key_r_resets_fixes_and_edits(open_view):
    shown = open_view(A)
    shown.press("2")
    shown.flip(0)
    shown.press("r")
    assert (shown.state()["mask"], shown.state()["edits"]) == (0, [])


def test_keys_rest_while_somebody_types(open_view):
    shown = open_view("triage", "case=ticket-02&mode=abducted")
    field = shown.outcome(3).locator("[data-part=set]")
    field.focus()
    shown.press("1")
    shown.press("j")
    assert (shown.state()["case"], shown.state()["mask"]) == ("ticket-02", 0)


def test_key_with_a_modifier_is_left_to_the_browser(open_view):
    shown = open_view("triage")
    shown.press("Alt+j")
    assert shown.state()["case"] == "ticket-01"


def test_question_mark_lists_the_keys_and_escape_closes(open_view):
    shown = open_view(A)
    shown.press("?")
    expect(shown.page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    shown.press("1")
    assert shown.state()["mask"] == 0
    shown.press("Escape")
    expect(shown.page.get_by_role("dialog")).to_be_hidden()


def test_everything_is_reached_by_tab(open_view):
    shown = open_view("time-outs")
    wanted = shown.page.evaluate(
        """() => Array.from(document.querySelectorAll("a, button, select, input, summary"))
            .filter((element) => element.checkVisibility() && !element.disabled && element.type !== "radio").length"""
    )
    reached = set()
    for _ in range(wanted + 60):
        shown.page.keyboard.press("Tab")
        reached.add(
            shown.page.evaluate(
                """() => { const all = Array.from(document.querySelectorAll("a, button, select, input, summary"));
                    const at = document.activeElement; return at.type === "radio" ? -1 : all.indexOf(at); }"""
            )
        )
    assert len(reached - {-1}) == wanted


def test_focus_is_visible(open_view):
    shown = open_view(A)
    shown.page.keyboard.press("Tab")
    shown.page.keyboard.press("Tab")
    assert shown.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_skip_link_leads_to_the_content_and_leaves_the_address(open_view):
    shown = open_view(A, "on=1")
    before = shown.page.url
    shown.page.keyboard.press("Tab")
    shown.page.keyboard.press("Enter")
    assert shown.page.evaluate("() => document.activeElement.id") == "main"
    assert shown.page.url == before


def test_verdict_is_announced_when_it_changes(open_view):
    shown = open_view(A)
    region = shown.section.locator("[aria-live=polite]")
    shown.flip(1)
    expect(region.locator("[data-part=headline]")).to_have_text(
        "Fixing Retriever carries the largest share of the repair (0.500)."
    )


def test_focus_goes_to_the_verdict_when_outcomes_are_reset(open_view):
    shown = open_view(A, "edits=12_0")
    shown.act(shown.part("reset").click)
    assert shown.page.evaluate("() => document.activeElement.dataset.part") == "verdict"


def test_key_held_down_acts_once(open_view):
    shown = open_view(A)
    length = shown.page.evaluate("() => history.length")
    for _ in range(5):
        shown.page.keyboard.down("1")
    shown.page.keyboard.up("1")
    settle(shown.page)
    assert shown.state()["mask"] == 1
    assert shown.page.evaluate("() => history.length") == length + 1


def test_scenario_of_a_report_opens_at_its_top_with_its_title_and_focus(page, built):
    show(page, built.report.as_uri())
    link = page.locator(".tiles").get_by_text("Support triage")
    link.scroll_into_view_if_needed()
    link.click()
    settle(page)
    assert page.evaluate("() => scrollY") == 0
    assert page.title() == "Support triage · all failures · Recorded luck · Agent Blame"
    assert page.evaluate("() => document.activeElement.textContent") == "Support triage"
    page.go_back()
    settle(page)
    assert page.title() == "Agent Blame: report"


def test_names_of_many_fixes_are_shortened_above_the_steps(open_view):
    shown = open_view("chain-of-9", "on=1.2.3.4.5.6.7.8")
    expect(shown.part("now-name")).to_have_text("8 of 9: all but Editor")
    shown.act(shown.switch(7).click)
    shown.act(shown.switch(6).click)
    expect(shown.part("now-name")).to_have_text("6 of 9: Intake + Router + 4 more")


@pytest.mark.parametrize("mode", ["replayed", "abducted"])
def test_meaning_of_pass_is_told_for_each_mode(open_view, mode):
    shown = open_view(A, f"case=march-headphones&mode={mode}")
    meaning = {"replayed": "the run passes", "abducted": "at least half of the 8 worlds pass"}[mode]
    expect(shown.part("passing-means")).to_have_text(f"“Pass” means that {meaning}.")


def test_meaning_of_pass_is_told_for_graded_scores(open_view):
    shown = open_view("graded-answers")
    expect(shown.part("passing-means")).to_have_text("“Pass” means a score of 0.750 or more, on a scale from 0 to 1.")


def test_sentence_on_a_case_under_new_luck_has_its_control_beside_it(open_view, built):
    shown = open_view("triage")
    found = shown.section.locator("td[data-mode=fresh]").all_inner_texts()
    assert all(re.search(r" No fix: [0-8]/8\.$", sentence) for sentence in found)
    assert not any("No fix:" in one for one in shown.section.locator("td[data-mode=abducted]").all_inner_texts())


@pytest.mark.parametrize("name", ODD_IDS)
def test_case_with_an_odd_id_is_shown_under_its_own_name(page, built, name):
    show(page, built.address("folder", slug("odd ids/№ 1"), f"case={slug(name)}&mode=replayed"))
    shown = Shown(page)
    assert shown.part("case-name").text_content() == name
    assert shown.part("notice").is_hidden()


def test_hostile_text_is_shown_as_text_and_does_nothing(open_view):
    scenario = slug(HOSTILE[1] + " 1")
    for number in range(len(HOSTILE)):
        shown = open_view(scenario, f"case={slug(f'{HOSTILE[number]} {number}')}&mode=replayed&on=1")
        assert shown.page.title() != "owned"
        assert shown.section.locator("img, script, iframe, [onload], [onerror]").count() == 0
    expect(shown.part("case-name")).to_have_text(f"{HOSTILE[-1]} {len(HOSTILE) - 1}")


def test_missing_data_file_is_named(browser, built, tmp_path):
    shutil.copytree(built.site, tmp_path / "site")
    (tmp_path / "site" / "data" / "triage" / "ticket-02.js").unlink()
    context = browser.new_context(offline=True)
    page = context.new_page()
    show(page, Built(tmp_path / "site", built.report).address("folder", "triage", "case=ticket-02&mode=replayed"))
    expect(page.locator("[data-part=notice]")).to_contain_text("data/triage/ticket-02.js is missing or damaged")
    context.close()


@pytest.fixture
def torn(browser, built, tmp_path):
    """Give a copy of the site to damage, and a page whose complaints do not count."""
    shutil.copytree(built.site, tmp_path / "site")
    context = browser.new_context(offline=True)
    yield Built(tmp_path / "site", built.report), context.new_page()
    context.close()


def test_case_without_data_leaves_the_one_before_on_the_page(torn):
    copy, page = torn
    (copy.site / "data" / "triage" / "ticket-02.js").unlink()
    show(page, copy.address("folder", "triage", "case=ticket-01&mode=replayed&on=1"))
    shown = Shown(page)
    before = page.url
    shown.press("j")
    assert shown.state()["case"] == "ticket-01"
    expect(shown.part("case-name")).to_have_text("ticket-01")
    expect(shown.part("position")).to_have_text("1 of 30")
    expect(shown.part("notice")).to_contain_text("ticket-02.js is missing or damaged")
    assert page.url == before
    shown.press("Escape")
    shown.act(shown.section.locator("tr[data-case='ticket-03'] a").click)
    expect(shown.part("case-name")).to_have_text("ticket-03")


def test_case_without_data_in_an_address_leaves_all_cases_on_the_page(torn):
    copy, page = torn
    (copy.site / "data" / "triage" / "ticket-01.js").unlink()
    show(page, copy.address("folder", "triage", "case=ticket-01&mode=replayed"))
    shown = Shown(page)
    assert shown.state()["view"] == "all"
    expect(shown.part("notice")).to_contain_text("ticket-01.js is missing or damaged")
    shown.act(shown.section.locator("tr[data-case='ticket-02'] a").click)
    expect(shown.part("case-name")).to_have_text("ticket-02")
    assert shown.section.locator("[role=switch]:visible").count() == 3


def test_only_case_without_data_is_as_it_was_analysed(torn):
    copy, page = torn
    (copy.site / "data" / A / "march-headphones.js").unlink()
    show(page, copy.address("folder", A))
    shown = Shown(page)
    expect(shown.part("notice")).to_contain_text("march-headphones.js is missing or damaged")
    assert shown.section.locator("[role=switch]:visible, [data-part=flip]:visible").count() == 0
    assert shown.section.locator("[data-part=outcomes] .without-script:visible").count() == 16


def test_page_without_its_summary_has_no_dead_controls(torn):
    copy, page = torn
    (copy.site / "data" / "triage.js").unlink()
    page.goto(copy.address("folder", "triage"))
    shown = Shown(page)
    expect(shown.part("notice")).to_contain_text("data/triage.js is missing or damaged")
    assert shown.section.locator("button:visible, input:visible, select:visible").count() == 0


@pytest.mark.parametrize("damage", ["AgentBlame.receive(", 'AgentBlame.receive("triage/ticket-02", "H4sI");'])
def test_damaged_data_file_is_named_not_quoted(torn, damage):
    copy, page = torn
    path = copy.site / "data" / "triage" / "ticket-02.js"
    path.write_text(damage, "utf-8")
    show(page, copy.address("folder", "triage", "case=ticket-02&mode=replayed"))
    expect(Shown(page).part("notice")).to_have_text(
        "The data file ../data/triage/ticket-02.js is missing or damaged. Keep the folder of this page together."
    )


def test_damaged_data_in_a_report_are_named(torn, tmp_path):
    copy, page = torn
    text = copy.report.read_text("utf-8").replace('data-key="triage/ticket-02">H', 'data-key="triage/ticket-02">HH')
    (tmp_path / "report.html").write_text(text, "utf-8")
    show(page, Built(copy.site, tmp_path / "report.html").address("report", "triage", "case=ticket-02&mode=replayed"))
    expect(Shown(page).part("notice")).to_contain_text("its data on triage/ticket-02 cannot be read")


def test_nothing_of_the_namespace_can_be_changed(open_view):
    shown = open_view(A)
    shown.page.evaluate("() => { try { AgentBlame.page.values = () => 1; } catch {} }")
    assert shown.page.evaluate("() => typeof AgentBlame.page.values()") == "object"


def test_last_touch_stays_withheld_where_the_run_with_all_fixes_is_missing(open_view):
    shown = open_view(slug(HOSTILE[1] + " 1"))
    shown.flip(3)
    assert shown.numbers("shapley") == texts([0, 1, 0, 1])
    assert shown.numbers("last_touch") == ["withheld", "withheld"]


def many(tmp_path):
    """Build a scenario with more cases than one page of its table shows."""
    steps = letters(1)
    cases = [case_game(steps, f"case-{number}", [0, 1], 1, plain_text) for number in range(CASE_ROWS + 50)]
    about = scenario("many", "Many cases", "")
    write_site(plan_site([game_file(about, steps, "replayed", 1, cases)]), tmp_path / "site")


def test_table_of_many_cases_turns_pages(page, tmp_path):
    many(tmp_path)
    show(page, (tmp_path / "site" / "scenarios" / "many.html").as_uri())
    shown = Shown(page)
    assert shown.section.locator("tr[data-case]:visible").count() == CASE_ROWS
    shown.section.get_by_role("button", name="Next →").click()
    assert shown.section.locator("tr[data-case]:visible").count() == 50
    shown.act(shown.section.locator("tr[data-case='case-249'] a").click)
    expect(shown.part("position")).to_have_text("250 of 250")


def test_table_of_many_cases_shows_the_page_of_the_case_one_comes_from(page, tmp_path):
    many(tmp_path)
    show(page, (tmp_path / "site" / "scenarios" / "many.html").as_uri() + f"#s=many&case=case-{CASE_ROWS + 10}")
    shown = Shown(page)
    shown.press("Escape")
    assert shown.section.locator("tr[data-case]:visible").count() == 50
    expect(shown.section.locator("tr[data-case][aria-current]")).to_have_attribute(
        "data-case", f"case-{CASE_ROWS + 10}"
    )
