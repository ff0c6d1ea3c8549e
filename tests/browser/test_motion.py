"""A reader who asked for less motion sees every change at once; who did not sees switches move."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Built, act, part, settle, show

#: Looks in every frame for what moves, and keeps the name and the milliseconds of each that takes longer than one.
WATCH = """() => {
    window.moved = new Map();
    window.frames_seen = 0;
    const look = () => {
        window.frames_seen += 1;
        for (const { effect } of document.getAnimations()) {
            const { activeDuration } = effect.getComputedTiming();
            if (activeDuration > 1) window.moved.set(effect.target.outerHTML.slice(0, 80), activeDuration);
        }
        requestAnimationFrame(look);
    };
    look();
}"""


def moved(page: Page) -> dict[str, float]:
    """Return what has moved since it is watched, after a few more frames."""
    page.wait_for_function("(before) => window.frames_seen > before + 5", arg=page.evaluate("window.frames_seen"))
    return dict(page.evaluate("() => Array.from(window.moved)"))


def switch_a_fix(page: Page) -> None:
    act(page, lambda: page.locator("[data-scenario]:not([hidden]) [data-part=steps] .card [role=switch]").first.click())


@pytest.fixture
def open_one(offline, built: Built):
    """Open all cases of a scenario, with or without motion, and watch."""

    def open_it(motion: str) -> Page:
        page = offline(reduced_motion=motion).new_page()
        show(page, built.address("folder", "triage", "mode=replayed"))
        page.evaluate(WATCH)
        return page

    return open_it


def test_nothing_moves_for_a_reader_who_asked_for_less_motion(open_one):
    page = open_one("reduce")
    act(page, lambda: page.locator("[data-part=cases] [data-part=pick]").first.click())
    act(page, lambda: page.keyboard.press("j"))
    act(page, lambda: page.keyboard.press("m"))
    switch_a_fix(page)
    act(page, lambda: part(page, "lattice-box").press("f"))
    assert part(page, "hypothetical").is_visible()
    act(page, lambda: page.locator("[data-part=graph] .fix-switch").first.click())
    act(page, lambda: page.keyboard.press("Escape"))
    page.locator("[data-part=sharing] > summary").click()
    settle(page)
    assert part(page, "sharing").get_attribute("open") is not None
    assert moved(page) == {}


def test_case_that_takes_long_is_dimmed_without_fading(open_one):
    page = open_one("reduce")
    act(page, lambda: page.locator("[data-part=cases] [data-part=pick]").first.click())
    page.evaluate("() => document.querySelector('[data-scenario]:not([hidden])').setAttribute('aria-busy', 'true')")
    page.wait_for_function("() => getComputedStyle(document.querySelector('[data-part=case-view]')).opacity === '0.3'")
    assert moved(page) == {}


def test_switches_move_for_a_reader_who_did_not(open_one):
    page = open_one("no-preference")
    act(page, lambda: page.locator("[data-part=cases] [data-part=pick]").first.click())
    switch_a_fix(page)
    assert any("knob" in name for name in moved(page))
