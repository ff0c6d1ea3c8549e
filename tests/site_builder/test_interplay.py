import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import harsanyi_dividends, shapley
from site_builder.interplay import MOST_SHOWN, Pair, interplay_figures, interplay_view, view_of
from tests.known_game_files import holes_files, letters, odd_files, plain_text, refund_files
from tests.known_sampled_files import sampled_files
from tests.made_game_files import case_game, game_file, scenario

TITLES = ("Planner", "Retriever", "Writer", "Reviewer")


def refund_view():
    file = refund_files("a", {"replayed": 1})[0]
    return interplay_view(file.cases[0], file.header)


def view(worth, denominator=1, level=0.5, *, graded=False):
    titles = [f"step {player}" for player in range(len(worth).bit_length() - 1)]
    return view_of(interplay_figures(worth, denominator, level, graded=graded), titles)


def test_smallest_repairs_are_named():
    assert refund_view().repairs == ((1, "Planner"), (2, "Retriever"), (12, "Writer + Reviewer"))


def test_fixes_that_need_each_other_are_told_from_those_that_overlap():
    found = refund_view()
    assert found.matrix[2][3] == found.matrix[3][2] == Pair("+0.333", "synergy", 2)
    assert found.matrix[0][1] == Pair("−0.667", "overlap", 4)
    assert found.pairs_note == "Most synergy (+0.333): Writer + Reviewer. Most overlap (−0.667): Planner + Retriever."


def test_no_fix_is_paired_with_itself():
    assert [row[player] for player, row in enumerate(refund_view().matrix)] == [None] * 4


def test_pairs_that_tie_are_counted():
    found = view([int(mask == 7) for mask in range(8)])
    assert found.pairs_note == "Most synergy (+0.500): step 0 + step 1 and 2 other pairs."


def test_fixes_that_are_independent_on_average_are_said_to_be():
    found = view([int(mask.bit_count() >= 2) for mask in range(8)])
    assert found.pairs_note == "No two fixes need or replace each other, on average over the others."


def test_fix_that_repairs_alone_is_enough_and_not_needed_beside_another():
    causes = {cause.title: (cause.needed, cause.enough) for cause in refund_view().causes}
    assert causes["Planner"] == ("0", "1")
    assert causes["Writer"] == ("0", "0")


def test_probability_that_is_not_pinned_down_is_a_range():
    (cause,) = view([2, 5], 8).causes
    assert cause.needed == "0.600 to 1"
    assert cause.enough == "0.500 to 0.833"


def test_question_that_does_not_arise_has_no_number():
    (cause,) = view([0, 0]).causes
    assert cause.needed == "–"
    (cause,) = view([1, 1]).causes
    assert cause.enough == "–"


def test_graded_fix_is_enough_when_it_reaches_the_threshold():
    (cause,) = view([0.2, 0.9], None, 0.75, graded=True).causes
    assert (cause.needed, cause.enough) == ("1", "1")
    (cause,) = view([0.2, 0.7], None, 0.75, graded=True).causes
    assert (cause.needed, cause.enough) == ("–", "0")


def test_case_that_passes_has_no_smallest_repair_to_choose():
    found = view([1, 1, 0, 1])
    assert found.repairs_note == "It passes without any fix."


def test_case_that_nothing_repairs_says_so():
    found = view([0, 0, 0, 0])
    assert (found.repairs, found.repairs_note) == ((), "No set of fixes repairs it.")
    assert found.dividends_note == "No combination adds anything."


def test_one_fix_has_no_pairs():
    assert view([0, 1]).pairs_note == "There is one fix, so there are no pairs."


def test_rounding_of_real_scores_is_no_interaction():
    found = interplay_figures([0.0, 0.1, 0.2, 0.1 + 0.2 + 2**-54], None, 0.5, graded=True)
    assert found.pairs == (0.0,)
    assert [mask for mask, _ in found.dividends] == [2, 1]


def test_many_fixes_have_their_strongest_pairs_listed():
    found = view([int(mask & 3 == 3) for mask in range(2**13)])
    assert found.matrix == ()
    assert found.strongest == (("step 0 + step 1", Pair("+1", "synergy", 4)),)


def test_many_smallest_repairs_are_counted_beyond_the_first():
    found = view([int(mask.bit_count() >= 3) for mask in range(2**6)])
    assert len(found.repairs) == MOST_SHOWN
    assert found.repairs_note == "And 8 more, of no fewer fixes."


def test_sampled_game_says_what_it_lacks():
    file = sampled_files()[0]
    found = interplay_view(file.cases[0], file.header)
    assert found.reason == "This needs the outcome of every combination of fixes; 1486 of 2⁴⁰ were run."
    assert (found.repairs, found.causes, found.matrix) == ((), (), ())


def test_game_with_a_hole_says_which():
    file = holes_files()[0]
    assert interplay_view(file.cases[0], file.header).reason.startswith("Values are withheld: 1 combination has")


def test_scenario_without_a_fix_has_no_such_section():
    file = next(one for one in odd_files() if one.header.scenario.id == "no-fix")
    assert interplay_view(file.cases[0], file.header) is None


tables = st.integers(1, 6).flatmap(
    lambda players: st.lists(st.integers(0, 8), min_size=2**players, max_size=2**players)
)


@given(tables)
def test_dividends_shown_are_the_largest(worth):
    found = interplay_figures(worth, 8, 0.5, graded=False)
    every = sorted((-abs(value), mask) for mask, value in enumerate(harsanyi_dividends(worth, 8)) if mask and value)
    assert [mask for mask, _ in found.dividends] == [mask for _, mask in every][:MOST_SHOWN]
    assert found.dividend_count == len(every)


@given(tables)
def test_every_pair_has_a_shade_exactly_when_it_has_a_sign(worth):
    for row in view(worth, 8).matrix:
        for pair in row:
            assert pair is None or (pair.shade > 0) == (pair.word != "independent") == (pair.number != "0")


@given(tables)
def test_strongest_pair_has_the_deepest_shade(worth):
    shades = [pair.shade for row in view(worth, 8).matrix for pair in row if pair is not None]
    assert max(shades, default=0) in (0, 4)


def test_dividends_split_equally_give_the_shapley_values():
    luck = random.Random(3)
    worth = [luck.randint(0, 1) for _ in range(8)]
    found = interplay_figures(worth, 1, 0.5, graded=False)
    shares = [sum(value / mask.bit_count() for mask, value in found.dividends if mask >> p & 1) for p in range(3)]
    assert shares == pytest.approx(shapley(worth, 1).tolist())


def test_view_of_a_file_is_that_of_its_table():
    steps = letters(2)
    case = case_game(steps, "one", [0, 0, 0, 1], 1, plain_text)
    file = game_file(scenario("s", "S", ""), steps, "replayed", 1, [case])
    assert interplay_view(case, file.header).repairs == ((3, "All fixes"),)
