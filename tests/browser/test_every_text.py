"""Whatever a pipeline writes, in whichever field: readers see that text, and nothing else happens."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from analyzer.game_file import GameFile
from analyzer.slug import slug
from site_builder.payload import visible
from tests.browser.conftest import OPENINGS, Built, build, part, settle, show
from tests.known_game_files import HOSTILE, ODD_IDS, hostile_files, odd_files
from tests.made_game_files import case_game, fix, game_file, scenario, step

#: What a page that made links or pictures of it would ask a network for.
ADDRESSES = (
    "![picture](https://example.org/a.png)",
    "<img src=//example.org/b.png>",
    "[link](javascript:document.title='owned')",
    "@import url(https://example.org/c.css); https://example.org/?q=1#x",
    "<a href='https://example.org/'>link</a>",
)
TEXTS = (*HOSTILE, *ADDRESSES)

FOREIGN = """() => {
    const section = document.querySelector("[data-scenario]:not([hidden])");
    // Script elements that hold data run nothing.
    const named = "img, iframe, object, embed, link, style, form, script:not([type='text/plain'])";
    const found = Array.from(section.querySelectorAll(named), (one) => one.outerHTML);
    for (const one of section.querySelectorAll("*")) {
        for (const { name, value } of one.attributes) {
            const leads = ["href", "src", "xlink:href", "action", "formaction"].includes(name);
            const away = leads && !/^(#|\\.\\.?\\/|[a-z0-9-]+\\.html)/.test(value);
            if (name.startsWith("on") || name === "style" || away) found.push(name + "=" + value);
        }
    }
    return found;
}"""

OPEN_ALL = "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.fixture(scope="module")
def files() -> list[GameFile]:
    """Every text in every field, in a scenario for each way to deal them out."""
    return [file for shift in range(len(TEXTS)) for file in hostile_files(TEXTS, shift)]


@pytest.fixture(scope="module")
def nasty(files: list[GameFile], tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(files, tmp_path_factory.mktemp("nasty"))


def words(found: Locator) -> list[str]:
    return list(found.evaluate_all("(all) => all.map((one) => one.textContent)"))


@pytest.mark.parametrize("opening", OPENINGS)
def test_text_in_any_field_is_text_and_asks_for_nothing(page, nasty, files, opening):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    # A folder from a disk and from a host run the same code.
    for file in files[:: 5 if opening == "sub-path" else 1]:
        name, case, other = slug(file.header.scenario.id), *(slug(one.id) for one in file.cases[:2])
        for view in ("mode=replayed", f"case={case}&mode=replayed&on=1&with={other}.replayed"):
            show(page, nasty.address(opening, name, view))
            expect(part(page, "notice")).to_be_hidden()
            page.evaluate(OPEN_ALL)
            settle(page)
            assert page.evaluate(FOREIGN) == []
            assert "owned" not in (page.title(), page.evaluate("document.title"))
    own = (nasty.report.as_uri(), f"{nasty.root(opening)}/", "data:", "blob:")
    assert [one for one in asked if not one.startswith(own)] == []


@pytest.mark.parametrize("opening", OPENINGS)
def test_every_text_comes_back_as_it_was_written(page, nasty, files, opening):
    file = files[0]
    name = slug(file.header.scenario.id)
    show(page, nasty.address(opening, name, "mode=replayed"))
    assert words(part(page, "cases").locator("tr [data-part=pick]")) == [visible(case.id) for case in file.cases]
    for case in file.cases:
        show(page, nasty.address(opening, name, f"case={slug(case.id)}&mode=replayed"))
        assert part(page, "case-name").text_content() == visible(case.id)
        assert words(part(page, "factual")) == [visible(one.outputs[one.index[0]].text) for one in case.steps]
        assert words(part(page, "inputs").locator(".output")) == [visible(one.text) for one in case.inputs]


@pytest.mark.parametrize("opening", OPENINGS)
def test_link_of_any_id_leads_to_its_case_and_keeps_its_name(page, tmp_path, opening):
    site = build(odd_files(), tmp_path)
    name = slug("odd ids/№ 1")
    show(page, site.address(opening, name, "mode=replayed"))
    links = part(page, "cases").locator("a")
    assert words(links) == list(ODD_IDS)
    for number, odd in enumerate(ODD_IDS):
        links.nth(number).click()
        settle(page)
        expect(part(page, "notice")).to_be_hidden()
        assert part(page, "case-name").text_content() == odd
        assert page.evaluate("() => AgentBlame.page.state().case") == slug(odd)
        page.keyboard.press("Escape")
        settle(page)
    page.goto(site.report.as_uri() if opening == "report" else f"{site.root(opening)}/index.html")
    page.get_by_role("link", name="Odd ids").first.click()
    page.wait_for_load_state()
    expect(page.locator("h1:visible")).to_have_text("Odd ids")


ARABIC = "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645"
HEBREW = "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"
CODE = f"-x = '{ARABIC}'\n+{HEBREW} = x"

# The directions of what says nothing else; a sentence of ours that names a title is English.
DIRECTIONS = """(text) => {
    const found = [];
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const rest = node.data.trim().replace(text, "");
        if (!/^ ([a-z]+|[0-9]|output 12 \\(a\\))$/.test(rest) || !node.parentElement.checkVisibility()) continue;
        if (node.parentElement.closest("script, pre, code, textarea, svg") !== null) continue;
        found.push([getComputedStyle(node.parentElement).direction, node.parentElement.outerHTML.slice(0, 120)]);
    }
    return found;
}"""


@pytest.mark.parametrize("opening", OPENINGS)
def test_each_text_has_its_own_direction_and_code_stays_left_to_right(page, tmp_path, opening):
    steps = (
        step("ask", title=f"{ARABIC} title", fix=fix(f"{ARABIC} label", f"{ARABIC} description", CODE)),
        step("plain", ("ask",), title="Plain", fix=fix("plain", "In English.", "-a\n+b")),
    )
    about = scenario("rtl", f"{ARABIC} scenario", f"{ARABIC} summary")

    def text(name: str, mask: int) -> str:
        return f"{HEBREW if mask else ARABIC} output 12 (a)" if name == "ask" else f"plain {mask}"

    cases = [
        case_game(steps, f"{ARABIC} {number}", [0, 1, 0, 1], 1, text, tags=[f"{ARABIC} tag"], failure=f"{ARABIC} kind")
        for number in range(2)
    ]
    site = build([game_file(about, steps, "replayed", 1, cases)], tmp_path)
    for view in ("mode=replayed", f"case={slug(f'{ARABIC} 0')}&mode=replayed&on=1"):
        show(page, site.address(opening, "rtl", view))
        page.evaluate(OPEN_ALL)
        settle(page)
        found = page.evaluate(DIRECTIONS, ARABIC)
        assert len(found) > 5
        assert [html for direction, html in found if direction != "rtl"] == []
    assert part(page, "factual").nth(1).evaluate("(one) => getComputedStyle(one).direction") == "ltr"
    for code in page.locator(".diff:visible, .diff:visible span").all():
        assert code.evaluate("(one) => getComputedStyle(one).direction") == "ltr"
    assert page.locator(".diff:visible").count() > 0
    assert page.evaluate("() => getComputedStyle(document.body).direction") == "ltr"
