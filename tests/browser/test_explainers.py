"""Pages of text: the list of articles, the articles with their widgets, methods, in a folder and in a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import Offline
from tests.browser.conftest import Built
from tests.browser.test_opening import CONTRAST

SHIPPED = sorted(path.stem for path in (Path(__file__).parents[2] / "site_builder" / "explainers").glob("*.md"))
PAGES = ["explainers", "methods", *SHIPPED]
OPENINGS = ("folder", "report")


def address(built: Built, opening: str, name: str) -> str:
    """Return the address of a page of text."""
    if opening == "report":
        return f"{built.report.as_uri()}#p={name}"
    path = f"{name}.html" if name in ("explainers", "methods") else f"explainers/{name}.html"
    return (built.site / path).as_uri()


def text_of(page: Page, name: str) -> str:
    """Return what is readable of a page of text, without what scripts draw."""
    return page.evaluate(
        """(name) => {
            const copy = document.getElementById("p=" + name).cloneNode(true);
            copy.querySelectorAll("[data-widget]").forEach((box) => box.replaceChildren());
            return copy.textContent.replace(/\\s+/g, " ");
        }""",
        name,
    )


@pytest.mark.parametrize("opening", OPENINGS)
def test_every_page_of_text_opens_at_its_top_with_one_heading_and_a_silent_console(page, built, opening):
    for name in PAGES:
        page.goto(address(built, opening, name))
        expect(page.locator(f'[data-page="{name}"]')).to_be_visible()
        expect(page.locator("h1:visible")).to_have_count(1)
        assert page.evaluate("window.scrollY") == 0


@pytest.mark.parametrize("opening", OPENINGS)
def test_every_article_has_a_widget_that_is_drawn(page, built, opening):
    for name in SHIPPED:
        page.goto(address(built, opening, name))
        boxes = page.locator(f'[data-page="{name}"] [data-widget]')
        assert boxes.count() > 0
        for box in boxes.all():
            expect(box.locator("button").first).to_be_visible()
            assert box.bounding_box()["height"] > 100


def test_folder_and_report_say_the_same(page, built):
    said = {}
    for opening in OPENINGS:
        for name in PAGES:
            page.goto(address(built, opening, name))
            said.setdefault(name, []).append(text_of(page, name))
    for in_folder, in_report in said.values():
        assert in_folder == in_report


@pytest.mark.parametrize("opening", OPENINGS)
def test_reader_gets_from_the_list_through_every_article_to_the_methods(page, built, opening):
    page.goto(address(built, opening, "explainers"))
    page.locator(".article-cards a:visible").first.click()
    seen = []
    while "methods" not in page.url:
        seen.append(page.locator("[data-page]:visible").get_attribute("data-page"))
        page.locator(".article-next:visible").click()
        expect(page.locator("[data-page]:visible")).not_to_have_attribute("data-page", seen[-1])
    assert sorted(seen) == SHIPPED
    expect(page.locator("h1:visible")).to_have_text("Methods and provenance")


@pytest.mark.parametrize("opening", OPENINGS)
def test_masthead_leads_to_every_page_and_back(page, built, opening):
    page.goto(address(built, opening, SHIPPED[0]))
    nav = page.get_by_role("navigation", name="Site")
    for name, heading in (("Methods", "Methods and provenance"), ("How it works", "How it works")):
        nav.get_by_role("link", name=name).click()
        expect(page.locator("h1:visible")).to_have_text(heading)
    nav.get_by_role("link", name="Scenarios").click()
    expect(page.locator(".tiles")).to_be_visible()
    page.go_back()
    expect(page.locator("h1:visible")).to_have_text("How it works")


@pytest.mark.parametrize("opening", OPENINGS)
def test_scenario_leads_to_its_own_part_of_the_methods(page, built, opening):
    page.goto(built.address(opening, "refund-policy-a"))
    page.locator(".provenance a:visible").click()
    part = page.locator('[id="p=methods.refund-policy-a"]')
    expect(part).to_be_in_viewport()
    expect(part.get_by_role("heading", level=2)).to_have_text("Refund policy, mechanism A")


@pytest.mark.parametrize("opening", OPENINGS)
def test_link_to_a_part_of_an_article_shows_that_part(page, built, opening):
    ending = "#p=how-to-read-a-verdict.on-many-cases"
    start = built.report if opening == "report" else built.site / "explainers" / "how-to-read-a-verdict.html"
    page.goto(start.as_uri() + ending)
    expect(page.get_by_role("heading", name="On many cases")).to_be_in_viewport()


@pytest.mark.parametrize("opening", OPENINGS)
def test_without_scripts_an_article_is_read_whole_and_no_empty_box_is_left(offline, built, opening):
    page = offline(java_script_enabled=False).new_page()
    page.goto(address(built, opening, "limits-and-caveats"))
    article = page.locator('[data-page="limits-and-caveats"]')
    expect(article.locator("h1")).to_be_in_viewport()
    expect(article.locator(".article-body > p").last).to_be_visible()
    expect(article.locator("[data-widget]")).to_be_hidden()


@pytest.mark.parametrize("width", [320, 768, 1440])
def test_nothing_is_wider_than_the_screen(offline: Callable[..., Offline], built: Built, width: int):
    page = offline(viewport={"width": width, "height": 900}).new_page()
    for name in PAGES:
        page.goto(address(built, "folder", name))
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


def test_numbers_of_lines_are_not_copied_with_the_code(page, built):
    page.goto(address(built, "folder", "how-this-page-computes"))
    copied = page.evaluate(
        """() => {
            getSelection().selectAllChildren(document.querySelector(".code pre code"));
            return getSelection().toString();
        }"""
    )
    assert copied.startswith("def ")
    assert "\n    players = len(weights)\n" in copied


def test_code_scrolls_by_keyboard_in_its_own_box(offline, built):
    page = offline(viewport={"width": 400, "height": 800}).new_page()
    page.goto(address(built, "folder", "how-this-page-computes"))
    box = page.locator(".code pre").first
    box.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.code pre').scrollLeft > 0")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_on_every_page_of_text(offline, built, scheme):
    page = offline(color_scheme=scheme).new_page()
    for name in ("explainers", "methods", "how-to-read-a-verdict", "how-this-page-computes"):
        page.goto(address(built, "folder", name))
        found = page.evaluate(CONTRAST)
        assert found["seen"] > 20
        assert found["poor"] == []
