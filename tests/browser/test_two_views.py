"""The view of all cases and the view of one: the way between them, and what is done while one of them is on its way."""

from __future__ import annotations

import shutil

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OPENINGS, Built, part, settle, show


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        settle(page)


def view(page: Page) -> str:
    return str(page.evaluate("() => AgentBlame.page.state().view"))


@pytest.fixture(params=OPENINGS)
def opened(page, built, request):
    def open_one(scenario: str, rest: str = "") -> Page:
        show(page, built.address(request.param, scenario, rest))
        return page

    return open_one


def test_link_of_each_view_leads_there_and_back_leads_back(opened):
    page = opened("triage")
    expect(part(page, "case-view")).to_be_hidden()
    part(page, "cases").locator("tr[data-case='ticket-05'] a").click()
    settle(page)
    assert (view(page), page.evaluate("() => scrollY")) == ("case", 0)
    expect(part(page, "all-view")).to_be_hidden()
    expect(part(page, "verdict-name")).to_contain_text("ticket-05")
    page.go_back()
    settle(page)
    assert view(page) == "all"
    page.go_forward()
    settle(page)
    expect(part(page, "verdict-name")).to_contain_text("ticket-05")


def test_link_of_a_case_is_an_address_of_its_own(opened, offline):
    page = opened("triage", "mode=fresh&edits.ticket-05.fresh=0_1")
    address = part(page, "cases").locator("tr[data-case='ticket-05'] a").evaluate("(link) => link.href")
    fresh = offline().new_page()
    show(fresh, address)
    expect(part(fresh, "verdict-name")).to_contain_text("ticket-05")
    expect(part(fresh, "hypothetical-text")).to_contain_text("1 outcome edited")


def test_enter_opens_what_is_marked_or_else_the_first_that_is_listed(opened):
    page = opened("triage", "mode=replayed&tags=1&sort=1")
    listed = part(page, "cases").locator("tr:visible [data-part=pick]").all_inner_texts()
    assert listed[0] != "ticket-01"
    press(page, "Enter")
    assert part(page, "case-name").inner_text() in listed
    page = opened("triage", "mode=replayed&find=nothing.of.the.kind")
    press(page, "Enter")
    assert view(page) == "all"


@pytest.mark.parametrize("way", ["Escape", "back"])
def test_list_is_found_where_it_was_left(opened, way):
    page = opened("triage")
    row = part(page, "cases").locator("tr[data-case='ticket-20'] a")
    row.scroll_into_view_if_needed()
    before = page.evaluate("() => scrollY")
    assert before > 500
    row.click()
    settle(page)
    if way == "back":
        page.go_back()
        settle(page)
    else:
        press(page, way)
    assert abs(page.evaluate("() => scrollY") - before) < 100
    if way == "back":
        page.go_forward()
        settle(page)
        assert page.evaluate("() => scrollY") == 0


def test_scenario_with_one_case_has_one_view(opened):
    page = opened("refund-policy-a")
    assert view(page) == "case"
    press(page, "Escape")
    assert view(page) == "case"
    assert page.locator("[data-scenario]:not([hidden]) .places").count() == 0


def test_undo_takes_back_one_edit_after_another_in_both_views(opened):
    page = opened("triage", "case=ticket-05&mode=replayed")
    for mask in (0, 3):
        page.locator(f"[data-scenario]:not([hidden]) tr[data-mask='{mask}'] [data-part=flip]").click()
        settle(page)
    press(page, "z")
    assert page.evaluate("() => [...AgentBlame.page.state().edits.keys()]") == [0]
    expect(part(page, "notice")).to_be_hidden()
    press(page, "Escape", "z")
    assert page.evaluate("() => AgentBlame.page.state().otherEdits.size") == 0
    expect(part(page, "notice")).to_have_text("The last change of edits was taken back: ticket-05 (Recorded luck).")
    press(page, "z")
    assert page.evaluate("() => AgentBlame.page.state().otherEdits.size") == 0


@pytest.mark.parametrize(
    "rest", ["s=triage&p=methods", "case=ticket-03", "p=methods&case=ticket-03", "p=nothing", "on=1"]
)
def test_address_of_a_report_that_names_no_page_or_two_shows_the_overview_with_a_notice(page, built, rest):
    show(page, f"{built.report.as_uri()}#{rest}")
    assert page.locator("h1:visible").count() == 1
    expect(page.locator("[data-part=index-notice]")).to_contain_text("The link is damaged")


def hold_the_third_case(page: Page, built: Built) -> list[Route]:
    """Go from the second case towards the third, whose data wait until the route that is returned is let go."""
    held: list[Route] = []
    page.route("**/data/triage/ticket-03.js", lambda route: held.append(route))
    show(page, built.address("sub-path", "triage", "case=ticket-02&mode=replayed"))
    page.keyboard.press("j")
    expect(page.locator("[data-scenario=triage]")).to_have_attribute("aria-busy", "true")
    return held


