"""The address is written after the frame that shows what it says: once per step, and before the page has settled."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OPENINGS, settle, show

CASE = "case=march-headphones&mode=abducted"

#: Types texts into the outcome of a combination, all of them before a frame is drawn, as one visit of the field.
TYPE = """async ({ mask, texts }) => {
    const field = document.querySelector(`[data-scenario]:not([hidden]) tr[data-mask="${mask}"] [data-part=set]`);
    field.focus();
    for (const text of texts) {
        field.value = text;
        field.dispatchEvent(new Event("input", { bubbles: true }));
        await AgentBlame.page.drawn();
    }
}"""
SWITCH = """async (players) => {
    for (const player of players) {
        document.querySelector(`[data-scenario]:not([hidden]) [role=switch][data-player="${player}"]`).click();
        await AgentBlame.page.drawn();
    }
}"""


@pytest.fixture(params=OPENINGS)
def refund(request, page: Page, built) -> Page:
    show(page, built.address(request.param, "refund-policy-a", CASE))
    return page


def steps(page: Page) -> int:
    found: int = page.evaluate("() => history.length")
    return found


def mask(page: Page) -> int:
    found: int = page.evaluate("() => AgentBlame.page.state().mask")
    return found


def test_what_is_drawn_is_not_in_the_address_before_it_is_seen(refund):
    before, said = refund.evaluate(
        f"async () => {{ await ({SWITCH})([1]); return [location.hash, AgentBlame.page.state().mask]; }}"
    )
    assert (before.endswith(CASE), said) == (True, 2)


def test_address_is_written_once_per_action_and_before_the_page_has_settled(refund):
    before = steps(refund)
    refund.evaluate("() => { window.written = 0; addEventListener('hashchange', () => { written += 1; }); }")
    refund.evaluate(SWITCH, [1])
    settle(refund)
    assert refund.evaluate("() => location.hash").endswith(f"{CASE}&on=2")
    refund.evaluate("() => new Promise((done) => setTimeout(done, 400))")
    assert (steps(refund) - before, refund.evaluate("() => written")) == (1, 1)


def test_two_actions_before_a_frame_are_two_steps_back(refund):
    before = steps(refund)
    refund.evaluate(SWITCH, [0, 2])
    settle(refund)
    assert (steps(refund) - before, mask(refund)) == (2, 5)
    refund.go_back()
    settle(refund)
    assert mask(refund) == 1
    refund.go_back()
    settle(refund)
    assert mask(refund) == 0


def test_what_is_typed_before_a_frame_is_one_step(refund):
    before = steps(refund)
    refund.evaluate(TYPE, {"mask": 12, "texts": ["0", "0.", "0.2", "0.25"]})
    settle(refund)
    assert refund.evaluate("() => location.hash").endswith("&edits=12_0.25")
    assert steps(refund) - before == 1


def test_address_that_somebody_went_to_meanwhile_stays(refund):
    address = refund.evaluate(
        f"""async () => {{
            await ({SWITCH})([1]);
            location.hash = location.hash + "&order=step";
            return location.hash;
        }}"""
    )
    refund.evaluate("() => new Promise((done) => setTimeout(done, 400))")
    settle(refund)
    assert refund.evaluate("() => location.hash") == address
    assert mask(refund) == 0


def test_page_without_frames_writes_its_address_too(refund):
    refund.evaluate("() => { window.requestAnimationFrame = () => 0; }")
    refund.evaluate(SWITCH, [1])
    settle(refund)
    assert refund.evaluate("() => location.hash").endswith(f"{CASE}&on=2")
