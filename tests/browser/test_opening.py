"""Pages open from disk without a network, with and without scripts, on any screen and on paper."""

from __future__ import annotations

import shutil
import threading

import pytest
from playwright.sync_api import Page, expect

from analyzer.slug import slug
from site_builder import plan_report, write_report
from site_builder.serve import server
from tests.browser.conftest import OPENINGS, Built, settle, show
from tests.known_game_files import plain_text
from tests.made_game_files import case_game, fix, game_file, scenario, step

#: What is written into the page before any script runs, part by part.
# Without scripts more outcomes are listed than a page of the live table holds.
PRE_RENDERED = """() => Array.from(document.querySelectorAll("[data-scenario]"), (section) => {
    section.querySelectorAll("[data-part=outcomes] tr:nth-child(n + 33)").forEach((row) => row.remove());
    const text = (name) => Array.from(section.querySelectorAll(`[data-part="${name}"]`), (one) => one.textContent);
    const bars = Array.from(section.querySelectorAll("[data-part=ranking] svg > *"),
        (one) => ["class", "x", "width", "x1", "x2", "d"].map((name) => one.getAttribute(name)));
    const names = ["question", "passing-means", "sentence",
        "case-name", "mode-name", "headline", "remarks", "passing", "place", "number", "word", "interval", "sampling",
        "error", "withheld", "factual", "factual-title", "world", "name", "pick", "position"];
    const visible = (one) => one.replace(/\\s+/g, " ").trim();
    return {
        scenario: section.dataset.scenario,
        kind: section.querySelector("[data-part=verdict]").dataset.kind,
        texts: names.map((name) => [name, ...text(name).map(visible)]),
        order: Array.from(section.querySelectorAll("[data-part=ranking] tr"), (row) => row.dataset.player),
        states: Array.from(section.querySelectorAll("[data-state]"), (one) => one.dataset.state),
        icons: Array.from(section.querySelectorAll("use"), (one) => one.getAttribute("href")),
        dots: Array.from(section.querySelectorAll(".dots i"), (one) => one.className),
        bars,
    };
})"""

CONTRAST = """() => {
    const parse = (color) => color.match(/[0-9.]+/g).map(Number);
    const light = ([r, g, b]) => {
        const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (element) => {
        for (let at = element; at !== null; at = at.parentElement) {
            const color = parse(getComputedStyle(at).backgroundColor);
            if (color.length < 4 || color[3] === 1) return color;
        }
        return [255, 255, 255];
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const poor = [];
    let seen = 0;
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        const counts = element.checkVisibility() && !element.closest("script, .unseen, .skip");
        if (!counts || !walker.currentNode.data.trim()) continue;
        const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
        seen += 1;
        if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(element.outerHTML.slice(0, 120));
    }
    return { seen, poor };
}"""


def scenario_addresses(built: Built) -> list[str]:
    return sorted(path.as_uri() for path in (built.site / "scenarios").glob("*.html"))


def addresses(built: Built) -> list[str]:
    return [(built.site / "index.html").as_uri(), *scenario_addresses(built), built.report.as_uri()]


def test_every_page_opens_from_disk_with_the_network_off_and_a_silent_console(page, built):
    for address in addresses(built):
        page.goto(address)
        expect(page.locator("h1:visible")).to_have_count(1)


def test_every_link_of_the_index_leads_to_its_scenario(page, built):
    page.goto((built.site / "index.html").as_uri())
    links = page.locator(".tiles a")
    for number in range(links.count()):
        title = links.nth(number).inner_text()
        links.nth(number).click()
        assert page.locator("h1").inner_text() == title
        page.get_by_role("link", name="All scenarios").click()


def test_pre_rendered_view_equals_the_live_view(browser, page, built):
    context = browser.new_context(java_script_enabled=False, offline=True)
    still = context.new_page()
    for address in scenario_addresses(built):
        still.goto(address)
        show(page, address)
        page.keyboard.press("Enter")
        settle(page)
        assert page.evaluate(PRE_RENDERED) == still.evaluate(PRE_RENDERED)
    context.close()


