"""What a step read and wrote, and how what changed in it is marked."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Locator, Page, expect

from site_builder import plan_report, plan_site, write_report, write_site
from tests.browser.conftest import Built, settle, show
from tests.known_game_files import refund_a_repairs, refund_text
from tests.made_game_files import case_game, fix, game_file, scenario, step

A = "refund-policy-a"
TEXT = refund_text(refund_a_repairs)
BEFORE_START = """delete Intl.Segmenter;"""


@pytest.fixture(params=("folder", "report"))
def opening(request):
    return request.param


def card(page: Page, number: int) -> Locator:
    return page.locator(f"[data-scenario]:not([hidden]) [data-step='{number}']")


def marks(box: Locator) -> list[list[str]]:
    return box.evaluate("""(box) => Array.from(box.childNodes, (node) =>
        [node.nodeName === "#text" ? "" : node.nodeName.toLowerCase(), node.textContent])""")


def word_diff(page: Page, before: str, after: str) -> list[list[str]] | None:
    return page.evaluate("([before, after]) => AgentBlame.wordDiff(before, after)", [before, after])


def open_pair(page: Page, folder, before: str, after: str, opening: str = "folder") -> Locator:
    """Show a step that puts out one text without its fix and another with it; return its card with the fix on."""
    steps = (step("only", title="Only", fix=fix("another")),)
    case = case_game(steps, "one", [0, 1], 1, lambda name, mask: after if mask else before)
    files = [game_file(scenario("pair", "Pair", ""), steps, "replayed", 1, [case])]
    built = Built(folder / "site", folder / "report.html")
    if opening == "folder":
        write_site(plan_site(files), built.site)
    else:
        write_report(plan_report(files), built.report)
    show(page, built.address(opening, "pair", "case=one&mode=replayed&on=1"))
    return card(page, 0)


def test_words_that_came_and_went_are_marked_and_the_rest_is_not(page, built, opening):
    show(page, built.address(opening, A, "on=2"))
    assert marks(card(page, 1).locator("[data-part=changes]")) == [
        ["", "Refund policy"],
        ["del", " 2024"],
        ["ins", ", effective 1 January 2026"],
        ["", ": “Goods may be returned within "],
        ["del", "14"],
        ["ins", "30"],
        ["", " days of purchase, in their original box.”"],
    ]


def test_marks_are_more_than_colour(page, built):
    show(page, built.address("folder", A, "on=2"))
    style = "([one]) => [getComputedStyle(one).textDecorationLine, getComputedStyle(one, '::before').content]"
    changes = card(page, 1).locator("[data-part=changes]")
    assert changes.locator("ins").evaluate_all(style) == ["underline", '" [added: "']
    assert changes.locator("del").evaluate_all(style) == ["line-through", '" [removed: "']


def test_an_output_that_is_the_same_carries_no_marks(page, built):
    show(page, built.address("folder", A, "on=4"))
    expect(card(page, 0).locator("[data-part=current]")).to_be_visible()
    expect(card(page, 0).locator("[data-part=changes]")).to_be_hidden()


def test_what_is_copied_from_a_marked_text_is_the_text_itself(page, built):
    show(page, built.address("folder", A, "on=2"))
    copied = (
        card(page, 1)
        .locator("[data-part=changes]")
        .evaluate("(box) => { getSelection().selectAllChildren(box); return getSelection().toString(); }")
    )
    assert copied.strip() == TEXT("retriever", 2)


def test_switch_shows_both_texts_whole(page, built, opening):
    show(page, built.address(opening, A, "on=2"))
    page.locator("[data-scenario]:not([hidden]) [data-part=steps] [data-part=texts][value=whole]").check(force=True)
    expect(card(page, 1).locator("[data-part=current]")).to_have_text(TEXT("retriever", 2))
    expect(card(page, 1).locator("[data-part=current]")).to_be_visible()
    expect(card(page, 1).locator("[data-part=changes]")).to_be_hidden()


def test_choice_of_texts_is_remembered_in_another_case(page, built):
    show(page, built.address("folder", "triage", "case=ticket-01&mode=replayed&on=1.2"))
    page.locator("[data-part=steps] [data-part=texts][value=whole]").check(force=True)
    page.keyboard.press("j")
    settle(page)
    expect(page.locator("[data-part=verdict-name]")).to_contain_text("ticket-02")
    assert page.locator("[data-part=changes]:visible").count() == 0
    expect(page.locator("[data-part=compare] [data-part=texts][value=whole]")).to_be_checked()


def test_runs_are_the_two_texts_to_the_last_character(page, built):
    show(page, built.address("folder", A))
    luck = random.Random(7)
    pieces = [
        "refund", " ", "  ", "\n", "\r\n", "14", "3,529.17", "don't", "don’t", ", ", "“", "”", "é", "e\u0301",
        "\U0001f468\u200d\U0001f4bb", "退货", "返品", "ภาษาไทย", "مرحبا", "שלום", "{", '"a": 1', "}", "_x",
        "\ud83d", "\u0000", "<b>", "\t",
    ]  # fmt: skip
    for _ in range(200):
        before = [luck.choice(pieces) for _ in range(luck.randrange(30))]
        after = [one if luck.random() < 0.7 else luck.choice(pieces) for one in before]
        texts = "".join(before), "".join(after)
        runs = word_diff(page, *texts)
        if runs is None:
            continue
        sent = [page.evaluate("(text) => text", text) for text in texts]
        assert "".join(text for kind, text in runs if kind != "came") == sent[0]
        assert "".join(text for kind, text in runs if kind != "gone") == sent[1]


def test_neighbouring_changed_words_are_one_phrase(page, built):
    show(page, built.address("folder", A))
    assert word_diff(page, "It opened in May 1869 at noon.", "It opened in March, 1914 at noon.") == [
        ["stayed", "It opened in "],
        ["gone", "May 1869"],
        ["came", "March, 1914"],
        ["stayed", " at noon."],
    ]


def test_data_is_told_apart_by_its_words(page, built):
    show(page, built.address("folder", A))
    assert word_diff(page, '{"net_income": 667.1, "year": 2019}', '{"net_income": 679.13, "year": 2019}') == [
        ["stayed", '{"net_income": '],
        ["gone", "667.1"],
        ["came", "679.13"],
        ["stayed", ', "year": 2019}'],
    ]


@pytest.mark.parametrize("segmenter", [True, False])
def test_chinese_is_told_apart_within_its_sentences(offline, built, segmenter):
    context = offline()
    if not segmenter:
        context.context.add_init_script(BEFORE_START)
    page = context.new_page()
    show(page, built.address("folder", A))
    assert word_diff(page, "您可以在十四天内退货。", "您可以在三十天内退货。")[0] == ["stayed", "您可以在"]
    assert word_diff(page, "您可以在十四天内退货。", "您可以在三十天内退货。")[-1][1].endswith("退货。")


def test_arabic_runs_from_right_to_left_with_its_marks(page, tmp_path):
    shown = open_pair(page, tmp_path, "يمكنك الإرجاع خلال أربعة عشر يوما", "يمكنك الإرجاع خلال ثلاثين يوما")
    changes = shown.locator("[data-part=changes]")
    expect(changes.locator("ins")).to_have_text("ثلاثين")
    assert changes.evaluate("(box) => getComputedStyle(box).direction") == "rtl"


def test_data_that_begins_with_arabic_stays_left_to_right(page, tmp_path):
    shown = open_pair(page, tmp_path, '{"مرحبا": 1}', '{"مرحبا": 2}')
    assert shown.locator("[data-part=changes]").evaluate("(box) => getComputedStyle(box).direction") == "ltr"
    assert shown.locator("[data-part=factual]").evaluate("(box) => getComputedStyle(box).direction") == "ltr"


def test_white_space_that_came_alone_can_be_seen(page, tmp_path):
    shown = open_pair(page, tmp_path, "one two", "one\n two")
    content = "(one) => getComputedStyle(one, '::before').content"
    assert shown.locator("[data-part=changes] ins").evaluate(content) == '"¶"'


def test_markup_in_changed_words_stays_text(page, tmp_path):
    shown = open_pair(page, tmp_path, "safe <b>words</b>", "safe <img src=x onerror=\"document.title='owned'\"> words")
    assert shown.locator("[data-part=changes] img").count() == 0
    expect(shown.locator("[data-part=changes] ins")).to_contain_text("img src=x onerror=")
    assert page.title() != "owned"


def test_texts_with_little_in_common_are_shown_whole_and_it_is_said(page, tmp_path):
    luck = random.Random(1)
    before, after = (" ".join(f"{side}{luck.randrange(999)}" for _ in range(400)) for side in "ab")
    shown = open_pair(page, tmp_path, before, after)
    expect(shown.locator("[data-part=change-note]")).to_have_text(
        "Too different to mark word by word, so it is shown whole."
    )
    expect(shown.locator("[data-part=current]")).to_have_text(after)
    expect(shown.locator("[data-part=current]")).to_be_visible()


def test_a_rewritten_text_of_100_kb_does_not_hold_up_the_page(page, tmp_path):
    words = [f"word{number}" for number in range(12_000)]
    before, after = " ".join(words), " ".join(reversed(words))
    assert len(after) > 100_000
    shown = open_pair(page, tmp_path, before, after)
    expect(shown.locator("[data-part=change-note]")).to_be_visible(timeout=3000)


def test_step_that_puts_out_100_kb_is_readable_in_a_single_file(page, tmp_path):
    words = [f"word{number}" for number in range(12_000)]
    before, after = " ".join(words), " ".join([*words[:6000], "inserted", *words[6000:]])
    shown = open_pair(page, tmp_path, before, after, "report")
    expect(shown.locator("[data-part=changes] ins")).to_have_text("inserted ")
    assert shown.locator("[data-part=factual]").inner_text() == before
    assert shown.locator("[data-part=changes]").inner_text() == after
    assert page.evaluate("() => document.documentElement.scrollHeight") < 6000


def test_what_a_step_read_is_there_only_while_it_is_open(page, built, opening):
    show(page, built.address(opening, A, "on=1"))
    read = card(page, 2).locator("[data-part=read]")
    assert read.locator(":scope > :not(summary)").count() == 0
    read.locator("summary").click()
    expect(read.locator(".output:visible")).to_have_count(2)
    read.locator("summary").click()
    expect(read.locator(":scope > :not(summary)")).to_have_count(0)


def test_what_a_step_read_is_what_its_parents_put_out_and_follows_the_fixes(page, built):
    show(page, built.address("folder", A))
    read = card(page, 2).locator("[data-part=read]")
    read.locator("summary").click()
    expect(read.locator(".output:visible")).to_have_text([TEXT("planner", 0), TEXT("retriever", 0)])
    page.keyboard.press("2")
    settle(page)
    expect(read.locator(".changed > .output:not(.changes)")).to_have_text([TEXT("planner", 2), TEXT("retriever", 2)])
    assert marks(read.locator(".changes:visible"))[1] == ["del", " 2024"]


def test_first_step_read_the_inputs_of_the_case(page, built):
    show(page, built.address("folder", "triage", "case=ticket-03&mode=replayed"))
    read = card(page, 0).locator("[data-part=read]")
    read.locator("summary").click()
    ticket = page.locator("[data-part=inputs] .output").inner_text()
    expect(read.locator(".output:visible")).to_have_text([ticket])
    page.keyboard.press("j")
    settle(page)
    assert page.locator("[data-part=inputs] .output").inner_text() != ticket
    expect(read.locator(".output:visible")).to_have_text([page.locator("[data-part=inputs] .output").inner_text()])


def test_lines_of_a_fix_are_in_the_page_only_when_opened_or_printed(page, built, opening):
    show(page, built.address(opening, A))
    lines = card(page, 2).locator(".diff")
    expect(lines).to_have_count(0)
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    expect(lines).to_have_count(1)
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    expect(lines).to_have_count(0)
    card(page, 2).locator("[data-part=fix-diff] summary").click()
    expect(lines).to_have_text("-Answer briefly.\n+Answer briefly and cite.")


def test_without_scripts_the_lines_of_a_fix_can_be_read(offline, built):
    page = offline(java_script_enabled=False).new_page()
    page.goto(built.address("folder", A))
    card(page, 2).locator("[data-part=fix-diff] summary").click()
    expect(card(page, 2).locator(".diff")).to_be_visible()


def test_a_box_that_has_the_focus_hands_it_to_the_one_that_takes_its_place(page, built):
    show(page, built.address("folder", A, "on=2"))
    card(page, 1).locator("[data-part=changes]").focus()
    page.keyboard.press("2")
    settle(page)
    expect(card(page, 1).locator("[data-part=current]")).to_be_focused()


def test_library_leaves_no_name_of_its_own(page, built, opening):
    show(page, built.address(opening, A))
    assert page.evaluate("() => 'Diff' in globalThis") is False
