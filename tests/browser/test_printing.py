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
