"""A page of a program, whose steps are called any number of times and read what its code gives them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from analyzer import Case, Fix, Program, Step
from analyzer.batch import analyze
from analyzer.plan import Plan
from tests.browser.conftest import Built, build, part, settle, show


def agent(case, step):
    found = [step("search", word) for word in case["question"].split()]
    if step("enough", found):
        return {"answer": found[-1]}
    return step("ask back")


STEPS = [
    Step("search", lambda word: f"about {word}", title="Search"),
    Step("enough", lambda found: False, title="Enough?", fix=Fix.constant("Always", True)),
    Step("ask back", lambda: "What do you mean?", title="Ask back"),
]
FIXES = {"enough": STEPS[1].fix, "search[2]": Fix.observation("The right page", "about Agent Blame")}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Built:
    score = lambda output: "Blame" in str(output)  # noqa: E731
    program = Program("helper", agent, STEPS, score, fixes=FIXES, title="Helper")
    files = analyze(program, [Case("one", {"question": "what is"})], Plan(modes=("replayed",))).files
    return build(list(files), tmp_path_factory.mktemp("program"))


@pytest.fixture(params=["folder", "report"])
def opened(page, site, request):
    show(page, site.address(request.param, "helper", "case=one"))
    return page


def card(page: Page, title: str) -> Locator:
    return page.locator(
        "[data-scenario]:not([hidden]) [data-step]", has=page.get_by_role("heading", name=title, exact=True)
    )


def test_what_the_run_gave_is_what_the_program_returned(opened):
    expect(part(opened, "gist-out")).to_contain_text("Output: What do you mean?")


def test_all_outputs_of_a_step_are_shown_and_those_of_a_single_call_by_its_address(opened):
    expect(card(opened, "Search").locator("[data-part=factual]")).to_have_text('[\n  "about what",\n  "about is"\n]')
    expect(card(opened, "Search[2]").locator("[data-part=factual]")).to_have_text("about is")


def test_a_step_that_a_fix_makes_needless_is_not_called(opened):
    expect(card(opened, "Ask back").locator("[data-part=factual]")).to_have_text("What do you mean?")
    show(opened, opened.url.split("#")[0] + "#s=helper&case=one&on=1.2")
    settle(opened)
    expect(card(opened, "Ask back").locator("[data-part=current]")).to_contain_text("not called")
    expect(card(opened, "Output").locator("[data-part=current]")).to_contain_text("about Agent Blame")


def test_what_a_step_read_is_claimed_of_the_output_alone(opened):
    for title in ("Search", "Search[2]", "Enough?", "Ask back"):
        expect(card(opened, title).locator("[data-part=read]")).to_be_hidden()
    expect(card(opened, "Output").locator("[data-part=read]")).to_be_visible()
