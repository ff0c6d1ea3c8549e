import pytest
from hypothesis import given

from analyzer.rules import BadTable, shapley, verdict
from tests.strategies import games_of_any_kind, rational_games

TWO = ["planner", "retriever"]
THREE = ["planner", "retriever", "writer"]


def told(titles, worth, denominator, level=0.5, last_touch=None, worlds=None):
    return verdict(titles, worth, denominator, level, worlds or denominator or 1, last_touch)


def test_hole_withholds_the_ranking():
    answer = told(TWO, [0, 1, None, 1], 1)
    assert (answer.kind, answer.players, answer.alone) == ("withheld", (), ())
    assert answer.sentences == ("1 of 4 combinations has no outcome, so the fixes are not ranked.",)


def test_case_that_passes_has_nothing_to_repair():
    assert told(TWO, [1, 1, 1, 1], 1).kind == "passes"


def test_case_that_passes_without_a_fix_may_have_failed_by_luck_and_still_says_what_helps():
    answer = told(TWO, [5, 8, 5, 8], 8)
    assert answer.sentences == (
        "It passes in 5 of 8 worlds without any fix, so this failure may have been luck.",
        f"Fixing {TWO[0]} carries the whole improvement (0.375).",
    )


def test_no_part_of_the_whole_is_claimed_beside_a_negative_value():
    answer = told(TWO, [0.0, 1.0, -0.5, 0.5], None)
    assert answer.sentences[0] == f"Fixing {TWO[0]} helps most (1)."
    assert answer.sentences[-1] == f"Fixing {TWO[1]} (−0.500) makes things worse on balance."


def test_fixes_that_together_worsen_a_case_are_told_so():
    assert told(TWO, [2, 3, 1, 0], 8).sentences[:2] == (
        "All fixes together don’t repair it in most worlds.",
        "Together they make it worse.",
    )


def test_rounding_of_real_scores_is_not_told_as_a_difference():
    tied = told(THREE, [0.2, 0.8, 0.6, 0.8, 0.0, 0.4, 0.6, 1.0], None)
    assert len(tied.players) == 2
    nothing = told(THREE, [0.1, 0.4, 0.2, 0.8, 0.9, 0.9, 0.1, 1.0], None)
    assert not any("worse" in sentence for sentence in nothing.sentences)


def test_an_edit_that_turns_the_table_real_keeps_the_words_of_worlds():
    sentences = told(TWO, [0.0, 0.6, 0.125, 1.0], None, worlds=8).sentences
    assert sentences[1] == "That fix alone repairs this case in most worlds."


def test_all_fixes_together_may_not_be_enough():
    answer = told(TWO, [0, 0, 0, 0], 1)
    assert (answer.kind, answer.players) == ("all_fail", ())
    assert answer.sentences == ("All fixes together don’t repair it.", "Together they bring no improvement.")


def test_combination_that_the_other_fixes_spoil_is_mentioned():
    answer = told(THREE, [0, 0, 0, 1, 0, 0, 0, 0], 1)
    assert answer.kind == "all_fail"
    assert answer.sentences[0] == (
        f"Fixing {THREE[0]} and {THREE[1]} without the rest repairs this case, but all fixes together don’t."
    )


def test_fix_that_is_enough_alone_comes_before_what_all_of_them_spoil():
    answer = told(THREE, [0, 8, 6, 0, 0, 0, 0, 0], 8, worlds=8)
    assert answer.kind == "all_fail"
    assert answer.sentences[0] == (
        f"Fixing {THREE[0]} or {THREE[1]} alone repairs this case in most worlds, but all fixes together don’t."
    )


def test_no_single_fix_may_be_enough():
    answer = told(TWO, [0, 0, 0, 1], 1)
    assert answer.kind == "no_single"
    assert "No single fix repairs it; it takes a combination." in answer.sentences


def test_ties_are_all_named():
    answer = told(THREE, [0, 1, 1, 1, 1, 1, 1, 1], 1)
    assert answer.players == (0, 1, 2)
    assert answer.sentences[0] == "The repair is shared equally by planner, retriever and writer (0.333 each)."


def test_more_than_half_is_most():
    answer = told(THREE, [0, 0, 0, 1, 0, 1, 0, 1], 1)
    assert answer.sentences[0] == "Fixing planner carries most of the repair (0.667)."


def test_exactly_half_is_not_most():
    half, third, sixth = 21, 14, 7  # of 49 worlds; added as float64 quotients they don't make the sum
    worth = [0, half, third, half + third, sixth, half + sixth, third + sixth, half + third + sixth]
    answer = told(THREE, worth, 49)
    assert answer.sentences[0] == "Fixing planner carries the largest share of the repair (0.429)."


def test_exactly_half_of_the_worlds_is_not_most_worlds():
    answer = told(["planner"], [0, 4], 8)
    assert answer.sentences[-1] == "That fix alone repairs this case in at least half of the worlds."


def test_repair_in_most_worlds_is_called_that():
    assert told(["planner"], [0, 5], 8).sentences[-1] == "That fix alone repairs this case in most worlds."
    assert told(["planner"], [0, 8], 8).sentences[-1] == "That fix alone repairs this case in every world."


def test_worth_at_the_level_repairs():
    assert told(["planner"], [0.0, 0.7], None, level=0.7).kind == "repairable"


def test_last_step_blame_that_disagrees_is_quoted():
    answer = told(TWO, [0, 1, 0, 1], 1, last_touch=[0.0, 1.0])
    assert answer.sentences[-1] == "Last-step blame would have said retriever."


def test_last_step_blame_that_agrees_is_said_to():
    answer = told(TWO, [0, 1, 0, 1], 1, last_touch=[1.0, 0.0])
    assert answer.sentences[-1] == "Last-step blame would have said the same."


def test_last_step_blame_that_names_nobody_is_left_out():
    assert told(TWO, [0, 1, 0, 1], 1, last_touch=[0.0, 0.0]) == told(TWO, [0, 1, 0, 1], 1)


def test_fix_that_makes_it_worse_is_named():
    answer = told(TWO, [0.0, 1.0, -0.25, 0.625], None)
    assert answer.sentences[-1] == "Fixing retriever (\N{MINUS SIGN}0.313) makes things worse on balance."


@pytest.mark.parametrize("worth", [[0], [1], [None]], ids=str)
def test_game_without_players_has_a_verdict(worth):
    assert len(told([], worth, 1, last_touch=[]).sentences) == 1


def test_titles_of_another_game_are_refused():
    with pytest.raises(BadTable, match="one length"):
        told(["planner"], [0, 0, 0, 1], 1)


@given(games_of_any_kind())
def test_leading_players_have_the_largest_value_up_to_the_rounding_of_real_scores(game):
    values = shapley(*game).tolist()
    answer = told([f"step {i}" for i in range(len(values))], *game)
    largest = max(values, default=0.0)
    margin = 0.0 if game[1] is not None else 2.0**-40 * max(map(abs, game[0]))
    leading = tuple(i for i, value in enumerate(values) if value >= largest - margin and value > margin)
    assert answer.players == leading


@given(rational_games())
def test_kind_follows_from_the_outcomes(game):
    worth, worlds = game
    passing = [outcome / worlds >= 0.5 for outcome in worth]
    players = len(worth).bit_length() - 1
    answer = told([f"step {i}" for i in range(players)], *game)
    single = tuple(i for i in range(players) if passing[1 << i])
    expected = "passes" if passing[0] else "all_fail" if not passing[-1] else "repairable" if single else "no_single"
    assert (answer.kind, answer.alone) == (expected, single)
