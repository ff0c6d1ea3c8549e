import numpy as np
import pytest

from analyzer.rules import BadTable, MissingWorth, NotFinite, TableTooLarge, fix_alone, leave_one_out, shapley
from analyzer.rules.worth import coalition_sizes, worth_table

VALUE_RULES = [shapley, fix_alone, leave_one_out]
each_value_rule = pytest.mark.parametrize("rule", VALUE_RULES, ids=lambda rule: rule.__name__)


@each_value_rule
def test_missing_worth_names_the_masks(rule):
    with pytest.raises(MissingWorth, match="no outcome for coalitions 1, 2") as caught:
        rule([0, None, None, 1], 1)
    assert caught.value.masks == (1, 2)
    assert caught.value.game is None


@each_value_rule
def test_missing_worth_in_a_batch_names_the_game(rule):
    with pytest.raises(MissingWorth, match="game 1: no outcome for coalition 3") as caught:
        rule([[0, 1, 1, 1], [0, 1, 1, None]], 1)
    assert (caught.value.game, caught.value.masks) == (1, (3,))


@each_value_rule
def test_missing_worth_is_never_taken_for_zero(rule):
    with pytest.raises(MissingWorth):
        rule(np.array([0.0, None], dtype=object), None)


@each_value_rule
def test_nan_is_an_error_with_a_name(rule):
    with pytest.raises(NotFinite, match="coalition 1 of game 1"):
        rule([[0.0, 1.0], [0.0, float("nan")]], None)


@each_value_rule
@pytest.mark.parametrize("worth", [["0", "1"], [0, "x"], [0, 1j]], ids=str)
def test_what_is_no_number_is_refused(rule, worth):
    with pytest.raises(BadTable, match="is not a number"):
        rule(worth, None)


@each_value_rule
def test_games_of_two_lengths_are_no_batch(rule):
    with pytest.raises(BadTable, match="one length"):
        rule([[0, 1], [0, 1, 1, 1]], 1)


@each_value_rule
@pytest.mark.parametrize("worth", [0, [[[0, 1]]]], ids=str)
def test_a_table_has_one_axis_or_two(rule, worth):
    with pytest.raises(BadTable, match="axis"):
        rule(worth, 1)


@each_value_rule
@pytest.mark.parametrize("other", [0, 0.5, -1])
@pytest.mark.parametrize("huge", [2**63, 2**200, 10**400], ids=["2**63", "2**200", "10**400"])
def test_integers_beyond_float64_are_refused_by_name(rule, other, huge):
    with pytest.raises((TableTooLarge, BadTable)):
        rule([other, huge], 1)


@each_value_rule
def test_integer_beyond_float64_is_too_large_for_a_real_table(rule):
    with pytest.raises(TableTooLarge):
        rule([0.5, 10**400], None)


@each_value_rule
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.uint64, np.float32, np.float64])
def test_width_of_the_array_makes_no_difference(rule, dtype):
    worth = [1, 0, 1, 1, 0, 0, 0, 1]
    assert rule(np.array(worth, dtype=dtype), 1).tolist() == rule(worth, 1).tolist()


@each_value_rule
def test_wide_difference_of_narrow_integers_does_not_wrap(rule):
    worth = [120, -120]
    assert rule(np.array(worth, dtype=np.int8), 1).tolist() == [-240.0]


@each_value_rule
def test_rule_leaves_its_input_alone(rule):
    worth = np.arange(16.0)
    worth.setflags(write=False)
    rule(worth, None)
    assert worth.tolist() == list(range(16))


@each_value_rule
def test_batch_gives_the_bits_of_single_games(rule):
    games = np.random.default_rng(5).normal(size=(70, 32))
    assert rule(games, None).tolist() == [rule(game, None).tolist() for game in games]


@each_value_rule
def test_batch_of_no_games_has_no_values(rule):
    assert rule(np.zeros((0, 8)), None).shape == (0, 3)
    assert rule(np.zeros((0, 8), dtype=np.int64), 1).shape == (0, 3)


@each_value_rule
@pytest.mark.parametrize("denominator", [1, None])
def test_game_without_players_has_no_values(rule, denominator):
    assert rule([1], denominator).shape == (0,)
    assert rule([[1], [0]], denominator).shape == (2, 0)


def test_coalition_sizes_count_bits():
    assert coalition_sizes(4).tolist() == [mask.bit_count() for mask in range(16)]


def test_real_table_keeps_the_sign_of_zero():
    assert str(worth_table([-0.0, 0.0], None)[0]) == "-0.0"
