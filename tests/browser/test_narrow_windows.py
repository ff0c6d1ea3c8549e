"""What is wider than its window: it fits or is set as cards, or the edge of its box says that it goes on."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Built, build, part, show
from tests.known_game_files import letters, plain_text
from tests.made_game_files import case_game, game_file, scenario

MODES = ("replayed", "fresh", "abducted")

#: Where the texts of elements begin and end, whether or not their boxes hold them.
ENDS = """(all) => all.filter((one) => one.checkVisibility() && one.textContent.trim() !== "").map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const { left, right } = range.getBoundingClientRect();
    return [left, right];
})"""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build a table with every column, and long numbers in them: 101 cases, all fixes of use."""
    luck = random.Random(5)
    steps = letters(4)
    files = []
    for mode in MODES:
        worlds = 1 if mode == "replayed" else 8
        cases = []
        for k in range(101):
            lifts = [luck.choice((0, 1, 2)) for _ in steps]
            eighths = [sum(lift for i, lift in enumerate(lifts) if mask >> i & 1) for mask in range(16)]
            passed = [int(one > 2) if worlds == 1 else min(8, one) for one in eighths]
            cases.append(case_game(steps, f"case-{k:03}", passed, worlds, plain_text))
        files.append(game_file(scenario("wide", "A wide table", ""), steps, mode, worlds, cases))
    return build(files, tmp_path_factory.mktemp("wide"))


def cells(page: Page) -> Locator:
    return page.locator(".batch :is(th, td):visible")


def assert_within(ends: list[list[float]], width: int) -> None:
    assert len(ends) > 20
    assert min(left for left, _ in ends) >= 0
    assert max(right for _, right in ends) <= width


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [1280, 1024])
def test_every_column_over_all_cases_is_in_the_window(offline, wide, mode, width):
    page = offline(viewport={"width": width, "height": 800}).new_page()
    show(page, wide.address("folder", "wide", f"mode={mode}"))
    assert page.locator(".batch .share:visible").count() > 4
    assert_within(cells(page).evaluate_all(ENDS), width)
    box = page.locator(".scroll:has(> .batch):visible")
    assert box.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0


@pytest.mark.parametrize("width", [320, 375, 720])
@pytest.mark.parametrize("name", ["triage", "night-run"])
def test_fix_over_all_cases_is_a_card_with_all_columns(offline, built, name, width):
    page = offline(viewport={"width": width, "height": 800}).new_page()
    show(page, built.address("folder", name))
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    assert_within(cells(page).evaluate_all(ENDS), width)
    row = part(page, "batch-lines").locator("tr").first
    for one in ("mean", "strip-text", "alone", "last-touch", "necessity", "sufficiency"):
        expect(row.locator(f"[data-part={one}]")).to_be_visible()
    (who,) = row.locator(".who").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().bottom)")
    assert row.locator("td:not(.place):visible").evaluate_all(
        "(all, who) => all.every((one) => one.getBoundingClientRect().top >= who)", who
    )


def test_card_names_each_column_as_the_head_does(offline, wide):
    page = offline(viewport={"width": 375, "height": 800}).new_page()
    show(page, wide.address("folder", "wide"))
    heads = page.locator(".batch thead th").evaluate_all("(all) => all.map((one) => one.firstChild.textContent)")
    row = part(page, "batch-lines").locator("tr").first
    names = row.locator("td:not(.place)").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one, '::before').content)"
    )
    assert names == [f'"{head}"' for head in heads[2:]]


def test_card_is_a_row_of_a_table_to_assistive_technology(offline, wide):
    page = offline(viewport={"width": 375, "height": 800}).new_page()
    show(page, wide.address("folder", "wide"))
    table = page.get_by_role("table", name="Each fix over all cases")
    assert table.get_by_role("row").count() == 1 + 4 + 2
    assert table.get_by_role("columnheader").count() == 9
    assert table.get_by_role("rowheader").count() == 4 + 2


def edges(page: Page, box: Locator) -> dict[str, bytes]:
    """Return how a box looks at both edges and between them, above all that is in it."""
    # The middle of the window: at its top a bar stays in view.
    box.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    found = box.bounding_box()
    assert found is not None
    size = {"width": 12, "height": 3}
    places = {"left": 0, "middle": found["width"] // 2, "right": found["width"] - 12}
    return {
        name: page.screenshot(clip={"x": found["x"] + x, "y": found["y"] + 1, **size}) for name, x in places.items()
    }


SCHEMES = ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"})


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("view", "box"), [
    ("mode=fresh", ".scroll:has(> .batch)"),
    ("mode=fresh&case=case-000", ".graph-box .scroll"),
])  # fmt: skip
def test_edge_behind_which_a_box_goes_on_is_marked(offline, wide, scheme, view, box):
    page = offline(viewport={"width": 760 if "batch" in box else 375, "height": 800}, **scheme).new_page()
    show(page, wide.address("folder", "wide", view))
    scrolled = page.locator(f"{box}:visible")
    assert scrolled.evaluate("(one) => one.scrollWidth > one.clientWidth")
    first = edges(page, scrolled)
    assert first["left"] == first["middle"] != first["right"]
    scrolled.evaluate("(one) => one.scrollTo(10000, 0)")
    last = edges(page, scrolled)
    assert last["left"] != last["middle"] == last["right"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_edge_of_a_box_that_holds_all_is_not_marked(offline, wide, scheme):
    page = offline(viewport={"width": 1280, "height": 800}, **scheme).new_page()
    show(page, wide.address("folder", "wide"))
    assert len(set(edges(page, page.locator(".scroll:has(> .batch):visible")).values())) == 1


@pytest.mark.parametrize("name", ["wide", "triage", "chain-of-9"])
def test_pictures_of_a_case_first_show_where_it_starts(offline, wide, built, name):
    page = offline(viewport={"width": 375, "height": 800}).new_page()
    show(page, (wide if name == "wide" else built).address("folder", name))
    if name != "chain-of-9":
        part(page, "pick").first.click()
    for start in (".graph .step >> nth=0", ".lattice .ring >> nth=0"):
        found = page.locator(f"[data-scenario]:not([hidden]) {start}").bounding_box()
        assert found["x"] >= 0
        assert found["x"] + found["width"] <= 375
