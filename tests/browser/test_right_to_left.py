"""Names that run from right to left move nothing around them: on the page, ahead of scripts too, and in copies."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from analyzer.game_file import Shown
from analyzer.rules import isolated
from analyzer.slug import slug
from site_builder.wording import coalition_name, joined
from tests.browser.conftest import OPENINGS, Built, act, build, show
from tests.made_game_files import case_game, fix, game_file, scenario, step

PLAN, WRITE = "\u05de\u05ea\u05db\u05e0\u05df", "\u0643\u0627\u062a\u0628"
TITLES = (PLAN, "Retriever", WRITE, "\u202ereweiver")
#: What sets a direction, in a text that uses each, and in one that begins an isolate and does not end it.
CONTROLS = "".join(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
TURNING = f"a {CONTROLS} b"
OPEN = "\u2067\u202e gnp.exe"
RAW = re.compile("[\u202a-\u202e\u2066\u2067]")
CASES = ("\u05de\u05e7\u05e8\u05d4 1", f"{OPEN} 2")


def worths(repairs) -> list[int]:
    return [int(repairs(mask)) for mask in range(16)]


@pytest.fixture(scope="module")
def turning(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build a scenario of four steps, three of whose names run from right to left or turn what follows."""
    names = ("plan", "get", "write", "check")
    steps = tuple(
        step(name, names[:place][-1:], title=title, fix=fix(f"{title} 2", TURNING, f"-{OPEN}\n+{TURNING}"))
        for place, (name, title) in enumerate(zip(names, TITLES, strict=True))
    )
    repairs = (lambda mask: mask & 5 == 5, lambda mask: mask & 3 == 3 or mask & 12 == 12)
    cases = [
        case_game(
            steps, name, worths(found), 1, lambda name, mask: f"{TURNING} {name} {mask}",
            inputs=[Shown(f"{OPEN} input", TURNING)], tags=["\u05ea\u05d2"], failure=OPEN,
        )
        for name, found in zip(CASES, repairs, strict=True)
    ]  # fmt: skip
    about = scenario("turning", f"{WRITE} (refunds)", TURNING)
    files = [game_file(about, steps, "replayed", 1, cases), game_file(about, steps, "fresh", 1, cases[:1])]
    return build(files, tmp_path_factory.mktemp("turning"))


CASE = f"case={slug(CASES[0])}&mode=replayed"

# Where texts stand within that of an element: their left and right ends.
PLACES = """(part, texts) => {
    const all = document.createTreeWalker(part, NodeFilter.SHOW_TEXT).nextNode();
    const range = document.createRange();
    return texts.map((text) => all.data.indexOf(text)).flatMap((from, k) => {
        if (from < 0) return [];
        range.setStart(all, from);
        range.setEnd(all, from + texts[k].length);
        const { left, right } = range.getBoundingClientRect();
        return [[left, right]];
    });
}"""


def in_order(places: list[list[float]]) -> bool:
    return all(one[1] <= other[0] + 1 for one, other in pairwise(places))


def test_names_of_a_combination_stand_from_left_to_right_in_the_order_of_the_steps(page, turning):
    show(page, turning.address("folder", "turning", CASE))
    rows = page.locator("[data-part=outcomes] [data-mask] [data-part=name]")
    seen = [row.evaluate(PLACES, list(TITLES)) for row in rows.all()]
    assert max(map(len, seen)) == 3
    assert all(in_order(places) for places in seen)


def test_number_beside_a_name_stays_beside_it(page, turning):
    show(page, turning.address("folder", "turning", CASE))
    echo = page.locator("[data-part=echo-values]")
    shown = echo.evaluate("(part) => part.textContent")
    parts = shown.split(" \u00b7 ")
    assert len(parts) == 4
    places = echo.evaluate(PLACES, parts)
    assert len(places) == 4
    assert in_order(places)


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("view", ["mode=replayed", CASE])
def test_page_says_the_same_with_and_without_scripts(offline, turning, opening, view):
    """What the builder wrote is read with scripts off, what the page writes after going there and back."""
    parts = (
        "headline",
        "remarks",
        "pairs-note",
        "repairs",
        "dividends",
        "outcomes] [data-part=name",
        "waterfall-sentence",
        "echo-values",
    )
    parts += (
        "batch-headline",
        "batch-remarks",
        "batch-sets-sentence",
        "batch-sets",
        "batch-minimal",
        "batch-pairs-note",
    )
    read = """(parts) => parts.map((name) => {
        const found = document.querySelectorAll(`[data-scenario='turning'] [data-part=${name}]`);
        return Array.from(found, (part) => part.textContent.replace(/\\s+/g, "")).join();
    })"""
    still = offline(java_script_enabled=False).new_page()
    still.goto(turning.address(opening, "turning"))
    built = still.evaluate(read, list(parts))
    live = offline().new_page()
    show(live, turning.address(opening, "turning", CASE + "&on=1&edits=1_0.5"))
    show(live, turning.address(opening, "turning", "mode=replayed&edits." + slug(CASES[0]) + ".replayed=1_0.5"))
    show(live, turning.address(opening, "turning", CASE))
    show(live, turning.address(opening, "turning", "mode=replayed"))
    show(live, turning.address(opening, "turning", view))
    assert live.evaluate(read, list(parts)) == built
    assert sum("\u2068" in text for text in built) > 8


