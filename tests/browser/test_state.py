"""All that a reader chose is in the address: for a fresh browser, for Back and Forward, and not for a damaged link."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import Offline
from tests.browser.conftest import OPENINGS, Built, build, part, settle, show
from tests.known_game_files import letters, refund_files, triage_files
from tests.made_game_files import case_game, game_file, scenario

everywhere = pytest.mark.parametrize("opening", OPENINGS)
# What a host serves is the folder.
from_disk = pytest.mark.parametrize("opening", ["folder", "report"])

SAFE = r"#[A-Za-z0-9._~=&-]+"

STATE = """() => { const s = AgentBlame.page.state(); return {...s, edits: [...s.edits],
    otherEdits: [...s.otherEdits].map(([game, edits]) => [game, [...edits]])}; }"""

# All that can be read, with everything open that a reader may have opened or not, but for what was announced only.
READ = """async () => {
    const announced = document.querySelectorAll("[data-part=share-said], [data-part=waterfall-moved]");
    announced.forEach((one) => { one.textContent = ""; });
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
    // What changed within texts is marked in its own time.
    const section = document.querySelector("[data-scenario]:not([hidden])");
    for (let last = null, same = 0; same < 3; last = section.innerText) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        same = section.innerText === last ? same + 1 : 0;
    }
    return section.innerText;
}"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build a scenario of many cases, one of a single case, and one of ten fixes."""
    modes = {"replayed": 1, "abducted": 8, "fresh": 8}
    steps = letters(10)
    wide = case_game(steps, "wide", [int(mask == 1023) for mask in range(1024)], 1, lambda name, mask: name)
    return build(
        [
            *refund_files("a", modes),
            *triage_files(modes),
            game_file(scenario("wide", "Wide", ""), steps, "replayed", 1, [wide]),
        ],
        tmp_path_factory.mktemp("small"),
    )


def search(page: Page) -> None:
    """Search, which is no step of its own to go back by: nobody wants every word back."""
    part(page, "search-text").fill("question about")
    part(page, "search-text").press("Enter")
    part(page, "search-text").blur()
    settle(page)


def actions(page: Page) -> list[Callable[[], object]]:
    """Return what a reader does, one after the other: each makes a view of its own."""
    section = page.locator("[data-scenario]:not([hidden])")

    def choose(text: str, name: str) -> None:
        part(page, "compare").locator("summary").focus()
        page.keyboard.press("Enter")
        part(page, "compare").get_by_role("combobox").click()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        settle(page)
        assert page.evaluate("() => AgentBlame.page.state().other") == name

    def filter_by() -> None:
        part(page, "filters").locator("summary").click()
        part(page, "filters").get_by_text("urgent", exact=False).first.click()

    def set_outcome() -> None:
        part(page, "outcomes").locator("tr[data-mask='1'] [data-part=set]").fill("0.3")

    return [
        lambda: page.keyboard.press("m"),
        filter_by,
        lambda: section.locator("th[data-sort='2'] button").click(),
        lambda: section.locator("[data-part=cases] tr:visible a").first.click(),
        lambda: page.keyboard.press("1"),
        lambda: page.keyboard.press("3"),
        set_outcome,
        lambda: section.get_by_label("By step").check(),
        lambda: section.get_by_role("button", name="Check: earlier").click(),
        lambda: choose("ticket-05", "ticket-05.abducted"),
        lambda: page.evaluate("() => document.activeElement.blur()") or page.keyboard.press("j"),
    ]


@everywhere
def test_every_choice_is_in_the_address_and_comes_back_by_back_and_forward(offline, small, opening):
    opened: Offline = offline(viewport={"width": 1200, "height": 900})
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened.new_page()
    show(page, small.address(opening, "triage"))
    search(page)
    states, length = [page.evaluate(STATE)], page.evaluate("() => history.length")
    for action in actions(page):
        action()
        settle(page)
        states.append(page.evaluate(STATE))
        assert states[-1] != states[-2]
        assert re.fullmatch(SAFE, page.evaluate("() => location.hash"))
    last = states[-1]
    assert (last["mode"], last["mask"], last["order"], last["path"]) == ("abducted", 5, "step", [0, 2, 1])
    assert last["list"]["find"] == "question about"
    assert (last["list"]["sort"], len(last["list"]["tags"]), last["other"]) == ("2", 1, "ticket-05.abducted")
    assert sum(len(edits) for _, edits in [*last["otherEdits"], ["", last["edits"]]]) == 1
    assert page.evaluate("() => history.length") == length + len(states) - 1
    for expected in reversed(states[:-1]):
        page.go_back()
        settle(page)
        assert page.evaluate(STATE) == expected
    for expected in states[1:]:
        page.go_forward()
        settle(page)
        assert page.evaluate(STATE) == expected


