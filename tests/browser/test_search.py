"""Searching the cases of a scenario: what is found, when its texts are loaded, and what an address holds of it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from site_builder.search_data import SEARCHED
from tests.browser.conftest import OPENINGS, Built, build, part, settle, show
from tests.known_game_files import letters
from tests.made_game_files import case_game, game_file, scenario

WORDS = ("Überweisung fehlt", "refund of the headphones", "مرحبا بالعالم", "a+b & c=d ~ 50% #1", "tokyo 東京")


def text_of(number):
    """Return what each step of a case says: its own words, in an output that every combination shares."""

    def text(step, mask):
        return f"step {step} wrote {WORDS[number % len(WORDS)]}"

    return text


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> Built:
    steps = letters(2)
    cases = [
        case_game(steps, str(number), [0, number % 2, 0, 1], 1, text_of(number), tags=["odd"] if number % 2 else [])
        for number in range(25)
    ]
    return build(
        [game_file(scenario("words", "Words", ""), steps, "replayed", 1, cases)], tmp_path_factory.mktemp("words")
    )


def listed(page: Page) -> list[str]:
    return page.locator("[data-part=cases] tr:visible [data-part=pick]").all_inner_texts()


def search(page: Page, text: str) -> None:
    part(page, "search-text").fill(text)
    part(page, "search-text").press("Enter")
    settle(page)


@pytest.fixture(params=OPENINGS)
def opened(page, found, request) -> Page:
    show(page, found.address(request.param, "words"))
    return page


@pytest.mark.parametrize("number", range(len(WORDS)))
def test_words_that_a_step_wrote_find_their_cases(opened, number):
    search(opened, WORDS[number].upper())
    assert listed(opened) == [str(case) for case in range(25) if case % len(WORDS) == number]
    expect(part(opened, "cases-text")).to_have_text("5 of 25 cases")


def test_every_word_must_be_found_wherever(opened):
    search(opened, "headphones odd")
    assert listed(opened) == [str(case) for case in range(25) if case % len(WORDS) == 1 and case % 2]


def test_nothing_found_is_said_and_an_empty_search_finds_all(opened):
    search(opened, "nowhere to be seen")
    assert listed(opened) == []
    expect(part(opened, "cases-text")).to_have_text("0 of 25 cases")
    search(opened, "")
    assert len(listed(opened)) == 25


def test_search_leaves_the_figures_over_all_cases_alone(opened):
    before = part(opened, "batch-lines").inner_text()
    search(opened, "headphones")
    assert part(opened, "batch-lines").inner_text() == before


@pytest.mark.parametrize("text", WORDS)
def test_address_holds_what_is_searched_for_in_safe_characters(opened, offline, text):
    search(opened, text)
    assert re.fullmatch(r"#[A-Za-z0-9._~=&-]+", opened.evaluate("() => location.hash"))
    fresh = offline().new_page()
    show(fresh, opened.url)
    assert part(fresh, "search-text").input_value() == text
    assert listed(fresh) == listed(opened)
    assert len(listed(fresh)) == 5


@pytest.mark.parametrize("field", ["find=%41", "find=~ZZ", "find=~FF", "find="])
def test_damaged_search_is_ignored_with_a_notice(page, found, field):
    show(page, found.address("folder", "words", f"mode=replayed&{field}"))
    expect(part(page, "notice")).to_be_visible()
    assert len(listed(page)) == 25


def test_slash_goes_to_the_search_and_escape_empties_it(opened):
    opened.keyboard.press("/")
    settle(opened)
    expect(part(opened, "search-text")).to_be_focused()
    opened.keyboard.type("tokyo/j")
    part(opened, "search-text").press("Enter")
    settle(opened)
    assert listed(opened) == []
    part(opened, "search-text").press("Escape")
    settle(opened)
    assert len(listed(opened)) == 25


def test_next_case_is_the_next_one_found(opened):
    search(opened, "headphones")
    opened.locator("[data-part=cases] a").first.click()
    settle(opened)
    opened.keyboard.press("j")
    settle(opened)
    expect(part(opened, "case-name")).to_have_text("6")
    expect(part(opened, "position")).to_have_text("2 of 5")


def test_texts_are_loaded_when_somebody_searches(page, found):
    asked = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    show(page, found.address("sub-path", "words"))
    assert "search.all.js" not in asked
    search(page, "tokyo")
    assert asked.count("search.all.js") == 1


@pytest.fixture
def textless(browser, found, tmp_path) -> Iterator[Page]:
    """Open a folder whose texts to search are missing, which a browser complains about."""
    shutil.copytree(found.site, tmp_path / "site")
    (tmp_path / "site" / "data" / "words" / "search.all.js").unlink()
    context = browser.new_context()
    page = context.new_page()
    show(page, Built(tmp_path / "site", found.report).address("folder", "words"))
    yield page
    context.close()


def test_search_whose_texts_are_missing_goes_away_and_says_why(textless):
    search(textless, "tokyo")
    expect(part(textless, "notice")).to_contain_text("search.all.js is missing")
    assert len(listed(textless)) == 25
    part(textless, "search-text").press("Escape")
    expect(part(textless, "search")).to_be_hidden()
    expect(part(textless, "notice")).to_contain_text("search.all.js is missing")


def test_what_is_typed_on_after_a_search_failed_is_no_command(textless):
    # Without Enter, so that the search begins as the reader pauses.
    part(textless, "search-text").fill("tokyo")
    expect(part(textless, "notice")).to_contain_text("search.all.js is missing")
    settle(textless)
    shown = textless.evaluate("() => AgentBlame.page.state()")
    for key in ("j", "m", "1", "Enter"):
        textless.keyboard.press(key)
    settle(textless)
    assert textless.evaluate("() => AgentBlame.page.state()") == shown
    expect(part(textless, "notice")).to_contain_text("search.all.js is missing")


def test_ten_megabytes_are_searched_to_the_last_character(page, tmp_path):
    steps = letters(1)
    filler = "one word after another, " * (SEARCHED // 24)

    def long(number):
        return lambda step, mask: filler[: SEARCHED - 12] + f" needle{number:04}"

    cases = [case_game(steps, f"case-{number}", [0, 1], 1, long(number)) for number in range(520)]
    site = build([game_file(scenario("long", "Long", ""), steps, "replayed", 1, cases)], tmp_path)
    assert sum(len(case.steps[0].outputs[0].text) for case in cases) > 10_000_000
    show(page, site.address("folder", "long"))
    search(page, "NEEDLE0417")
    assert listed(page) == ["case-417"]