def test_names_in_what_is_said_of_a_combination_are_isolated(page, turning):
    show(page, turning.address("folder", "turning", CASE + "&on=1"))
    said = page.locator("[data-part=lattice-said]").text_content()
    assert said.count(isolated(PLAN)) == said.count(PLAN) == 2
    assert f"adding Retriever or {isolated(TITLES[3])} " in said
    assert f"adding {isolated(WRITE)} " in said


def test_name_of_a_fix_that_was_moved_is_isolated(page, turning):
    show(page, turning.address("folder", "turning", CASE))
    act(page, page.locator("[data-part=waterfall-rows] [data-moves='0'] [data-part=later]").click)
    assert page.locator("[data-part=waterfall-moved]").text_content() == f"{isolated(PLAN)} is now number 2 of 4."


def test_name_of_a_case_without_the_luck_asked_for_is_isolated(page, turning):
    show(page, turning.address("folder", "turning", f"case={slug(CASES[0])}&mode=fresh"))
    page.locator("[data-part=compare-box] > summary").click()
    field = page.locator("[data-part=other-case]")
    field.fill("2")
    act(page, page.locator("[data-part=other-list] [role=option]").first.click)
    note = page.locator("[data-part=compare-note]").text_content()
    assert note.startswith(f"{isolated(CASES[1])} was not analysed under \u201cNew luck\u201d")


def test_combination_is_named_alike_in_both_languages(page, turning):
    show(page, turning.address("folder", "turning"))
    lists = [
        TITLES,
        TITLES[::-1],
        (PLAN,),
        (PLAN, WRITE),
        tuple(f"{PLAN} {number}" for number in range(10)),
        (TURNING, OPEN),
    ]
    named = page.evaluate(
        "(lists) => lists.map((titles) => Array.from({ length: 2 ** titles.length },"
        " (one, mask) => AgentBlame.wording.coalitionName(mask, titles)))",
        [list(titles) for titles in lists],
    )
    assert named == [[coalition_name(mask, titles) for mask in range(2 ** len(titles))] for titles in lists]
    sums = page.evaluate("(lists) => lists.map(AgentBlame.wording.joined)", [list(titles) for titles in lists])
    assert sums == [joined(titles) for titles in lists]


# Copies and files


@pytest.fixture
def take(offline, turning):
    """Open a view and its menu, and take a copy or a file of it along."""

    def take_one(view: str, kind: str, name: str) -> str:
        opened = offline(viewport={"width": 1200, "height": 900})
        opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = opened.new_page()
        show(page, turning.address("folder", "turning", view))
        page.locator("[data-part=sharing] > summary").click()
        button = page.locator(f"[data-{kind}='{name}']")
        if kind == "copy":
            button.click()
            page.locator("[data-part=share-said]", has_text="is copied").wait_for()
            return str(page.evaluate("navigator.clipboard.readText()"))
        with page.expect_download() as waiting:
            button.click()
        return Path(waiting.value.path()).read_bytes().decode("utf-8")

    return take_one


@pytest.mark.parametrize(("view", "name"), [(CASE, "markdown"), ("mode=replayed", "markdown"), (CASE, "prompt")])
def test_what_sets_a_direction_is_shown_by_its_code_in_a_copy(take, view, name):
    text = take(view, "copy", name)
    assert RAW.search(text) is None
    escaped = text.replace("\\\\", "\\")
    assert "\\u202Ereweiver" in escaped
    assert "\u202e" not in escaped


def test_each_control_of_a_text_stands_in_the_prompt_by_its_code(take):
    text = take(CASE, "copy", "prompt")
    assert TURNING.translate({ord(one): f"\\u{ord(one):04X}" for one in CONTROLS}) in text


@pytest.mark.parametrize(("view", "name"), [(CASE, "markdown"), ("mode=replayed", "markdown"), (CASE, "prompt")])
def test_each_isolate_of_a_copy_ends_on_its_line_and_holds_a_name(take, view, name):
    for line in take(view, "copy", name).split("\n"):
        inside = re.findall("\u2068([^\u2068\u2069]*)\u2069", line)
        assert line.count("\u2068") == line.count("\u2069") == len(inside)
        assert all(isolated(one) != one for one in inside)


@pytest.mark.parametrize("view", [CASE, "mode=replayed"])
def test_name_from_right_to_left_is_isolated_in_each_cell_of_markdown(take, view):
    rows = [line for line in take(view, "copy", "markdown").split("\n") if line.startswith("|") and PLAN in line]
    assert rows
    for row in rows:
        assert not re.search(f"(?<!\u2068){PLAN}", row)


@pytest.mark.parametrize("view", [CASE, "mode=replayed"])
def test_json_holds_what_sets_a_direction_by_its_code(take, view):
    text = take(view, "file", "everything")
    assert re.search("[\u202a-\u202e\u2066-\u2069]", text) is None
    assert [one["title"] for one in json.loads(text)["fixes"]] == list(TITLES)


@pytest.mark.parametrize(("view", "name"), [(CASE, "ranking"), (CASE, "outcomes"), ("mode=replayed", "cases")])
def test_csv_keeps_what_sets_a_direction_between_quotes(take, view, name):
    text = take(view, "file", name).removeprefix("\ufeff")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    turned = [cell for row in rows for cell in row if re.search("[\u202a-\u202e\u2066-\u2069]", cell)]
    assert turned
    assert all(f'"{cell}"' in text for cell in turned)
