"""Keys act from everywhere but where somebody types."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OPENINGS, Built, build, settle, show
from tests.known_game_files import triage_files

#: Where the reader is: what no key may change while somebody types.
PLACE = """() => { const s = AgentBlame.page.state();
    return { ...s, edits: [...s.edits], otherEdits: [...s.otherEdits.keys()], list: null }; }"""

FIELDS = "input:not([type=radio]):not([type=checkbox]):visible, textarea:visible, select:visible"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(triage_files({"replayed": 1, "fresh": 8}), tmp_path_factory.mktemp("small"))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        settle(page)


def state(page: Page) -> dict[str, object]:
    return dict(page.evaluate(PLACE))


@pytest.mark.parametrize("opening", OPENINGS)
def test_keys_lead_through_a_scenario_without_a_mouse(page, small, opening):
    show(page, small.address(opening, "triage"))
    press(page, "Enter")
    assert (state(page)["view"], state(page)["case"]) == ("case", "ticket-01")
    press(page, "j", "Shift+J", "k", "Shift+K", "j")
    assert state(page)["case"] == "ticket-02"
    press(page, "2", "m")
    assert (state(page)["mask"], state(page)["mode"]) == (2, "fresh")
    press(page, "/")
    assert state(page)["view"] == "all"
    field = page.locator("[data-scenario]:not([hidden]) [data-part=search-text]")
    expect(field).to_be_focused()
    page.keyboard.type("delivery")
    press(page, "Enter", "Escape", "Escape")
    expect(field).not_to_be_focused()
    assert field.input_value() == ""
    press(page, "j", "Escape")
    assert state(page)["view"] == "all"


def test_what_undoes_elsewhere_undoes_here(page, small):
    show(page, small.address("folder", "triage", "case=ticket-02&mode=replayed"))
    page.locator("[data-scenario]:not([hidden]) tr[data-mask='1'] [data-part=flip]").click()
    settle(page)
    assert page.evaluate("() => AgentBlame.page.state().edits.size") == 1
    press(page, "Control+z")
    assert page.evaluate("() => AgentBlame.page.state().edits.size") == 0
    press(page, "Control+j", "Control+m")
    assert (state(page)["case"], state(page)["mode"]) == ("ticket-02", "replayed")


def test_keys_rest_in_every_field_of_a_page(page, small):
    seen = 0
    for view in ("mode=replayed", "case=ticket-02&mode=fresh&on=1&with=ticket-03.fresh"):
        show(page, small.address("folder", "triage", view))
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        before = state(page)
        for field in page.locator(FIELDS).all():
            field.focus()
            for key in ("j", "k", "m", "r", "z", "?", "J"):
                page.keyboard.press(key)
            settle(page)
            assert page.locator("dialog[open]").count() == 0
            assert state(page) == before, field.evaluate("(one) => one.outerHTML")
            seen += 1
            page.keyboard.press("Escape")
            field.blur()
            settle(page)
    assert seen > 8


def test_keys_rest_in_the_field_of_what_could_not_be_copied(offline, small):
    page = offline().new_page()
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    show(page, small.address("folder", "triage", "case=ticket-02&mode=fresh"))
    before = state(page)
    page.locator("[data-part=sharing] > summary").click()
    for name in ("link", "markdown", "prompt"):
        page.locator(f"[data-copy={name}]").click()
        field = page.get_by_label("Text to copy")
        expect(field).to_be_focused()
        assert len(field.input_value()) > 20
        assert field.evaluate("(one) => one.selectionEnd - one.selectionStart === one.value.length")
        press(page, "j", "1", "m", "/")
        assert state(page) == before
        press(page, "Escape")
        page.locator("[data-part=sharing]").evaluate("(one) => { one.open = true; }")