@pytest.mark.parametrize("opening", OPENINGS)
def test_without_scripts_verdict_ranking_and_outcomes_are_readable(offline, built, opening):
    page = offline(java_script_enabled=False).new_page()
    page.goto(built.address(opening, "refund-policy-a"))
    section = page.locator("[data-scenario=refund-policy-a]")
    expect(section.locator("[data-part=unscripted]")).to_be_visible()
    headline = section.locator("[data-part=headline]")
    expect(headline).to_be_visible()
    expect(headline).to_have_text("Fixing Planner or Retriever carries the largest share of the repair (0.417 each).")
    expect(section.locator("[data-player='0'] [data-rule=shapley]")).to_be_visible()
    expect(section.locator("[data-mask='12'] .without-script")).to_be_visible()
    assert section.locator("[data-mask]:visible").count() == 16
    assert section.locator("button:visible, input:visible, select:visible").count() == 0


def test_without_scripts_every_case_has_its_verdict(offline, built):
    page = offline(java_script_enabled=False).new_page()
    page.goto(built.address("folder", "triage"))
    assert page.locator("[data-part=cases] tr:visible").count() == 30


def test_without_scripts_links_of_the_report_lead_to_its_sections(offline, built):
    page = offline(java_script_enabled=False).new_page()
    page.goto(built.report.as_uri())
    page.locator(".tiles").get_by_role("link", name="Support triage").click()
    expect(page.locator("[data-scenario=triage] h1")).to_be_in_viewport()


@pytest.mark.parametrize("width", [320, 360])
def test_no_page_scrolls_sideways_on_a_narrow_phone(offline, built, width):
    page = offline(viewport={"width": width, "height": 740}).new_page()
    views = [built.address("report", scenario.stem) for scenario in (built.site / "scenarios").glob("*.html")]
    for address in [*addresses(built), *views]:
        page.goto(address)
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, address


def test_edited_phone_view_does_not_scroll_sideways(offline, built):
    page = offline(viewport={"width": 360, "height": 740}).new_page()
    show(
        page,
        built.address("folder", "graded-answers", "case=rising&mode=replayed&on=1.2.3&edits=3_0.123456789~7_1e-9"),
    )
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360


