"""What a step's card holds before any script runs."""

from __future__ import annotations

import re

from site_builder import plan_site
from tests.known_game_files import refund_files
from tests.made_game_files import case_game, fix, game_file, scenario, step


def page(files, name: str) -> str:
    return plan_site(files)[f"scenarios/{name}.html"].decode("utf-8")


def made(text: str) -> str:
    steps = (step("only", fix=fix("another")),)
    case = case_game(steps, "one", [0, 1], 1, lambda name, mask: text)
    return page([game_file(scenario("made", "Made", ""), steps, "replayed", 1, [case])], "made")


def factual(html: str) -> str:
    return re.search(r'<div class="output[^>]*data-part="factual"[^>]*>', html)[0]


def test_each_card_names_the_steps_it_reads_by_number():
    html = page(refund_files("a", {"replayed": 1}), "refund-policy-a")
    assert re.findall(r'data-parents="([^"]*)"', html) == ["", "0", "0 1", "2"]


def test_prose_takes_its_own_direction():
    assert 'dir="auto"' in factual(made("مرحبا"))


def test_what_looks_like_data_runs_from_left_to_right():
    assert 'dir="ltr"' in factual(made('{"مرحبا": 1}'))


def test_lines_of_a_fix_are_there_without_scripts_with_their_signs():
    html = page(refund_files("a", {"replayed": 1}), "refund-policy-a")
    assert '<span class="removed">-Answer briefly.</span>' in html
    assert '<span class="added">+Answer briefly and cite.</span>' in html


def test_control_characters_are_shown_in_names_of_outputs_too():
    steps = (step("only", title="a\x00b", fix=fix("another")),)
    case = case_game(steps, "one", [0, 1], 1, lambda name, mask: "text")
    html = page([game_file(scenario("made", "Made", ""), steps, "replayed", 1, [case])], "made")
    assert 'aria-label="a\ufffdb without fixes"' in html
    assert "\x00" not in html


def test_scenario_of_one_case_and_one_kind_of_luck_has_nothing_to_compare():
    assert 'data-part="compare"' not in made("text")


def test_comparison_is_named_by_what_there_is_to_choose():
    html = page(refund_files("a", {"replayed": 1, "fresh": 4}), "refund-policy-a")
    assert "Compare with another kind of luck</h2>" in html
