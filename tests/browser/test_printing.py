"""On paper every view is light, open and whole, whatever the screen was, and there is nothing to press."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Built, settle, show

#: Views that between them have every section: over all cases, a case, a comparison, edits, many fixes, a hole.
VIEWS = (
    ("triage", "mode=fresh&tags=1&find=delivery&edits.ticket-05.fresh=0_1"),
    ("triage", "case=ticket-02&mode=fresh&on=1&edits=1_0.3&with=ticket-03.replayed&path=3.1.2"),
    ("refund-policy-a", "on=3.4"),
    ("chain-of-9", "case=only&mode=replayed&on=1.2.3"),
    ("night-run", "case=leader&mode=replayed&on=1.2"),
    ("time-outs", "case=unfixed&mode=replayed"),
)

#: Headings of columns, names of combinations and fixes with their state are texts, too; they only look pressable.
CONTROLS = """() => Array.from(document.querySelectorAll("button, input, select, textarea, .pager, .chip, .sharing"))
    .filter((one) => one.checkVisibility() && !one.matches("[role=switch], .sort, .link"))
    .map((one) => one.outerHTML.slice(0, 120))"""

# What is shut away, though no rule leaves it out.
CLOSED = """(all) => all.filter((one) => one.parentElement.checkVisibility() && getComputedStyle(one).display !== "none"
    && !one.checkVisibility()).map((one) => one.outerHTML.slice(0, 120))"""

# Boxes with a dark ground, and pale texts that stand on no dark ground of their own.
TONES = """() => {
    const light = (color) => {
        const parts = color.match(/[0-9.]+/g).map(Number);
        if (parts.length === 4 && parts[3] < 0.5) return null;
        const [r, g, b] = parts.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const dark = [], pale = [];
    for (const one of document.querySelectorAll("html, body, body :not(svg *)")) {
        const ground = light(getComputedStyle(one).backgroundColor);
        const box = one.getBoundingClientRect();
        if (one.checkVisibility() && box.width > 150 && box.height > 60 && ground !== null && ground < 0.8) {
            dark.push(one.outerHTML.slice(0, 120));
        }
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let seen = 0;
    while (walker.nextNode()) {
        const one = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !one.checkVisibility()) continue;
        if (one.closest("script, .unseen, .skip") !== null) continue;
        seen += 1;
        const inside = one.closest("svg") !== null;
        const ground = light(getComputedStyle(one).backgroundColor);
        const text = light(inside ? getComputedStyle(one).fill : getComputedStyle(one).color);
        if (text > 0.3 && (ground === null || ground > 0.3)) pale.push(one.outerHTML.slice(0, 120));
    }
    return { dark, pale, seen };
}"""


@pytest.fixture
def on_paper(offline, built: Built):
    """Open a view on a dark screen and print it."""

    def print_one(address: str) -> Page:
        page = offline(color_scheme="dark").new_page()
        show(page, address) if "scenarios/" in address or "#s=" in address else page.goto(address)
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print", color_scheme="dark")
        return page

    return print_one


def assert_fit_for_paper(page: Page) -> None:
    tones = page.evaluate(TONES)
    assert tones["seen"] > 30
    assert (tones["dark"], tones["pale"]) == ([], [])
    assert page.evaluate(CONTROLS) == []
    assert page.locator("details > :not(summary)").evaluate_all(CLOSED) == []


@pytest.mark.parametrize(("name", "view"), VIEWS)
def test_view_of_a_scenario_is_light_open_and_has_nothing_to_press(on_paper, built, name, view):
    page = on_paper(built.address("folder", name, view))
    assert page.locator("details:not([open])").count() == 0
    assert_fit_for_paper(page)


def test_section_of_a_report_is_printed_alone(on_paper, built):
    page = on_paper(built.address("report", *VIEWS[1]))
    settle(page)
    assert_fit_for_paper(page)
    assert page.locator("[data-scenario]:visible, [data-page]:visible, [data-part=index]:visible").count() == 1


@pytest.mark.parametrize(
    "path", ["index.html", "methods.html", "explainers.html", "explainers/how-to-read-a-verdict.html"]
)
def test_page_of_text_is_light_open_and_has_nothing_to_press(on_paper, built, path):
    assert_fit_for_paper(on_paper((built.site / path).as_uri()))


def test_pictures_and_comparison_are_printed_and_say_what_is_hypothetical(on_paper, built):
    page = on_paper(built.address("folder", *VIEWS[1]))
    for name in ("ranking", "graph", "lattice", "waterfall", "pairs"):
        expect(page.locator(f"[data-picture={name}]").first).to_be_visible()
    expect(page.locator("[data-part=compare-shown]")).to_be_visible()
    expect(page.locator("[data-part=side-hypothetical]").first).to_have_text(
        "Hypothetical: 1 outcome edited; this is not what was run."
    )
    expect(page.locator("[data-part=hypothetical]").get_by_text("Hypothetical", exact=True)).to_be_visible()


#: A sheet of A4 with the margins that browsers begin with.
SHEET = {"width": 718, "height": 1040}


@pytest.fixture
def on_a_sheet(offline, built: Built):
    """Open an address on a window as wide as a sheet, and print it."""

    def print_one(address: str) -> Page:
        page = offline(viewport=SHEET).new_page()
        show(page, address) if "#s=" in address else page.goto(address)
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        return page

    return print_one


def after(page: Page, selector: str) -> list[str]:
    """Return what style sheets write behind each element that is seen."""
    return page.locator(selector).evaluate_all(
        "(all) => all.filter((one) => one.checkVisibility()).map((one) => getComputedStyle(one, '::after').content)"
    )


@pytest.mark.parametrize("view", ["mode=replayed", "mode=fresh&edits.ticket-05.fresh=0_1"])
def test_every_column_over_all_cases_is_on_the_sheet(on_a_sheet, built, view):
    page = on_a_sheet(built.address("folder", "triage", view))
    ends = page.locator(".over-all :is(th, td):visible, .cases :is(th, td):visible").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right])"
    )
    assert len(ends) > 40
    assert min(left for left, _ in ends) >= 0
    assert max(right for _, right in ends) <= SHEET["width"]


#: On how many lines each word of an element is.
LINES = """(all) => all.flatMap((one) => {
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
        for (const { index, 0: word } of walker.currentNode.data.matchAll(/\\S+/g)) {
            const range = document.createRange();
            range.setStart(walker.currentNode, index);
            range.setEnd(walker.currentNode, index + word.length);
            found.push([word, new Set(Array.from(range.getClientRects(), (box) => box.top)).size]);
        }
    }
    return found;
})"""


@pytest.mark.parametrize("mode", ["replayed", "fresh", "abducted"])
@pytest.mark.parametrize("shares", [True, False])
def test_step_over_all_cases_has_room_for_its_longest_word(on_a_sheet, built, mode, shares):
    page = on_a_sheet(built.address("folder", "triage", f"mode={mode}"))
    # The narrowest that the column gets is beside the one that is not always there.
    page.locator(".batch").evaluate("(one, shares) => one.classList.toggle('is-unshared', !shares)", shares)
    words = page.locator(".batch :is(thead th, .who):visible").evaluate_all(LINES)
    assert len(words) > 20
    assert [word for word, lines in words if lines != 1] == []
    ends = page.locator(".batch :is(th, td):visible").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().right)"
    )
    assert max(ends) <= SHEET["width"]


def test_foot_of_a_table_is_on_its_last_sheet_only_and_its_head_on_each(on_a_sheet, built):
    page = on_a_sheet(built.address("folder", "triage", "mode=fresh"))
    displays = "(all) => all.map((one) => getComputedStyle(one).display)"
    feet = page.locator("tfoot").evaluate_all(displays)
    assert feet
    assert set(feet) == {"table-row-group"}
    assert page.locator(".batch thead").evaluate_all(displays) == ["table-header-group"]


def test_heading_of_a_table_is_on_the_sheet_of_its_first_rows(on_a_sheet, built):
    page = on_a_sheet(built.address("folder", "triage", "mode=fresh"))
    heading = page.locator("h3:has(+ .scroll > .batch)")
    assert heading.evaluate("(one) => getComputedStyle(one).breakInside") == "avoid"
    kept, row = heading.bounding_box(), page.locator(".batch tbody tr >> nth=1").bounding_box()
    assert kept["y"] + kept["height"] >= row["y"] + row["height"] / 2
    table = page.locator(".batch").bounding_box()
    assert table["y"] < kept["y"] + 60


def test_scenario_of_the_index_begins_on_the_sheet_where_there_is_room(on_a_sheet, built):
    page = on_a_sheet((built.site / "index.html").as_uri())
    breaks = page.locator(".tile, .tile .picture").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).breakInside)"
    )
    assert len(breaks) > 4
    assert set(breaks) == {"auto"}
    assert page.locator(".tile").first.bounding_box()["y"] < SHEET["height"] / 2


@pytest.mark.parametrize(("name", "view"), [
    ("refund-policy-a", "case=march-headphones&mode=replayed&edits=12_0"),
    ("triage", "mode=replayed&edits.ticket-02.replayed=1_0.5"),
])  # fmt: skip
def test_pairs_say_that_they_are_hypothetical_and_no_fix_is_called_so(on_a_sheet, built, name, view):
    page = on_a_sheet(built.address("folder", name, view))
    (corner,) = after(page, ".pairs thead th:first-child")
    assert "hypothetical" in corner
    assert not any("hypothetical" in text for text in after(page, ".pairs thead th:not(:first-child)"))
    heads = after(page, "h3:is([id$=-pairs])")
    assert heads
    assert all("hypothetical" in text for text in heads)


EDITED_A, EDITED_B = "&edits=12_0", "&edits.march-headphones.fresh=12_0"


@pytest.mark.parametrize(("edits", "marked"), [(EDITED_A, True), (EDITED_B, True), ("", False)])
def test_comparison_says_beside_its_figures_that_one_side_is_hypothetical(on_a_sheet, built, edits, marked):
    view = f"case=march-headphones&mode=replayed&with=march-headphones.fresh{edits}"
    page = on_a_sheet(built.address("folder", "refund-policy-a", view))
    heads = after(page, ".compare h2, [data-part=compare-shown] > h3")
    assert len(heads) == 4
    assert [("hypothetical" in text) for text in heads] == [marked] * 4


@pytest.mark.parametrize(("name", "view", "marked"), [
    ("refund-policy-a", "case=march-headphones&mode=replayed&edits=12_0", True),
    ("refund-policy-a", f"case=march-headphones&mode=replayed&with=march-headphones.fresh{EDITED_B}", True),
    ("refund-policy-a", "case=march-headphones&mode=replayed", False),
    ("refund-policy-a", f"case=march-headphones&mode=replayed{EDITED_B}", False),
    ("triage", "mode=replayed&edits.ticket-02.replayed=1_0.5", True),
    ("triage", "mode=replayed", False),
    ("triage", "mode=replayed&edits.ticket-02.fresh=1_0.5", False),
])  # fmt: skip
def test_margin_and_title_of_each_sheet_say_what_is_hypothetical(on_a_sheet, built, name, view, marked):
    page = on_a_sheet(built.address("folder", name, view))
    assert page.evaluate("() => getComputedStyle(document.body).page") == ("hypothetical" if marked else "auto")
    assert page.title().startswith("Hypothetical: ") is marked


def test_margin_is_of_the_view_that_is_printed(on_a_sheet, built):
    page = on_a_sheet(built.address("folder", "triage", "case=ticket-02&mode=replayed&edits=1_0.5"))
    show(page, built.address("folder", "triage", "mode=fresh&edits.ticket-02.replayed=1_0.5"))
    assert page.evaluate("() => getComputedStyle(document.body).page") == "auto"


@pytest.mark.parametrize("opening", ["folder", "report"])
@pytest.mark.parametrize(("name", "view", "title"), [
    ("refund-policy-a", "case=march-headphones&mode=fresh", "march-headphones · {} · New luck · Agent Blame"),
    ("triage", "mode=abducted", "{} · all failures · Inferred luck · Agent Blame"),
])  # fmt: skip
def test_title_names_scenario_case_and_luck(page, built, opening, name, view, title):
    show(page, built.address(opening, name, view))
    heading = page.locator("[data-scenario]:not([hidden]) h1").inner_text()
    assert page.title() == title.format(heading)


def test_title_follows_what_is_shown(page, built):
    show(page, built.address("folder", "triage", "mode=fresh"))
    page.keyboard.press("Enter")
    settle(page)
    page.keyboard.press("m")
    settle(page)
    assert page.title() == "ticket-01 · Support triage · Recorded luck · Agent Blame"
    page.locator("[data-scenario]:not([hidden]) tr[data-mask='1'] [data-part=flip]").click()
    settle(page)
    assert page.title() == "Hypothetical: ticket-01 · Support triage · Recorded luck · Agent Blame"


def test_names_of_an_order_stand_on_one_line(on_a_sheet, built):
    page = on_a_sheet((built.site / "explainers" / "share-the-repair-fairly.html").as_uri())
    names = page.locator(".widget-order .widget-title:visible")
    assert names.count() > 2
    for line in names.evaluate_all(
        """(all) => all.map((one) => {
            const range = document.createRange();
            range.selectNodeContents(one);
            return { lines: range.getClientRects().length, text: range.getBoundingClientRect().right,
                next: one.parentElement.querySelector(".outcome").getBoundingClientRect().left };
        })"""
    ):
        assert line["lines"] == 1
        assert line["text"] < line["next"]