def test_message_on_an_outcome_covers_nothing_on_a_phone(offline, built):
    page = offline(viewport={"width": 360, "height": 740}).new_page()
    show(page, built.address("folder", "refund-policy-a", "case=march-headphones&mode=abducted"))
    row = page.locator("tr[data-mask='2']")
    row.locator("[data-part=set]").fill("1_000")
    name, dots = row.locator("[data-part=name]").bounding_box(), row.locator(".dots").bounding_box()
    assert name["x"] + name["width"] <= dots["x"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(offline, built, scheme):
    page = offline(color_scheme=scheme).new_page()
    views = (
        (built.site / "index.html").as_uri(),
        built.address("folder", "refund-policy-a", "on=3.4&edits=12_0"),
        built.address("folder", "time-outs"),
        built.address("folder", "chain-of-9", "on=2"),
        built.address("folder", "night-run", "case=leader&mode=replayed&on=1.2"),
        built.address("folder", "triage", "case=ticket-02&mode=fresh&on=1&edits=1_0.3"),
    )
    for address in views:
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_timeout(300)
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        found = page.evaluate(CONTRAST)
        assert found["seen"] > 30
        assert found["poor"] == []


def test_dark_scheme_is_dark(offline, built):
    page = offline(color_scheme="dark").new_page()
    page.goto(built.address("folder", "refund-policy-a"))
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(20, 21, 25)"


def test_print_from_dark_is_light_open_and_without_controls(offline, built):
    page = offline(color_scheme="dark").new_page()
    show(page, built.address("folder", "triage", "case=ticket-02&mode=replayed&edits=0_1"))
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("button.button:visible, select:visible, input:visible").count() == 0
    expect(page.get_by_text("methods and provenance of this scenario")).to_be_visible()
    expect(page.locator("[data-part=hypothetical]").get_by_text("Hypothetical", exact=True)).to_be_visible()
    assert page.get_by_text("All scenarios").is_hidden()
    edges = ".masthead-inner, .page, .footer-inner"
    lefts = page.locator(edges).evaluate_all("(all) => all.map((one) => getComputedStyle(one).paddingLeft)")
    assert set(lefts) == {"1px"}


def test_printing_opens_what_is_closed_and_closes_it_again(page: Page, built):
    show(page, built.address("folder", "refund-policy-a"))
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0


def test_text_takes_its_own_direction(page, built):
    show(page, built.address("folder", slug("odd ids/№ 1"), f"case={slug('مرحبا')}&mode=replayed"))
    page.keyboard.press("Escape")
    settle(page)
    direction = "(selector) => getComputedStyle(document.querySelector(selector)).direction"
    assert page.evaluate(direction, "tr[data-case][aria-current] th bdi") == "rtl"
    assert page.evaluate(direction, "tr[data-case][aria-current] th") == "ltr"
    assert page.evaluate(direction, "[data-part=current]") == "ltr"


def test_fix_described_in_100_kb_is_readable_in_a_single_file(offline, tmp_path):
    words = "".join(f"word{number} " for number in range(12_000))
    steps = (step("only", fix=fix("longer", words)),)
    about = scenario("long", "Long", words)
    cases = [case_game(steps, "one", [0, 1], 1, plain_text)]
    write_report(plan_report([game_file(about, steps, "replayed", 1, cases)]), tmp_path / "report.html")
    page = offline(viewport={"width": 1000, "height": 800}).new_page()
    show(page, (tmp_path / "report.html").as_uri() + "#s=long")
    box = page.locator(".fix-text")
    assert len(words) > 100_000
    assert box.inner_text().strip() == words.strip()
    assert page.evaluate("() => document.documentElement.scrollHeight") < 5000
    box.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('.fix-text').scrollTop > 1000")
    page.emulate_media(media="print")
    assert box.evaluate("(box) => box.scrollHeight === box.clientHeight")


FILLS = """(selectors) => selectors.map((selector) => {
    const style = getComputedStyle(document.querySelector(selector));
    return [style.backgroundColor, style.fill, style.borderInlineStartWidth].join(" ");
})"""


@pytest.mark.parametrize(
    ("chosen", "other"),
    [
        (".segments input:checked + span", ".segments input:not(:checked) + span"),
        ("[role=switch][aria-checked=true] .knob", "[role=switch][aria-checked=false] .knob"),
        (".dots .on", ".dots i:not(.on)"),
        ("tr[data-mask][aria-current] th", "tr[data-mask]:not([aria-current]) th"),
        (".card[data-state=changed] .card-number", ".card[data-state=same] .card-number"),
    ],
)
def test_forced_colours_leave_what_is_chosen_distinct(offline, built, chosen, other):
    page = offline(forced_colors="active").new_page()
    show(page, built.address("folder", "refund-policy-a", "on=3.4"))
    page.wait_for_timeout(300)
    first, second = page.evaluate(FILLS, [chosen, other])
    assert first != second


def test_long_texts_are_reached_by_the_keyboard_and_have_a_name(page, built):
    for address in scenario_addresses(built):
        show(page, address)
        boxes = page.locator(".output, .is-long, .scroll")
        poor = boxes.evaluate_all("""(all) => all.filter((one) => one.checkVisibility() && !(one.tabIndex === 0 &&
            (one.hasAttribute("aria-label") || one.hasAttribute("aria-labelledby"))) &&
            one.querySelector("[tabindex='0'], a, button") === null).map((one) => one.outerHTML)""")
        assert poor == []


def test_site_works_under_a_path_of_a_host(browser, built, tmp_path):
    shutil.copytree(built.site, tmp_path / "a" / "b")
    (tmp_path / "index.html").write_text("root", "utf-8")
    context = browser.new_context()
    page = context.new_page()
    failed, complaints = [], []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    page.on("console", lambda message: complaints.append(message.text))
    with server(tmp_path, 0) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        page.goto(f"http://127.0.0.1:{running.server_address[1]}/a/b/index.html")
        page.get_by_role("link", name="Support triage").click()
        page.wait_for_load_state()
        settle(page)
        page.keyboard.press("Enter")
        settle(page)
        page.keyboard.press("j")
        settle(page)
        expect(page.locator("[data-part=case-name]")).to_have_text("ticket-02")
        running.shutdown()
    context.close()
    assert (failed, complaints) == ([], [])
