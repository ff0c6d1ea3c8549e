"""A page of a program, whose steps are called any number of times and read what its code gives them."""

from __future__ import annotations

import csv
import io

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
    cases = [Case(name, {"question": "what is"}) for name in ("one", "two")]
    files = analyze(program, cases, Plan(modes=("replayed",))).files
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


def test_each_call_of_a_step_is_shown_with_its_address(opened):
    expect(card(opened, "Search").locator("[data-part=factual]")).to_have_text(
        'search[1]\nword: "what"\n→ about what\n\nsearch[2]\nword: "is"\n→ about is'
    )
    expect(card(opened, "Search[2]").locator("[data-part=factual]")).to_have_text('search[2]\nword: "is"\n→ about is')


def test_a_step_that_a_fix_makes_needless_is_not_called(opened):
    expect(card(opened, "Ask back").locator("[data-part=factual]")).to_have_text("ask back[1]\n→ What do you mean?")
    show(opened, opened.url.split("#")[0] + "#s=helper&case=one&on=1.2")
    settle(opened)
    expect(card(opened, "Ask back").locator("[data-part=current]")).to_contain_text("not called")
    expect(card(opened, "Output").locator("[data-part=current]")).to_contain_text("about Agent Blame")


def test_what_a_step_read_is_claimed_of_none(opened):
    for title in ("Search", "Search[2]", "Enough?", "Ask back", "Output"):
        expect(card(opened, title).locator("[data-part=read]")).to_be_hidden()
        expect(card(opened, title)).not_to_contain_text("reads")
    expect(card(opened, "Output")).to_contain_text("what the program returned")


def test_the_picture_says_what_an_arrow_means(opened):
    expect(part(opened, "graph").locator("figcaption")).to_contain_text(
        "an arrow says only that the output may depend on a step"
    )


@pytest.mark.parametrize("view", ["case=one", ""])
def test_what_is_taken_along_names_no_last_step_either(page, site, view):
    show(page, site.address("folder", "helper", view))
    section = page.locator("[data-scenario]:not([hidden])")
    section.locator("[data-part=sharing] > summary").click()
    with page.expect_download() as waiting:
        section.locator("[data-file=ranking]").click()
    names, *rows = csv.reader(io.StringIO(waiting.value.path().read_text("utf-8-sig"), newline=""))
    assert "Last touch" not in names
    assert {len(row) for row in rows} == {len(names)}


@pytest.mark.parametrize("view", ["case=one", ""])
def test_a_copy_as_markdown_has_no_column_for_it(offline, site, view):
    context = offline().context
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    show(page, site.address("folder", "helper", view))
    section = page.locator("[data-scenario]:not([hidden])")
    section.locator("[data-part=sharing] > summary").click()
    section.locator("[data-copy=markdown]").click()
    expect(section.locator("[data-part=share-said]")).to_contain_text("is copied")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "Last" not in text
    (head,) = (line for line in text.split("\n") if line.startswith("| Rank"))
    table = text[text.index(head) :].split("\n\n")[0].strip().split("\n")
    assert len(table) > 3
    assert {line.count("|") for line in table} == {head.count("|")}


def test_what_an_edit_does_over_all_cases_follows_without_a_last_step(page, site):
    show(page, site.address("folder", "helper", "edits.one.replayed=1_1"))
    settle(page)
    expect(part(page, "batch-hypothetical")).to_be_visible()
    expect(part(page, "batch-lines").locator("[data-part=alone]").first).to_have_text("1/2")


def test_no_step_is_called_the_last(opened):
    text = opened.locator("[data-scenario]:not([hidden])").evaluate("(element) => element.textContent")
    assert "last touch" not in text.lower()
    assert "last-step" not in text.lower()
    values = opened.evaluate("AgentBlame.page.values()")
    assert values["last_touch"] is None
    assert values["shapley"] is not None
