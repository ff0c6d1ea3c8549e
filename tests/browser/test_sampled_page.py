"""Games whose values were sampled: what was not run is not shown, and what is not known is not claimed."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from analyzer.game_file import case_verdict
from analyzer.rules import number_text
from analyzer.slug import slug
from site_builder.figures import bar, whiskers
from site_builder.ranking import game_values, spread
from tests.browser.conftest import OPENINGS, settle, show

NIGHT, GRADED, MIXED = "night-run", "graded-night-run", "mixed-night-run"
LEADER, ALIKE, TORN = "case=leader&mode=replayed", f"case={slug('two alike')}&mode=fresh", "case=torn&mode=replayed"

DRAWN = """() => {
    const section = document.querySelector("[data-scenario]:not([hidden])");
    const rows = Array.from(section.querySelectorAll("[data-part=ranking] tr"));
    rows.sort((a, b) => a.dataset.player - b.dataset.player);
    return rows.map((row) => {
        const cell = row.querySelector("[data-rule=shapley]");
        const mark = cell.querySelector(".bar-mark");
        const path = cell.querySelector(".bar-whiskers");
        return [mark.getAttribute("x"), mark.getAttribute("width"), path && path.getAttribute("d"),
            cell.querySelector("[data-part=interval]").textContent];
    });
}"""


@pytest.fixture(params=OPENINGS)
def open_view(request, page, built):
    def open_one(scenario: str, view: str = ""):
        show(page, built.address(request.param, scenario, view))
        return page.locator("[data-scenario]:not([hidden])")

    return open_one


def part(section, name: str):
    return section.locator(f"[data-part={name}]").first


def places(section) -> dict[str, str]:
    rows = section.locator("[data-part=ranking] tr").all()
    return {row.get_attribute("data-player"): row.locator("[data-part=place]").inner_text() for row in rows}


@pytest.mark.parametrize("scenario", [NIGHT, GRADED, MIXED])
def test_whiskers_of_every_sampled_game_are_those_python_draws(page, built, exported_games, scenario):
    drawn_games = 0
    for file in (one for one in exported_games if one.header.scenario.id == scenario):
        for case in (one for one in file.cases if one.sampled is not None):
            show(page, built.address("folder", scenario, f"case={slug(case.id)}&mode={file.header.mode}"))
            sampled, wanted = case.sampled, []
            ends = (*sampled.low, *sampled.high)
            span = spread(game_values(case, file.header), case.denominator, ends)["shapley"]
            for value, low, high in zip(sampled.values, sampled.low, sampled.high, strict=True):
                mark, drawn = bar(value, span), whiskers(low, high, span)
                path = f"M{drawn.low} 4V16M{drawn.low} 10H{drawn.high}M{drawn.high} 4V16"
                told = f"{number_text(low)} to {number_text(high)}"
                wanted.append([str(mark.x), str(mark.width), path, told])
            assert page.evaluate(DRAWN) == wanted
            drawn_games += 1
    assert drawn_games > 0


def test_how_the_values_were_estimated_is_told(open_view):
    section = open_view(NIGHT, LEADER)
    expect(part(section, "sampling")).to_have_text(
        "Estimated (adjusted sampling) by 990 draws from 1486 of 2⁴⁰ combinations. The intervals hold together with a "
        "probability of at least 95 %. Sampling stopped: the first fix is separated from all others."
    )


def test_first_place_is_given_only_where_it_is_claimed(open_view):
    assert {player for player, place in places(open_view(NIGHT, LEADER)).items() if place != "–"} == {"7"}
    assert set(places(open_view(NIGHT, ALIKE)).values()) == {"–"}


@pytest.mark.parametrize("name", ["leader", "two alike", "three together", "torn"])
def test_verdict_is_the_one_python_gives(open_view, exported_games, name):
    (file,) = (one for one in exported_games if (one.header.scenario.id, one.header.mode) == (NIGHT, "replayed"))
    (case,) = (one for one in file.cases if one.id == name)
    verdict = open_view(NIGHT, f"case={slug(name)}&mode=replayed").locator("[data-part=verdict]")
    shown = [part(verdict, "headline").inner_text(), *part(verdict, "remarks").locator("li").all_inner_texts()]
    assert shown == list(case_verdict(file.header, case).sentences)


def test_combination_that_was_not_run_has_no_outcome_and_no_outputs(open_view):
    section = open_view(NIGHT, f"{LEADER}&on=1.40")
    expect(part(section, "now-outcome")).to_have_text("Not run")
    expect(part(section, "unrun")).to_be_visible()
    assert set(section.locator("[data-part=current]").all_inner_texts()) == {"Not run."}
    assert set(section.locator("[data-part=mark]").all_inner_texts()) == {"not run"}


def test_combination_that_was_run_shows_its_outputs(open_view):
    section = open_view(NIGHT, f"{LEADER}&on=40")
    expect(part(section, "now-outcome")).to_have_text("Fail0")
    expect(part(section, "unrun")).to_be_hidden()
    outputs = section.locator("[data-part=current]").all_inner_texts()
    assert outputs[0] == "read orders, as it is"
    assert outputs[39] == "post invoices, after its fix: 1 fixes in all"


def test_all_fixes_of_fifty_three_can_be_switched_on(open_view, page):
    section = open_view(GRADED)
    part(section, "all-on").click()
    settle(page)
    assert page.evaluate("() => AgentBlame.page.state().mask") == 2**53 - 1
    expect(part(section, "now-outcome")).to_have_text("Fail0.580")
    section.locator("[role=switch][data-player='52']").click()
    settle(page)
    assert page.evaluate("() => AgentBlame.page.state().mask") == 2**52 - 1
    expect(part(section, "now-name")).to_have_text("52 of 53: all but Match tariffs")
    expect(part(section, "now-outcome")).to_have_text("Fail0.620")


def test_address_holds_fifty_three_fixes(open_view, page):
    open_view(GRADED, "case=drags&mode=replayed&on=1.33.52.53")
    assert page.evaluate("() => AgentBlame.page.state().mask") == 1 + 2**32 + 2**51 + 2**52
    page.keyboard.press("1")
    settle(page)
    assert page.evaluate("() => location.hash").endswith("&on=33.52.53")


@pytest.mark.parametrize("view", [f"{LEADER}&edits=1_1", f"{LEADER}&on=41", f"{LEADER}&on=54"])
def test_address_that_edits_what_was_sampled_or_names_a_fix_too_many_is_refused(page, built, view):
    show(page, built.address("folder", NIGHT, view))
    expect(page.locator("[data-part=notice]")).to_be_visible()
    assert page.evaluate("() => AgentBlame.page.state().mask") == 0


def test_outcomes_cannot_be_changed_and_the_page_says_so(open_view):
    section = open_view(NIGHT, LEADER)
    outcomes = section.locator(".outcomes")
    assert outcomes.locator("[data-part=flip]:visible, input:visible").count() == 0
    expect(part(section, "outcomes-listed")).to_contain_text("cannot be changed")
    expect(outcomes.get_by_text("What if?")).to_be_hidden()


def test_combinations_that_were_run_are_listed_by_size(open_view):
    section = open_view(NIGHT, LEADER)
    turn = part(section, "outcomes-pager").get_by_role("button", name="Next →")
    names = section.locator(".outcomes tr:visible [data-part=name]").all_inner_texts()
    while turn.is_enabled():
        turn.click()
        names += section.locator(".outcomes tr:visible [data-part=name]").all_inner_texts()
    assert len(names) == 82
    assert names[:3] == ["No fix", "Read orders", "Clean orders"]
    assert names[40:43] == ["Post invoices", "All but Read orders", "All but Clean orders"]
    assert names[-1] == "All fixes"
    expect(part(section, "passing")).to_have_text("42 of 82 listed")


def test_row_of_the_list_sets_the_switches(open_view, page):
    section = open_view(NIGHT, LEADER)
    turn = part(section, "outcomes-pager").get_by_role("button", name="Next →")
    turn.click()
    turn.click()
    section.get_by_role("button", name="All but Post invoices").click()
    settle(page)
    assert page.evaluate("() => AgentBlame.page.state().mask") == 2**39 - 1
    assert section.locator("[role=switch][aria-checked=true]").count() == 39


def test_what_needs_every_combination_is_not_shown(open_view):
    section = open_view(NIGHT, LEADER)
    assert section.locator("[data-rule=banzhaf]").count() == 0
    expect(part(section, "interplay-reason")).to_have_text(
        "This needs the outcome of every combination of fixes; 1486 of 2⁴⁰ were run."
    )
    expect(part(section, "interplay-shown")).to_be_hidden()


def test_long_ranking_is_cut_short_until_it_is_asked_for(open_view, page):
    section = open_view(NIGHT, LEADER)
    assert section.locator("[data-part=ranking] tr:visible").count() == 12
    section.get_by_role("button", name="Show all 40 fixes").click()
    assert section.locator("[data-part=ranking] tr:visible").count() == 40
    section.get_by_role("button", name="Show the first 12").click()
    assert section.locator("[data-part=ranking] tr:visible").count() == 12


def test_values_of_a_case_with_a_hole_are_withheld(open_view):
    section = open_view(NIGHT, TORN)
    expect(part(section, "withheld")).to_contain_text("All but Clean orders: post invoices: TimeoutError")
    expect(part(section, "sampling")).to_be_hidden()
    assert set(section.locator("[data-part=ranking] [data-part=number]").all_inner_texts()) <= {"withheld", ""}
    assert section.locator(".ranking .bar-whiskers").count() == 0


def test_values_of_a_case_without_a_score_among_its_draws_are_withheld(open_view):
    section = open_view(NIGHT, f"case={slug('drawn without a score')}&mode=replayed")
    expect(part(section, "withheld")).to_have_text("Values are withheld: a combination that was drawn has no outcome.")


def test_whole_case_beside_a_sampled_one_has_all_it_can_have(open_view, page):
    section = open_view(MIXED)
    page.keyboard.press("Enter")
    settle(page)
    banzhaf = section.locator("[data-rule=banzhaf] [data-part=number]")
    assert banzhaf.all_inner_texts() == ["–"] * 4
    assert section.locator(".outcomes tr[data-mask]:visible").count() == 11
    page.keyboard.press("j")
    settle(page)
    assert banzhaf.all_inner_texts() == ["0.375"] * 4
    assert section.locator(".ranking .bar-whiskers").count() == 0
    expect(part(section, "sampling")).to_be_hidden()
    expect(part(section, "interplay-shown")).to_be_visible()
    assert section.locator(".outcomes [data-part=flip]:visible").count() == 11
    section.get_by_role("button", name="Next →").last.click()
    assert section.locator(".outcomes tr[data-mask]:visible").count() == 5
    page.keyboard.press("k")
    settle(page)
    assert section.locator(".outcomes [data-part=flip]:visible").count() == 0
    assert section.locator(".outcomes tr[data-mask]:visible").count() == 11


def test_without_scripts_all_fixes_their_intervals_and_the_list_are_readable(offline, built):
    page = offline(java_script_enabled=False).new_page()
    page.goto(built.address("folder", NIGHT))
    assert page.locator("[data-part=ranking] tr:visible").count() == 40
    assert page.locator("[data-part=ranking] [data-part=interval]:visible").count() == 40
    assert page.locator(".outcomes tr[data-mask]:visible").count() == 82
    expect(page.locator("[data-part=sampling]")).to_be_visible()
    expect(page.locator("[data-part=outcomes-listed]")).to_be_visible()


def test_on_paper_all_fixes_are_listed(page, built):
    show(page, built.address("folder", NIGHT, LEADER))
    page.emulate_media(media="print")
    assert page.locator("[data-part=ranking] tr:visible").count() == 40


def test_sampled_phone_view_does_not_scroll_sideways(offline, built):
    page = offline(viewport={"width": 360, "height": 700}).new_page()
    show(page, built.address("folder", NIGHT, f"{LEADER}&on=1.2"))
    assert page.evaluate("() => document.documentElement.scrollWidth === document.documentElement.clientWidth")
    expect(page.locator("[data-part=ranking] [data-part=interval]").first).to_have_text("0.670 to 0.830")
