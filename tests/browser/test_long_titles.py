"""A title of any length leaves the page readable, and is there in full for whoever wants it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from analyzer.slug import slug
from tests.browser.conftest import Built, build, settle, show
from tests.browser.test_accessibility import NO_COLOURS, findings
from tests.known_game_files import case_game, game_file, letters, plain_text, scenario

LONG = ("Which of the many windows for a refund holds? " * 44).strip()
SCREEN = 900


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Built:
    steps = letters(2)
    about = scenario("long-title", LONG, "Two cases, one of them with a name of 2,000 characters.")
    cases = [case_game(steps, name, [0, 1, 0, 1], 1, plain_text) for name in (LONG, "short")]
    return build([game_file(about, steps, "replayed", 1, cases)], tmp_path_factory.mktemp("long"))


def height(page: Page, selector: str) -> float:
    found = page.locator(selector).first.bounding_box()
    assert found is not None
    return found["height"]


def fills_screen(page: Page, selector: str) -> bool:
    return height(page, selector) > SCREEN / 3


@pytest.mark.parametrize("opening", ["folder", "report"])
def test_long_title_of_a_scenario_scrolls_in_its_box(page, long, opening):
    show(page, long.address(opening, "long-title"))
    title = page.locator("h1:visible > bdi")
    assert title.inner_text() == LONG
    assert not fills_screen(page, "h1:visible")
    title.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.activeElement.scrollTop > 0")
    assert findings(page, NO_COLOURS) == []


def test_long_title_in_a_link_of_the_index_is_whole_under_the_keyboard(page, long):
    page.goto(f"{long.root('folder')}/index.html")
    assert not fills_screen(page, ".tile h2")
    assert page.locator(".tile h2 bdi").get_attribute("title") == LONG
    assert page.locator(".tile h2 bdi").inner_text() == LONG
    while page.evaluate("() => document.activeElement.closest('.tile') === null"):
        page.keyboard.press("Tab")
    assert page.locator(".tile h2 bdi").evaluate("(one) => one.scrollHeight === one.clientHeight")
    assert fills_screen(page, ".tile h2")
    assert findings(page, NO_COLOURS) == []


def test_long_name_of_a_case_scrolls_in_its_box_and_a_short_one_has_none(page, long):
    show(page, long.address("folder", "long-title"))
    links = page.locator("[data-part=cases] [data-part=pick]")
    assert not fills_screen(page, "[data-part=cases] tr:first-child")
    links.first.click()
    settle(page)
    name = page.locator("[data-part=case-name]")
    expect(name).to_have_text(LONG)
    expect(name).to_have_attribute("tabindex", "0")
    assert not fills_screen(page, "[data-part=verdict-name]")
    page.keyboard.press("j")
    settle(page)
    expect(name).to_have_text("short")
    assert name.get_attribute("tabindex") is None
    assert height(page, "[data-part=case-name]") < 40


#: As many characters as stand in a line, which JavaScript counts twice: at the limit, and one over.
ASTRAL = {"at-the-limit": "\U0001d4d0" * 200, "over-it": "\U0001d4d0" * 201}


@pytest.fixture(scope="module")
def astral(tmp_path_factory: pytest.TempPathFactory) -> Built:
    steps = letters(2)
    cases = [case_game(steps, name, [0, 1, 0, 1], 1, plain_text) for name in ASTRAL.values()]
    about = scenario("astral", "Two long names", "Of characters beyond the first 65,536.")
    return build([game_file(about, steps, "replayed", 1, cases)], tmp_path_factory.mktemp("astral"))


@pytest.mark.parametrize("scripts", [True, False])
def test_characters_of_a_name_are_counted_alike_by_builder_and_page(offline, astral, scripts):
    page = offline(java_script_enabled=scripts).new_page()
    page.goto(astral.address("folder", "astral"))
    if scripts:
        settle(page)
    names = page.locator("[data-part=cases] [data-part=pick]")
    assert names.all_text_contents() == list(ASTRAL.values())
    assert names.evaluate_all("(all) => all.map((one) => one.classList.contains('is-cut'))") == [False, True]


def test_name_in_the_verdict_is_boxed_from_the_same_length_on(page, astral):
    show(page, astral.address("folder", "astral", f"case={slug(ASTRAL['at-the-limit'])}&mode=replayed"))
    name = page.locator("[data-part=case-name]")
    assert name.get_attribute("tabindex") is None
    page.keyboard.press("j")
    settle(page)
    expect(name).to_have_attribute("tabindex", "0")


def test_long_titles_are_printed_in_full(page, long):
    show(page, long.address("folder", "long-title"))
    page.emulate_media(media="print")
    assert page.locator("h1:visible > bdi").evaluate("(one) => one.scrollHeight === one.clientHeight")


def test_without_scripts_no_title_fills_the_screen(offline, long):
    page = offline(java_script_enabled=False).new_page()
    page.goto(long.address("folder", "long-title"))
    for selector in ("h1", "[data-part=cases] tr:first-child th", "[data-part=verdict-name]"):
        assert not fills_screen(page, selector), selector
