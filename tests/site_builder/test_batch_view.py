import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.batch_table import batch_table, case_figures
from analyzer.game import Game
from site_builder.batch_view import SETS_LISTED, batch_view
from site_builder.batch_words import Basis, contenders, kind_of, percent

PLAIN = Basis(graded=False, fresh=False, worlds=1, spread=1.0, delta=0.05, confidence="95 %")
FRESH = replace(PLAIN, fresh=True)
GRADED = replace(PLAIN, graded=True)

# Pass and fail by coalition: nothing, the first, the second, both.
EITHER, BOTH, FIRST, SECOND, NEVER, ALWAYS = (
    [0, 1, 1, 1], [0, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1],
)  # fmt: skip


def figures_of(worths, on=PLAIN, level=1.0, last=None):
    """Return the figures of games in which the outputs of the player `last` are the last to change."""
    found = []
    for worth in worths:
        players = len(worth).bit_length() - 1
        outputs = tuple(tuple(mask >> player & 1 for mask in range(len(worth))) for player in range(players))
        if last is not None:
            outputs = tuple(row if player <= last else (0,) * len(worth) for player, row in enumerate(outputs))
        game = Game(tuple(map(str, range(players))), tuple(worth), None if on.graded else on.worlds, outputs)
        found.append(case_figures(game, level, graded=on.graded))
    return found


def view(worths, on=PLAIN, titles=("Ask", "Write"), total=None, by_outcome=False, **options):
    figures = figures_of(worths, on, **options)
    table = batch_table(figures, len(titles), on.spread, on.delta)
    return batch_view(table, figures, titles, on, len(figures) if total is None else total, by_outcome=by_outcome)


def headline(*arguments, **options):
    return view(*arguments, **options).headline


def line(found, player):
    return next(one for one in found.lines if one.player == player)


def test_separated_fix_is_claimed_with_its_interval():
    found = view([FIRST] * 60)
    assert found.headline == (
        f"Fixing Ask repairs most: 1 of a failure on average (95 % interval {found.lines[0].interval}), "
        "separated from every other fix."
    )


def test_few_cases_claim_nothing():
    assert headline([FIRST] * 3) == (
        "3 failures are too few to tell the fixes apart; fixing Ask helps most on average (1)."
    )


def test_one_case_is_too_few():
    assert headline([EITHER]).startswith("1 failure is too few to tell the fixes apart; fixing Ask or Write helps most")


def test_fixes_that_are_alike_are_not_told_apart_by_any_number_of_cases():
    assert headline([EITHER] * 400) == (
        "400 failures do not tell the fixes apart; fixing Ask or Write helps most on average (0.500 each)."
    )


