"""A person who has never seen such a page answers five questions from what it says, following visible text only.

1. What failed, and how often?
2. Which fix matters most?
3. How sure is that?
4. What would the verdict be if another combination of fixes had passed?
5. Where does a number come from, and how can I get it again?
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from site_builder.over_all import OverAll, over_all
from site_builder.scenario_games import group
from tests.browser.conftest import OPENINGS, Built, settle

TITLE = "Support triage"


@pytest.fixture(scope="module")
def triage(exported_games) -> OverAll:
    (found,) = group([file for file in exported_games if file.header.scenario.title == TITLE])
    return over_all(found)


@pytest.fixture(params=OPENINGS)
def stranger(page: Page, built: Built, request) -> Page:
    """Open the front page, as from a link or a file somebody sent."""
    page.goto(built.report.as_uri() if request.param == "report" else f"{built.root(request.param)}/index.html")
    return page


def click(page: Page, role: str, name: str | re.Pattern[str]) -> None:
    page.locator("main, header").get_by_role(role, name=name).locator("visible=true").first.click()
    if page.evaluate("() => typeof AgentBlame !== 'undefined' && 'page' in AgentBlame"):
        settle(page)


def says(page: Page, text: str | re.Pattern[str]) -> None:
    """Expect a text that a person can see without opening or knowing anything."""
    expect(page.locator("main").get_by_text(text).locator("visible=true").first).to_be_visible()


def test_what_failed_and_how_often(stranger, triage):
    tile = stranger.get_by_role("listitem").filter(has=stranger.get_by_role("heading", name=TITLE))
    expect(tile.first).to_contain_text(triage.header.scenario.summary)
    figures = tile.locator("dl.figures div").all_inner_texts()
    counted = triage.header.counts
    assert [text.split() for text in figures[:2]] == [
        ["Cases", "seen", str(counted.seen)],
        ["Failed", str(counted.failed)],
    ]


def test_which_fix_matters_most(stranger, triage):
    says(stranger, triage.view.headline)
    click(stranger, "link", TITLE)
    says(stranger, triage.view.headline)
    first = triage.view.lines[0]
    row = stranger.get_by_role("table", name="Each fix over all cases").get_by_role("row").nth(1)
    expect(row).to_contain_text(first.title)
    expect(row).to_contain_text(first.mean)


def test_how_sure_that_is(stranger, triage):
    click(stranger, "link", TITLE)
    line = triage.view.lines[0]
    says(stranger, line.interval)
    says(stranger, re.compile(r"95 % interval"))
    said = " ".join((triage.view.headline, *triage.view.remarks))
    claimed = triage.table.leader is not None
    assert claimed or re.search("do not tell|too few|tied", said)
    says(stranger, "Failing cases")
    says(stranger, re.compile("Pass again with new luck and no fix"))


def test_what_the_verdict_were_if_a_combination_had_passed(stranger):
    click(stranger, "link", TITLE)
    click(stranger, "link", re.compile("One case"))
    verdict = stranger.locator("[data-part=headline]:visible")
    before = verdict.inner_text()
    click(stranger, "button", re.compile("^Make it pass: No fix$"))
    expect(verdict).not_to_have_text(before)
    expect(verdict).to_have_text("It passes without any fix: there is nothing to repair.")
    says(stranger, "Hypothetical")
    says(stranger, re.compile("1 outcome edited; this is not what was run"))
    click(stranger, "button", re.compile("Undo the last"))
    expect(verdict).to_have_text(before)


def test_where_a_number_comes_from_and_how_to_get_it_again(stranger, triage):
    click(stranger, "link", re.compile("^Methods"))
    says(stranger, re.compile("agentblame validate"))
    says(stranger, re.compile("Shapley value"))
    says(stranger, re.compile(re.escape(triage.header.fingerprint[:12])))
    says(stranger, re.compile(r"analyzer/rules/shapley\.py"))
