"""What went into a case and what came of it, in a line each."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.game_file import CoalitionError, Shown
from site_builder import plan_site
from site_builder.drawing import room
from site_builder.gist import gist, line, shares
from tests.known_game_files import HOSTILE, QUESTION, hostile_files, refund_files
from tests.made_game_files import case_game, fix, game_file, scenario, step

STEPS = (step("search", title="Search"), step("answer", ("search",), title="Answer", fix=fix("another")))


def made(text: str = "", inputs=(), mode: str = "replayed", worlds: int = 1, **rest):
    """Return a file of one case whose last step puts out a text without its fix."""
    said = {"search": "found", "answer": text}
    case = case_game(
        STEPS, "one", [0, worlds], worlds, lambda name, mask: "right" if mask else said[name], inputs=inputs, **rest
    )
    return game_file(scenario("made", "Made", ""), STEPS, mode, worlds, [case])


def told(file):
    return gist(file.cases[0], file.header)


def shown(file) -> str:
    """Return the part of the built page, as markup, that no script has touched."""
    (html,) = (page for path, page in plan_site([file]).items() if path.startswith("scenarios/"))
    return re.search(r'<dl class="gist">.*?</dl>', html.decode("utf-8"), re.DOTALL)[0]


def text_of(markup: str) -> str:
    return unescape(re.sub("<[^>]*>", "", markup))


def test_last_step_says_what_the_run_gave():
    assert told(made("Arthur Dent opened it.")).gave == ("Answer", "Arthur Dent opened it.")


def test_input_stands_under_its_name():
    found = told(made("x", [QUESTION]))
    assert (found.inputs, found.more) == (((QUESTION.name, QUESTION.text),), "")


def test_long_texts_are_shortened_and_short_ones_beside_them_are_not():
    found = told(made("y" * 9000, [Shown("context", "long text " * 5000), Shown("question", "Who opened it?")]))
    (_, context), question = found.inputs
    assert question == ("question", "Who opened it?")
    assert re.fullmatch("long text long.*…", context)
    assert room(context) == 160 - len("Who opened it?")
    assert found.gave[1] == "y" * 159 + "…"


def test_inputs_beyond_the_fourth_are_counted():
    found = told(made("x", [Shown(f"field {number}", "text") for number in range(7)]))
    assert [name for name, _ in found.inputs] == ["field 0", "field 1", "field 2", "field 3"]
    assert found.more == "and 3 more"


def test_white_space_is_folded_and_emptiness_named():
    found = told(made(" \n\t ", [Shown("ticket", "\n two\r\n\n  lines\u00a0\u2028here ")]))
    assert found.inputs == (("ticket", "two lines here"),)
    assert found.gave == ("Answer", "(empty)")


def test_run_that_broke_off_says_why():
    case = case_game(
        STEPS, "one", [None, 1], 1, lambda name, mask: "x", errors={0: CoalitionError("answer", "TimeoutError: late")}
    )
    found = told(game_file(scenario("made", "Made", ""), STEPS, "replayed", 1, [case]))
    assert found.gave[1].startswith("No output. answer: TimeoutError: late")
    assert found.world == ""


@pytest.mark.parametrize(("passes", "word"), [(0.0, "fails"), (1.0, "passes")])
def test_of_several_worlds_it_is_said_which_one_it_was(passes, word):
    file = made("x", mode="abducted", worlds=8, shown_scores=[passes, 1.0])
    file = replace(file, header=replace(file.header, reference_world=2))
    assert told(file).world == f"Outputs of world 3 of 8, which {word}"


def test_page_without_scripts_has_both_lines():
    said = text_of(shown(refund_files("a", {"replayed": 1})[0]))
    assert f"question: {QUESTION.text}" in said
    assert "The run gaveReviewer: You can return the headphones within 14 days" in said


def test_page_under_new_luck_does_not_speak_of_the_run():
    said = text_of(shown(refund_files("a", {"fresh": 8})[0]))
    assert "New luck gave, without fixes" in said
    assert "The run gave" not in said
    assert "Outputs of world 1 of 8, which fails" in said


def test_case_without_inputs_has_no_line_for_them():
    assert '<div data-part="gist-inputs" hidden>' in shown(made("x"))
    assert '<div data-part="gist-inputs">' in shown(made("x", [QUESTION]))


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_text_is_text_in_the_built_page(number):
    file = hostile_files(HOSTILE, number)[0]
    markup = shown(file)
    assert set(re.findall("<([a-z]+)", markup)) <= {"dl", "div", "dt", "dd", "span", "bdi"}
    assert told(file).gave[1].replace("\0", "\ufffd").replace("\ud800", "\ufffd") in text_of(markup)


@given(st.text(), st.integers(1, 200))
def test_line_is_never_longer_than_its_room_and_holds_no_break(text, most):
    found = line(text, most)
    assert found == "(empty)" or room(found) <= most
    assert re.search("[\t-\r\u2028\u2029]|  ", found) is None


@given(st.lists(st.integers(0, 400), max_size=6), st.integers(0, 400))
def test_shares_give_nobody_more_than_wanted_and_leave_nothing_that_somebody_wants(wanted, whole):
    found = shares(wanted, whole)
    assert all(one <= want for one, want in zip(found, wanted, strict=True))
    assert sum(found) <= whole
    if sum(wanted) <= whole:
        assert found == wanted
    else:
        assert whole - sum(found) < max(1, len(wanted))
