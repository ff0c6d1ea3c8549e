"""What went into a case and what came of it stand at the top of it, as Python tells them."""

from __future__ import annotations

import pytest

from analyzer.game_file import Shown
from analyzer.slug import slug
from site_builder.gist import gist
from site_builder.payload import visible
from site_builder.wording import gave_title
from tests.browser.conftest import OPENINGS, build, settle, show
from tests.made_game_files import case_game, fix, game_file, scenario, step

SHOWN = """() => {
    const box = document.querySelector("[data-scenario]:not([hidden]) [data-part=verdict]");
    const one = (name) => box.querySelector(`[data-part=${name}]`);
    const told = (name) => Array.from(one(name).children, (child) => child.querySelector("bdi") === null
        ? child.textContent : Array.from(child.querySelectorAll("bdi"), (bdi) => bdi.textContent));
    return [one("gist-inputs").hidden, told("gist-in"), one("gist-gave").textContent, told("gist-out")];
}"""
MARKUP = "() => document.querySelector('[data-scenario]:not([hidden]) .gist').innerHTML"

#: Texts whose length, white space or direction two languages could see differently.
ODD = (
    "", " \t\n", "\ufeffbyte order mark", "\x1cfile separator\x85next line\u200bzero width", "\U0001f600" * 300,
    "a" * 159, "a" * 160, "a" * 161, "\u65e5\u672c\u8a9e " * 70, "\u05de\u05ea\u05db\u05e0\u05df " * 60,
    "e\u0301" * 200, "\U0001f600a" * 120, "word " * 40000, "x" * 500_000, "\u202eoverride", "<b>\"'&amp;</b>",
)  # fmt: skip


def by_python(case, header):
    found = gist(case, header)
    inputs = [[visible(name), visible(text)] for name, text in found.inputs]
    return [
        not inputs,
        inputs + ([found.more] if found.more else []),
        gave_title(header.mode),
        [list(map(visible, found.gave))] + ([found.world] if found.world else []),
    ]


@pytest.mark.parametrize("opening", OPENINGS)
def test_every_case_has_at_its_top_what_python_tells_of_it(page, built, exported_games, opening):
    for file in exported_games:
        for case in file.cases[:12]:
            view = f"case={slug(case.id)}&mode={file.header.mode}"
            show(page, built.address(opening, slug(file.header.scenario.id), view))
            assert page.evaluate(SHOWN) == by_python(case, file.header)


@pytest.fixture(scope="module")
def odd():
    """Return a file in which each odd text is an input, an output and, shortened, a name."""
    steps = (step("only", title="Only \n" + "long title " * 9, fix=fix("another")),)
    cases = [
        case_game(
            steps, f"case {number}", [0, 1], 1, lambda name, mask, text=text: "right" if mask else text,
            inputs=[Shown("text", text), Shown(f"n {text[:90]}", f"beside {text[:30]}")][: 1 + number % 2],
        )
        for number, text in enumerate(ODD)
    ]  # fmt: skip
    return game_file(scenario("odd", "Odd", ""), steps, "replayed", 1, cases)


def test_texts_of_any_length_and_script_are_shortened_as_python_does(page, odd, tmp_path):
    site = build([odd], tmp_path)
    for case in odd.cases:
        show(page, site.address("folder", "odd", f"case={slug(case.id)}&mode=replayed"))
        assert page.evaluate(SHOWN) == by_python(case, odd.header)


def test_page_says_it_the_same_before_and_after_its_scripts_ran(page, offline, built):
    without = offline(java_script_enabled=False).new_page()
    for name in ("refund-policy-a", "graded-answers", "time-outs", "order-margin", "verdicts"):
        without.goto(built.address("folder", name))
        html = without.locator(".gist").inner_html()
        assert without.locator(".gist").is_visible()
        show(page, built.address("folder", name))
        if page.evaluate("AgentBlame.page.state().view") == "all":
            page.keyboard.press("Enter")
            settle(page)
        assert page.evaluate(MARKUP).replace(" </dd>", "</dd>") == html.replace(" </dd>", "</dd>")


def test_edits_and_fixes_leave_it_as_it_was_run(page, built):
    show(page, built.address("folder", "refund-policy-a"))
    before = page.evaluate(SHOWN)
    show(page, built.address("folder", "refund-policy-a", "case=march-headphones&mode=replayed&on=1.4&edits=0_1~3_0"))
    assert page.evaluate(SHOWN) == before