def test_click_on_the_case_before_is_done_to_none_and_a_key_to_the_one_on_its_way(page, built):
    held = hold_the_third_case(page, built)
    page.locator("tr[data-mask='1'] [data-part=flip]").click()
    page.keyboard.press("1")
    assert page.evaluate("() => AgentBlame.page.state().mask") == 0
    held[0].continue_()
    expect(part(page, "case-name")).to_have_text("ticket-03")
    page.wait_for_function("() => AgentBlame.page.state().mask === 1")
    settle(page)
    state = page.evaluate(
        "() => { const s = AgentBlame.page.state(); return [s.case, s.mask, s.edits.size, s.otherEdits.size]; }"
    )
    assert state == ["ticket-03", 1, 0, 0]
    expect(page.locator("[data-scenario=triage]")).to_have_attribute("aria-busy", "false")


def test_key_for_a_case_that_was_left_before_it_came_is_done_to_none(page, built):
    held = hold_the_third_case(page, built)
    page.keyboard.press("1")
    page.keyboard.press("j")
    expect(part(page, "case-name")).to_have_text("ticket-04")
    held[0].continue_()
    page.wait_for_function("() => AgentBlame.load('triage', 'ticket-03').then(() => true)")
    settle(page)
    assert page.evaluate("() => [AgentBlame.page.state().case, AgentBlame.page.state().mask]") == ["ticket-04", 0]


@pytest.fixture
def torn(browser, built, tmp_path):
    """Give a site without one case's data, and a page whose complaints do not count."""
    shutil.copytree(built.site, tmp_path / "site")
    (tmp_path / "site" / "data" / "triage" / "ticket-03.js").unlink()
    context = browser.new_context()
    yield Built(tmp_path / "site", built.report), context.new_page()
    context.close()


def test_case_stays_where_what_it_is_compared_with_is_missing(torn):
    copy, page = torn
    show(page, copy.address("folder", "triage", "case=ticket-05&mode=replayed&edits=0_1&with=ticket-03.fresh"))
    expect(part(page, "case-name")).to_have_text("ticket-05")
    expect(part(page, "notice")).to_contain_text("ticket-03.js is missing")
    expect(part(page, "hypothetical-text")).to_contain_text("1 outcome edited")


def test_next_case_is_the_one_after_a_case_whose_data_are_missing(torn):
    copy, page = torn
    show(page, copy.address("folder", "triage", "case=ticket-02&mode=replayed"))
    press(page, "j")
    expect(part(page, "case-name")).to_have_text("ticket-02")
    press(page, "j")
    expect(part(page, "case-name")).to_have_text("ticket-04")


def edits(page: Page) -> list[tuple[str, int]]:
    """Return the edited combinations of each game, that of the case that is shown first."""
    found = page.evaluate(
        """() => { const s = AgentBlame.page.state();
            const games = [["", s.edits], ...s.otherEdits];
            return games.flatMap(([game, made]) => [...made.keys()].map((mask) => [game, mask])); }"""
    )
    return [(game, mask) for game, mask in found]


def flip(page: Page, mask: int) -> None:
    page.locator(f"[data-scenario]:not([hidden]) tr[data-mask='{mask}'] [data-part=flip]").click()
    settle(page)


def go(page: Page, view: str) -> None:
    page.evaluate("(hash) => { location.hash = hash; }", view)
    settle(page)


def test_link_to_a_case_that_is_missing_takes_nothing_away(torn):
    copy, page = torn
    show(page, copy.address("folder", "triage", "case=ticket-05&mode=replayed&on=1"))
    flip(page, 3)
    before = page.evaluate("() => location.hash")
    go(page, "s=triage&case=ticket-03&mode=replayed")
    expect(part(page, "notice")).to_contain_text("ticket-03.js is missing")
    expect(part(page, "hypothetical-text")).to_contain_text("1 outcome edited")
    assert edits(page) == [("", 3)]
    page.wait_for_function("(hash) => location.hash === hash", arg=before)
    press(page, "z")
    assert edits(page) == []
    expect(part(page, "notice")).to_be_hidden()


def test_address_names_the_case_that_is_shown_where_the_next_two_were_asked_for_and_one_is_missing(torn):
    copy, page = torn
    show(page, copy.address("folder", "triage", "case=ticket-01&mode=replayed"))
    page.evaluate(
        """() => { for (const key of ["j", "j"]) document.dispatchEvent(new KeyboardEvent("keydown", { key })); }"""
    )
    settle(page)
    shown = part(page, "case-name").inner_text()
    page.wait_for_function("(name) => location.hash.includes(`case=${name}&`)", arg=shown)
    assert page.evaluate("() => AgentBlame.page.state().case") == shown


