from dataclasses import replace

from site_builder.wording import coalition_name, joined, needs_every_combination, sampling, withheld_reason
from tests.known_game_files import holes_files, refund_files
from tests.known_sampled_files import sampled_files

TITLES = [f"step {player}" for player in range(12)]
PLAN = "\u05de\u05ea\u05db\u05e0\u05df"


def night(name):
    file = sampled_files()[0]
    (case,) = (one for one in file.cases if one.id == name)
    return case


def test_nearly_all_of_many_fixes_are_named_by_what_is_off():
    assert coalition_name(2**12 - 2, TITLES) == "All but step 0"
    assert coalition_name(2**12 - 1 - 5, TITLES) == "All but step 0 and step 2"


def test_few_fixes_are_named_by_what_is_on():
    assert coalition_name(0b0111, TITLES[:4]) == "step 0 + step 1 + step 2"


def test_none_and_all_have_names_of_their_own():
    assert coalition_name(0, TITLES) == "No fix"
    assert coalition_name(2**12 - 1, TITLES) == "All fixes"


def test_name_that_runs_from_right_to_left_is_isolated_in_the_name_of_a_combination():
    assert coalition_name(0b011, ["Writer", PLAN, "Reader"]) == f"Writer + \u2068{PLAN}\u2069"
    assert coalition_name(2**12 - 2, [PLAN, *TITLES[1:]]) == f"All but \u2068{PLAN}\u2069"


def test_combination_that_begins_with_such_a_name_still_runs_from_left_to_right():
    assert joined([PLAN, "Writer"]) == f"\u200e\u2068{PLAN}\u2069 + Writer"
    assert joined([PLAN]) == f"\u2068{PLAN}\u2069"


def test_game_that_was_run_whole_is_not_said_to_be_estimated():
    file = refund_files("a", {"replayed": 1})[0]
    assert sampling(file.cases[0], 4) == needs_every_combination(file.cases[0], 4) == ""


def test_estimate_says_from_how_many_draws_and_why_no_more():
    said = sampling(night("two alike"), 40)
    assert "by 1333 draws from 2000 of 2⁴⁰ combinations" in said
    assert said.endswith("Sampling stopped: 2000 coalitions were run, the most allowed.")


def test_probability_that_the_intervals_hold_is_that_of_the_file():
    case = night("leader")
    assert "at least 99.9 %" in sampling(replace(case, sampled=replace(case.sampled, delta=0.001)), 40)


def test_withheld_values_have_a_reason():
    torn = holes_files()[0].cases[0]
    assert withheld_reason(torn, ["Intake", "Router", "Planner"]).startswith(
        "Values are withheld: 1 combination has no outcome. Intake + Planner: planner: TimeoutError"
    )
    assert "that was drawn has no outcome" in withheld_reason(night("drawn without a score"), TITLES)
    assert withheld_reason(night("leader"), TITLES) == ""
