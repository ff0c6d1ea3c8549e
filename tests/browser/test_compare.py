"""Two cases, or two kinds of luck, side by side: what they say, and how one gets there."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from analyzer.game_file import ScoreInfo
from analyzer.rules import minimal_repairs, number_text, set_outcome, shapley
from analyzer.slug import slug
from site_builder import plan_site, write_site
from site_builder.wording import coalition_name
from tests.browser.conftest import Built, act, part, show
from tests.made_game_files import case_game, fix, game_file, scenario, step

TRIAGE = "case=ticket-07&mode=replayed"
TITLES = ("Classify", "Answer", "Check")


@pytest.fixture(params=("folder", "report"))
def opening(request):
    return request.param


def side(page: Page, letter: str, name: str) -> Locator:
    return page.locator(f"[data-scenario]:not([hidden]) [data-side={letter}] [data-part={name}]")


def state(page: Page, name: str):
    return page.evaluate("(name) => AgentBlame.page.state()[name]", name)


def game(exported_games, name: str, mode: str, case: str):
    (file,) = (one for one in exported_games if (one.header.scenario.id, one.header.mode) == (name, mode))
    return next(one for one in file.cases if one.id == case)


def values(case) -> list[float]:
    return [float(value) for value in shapley(list(case.worth), case.denominator)]


def numbers(page: Page, letter: str) -> list[str]:
    rows = page.locator("[data-scenario]:not([hidden]) [data-part=compare-values] tr")
    return rows.locator(f"[data-name={letter}] .number").all_inner_texts()


def choose_case(page: Page, text: str) -> None:
    field = part(page, "other-case")
    field.click()
    field.fill(text)
    act(page, lambda: page.keyboard.press("Enter"))


def made(folder, files, name: str) -> str:
    write_site(plan_site(files), folder / "site")
    return Built(folder / "site", folder / "report.html").address("folder", name, "case=one&mode=replayed")


STEPS = (step("first", title="First", fix=fix("a")), step("second", ("first",), title="Second", fix=fix("b")))


def one_case(name: str, worth, denominator, text="{} {}"):
    return case_game(STEPS, name, worth, denominator, lambda step, mask: text.format(step, mask))


def test_closed_section_holds_nothing_of_another_case(page, built, opening):
    show(page, built.address(opening, "triage", TRIAGE))
    expect(part(page, "compare-box")).not_to_have_attribute("open", "")
    assert set(part(page, "compare").locator(".output").all_text_contents()) == {""}


def test_case_is_found_and_chosen_by_the_keyboard(page, built, opening):
    show(page, built.address(opening, "triage", TRIAGE))
    part(page, "compare").locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("ticket-1")
    page.keyboard.press("ArrowDown")
    act(page, lambda: page.keyboard.press("Enter"))
    assert state(page, "other") == "ticket-11.replayed"
    expect(side(page, "B", "side-case")).to_have_text("ticket-11")
    assert "with=ticket-11.replayed" in page.url


def test_link_to_a_comparison_opens_it(page, built, opening):
    show(page, built.address(opening, "triage", f"{TRIAGE}&with=ticket-09.fresh"))
    for letter, name, mode in (("A", "ticket-07", "Recorded luck"), ("B", "ticket-09", "New luck")):
        expect(side(page, letter, "side-case")).to_have_text(name)
        expect(side(page, letter, "side-case")).to_be_visible()
        expect(side(page, letter, "side-mode")).to_have_text(mode)


def test_each_side_says_what_its_luck_asks(page, built):
    show(page, built.address("folder", "triage", f"{TRIAGE}&with=ticket-07.fresh"))
    expect(side(page, "A", "side-question")).to_contain_text("very luck that was recorded")
    expect(side(page, "B", "side-question")).to_contain_text("another question")


def test_values_of_both_sides_are_those_of_their_games(page, built, exported_games, opening):
    show(page, built.address(opening, "triage", "case=ticket-07&mode=abducted&with=ticket-09.fresh"))
    for letter, mode, case in (("A", "abducted", "ticket-07"), ("B", "fresh", "ticket-09")):
        expected = values(game(exported_games, "triage", mode, case))
        assert numbers(page, letter) == [number_text(value) for value in expected]


def test_differences_are_told_in_words(page, built, exported_games):
    show(page, built.address("folder", "triage", "case=ticket-07&mode=abducted&with=ticket-09.fresh"))
    a = values(game(exported_games, "triage", "abducted", "ticket-07"))
    b = values(game(exported_games, "triage", "fresh", "ticket-09"))

    def told(more: float) -> str:
        return "the same" if more == 0 else f"{number_text(abs(more))} {'more' if more > 0 else 'less'}"

    expected = [told(other - one) for one, other in zip(a, b, strict=True)]
    assert page.locator(".compare-against").all_inner_texts() == expected
    assert set(expected) != {"the same"}


def test_bars_of_both_sides_have_one_scale(page, tmp_path):
    cases = [one_case("one", [-1.0, -0.5, -1.0, 0.0], None), one_case("two", [-4.0, 0.0, -4.0, 0.0], None)]
    about = scenario("scaled", "Scaled", "", ScoreInfo("profit", True, -5.0, 5.0, 0.0))
    show(page, made(tmp_path, [game_file(about, STEPS, "replayed", 1, cases)], "scaled") + "&with=two.replayed")
    widths = page.locator(".compare-value .bar-mark").evaluate_all(
        "(all) => all.map((one) => +one.getAttribute('width'))"
    )
    assert widths == [188, 1000, 63, 0]


def test_rounding_of_real_scores_is_told_as_the_same(page, tmp_path):
    cases = [one_case("one", [0.0, 0.1 + 0.2, 0.0, 0.1 + 0.2], None), one_case("two", [0.0, 0.3, 0.0, 0.3], None)]
    about = scenario("rounded", "Rounded", "", ScoreInfo("a mark", True, 0.0, 1.0, 0.2))
    show(page, made(tmp_path, [game_file(about, STEPS, "replayed", 1, cases)], "rounded") + "&with=two.replayed")
    assert page.locator(".compare-against").all_inner_texts() == ["the same", "the same"]


def test_ranks_of_both_sides_stand_together(page, tmp_path):
    cases = [one_case("one", [0, 1, 0, 1], 1), one_case("two", [0, 1, 1, 1], 1)]
    about = scenario("ranked", "Ranked", "")
    show(page, made(tmp_path, [game_file(about, STEPS, "replayed", 1, cases)], "ranked") + "&with=two.replayed")
    assert page.locator(".compare-places").all_inner_texts() == ["A 1 · B =1", "A 2 · B =1"]


def test_smallest_repairs_of_both_sides_and_what_they_share(page, tmp_path):
    worths = {"one": [0, 1, 0, 1], "two": [0, 1, 1, 1]}
    cases = [one_case(name, worth, 1) for name, worth in worths.items()]
    about = scenario("repaired", "Repaired", "")
    show(page, made(tmp_path, [game_file(about, STEPS, "replayed", 1, cases)], "repaired") + "&with=two.replayed")
    for letter, worth in zip("AB", worths.values(), strict=True):
        named = [coalition_name(mask, ("First", "Second")) for mask in minimal_repairs(worth, 1, 1.0)]
        assert page.locator(f"[data-repairs={letter}] li").all_inner_texts() == named
    expect(part(page, "compare-repairs-note")).to_have_text("On both sides: First.")


def test_combinations_that_end_differently_are_listed_and_counted(page, built, exported_games):
    show(page, built.address("folder", "triage", "case=ticket-01&mode=replayed&with=ticket-04.replayed"))
    tables = [game(exported_games, "triage", "replayed", f"ticket-0{number}").worth for number in (1, 4)]
    apart = [mask for mask in range(8) if tables[0][mask] != tables[1][mask]]
    rows = part(page, "compare-outcomes").locator("tr")
    assert [int(row.get_attribute("data-compared") or "") for row in rows.all()] == apart
    assert 0 < len(apart) < 8
    expect(part(page, "compare-outcomes-note")).to_have_text(
        f"{len(apart)} of 8 combinations {'ends' if len(apart) == 1 else 'end'} differently."
    )


def test_list_of_combinations_is_bounded(page, tmp_path):
    steps = tuple(step(name, title=name, fix=fix(name)) for name in "abcde")
    cases = [
        case_game(steps, name, [0, *([worth] * 31)], 1, lambda step, mask: step)
        for name, worth in (("one", 0), ("two", 1))
    ]
    files = [game_file(scenario("many", "Many", ""), steps, "replayed", 1, cases)]
    show(page, made(tmp_path, files, "many") + "&with=two.replayed")
    assert part(page, "compare-outcomes").locator("tr").count() == 12
    expect(part(page, "compare-outcomes-note")).to_have_text(
        "31 of 32 combinations end differently. The first 12 are listed."
    )


def test_a_listed_combination_can_be_chosen_and_is_marked(page, built):
    show(page, built.address("folder", "triage", "case=ticket-01&mode=replayed&with=ticket-04.replayed"))
    row = part(page, "compare-outcomes").locator("tr").first
    act(page, row.get_by_role("button").click)
    assert state(page, "mask") == int(row.get_attribute("data-compared") or "")
    expect(row).to_have_attribute("aria-current", "true")


def test_each_step_shows_what_it_put_out_on_both_sides_under_the_same_fixes(page, built, exported_games, opening):
    show(page, built.address(opening, "triage", f"{TRIAGE}&on=1.2&with=ticket-09.replayed"))
    rows = part(page, "compare-steps").locator("li")
    assert rows.locator("h4 bdi").all_inner_texts() == ["Input", *TITLES]
    for letter, name in (("A", "ticket-07"), ("B", "ticket-09")):
        steps = game(exported_games, "triage", "replayed", name).steps
        whole = rows.locator(f"[data-output={letter}] .output:not(.changes)").all_text_contents()
        assert whole[1:] == [each.outputs[each.index[3]].text for each in steps]


def test_output_of_the_second_side_is_marked_against_the_first(page, tmp_path):
    cases = [one_case("one", [0, 1, 0, 1], 1, "{} said one {}"), one_case("two", [0, 1, 0, 1], 1, "{} said two {}")]
    files = [game_file(scenario("marked", "Marked", ""), STEPS, "replayed", 1, cases)]
    show(page, made(tmp_path, files, "marked") + "&on=2&with=two.replayed")
    row = part(page, "compare-steps").locator("li").nth(1)
    assert row.locator("[data-output=B] .changes :is(ins, del)").all_text_contents() == ["one", "two"]
    expect(row.locator("[data-part=compare-mark]")).to_have_text("differs")
    act(page, lambda: part(page, "compare").locator("[data-part=texts][value=whole]").check(force=True))
    expect(row.locator("[data-output=B] .output:visible")).to_have_text("first said two 2")


def test_edits_of_either_side_are_said_to_be_hypothetical(page, built, exported_games):
    address = "case=ticket-01&mode=replayed&with=ticket-04.replayed"
    show(page, built.address("folder", "triage", f"{address}&edits.ticket-04.replayed=7_0.25"))
    expect(side(page, "A", "side-hypothetical")).to_be_hidden()
    expect(side(page, "B", "side-hypothetical")).to_contain_text("Hypothetical: 1 outcome edited")
    expect(side(page, "B", "side-edited")).to_be_visible()
    worth, denominator = set_outcome(list(game(exported_games, "triage", "replayed", "ticket-04").worth), 1, 7, 0.25)
    assert numbers(page, "B") == [number_text(float(value)) for value in shapley(worth, denominator)]
    expect(part(page, "compare-outcomes").locator("[data-compared='7'] .tag-edited")).to_have_count(1)
    act(page, page.locator("tr[data-mask='0'] [data-part=flip]").click)
    expect(side(page, "A", "side-hypothetical")).to_contain_text("Hypothetical: 1 outcome edited")


def test_swap_exchanges_the_sides_and_back_restores_them(page, built):
    show(page, built.address("folder", "triage", f"{TRIAGE}&on=2&with=ticket-09.fresh"))
    act(page, part(page, "swap").click)
    expect(side(page, "A", "side-case")).to_have_text("ticket-09")
    expect(side(page, "B", "side-mode")).to_have_text("Recorded luck")
    assert (state(page, "case"), state(page, "other"), state(page, "mask")) == ("ticket-09", "ticket-07.replayed", 2)
    act(page, page.go_back)
    expect(side(page, "A", "side-case")).to_have_text("ticket-07")


def test_comparison_can_be_stopped(page, built):
    show(page, built.address("folder", "triage", f"{TRIAGE}&with=ticket-09.fresh"))
    act(page, part(page, "stop").click)
    expect(part(page, "compare-shown")).to_be_hidden()
    assert "with=" not in page.url
    expect(part(page, "compare").locator("summary")).to_be_focused()


def test_the_same_case_under_another_luck_takes_one_click(page, built):
    show(page, built.address("folder", "triage", TRIAGE))
    part(page, "compare").locator("summary").click()
    act(page, lambda: part(page, "compare").get_by_label("New luck").check(force=True))
    assert state(page, "other") == "ticket-07.fresh"
    expect(part(page, "compare-values-note")).to_contain_text("The two sides ask different questions")


def test_a_case_compared_with_itself_is_said_to_be_the_same(page, built):
    show(page, built.address("folder", "triage", f"{TRIAGE}&with=ticket-07.replayed"))
    expect(part(page, "compare-note")).to_contain_text("so nothing differs")


def test_a_case_without_the_luck_that_was_chosen_says_so(page, tmp_path):
    about = scenario("uneven", "Uneven", "")
    files = [
        game_file(about, STEPS, "replayed", 1, [one_case(name, [0, 1, 0, 1], 1) for name in ("one", "two")]),
        game_file(about, STEPS, "fresh", 4, [one_case("one", [0, 4, 0, 4], 4)]),
    ]
    show(page, made(tmp_path, files, "uneven").replace("replayed", "fresh"))
    part(page, "compare").locator("summary").click()
    choose_case(page, "two")
    assert state(page, "other") == "two.replayed"
    expect(part(page, "compare-note")).to_have_text(
        "two was not analysed under “New luck”, so “Recorded luck” is shown."
    )
    expect(part(page, "compare").get_by_label("New luck")).to_be_disabled()


def test_estimates_whose_intervals_overlap_are_not_told_apart(page, built):
    show(page, built.address("folder", "mixed-night-run", "case=sampled&mode=replayed&with=whole.replayed"))
    assert page.locator(".compare-against").all_inner_texts() == ["cannot be told apart"] * 4
    expect(part(page, "compare-values-note")).to_contain_text("A: Estimated")
    assert all(page.locator("[data-name=A] .interval").all_inner_texts())


def test_estimates_whose_intervals_are_apart_differ_by_about_so_much(page, built):
    show(page, built.address("folder", "night-run", f"case=leader&mode=replayed&with={slug('two alike')}.replayed"))
    told = page.locator(".compare-against").all_inner_texts()
    assert {player for player, text in enumerate(told) if text != "cannot be told apart"} == {3, 7, 38}
    assert told[7].startswith("about 0.7")
    assert told[7].endswith(" less")


def test_only_combinations_listed_on_both_sides_are_compared_of_a_sampled_game(page, built):
    show(page, built.address("folder", "mixed-night-run", "case=sampled&mode=replayed&with=whole.replayed"))
    expect(part(page, "compare-outcomes-note")).to_have_text(
        "None of 11 combinations listed on both sides passes on one side only."
    )
    expect(page.locator("[data-repairs=A] li")).to_contain_text("This needs the outcome of every combination of fixes")
    expect(page.locator("[data-repairs=B] li")).to_have_count(2)


def test_values_that_are_withheld_are_said_to_be(page, built):
    show(page, built.address("folder", "time-outs", "case=torn&mode=replayed&on=1.3&with=whole.replayed"))
    assert numbers(page, "A") == ["withheld"] * 3
    assert page.locator(".compare-against").all_inner_texts() == ["–"] * 3
    expect(part(page, "compare-values-note")).to_contain_text("A: Values are withheld: 1 combination has no outcome.")
    marks = part(page, "compare-steps").locator("[data-part=compare-mark]").all_inner_texts()
    assert marks[1:] == ["not on both sides"] * 3


def test_list_of_ten_thousand_cases_stays_short(page, built):
    show(page, built.address("folder", "triage", TRIAGE))
    part(page, "compare").locator("summary").click()
    picked = page.evaluate("""() => {
        const section = document.querySelector("[data-part=compare]").cloneNode(true);
        document.querySelector("[data-part=compare]").replaceWith(section);
        const cases = Array.from({ length: 10000 }, (none, k) => ({ slug: "c" + k, id: "Case " + k }));
        globalThis.picked = [];
        AgentBlame.views.caseField(section, { cases }, (slug) => globalThis.picked.push(slug)).show(17);
    }""")
    field = part(page, "other-case")
    expect(field).to_have_value("Case 17")
    field.click()
    options = part(page, "other-list").locator("[role=option]")
    expect(options).to_have_count(40)
    expect(part(page, "other-hits")).to_have_text("9960 more: type on to narrow them down.")
    field.fill("case 9999")
    expect(options).to_have_count(1)
    page.keyboard.press("Enter")
    picked = page.evaluate("() => globalThis.picked")
    assert picked == ["c9999"]


def test_escape_leaves_the_field_as_it_was(page, built):
    show(page, built.address("folder", "triage", TRIAGE))
    part(page, "compare").locator("summary").click()
    field = part(page, "other-case")
    field.click()
    field.fill("ticket-2")
    page.keyboard.press("Escape")
    expect(field).to_have_value("ticket-07")
    expect(part(page, "other-box")).to_be_hidden()
    assert (state(page, "view"), state(page, "other")) == ("case", None)


def test_a_case_can_be_chosen_by_the_pointer(page, built):
    show(page, built.address("folder", "triage", TRIAGE))
    part(page, "compare").locator("summary").click()
    part(page, "other-case").click()
    act(page, part(page, "other-list").get_by_text("ticket-03").click)
    assert state(page, "other") == "ticket-03.replayed"


def test_on_a_phone_both_sides_of_a_step_follow_each_other(offline, built):
    page = offline(viewport={"width": 360, "height": 700}).new_page()
    show(page, built.address("folder", "triage", f"{TRIAGE}&with=ticket-09.fresh"))
    tops = (
        part(page, "compare-steps")
        .locator("figure")
        .evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().top)")
    )
    order = part(page, "compare-steps").locator("figure").evaluate_all("(all) => all.map((one) => one.dataset.output)")
    assert tops == sorted(tops)
    assert order == ["A", "B"] * (len(TITLES) + 1)
    assert page.evaluate("() => document.documentElement.scrollWidth") == 360


def test_comparison_survives_on_paper_without_its_controls(page, built):
    edits = "edits.ticket-09.fresh=7_0.25"
    show(page, built.address("folder", "triage", f"{TRIAGE}&{edits}&with=ticket-09.fresh"))
    page.emulate_media(media="print")
    expect(side(page, "B", "side-headline")).to_be_visible()
    expect(side(page, "B", "side-hypothetical")).to_be_visible()
    expect(part(page, "compare-values-note").get_by_text("B holds edited outcomes")).to_be_visible()
    expect(part(page, "other-case")).to_be_hidden()