def test_address_says_when_nothing_is_compared(torn):
    copy, page = torn
    show(page, copy.address("folder", "triage", "case=ticket-05&mode=replayed&with=ticket-03.replayed"))
    page.wait_for_function("() => location.hash.includes('case=ticket-05') && !location.hash.includes('with=')")


def test_case_that_could_be_had_the_second_time_is_not_passed_over(torn, built):
    copy, page = torn
    show(page, copy.address("folder", "triage", "case=ticket-02&mode=replayed"))
    press(page, "j")
    expect(part(page, "notice")).to_contain_text("ticket-03.js is missing")
    shutil.copy(built.site / "data" / "triage" / "ticket-03.js", copy.site / "data" / "triage")
    go(page, "s=triage&case=ticket-03&mode=replayed")
    press(page, "j", "k")
    expect(part(page, "case-name")).to_have_text("ticket-03")


def test_undo_gives_back_what_back_took(opened):
    page = opened("triage", "case=ticket-05&mode=replayed")
    flip(page, 0)
    flip(page, 3)
    for left in ([("", 0)], []):
        page.go_back()
        settle(page)
        assert edits(page) == left
    press(page, "z")
    assert edits(page) == [("", 0)]
    press(page, "z")
    assert edits(page) == [("", 0), ("", 3)]


def test_edits_that_a_link_took_away_come_back_together(opened):
    page = opened("triage", "case=ticket-05&mode=replayed")
    flip(page, 0)
    flip(page, 3)
    go(page, "s=triage&case=ticket-07&mode=replayed")
    assert edits(page) == []
    press(page, "z")
    assert edits(page) == [("ticket-05.replayed", 0), ("ticket-05.replayed", 3)]
    expect(part(page, "notice")).to_have_text("The last change of edits was taken back: ticket-05 (Recorded luck).")


def test_what_a_page_began_with_cannot_be_taken_back(opened):
    page = opened("triage", "case=ticket-05&mode=replayed&edits=0_1")
    expect(part(page, "undo-edit").first).to_be_disabled()
    press(page, "z")
    assert edits(page) == [("", 0)]


def test_case_that_is_marked_among_all_is_in_the_address(opened, offline):
    page = opened("triage", "case=ticket-05&mode=replayed&on=2&path=3.1.2")
    press(page, "Escape", "j")
    expect(part(page, "cases").locator("[aria-current]")).to_have_attribute("data-case", "ticket-06")
    links = "(all) => all.map((link) => link.getAttribute('href'))"
    expected = part(page, "cases").locator("a:visible").evaluate_all(links)
    fresh = offline().new_page()
    show(fresh, page.url)
    assert view(fresh) == "all"
    expect(part(fresh, "cases").locator("[aria-current]")).to_have_attribute("data-case", "ticket-06")
    assert part(fresh, "cases").locator("a:visible").evaluate_all(links) == expected
    press(fresh, "Enter")
    assert fresh.evaluate("() => [AgentBlame.page.state().case, AgentBlame.page.state().mask]") == ["ticket-06", 2]


def test_case_that_is_marked_by_a_key_comes_into_sight(opened):
    page = opened("triage")
    page.evaluate("() => scrollTo(0, 0)")
    press(page, "j")
    expect(part(page, "cases").locator("[aria-current]")).to_be_in_viewport()


def test_place_on_a_page_is_no_view(opened):
    page = opened("triage", "case=ticket-05&mode=replayed&edits=0_1")
    page.evaluate("() => { location.hash = document.querySelector('main').id; }")
    settle(page)
    assert edits(page) == [("", 0)]
    expect(part(page, "notice")).to_be_hidden()


#: Takes its time to unpack what is asked for, once `slow` is true.
SLOW = """(() => {
    const text = Response.prototype.text;
    globalThis.slow = false;
    Response.prototype.text = async function () {
        const found = await text.call(this);
        if (globalThis.slow) await new Promise((resolve) => setTimeout(resolve, 600));
        return found;
    };
})()"""


def test_scenario_that_came_too_late_takes_no_keys(page, built):
    page.add_init_script(SLOW)
    show(page, built.address("report", "triage", "case=ticket-02&mode=replayed"))
    home = page.evaluate("() => location.hash")
    page.evaluate("() => { slow = true; location.hash = 's=refund-policy-a'; }")
    expect(page.locator("[data-scenario=refund-policy-a]")).to_be_visible()
    page.evaluate("(hash) => { location.hash = hash; }", home)
    page.wait_for_function("() => AgentBlame.load('refund-policy-a').then(() => true)")
    settle(page)
    assert page.evaluate("() => AgentBlame.page.state().scenario") == "triage"
    press(page, "j")
    expect(part(page, "case-name")).to_have_text("ticket-03")
    assert page.evaluate("() => location.hash").startswith("#s=triage&case=ticket-03")