@everywhere
def test_copied_link_shows_a_fresh_browser_the_same_to_the_letter(offline, small, opening):
    opened: Offline = offline(viewport={"width": 1200, "height": 900})
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened.new_page()
    show(page, small.address(opening, "triage"))
    search(page)
    for action in actions(page):
        action()
        settle(page)
    page.keyboard.press("k")
    settle(page)
    part(page, "sharing").locator("summary").click()
    page.locator("[data-scenario]:not([hidden]) [data-copy=link]").click()
    expect(part(page, "share-said")).to_contain_text("is copied")
    page.keyboard.press("Escape")
    fresh = offline(viewport={"width": 1200, "height": 900}).new_page()
    show(fresh, str(page.evaluate("navigator.clipboard.readText()")))
    assert fresh.evaluate(STATE) == page.evaluate(STATE)
    assert fresh.evaluate(READ) == page.evaluate(READ)
    for one in (page, fresh):
        one.locator("[data-scenario]:not([hidden]) [data-place=all]").click()
        settle(one)
    assert fresh.evaluate(READ) == page.evaluate(READ)


DAMAGED = (
    "path=1.2", "path=1.2.2", "path=1.2.4", "path=0.1.2", "path=3.1.2.4", "path=", "path=1-2-3",
    "path=1.2.3&path=1.2.3", "with=nobody.replayed", "with=ticket-03", "with=ticket-03.guessed",
    "with=Ticket-03.replayed", "with=", "case=ticket-99", "case=ticket-01&case=ticket-02", "mode=guessed", "on=4",
    "on=1.1", "on=01", "order=up", "edits=8_1", "edits=1_", "edits=1_2", "edits=1_0.5~1_0.5",
    "edits.ticket-99.fresh=1_1", "edits.ticket-01.fresh=9_1", "find=~E9", "find=%20", "tags=0", "tags=99",
    "failures=1.1", "kinds=nice", "sort=9", "sort=1-up", "what=1", "&", "=",
    "case=ticket-02&mode=replayed&edits.ticket-02.replayed=1_1",
)  # fmt: skip


@from_disk
def test_damaged_link_is_ignored_with_a_notice(page, small, opening):
    show(page, small.address(opening, "triage"))
    begin = page.evaluate(STATE)
    good = "case=ticket-02&mode=fresh&on=1&edits=1_0.3&path=3.1.2&with=ticket-03.replayed&find=billing"
    for number, view in enumerate(DAMAGED):
        if number % 6 == 0:
            show(page, small.address(opening, "triage", good))
            expect(part(page, "notice")).to_be_hidden()
            assert page.evaluate(STATE)["mask"] == 1
        show(page, small.address(opening, "triage", view))
        # Where a report cannot tell which scenario was meant, the overview comes.
        if page.locator("[data-part=index-notice]").is_visible():
            expect(page.locator("[data-part=index-notice]")).to_contain_text("The link is damaged")
            assert page.locator("[data-scenario]:visible").count() == 0
            continue
        expect(part(page, "notice")).to_contain_text("The link to this view is damaged")
        assert page.evaluate(STATE) == begin, view


@from_disk
def test_link_that_was_cut_off_anywhere_or_mistyped_breaks_nothing(page, small, opening):
    whole = (
        "#s=triage&case=ticket-02&mode=fresh&on=1.3&edits=1_0.3&edits.ticket-05.fresh=0_1&order=step&path=3.1.2"
        "&with=ticket-03.replayed&sort=2-reversed&find=que_about~C3~A9&tags=1.2&failures=1&kinds=repairable"
    )
    page.goto(small.report.as_uri() if opening == "report" else small.address(opening, "triage"))
    root = page.url.partition("#")[0]
    cut = [whole[:length] for length in range(4, len(whole), 7)]
    mistyped = [whole[:at] + letter + whole[at + 1 :] for at in range(10, len(whole), 13) for letter in "&.%"]
    begin = None
    for text in ["#s=triage", *cut, *mistyped]:
        show(page, root + text)
        if page.locator("[data-scenario]:visible").count() == 0:
            expect(page.locator("[data-part=index-notice]")).to_be_visible()
            continue
        state, told = page.evaluate(STATE), page.evaluate("() => AgentBlame.address.format(AgentBlame.page.state())")
        begin = begin or state
        if part(page, "notice").is_visible():
            assert state == begin, text
        else:
            # What is shown is what the address says, and nothing beside.
            assert {one for one in told.split("&") if not one.startswith("mode=")} <= set(text[1:].split("&")), text


@from_disk
def test_all_fixes_of_a_large_scenario_and_their_order_come_back(offline, small, opening):
    page = offline().new_page()
    path = [9, 0, 8, 1, 7, 2, 6, 3, 5, 4]
    text = "on=1.2.3.4.5.6.7.8.9.10&path=" + ".".join(str(player + 1) for player in path)
    show(page, small.address(opening, "wide", text))
    expect(part(page, "notice")).to_be_hidden()
    state = page.evaluate(STATE)
    assert (state["mask"], state["path"]) == (1023, path)
    page.keyboard.press("9")
    settle(page)
    assert page.evaluate("() => location.hash").endswith("on=1.2.3.4.5.6.7.8.10&path=10.1.9.2.8.3.7.4.6.5")
