"""The verdict and who is worth what stay in view wherever an outcome is changed, and hide nothing one goes to."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Built, act, part, settle, show

SCREENS = [{"width": 1280, "height": 900}, {"width": 375, "height": 800}]
#: One scenario with a single case, one with a bar for many above it, and one whose picture is a grid.
CASES = [
    ("refund-policy-a", "case=march-headphones&mode=replayed"),
    ("triage", "case=ticket-02&mode=replayed"),
    ("chain-of-9", "case=only&mode=replayed"),
]

#: Whether the middle of an element is what a pointer there would meet.
MEETS = """(element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const met = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 12));
    return met !== null && (element === met || element.contains(met) || met.contains(element));
}"""


@pytest.fixture(params=SCREENS, ids=lambda screen: str(screen["width"]))
def screen(request, offline) -> Page:
    return offline(viewport=request.param).new_page()


def first_value(page: Page) -> str:
    return part(page, "ranking").locator("tr").first.locator("[data-rule=shapley] [data-part=number]").inner_text()


def in_sight(page: Page, name: str) -> None:
    """Claim that the verdict's headline and the first fix's value can be read now, in the part of that name."""
    headline, values = part(page, f"{name}-headline"), part(page, f"{name}-values")
    expect(headline).to_have_text(part(page, "headline").inner_text())
    assert values.inner_text().split(" · ")[0].endswith(first_value(page))
    for one in (headline, values):
        expect(one).to_be_in_viewport(ratio=1)
        assert one.evaluate(MEETS)


def click_last(page: Page) -> None:
    """Click on the combination of all fixes in the picture, wherever it has to be scrolled to."""
    part(page, "lattice-box").focus()
    page.keyboard.press("End")
    spot = part(page, "lattice-cursor").locator("rect").bounding_box()
    act(page, lambda: page.mouse.click(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2))


@pytest.mark.parametrize(("name", "view"), CASES)
def test_verdict_and_first_value_are_in_sight_after_a_click_in_the_picture(screen, built: Built, name, view):
    show(screen, built.address("folder", name, view))
    before = part(screen, "picture-echo-values").text_content()
    click_last(screen)
    assert len(screen.evaluate("() => [...AgentBlame.page.state().edits]")) == 1
    in_sight(screen, "picture-echo")
    assert part(screen, "picture-echo-values").text_content() != before


@pytest.mark.parametrize(("name", "view"), CASES[:2])
def test_it_stays_from_the_picture_through_the_waterfall(screen, built, name, view):
    show(screen, built.address("folder", name, view + "&edits=0_1"))
    for block in ("lattice", "waterfall", "interplay"):
        part(screen, block).evaluate("(one) => window.scrollTo(0, one.getBoundingClientRect().bottom + scrollY - 500)")
        in_sight(screen, "picture-echo")


@pytest.mark.parametrize(("name", "view"), CASES[:2])
def test_outcome_changed_in_the_table_has_it_in_sight_too(screen, built, name, view):
    show(screen, built.address("folder", name, view))
    flip = screen.locator("[data-scenario]:not([hidden]) tr[data-mask='5'] [data-part=flip]")
    act(screen, flip.click)
    in_sight(screen, "echo")


def test_nothing_moves_under_the_pointer_when_the_verdict_gets_longer(screen, built):
    show(screen, built.address("folder", "refund-policy-a"))
    click_last(screen)
    said, tops = set(), set()
    for _ in range(4):
        said.add(part(screen, "picture-echo-headline").text_content())
        tops.add(part(screen, "lattice-picture").bounding_box()["y"])
        click_last(screen)
    assert len(said) == 2
    assert len(tops) == 1


@pytest.mark.parametrize(("name", "view"), CASES[:2])
def test_what_takes_the_focus_is_not_behind_it(screen, built, name, view):
    show(screen, built.address("folder", name, view))
    # Backwards, so that each comes in from above.
    part(screen, "all-off").focus()
    seen = 0
    for _ in range(60):
        screen.keyboard.press("Shift+Tab")
        at = screen.evaluate_handle("() => document.activeElement").as_element()
        if not at.evaluate("(one) => one.closest('.stretch') !== null"):
            if seen > 0:
                break
            continue
        seen += 1
        assert at.evaluate(MEETS), at.evaluate("(one) => one.outerHTML.slice(0, 200)")
    assert seen > 8


def test_combination_that_is_gone_to_by_keyboard_is_not_behind_it(screen, built):
    show(screen, built.address("folder", "triage", "case=ticket-02&mode=replayed"))
    box = part(screen, "lattice-box")
    box.focus()
    screen.keyboard.press("End")
    box.evaluate("(one) => window.scrollTo(0, one.getBoundingClientRect().bottom + scrollY - 300)")
    screen.keyboard.press("Home")
    cursor = part(screen, "lattice-cursor").locator("rect").bounding_box()
    echo = part(screen, "picture-echo").bounding_box()
    assert cursor["y"] >= echo["y"] + echo["height"]


def test_screen_readers_hear_the_verdict_once(page, built):
    show(page, built.address("folder", "refund-policy-a"))
    for name in ("picture-echo", "echo"):
        expect(part(page, name)).to_have_attribute("aria-hidden", "true")
        assert part(page, name).evaluate("(one) => one.closest('[aria-live]') === null")
    assert page.locator("[data-scenario]:not([hidden]) [aria-live=polite] [data-part=headline]").count() == 1


def test_it_says_in_words_that_it_is_hypothetical(page, built):
    mark = "(one) => getComputedStyle(one, '::before').content"
    show(page, built.address("folder", "refund-policy-a"))
    assert part(page, "picture-echo-headline").evaluate(mark) == "none"
    act(page, lambda: page.keyboard.press("Escape"))
    show(page, built.address("folder", "refund-policy-a", "case=march-headphones&mode=replayed&edits=0_1"))
    assert re.match('"Hypothetical', part(page, "picture-echo-headline").evaluate(mark))


def test_it_is_not_there_on_paper_nor_without_scripts(page, offline, built):
    show(page, built.address("folder", "refund-policy-a"))
    page.emulate_media(media="print")
    expect(part(page, "picture-echo")).to_be_hidden()
    without = offline(java_script_enabled=False).new_page()
    without.goto(built.address("folder", "refund-policy-a"))
    expect(part(without, "picture-echo")).to_be_hidden()


def test_game_whose_outcomes_cannot_be_changed_has_none(page, built):
    show(page, built.address("folder", "night-run", "case=leader&mode=replayed"))
    settle(page)
    expect(part(page, "picture-echo")).to_be_hidden()