def test_first_fix_is_named_with_those_it_is_not_told_apart_from():
    worths = [[int(mask >> number % 5 // 3 & 1) for mask in range(8)] for number in range(50)]
    assert headline(worths, titles=("Ask", "Write", "Check")) == (
        "Fixing Ask helps most on average (0.600); 50 failures do not tell it apart from Write (0.400)."
    )


def test_fixes_that_tie_for_the_first_place_are_told_from_those_behind():
    worths = [[int(mask >> place & 1) for mask in range(16)] for place in (0, 1, 0, 1, 2)] * 8
    assert headline(worths, titles=tuple("abcd")) == (
        "Fixing a or b helps most on average (0.400 each); 40 failures do not tell a apart from b and c (0.200)."
    )


def test_fixes_that_tie_for_the_first_place_are_named():
    both = [0, 1, 1, 1, 0, 1, 1, 1]
    assert headline([both] * 100, titles=("Ask", "Write", "Check")) == (
        "Fixing Ask or Write helps most on average (0.500 each); 100 failures do not tell them apart."
    )


def test_of_many_leading_fixes_three_are_named():
    any_of_five = [int(mask % 32 > 0) for mask in range(64)]
    found = headline([any_of_five] * 300, titles=tuple("abcdef"))
    assert found == (
        "Fixing a, b, c or 2 more helps most on average (0.200 each); 300 failures do not tell them apart."
    )


def test_where_any_fix_may_be_first_they_are_not_told_apart():
    any_of_three = [0, *[1] * 7]
    assert headline([any_of_three] * 50, titles=("a", "b", "c")) == (
        "50 failures do not tell the fixes apart; fixing a, b or c helps most on average (0.333 each)."
    )


def test_fix_that_is_first_but_may_not_help_is_said_to_be_so():
    spoils = [0, 0, -1, -1]
    on = replace(GRADED, spread=2.0)
    found = headline([spoils] * 200 + [[0, 1, 0, 1]], on, level=1.0)
    assert found.startswith(
        "Fixing Ask comes before every other fix (0.005 on average); too few failures to rule out that it does nothing "
        "(95 % interval −0."
    )


def test_no_fix_helps_on_average():
    assert headline([NEVER] * 12) == "No fix helps on average over 12 failures."


def test_cases_without_values_are_not_compared():
    assert headline([[0, None, 0, 1]] * 2) == "The fixes can be compared in none of 2 failing cases."


def test_no_case_left_is_said():
    found = view([], total=5)
    assert found.headline == "No case is left to compare."
    assert found.ends == (("Failing cases", "0 of 5"),)
    assert [one.mean for one in found.lines] == ["–", "–"]
    assert (found.control, found.together) == ("no case", "no case")


@pytest.mark.parametrize(("cases", "rest"), [(3, ", which 3 failures are too few to judge by."), (60, ".")])
def test_single_fix_is_compared_with_nothing(cases, rest):
    found = view([[0, 1]] * cases, titles=("Ask",))
    sure = f"(95 % interval {found.lines[0].interval})"
    assert found.headline == f"Fixing Ask repairs 1 of a failure on average {sure}{rest}"


def test_single_fix_that_hurts_as_often_is_not_told_apart_from_nothing():
    found = headline([[0, 1], [0, 1], [1, 0]] * 10, titles=("Ask",))
    assert found.endswith("which 30 failures do not tell apart from nothing.")


def test_graded_scores_are_added_to():
    found = headline([[0.1, 0.9, 0.1, 0.9]] * 60, GRADED, level=0.8)
    assert found.startswith("Fixing Ask helps most: it adds 0.800 to the score on average (95 % interval ")


def test_claim_under_new_luck_has_its_control_beside_it():
    assert headline([FIRST] * 60 + [ALWAYS] * 8, FRESH).endswith("Without any fix, 8 of 68 pass under new luck.")
    assert "Without any fix" not in headline([FIRST] * 60 + [ALWAYS] * 8)


def test_remarks_count_what_the_cases_take():
    found = view([EITHER, BOTH, BOTH, NEVER, ALWAYS])
    assert found.remarks[0] == (
        "Of 5 compared, one fix is enough for 1, several are needed for 2, no combination repairs 1 and "
        "none is needed for 1."
    )
    assert found.remarks[1] == "In 2 of 5, no fix helps on balance."


def test_cases_that_fewer_fixes_repair_are_counted():
    assert view([[0, 1, 0, 0], FIRST, NEVER]).remarks[0] == (
        "Of 3 compared, one fix is enough for 1, all together fail but fewer repair 1 and no combination repairs 1."
    )


@given(st.lists(st.lists(st.integers(0, 1), min_size=8, max_size=8), min_size=1, max_size=30))
def test_every_case_is_counted_under_one_kind(worths):
    said = view(worths, titles=tuple("abc")).remarks[0]
    assert sum(int(number) for number in re.findall(r"\d+", said.partition(",")[2])) == len(worths)


def test_fix_that_surely_does_harm_is_named():
    found = view([[0, 1, 0, 0]] * 300)
    assert any(one.startswith("Fixing Write makes things worse on average (−0.500, 95 %") for one in found.remarks)


def test_fix_that_may_do_harm_is_not():
    assert not any("makes things worse" in one for one in view([[0, 1, 0, 0]] * 4).remarks)


def test_last_step_blame_stands_beside_the_value():
    assert view([FIRST] * 4, last=1).remarks[-1] == (
        "Last-step blame would have named Write in 4 of 4; its fix is worth 0 on average."
    )
    assert view([FIRST] * 4, last=0).remarks[-1] == (
        "Last-step blame would have named Ask in 4 of 4; its fix helps most on average, too."
    )


def blamed(*worths_by_last):
    figures = [one for last, worth in worths_by_last for one in figures_of([worth], last=last)]
    table = batch_table(figures, 2, 1.0, 0.05)
    return batch_view(table, figures, ("Ask", "Write"), PLAIN, len(figures)).remarks[-1]


def test_steps_that_last_step_blame_names_as_often_are_all_named():
    assert blamed((0, NEVER), (1, NEVER)) == (
        "Last-step blame would have named Ask or Write in 1 of 2 each; their fixes are worth 0 and 0 on average."
    )
    assert blamed((0, FIRST), (1, FIRST)) == (
        "Last-step blame would have named Ask or Write in 1 of 2 each; fixing Ask helps most on average, too."
    )
    assert blamed((0, EITHER), (1, EITHER)).endswith("; their fixes help most on average, too.")


def test_step_that_ties_for_the_largest_value_is_not_contrasted():
    assert blamed((1, EITHER)).endswith("Write in 1 of 1; its fix helps most on average, too.")


def test_cases_chosen_by_their_outcome_are_described_and_support_no_claim():
    found = view([FIRST] * 60, by_outcome=True, total=90)
    assert found.headline == "Over the 60 failures chosen, fixing Ask helps most on average (1)."
    assert found.remarks[0] == (
        "Chosen by their outcome: these figures describe the cases chosen and support no claim beyond them."
    )
    assert not found.intervals
    assert [(one.mean, one.interval, one.whiskers) for one in found.lines] == [("1", "", None), ("0", "", None)]
    assert view([EITHER] * 2, by_outcome=True).headline == (
        "Over the 2 failures chosen, fixing Ask or Write helps most on average (0.500 each)."
    )


def test_harm_in_cases_chosen_by_their_outcome_is_no_claim():
    assert not any("makes things worse" in one for one in view([[0, 1, 0, 0]] * 300, by_outcome=True).remarks)


def sampled(figures):
    return replace(figures, necessity=None, sufficiency=None, interactions=None, repairing=None, minimal=None)


def mixed(figures):
    return batch_view(batch_table(figures, 2, 1.0, 0.05), figures, ("Ask", "Write"), PLAIN, len(figures))


def test_estimates_have_no_interval_and_no_first_place_is_claimed():
    found = mixed([sampled(one) for one in figures_of([FIRST] * 60)])
    assert found.headline == (
        "Over 60 failures, fixing Ask helps most on average (1). "
        "Some values are estimates, so it is not claimed which fix comes first."
    )
    assert [(one.interval, one.whiskers) for one in found.lines] == [("", None)] * 2


def test_figures_over_a_part_of_the_cases_say_so():
    exact = figures_of([FIRST, BOTH, NEVER])
    found = mixed([*exact, *map(sampled, figures_of([FIRST]))])
    assert found.partly == "What follows is over the 3 of 4 cases that list every combination."
    assert line(found, 0).necessity_of == "of 2"
    assert line(found, 0).sufficiency_of == "of 3"
    assert mixed(exact).partly == ""
    assert line(mixed(exact[:2]), 0).necessity_of == ""


@pytest.mark.parametrize(
    ("worth", "kind"),
    [(NEVER, "unsettled"), ([0, 1, 0, 0], "fewer"), (BOTH, "no_single"), (FIRST, "repairable"), (ALWAYS, "passes")],
)
def test_kind_of_a_sampled_case_goes_by_what_was_run(worth, kind):
    assert kind_of(sampled(figures_of([worth])[0])) == kind


@pytest.mark.parametrize(
    ("worth", "kind"),
    [
        (EITHER, "repairable"),
        (BOTH, "no_single"),
        (NEVER, "all_fail"),
        (ALWAYS, "passes"),
        ([0, 1, 0, 0], "fewer"),
        ([1, 0, 0, 0], "passes"),
    ],
)
def test_kind_is_that_of_the_verdict(worth, kind):
    assert kind_of(figures_of([worth])[0]) == kind


def test_counts_stand_over_the_cases_that_have_values():
    found = view([FIRST, SECOND, EITHER, [0, None, 0, 1]])
    assert found.ends == (
        ("Failing cases", "4"), ("Without values", "1"),
        ("Pass with no fix", "0 of 3"), ("Pass with all fixes", "3 of 3"),
    )  # fmt: skip
    assert (line(found, 0).alone, line(found, 1).alone, found.control, found.together) == ("2/3", "2/3", "0/3", "3/3")


def test_worlds_are_counted_beside_cases():
    found = view([[0, 4, 3, 8], [2, 8, 2, 8]], replace(PLAIN, worlds=8), level=0.5)
    assert found.ends[1:] == (
        ("Pass with no fix", "0 of 2, 13 % of runs"),
        ("Pass with all fixes", "2 of 2, 100 % of runs"),
    )


def test_graded_scores_have_a_mean():
    found = view([[0.1, 0.5, 0.1, 0.9]], GRADED, level=0.8)
    assert found.ends[1:] == (
        ("Pass with no fix", "0 of 1, mean score 0.100"),
        ("Pass with all fixes", "1 of 1, mean score 0.900"),
    )


def test_column_of_shares_is_left_out_where_there_are_none():
    assert view([FIRST, EITHER]).shares
    assert not view([FIRST, [0, 1, 0, 0]]).shares


def test_shares_are_left_away_beside_a_fix_that_does_harm():
    assert [one.share for one in view([FIRST, EITHER]).lines] == ["75 %", "25 %"]
    assert [one.share for one in view([FIRST, [0, 1, 0, 0]]).lines] == ["–", "–"]


def test_lines_are_in_the_order_of_the_means_and_ties_share_a_place():
    assert [(one.player, one.place) for one in view([SECOND, EITHER]).lines] == [(1, "1"), (0, "2")]
    assert [one.place for one in view([EITHER]).lines] == ["=1", "=1"]


def test_probabilities_are_numbers_in_one_world_and_ranges_in_several():
    assert line(view([FIRST, BOTH]), 0).necessity == "1"
    found = line(view([[0, 4, 4, 6]], replace(PLAIN, worlds=8), level=0.5), 0)
    assert (found.necessity, found.sufficiency) == ("0.333 to 0.667", "0.500")


def test_probability_of_what_never_happens_is_a_dash():
    assert line(view([NEVER]), 0).necessity == "–"
    assert line(view([ALWAYS]), 0).sufficiency == "–"


def test_whiskers_hold_the_bar_and_share_its_scale():
    for one in view([FIRST, FIRST, SECOND, EITHER]).lines:
        ends = one.bar.x, one.bar.x + one.bar.width
        assert 0 <= one.whiskers.low <= max(ends) <= one.whiskers.high <= 1000 or one.bar.negative
        assert one.bar.zero == view([FIRST, FIRST, SECOND, EITHER]).lines[0].bar.zero


def test_best_sets_are_named_for_every_size():
    found = view([FIRST, FIRST, SECOND, BOTH])
    assert [(one.name, one.cases) for one in found.sets] == [("No fix", "0/4"), ("Ask", "2/4"), ("All fixes", "4/4")]
    assert found.sets_sentence == "It takes both fixes to repair the most: 4 of 4."


def test_few_fixes_that_repair_as_many_as_any_are_named():
    found = view([[int(mask & 3 == 3) for mask in range(8)]], titles=("a", "b", "c"))
    assert found.sets_sentence == "To repair as many as any set does, 2 fixes are enough: a + b, 1 of 1."


def test_sets_that_do_as_well_are_told_in_the_sentence():
    assert view([EITHER]).sets_sentence.endswith("one fix is enough: Ask or one other such set, 1 of 1.")
    any_of_three = [int(mask > 0) for mask in range(8)]
    found = view([any_of_three], titles=("a", "b", "c"))
    assert found.sets_sentence.endswith("one fix is enough: a or another of 3 such sets, 1 of 1.")


def test_no_fix_repairs_nothing_but_some_cases_pass():
    assert next((one.cases, one.ties) for one in view([ALWAYS, FIRST]).sets) == ("1/2", "pass without one")


def test_sets_that_tie_are_told():
    found = view([[int(mask > 0) for mask in range(8)]], titles=("a", "b", "c"))
    assert [one.ties for one in found.sets] == [
        "pass without one", "so do 2 other sets of this size", "so do 2 other sets of this size", "",
    ]  # fmt: skip
    assert view([EITHER]).sets[1].ties == "so does 1 other set of this size"


def test_it_is_said_that_all_fixes_repair_fewer():
    assert view([[0, 1, 0, 0], FIRST]).sets_sentence == (
        "To repair as many as any set does, one fix is enough: Ask, 2 of 2. All fixes together repair 1."
    )


def test_it_is_said_that_no_set_repairs_any_case():
    assert view([NEVER]).sets_sentence == "No set of fixes repairs any case."
    assert view([ALWAYS]).sets_sentence == "No set of fixes does better than none: 1 of 1 pass."


def test_minimal_sets_are_listed_by_how_many_cases_they_repair():
    found = view([EITHER, FIRST, BOTH, ALWAYS])
    assert [(one.name, one.cases) for one in found.minimal] == [
        ("Ask alone", "2/4"), ("No fix needed", "1/4"), ("Write alone", "1/4"), ("Ask + Write", "1/4"),
    ]  # fmt: skip
    assert found.rarer == ""


def test_rare_minimal_sets_are_counted():
    pairs = [0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100]
    worths = [[int(mask & pair == pair) for mask in range(16)] for pair in pairs]
    worths += [[int(mask >> player & 1) for mask in range(16)] for player in range(4)]
    found = view(worths, titles=tuple("abcd"))
    assert len(found.minimal) == SETS_LISTED
    assert found.rarer == "and 2 rarer sets"


def test_pairs_are_signed_and_shaded():
    found = view([BOTH, BOTH, BOTH, EITHER])
    assert found.matrix[0][0] is None
    pair = found.matrix[0][1]
    assert (pair.number, pair.word, pair.shade) == ("+0.500", "synergy", 4)
    assert found.pairs_note == "Most synergy (+0.500): Ask + Write."


def test_rounding_of_graded_scores_makes_no_pair():
    found = view([[0.1, 0.1 + 0.2, 0.1, 0.3]], GRADED, level=0.8)
    assert found.matrix[0][1].word == "independent"


def test_more_fixes_than_a_table_holds_have_their_strongest_pairs_listed():
    titles = tuple(f"s{number}" for number in range(13))
    found = view([[int(mask & 3 == 3) for mask in range(2**13)]], titles=titles)
    assert found.matrix == ()
    assert [(name, pair.word) for name, pair in found.strongest] == [("s0 + s1", "synergy")]


def test_ranges_hold_every_case_once_per_fix():
    found = view([FIRST, FIRST, SECOND, EITHER, BOTH])
    assert [sum(counts) for counts in zip(*(one.cases for one in found.ranges), strict=True)] == [5, 5]
    assert found.ranges[0].text == "0.950 to 1"


@pytest.mark.parametrize(
    ("part", "text"), [(0.0, "0 %"), (0.005, "1 %"), (0.125, "13 %"), (2 / 3, "67 %"), (1.0, "100 %")]
)
def test_percent_rounds_halves_up(part, text):
    assert percent(part) == text


@given(st.lists(st.tuples(*[st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])] * 3), min_size=1, max_size=60))
def test_contenders_begin_with_the_first_and_leave_out_no_equal(rows):
    found = contenders([list(row) for row in rows], 2.0, 3 / 0.05)
    means = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
    assert means[found[0]] == max(means)
    assert {player for player, mean in enumerate(means) if mean == max(means)} <= set(found)
