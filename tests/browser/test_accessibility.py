"""Every page, looked over by axe: each chart has a table, and each sign a shape or a word."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from analyzer.slug import slug
from tests.browser.conftest import Built, build, settle, show
from tests.known_game_files import HOSTILE, refund_files, triage_files

SERIOUS = ("serious", "critical")

#: Without a second look at the style sheets, which would ask for them over a connection that no page here may open.
OPTIONS = {"resultTypes": ["violations"], "preload": False}

# Colours are the most part of axe's work, and all that differs between a light and a dark screen.
COLOURS = {**OPTIONS, "runOnly": ["color-contrast"]}
NO_COLOURS = {**OPTIONS, "rules": {"color-contrast": {"enabled": False}}}

#: Views of scenarios that between them show everything a section can.
VIEWS = (
    ("refund-policy-a", ""),
    ("refund-policy-a", "case=march-headphones&mode=abducted&on=1.3&edits=5_0.3"),
    ("triage", ""),
    ("triage", "mode=fresh&tags=1&kinds=repairable&edits.ticket-05.fresh=0_1"),
    ("triage", "case=ticket-02&mode=fresh&on=1&edits=1_0.3&with=ticket-03.replayed&path=3.1.2"),
    ("chain-of-9", "case=chain&mode=replayed&on=1.2.3"),
    ("night-run", ""),
    ("night-run", "case=leader&mode=replayed&on=1.2"),
    ("graded-answers", "case=rising&mode=replayed"),
    ("time-outs", "case=unfixed&mode=replayed"),
    (slug(HOSTILE[1] + " 1"), ""),
)


#: What alone depends on the scheme.
CONTRAST = {**OPTIONS, "runOnly": ["color-contrast"]}


UNNAMED = """() => Array.from(document.querySelectorAll("svg"), (svg) => svg)
    .filter((svg) => svg.checkVisibility() && svg.getAttribute("aria-hidden") !== "true"
        && !svg.getAttribute("aria-label") && !svg.getAttribute("aria-labelledby")
        && svg.closest("[aria-label], [aria-labelledby]") === null)
    .map((svg) => svg.outerHTML.slice(0, 120))"""


def findings(page: Page, options: dict[str, object] = OPTIONS) -> list[str]:
    """Open everything that is closed and return what axe finds serious."""
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


@pytest.mark.parametrize(("name", "view"), VIEWS)
def test_nothing_serious_is_found_on_a_scenario_and_every_picture_is_named(page, built, name, view):
    show(page, built.address("folder", name, view))
    assert findings(page) == []
    assert page.evaluate(UNNAMED) == []


@pytest.mark.parametrize(("name", "view"), [VIEWS[place] for place in (1, 3, 4, 6)])
def test_colours_of_a_scenario_can_be_told_apart_in_the_dark(offline, built, name, view):
    page = offline(color_scheme="dark").new_page()
    show(page, built.address("folder", name, view))
    assert findings(page, COLOURS) == []


@pytest.mark.parametrize(("scheme", "options"), [("light", OPTIONS), ("dark", COLOURS)])
def test_nothing_serious_is_found_on_a_page_without_a_scenario(offline, built: Built, scheme, options):
    page = offline(color_scheme=scheme).new_page()
    pages = sorted(path for path in built.site.rglob("*.html") if path.parent.name != "scenarios")
    assert len(pages) > 10
    for path in pages:
        page.goto(path.as_uri())
        assert findings(page, options) == [], path.name
        assert page.evaluate(UNNAMED) == []


def test_nothing_serious_is_found_in_a_report(page, tmp_path):
    # Axe looks at every section for each that is shown, so a report of two scenarios it is.
    modes = {"replayed": 1, "fresh": 8}
    report = build([*refund_files("a", modes), *triage_files(modes)], tmp_path).report
    for address in ("", "#s=triage", "#s=triage&case=ticket-02&mode=fresh", "#p=methods", "#p=explainers"):
        page.goto(report.as_uri() + address)
        settle(page)
        assert findings(page, NO_COLOURS) == [], address


def test_nothing_serious_is_found_on_a_phone(offline, built):
    page = offline(viewport={"width": 360, "height": 740}, has_touch=True).new_page()
    for name, view in VIEWS[:6]:
        show(page, built.address("folder", name, view))
        assert findings(page, NO_COLOURS) == [], (name, view)


NUMBER = re.compile(r"[+\u2212]?\d+(?:\.\d+)?(?:/\d+)?")


def numbers(texts: list[str]) -> list[str]:
    return [number for text in texts for number in NUMBER.findall(text)]


def test_table_beside_each_picture_of_a_case_says_the_same(page, built):
    show(page, built.address("folder", "graded-answers", "case=router-misroutes&mode=replayed&edits=3_0.2"))
    section = page.locator("[data-scenario]:not([hidden])")
    drawn = {
        name: section.locator(f"[data-picture={name}] svg").first.locator("text").all_text_contents()
        for name in ("lattice", "waterfall", "graph")
    }
    outcomes = section.locator("[data-part=outcomes] [data-part=number]").all_inner_texts()
    assert len(outcomes) == 8
    assert sorted(numbers(drawn["lattice"])) == sorted(outcomes)
    walked = numbers(section.locator("[data-part=waterfall] table").all_inner_texts())
    assert set(numbers(drawn["waterfall"])) <= {*walked, *outcomes}
    steps = section.locator("[data-step] h3").all_inner_texts()
    assert all(any(title in text for text in drawn["graph"]) for title in steps)


def test_table_beside_the_strips_counts_every_case(page, built):
    show(page, built.address("folder", "triage", "mode=replayed"))
    page.get_by_text("The values in numbers").click()
    table = page.locator("[data-part=batch-ranges]")
    rows = [one.locator("td").all_inner_texts() for one in table.locator("tr").all()]
    assert [sum(int(row[place]) for row in rows) for place in range(3)] == [30, 30, 30]


def test_a_fix_that_makes_things_worse_has_a_sign_and_a_bar_to_the_other_side(page, built):
    show(page, built.address("folder", "graded-answers", "case=router-misroutes&mode=replayed"))
    cells = page.locator("[data-part=ranking] [data-rule=shapley]")
    signs = {
        (
            one.locator("[data-part=number]").inner_text().startswith("\u2212"),
            one.locator("svg").evaluate(
                """(svg) => { const zero = svg.querySelector(".bar-zero").getBoundingClientRect().x;
                    const bar = svg.querySelector(".bar-mark").getBoundingClientRect();
                    return bar.x + bar.width / 2 < zero; }"""
            ),
        )
        for one in cells.all()
    }
    assert signs == {(True, True), (False, False)}
