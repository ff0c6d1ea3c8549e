"""The axioms as properties, over every rule that promises them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import banzhaf, fix_alone, last_touch, leave_one_out, rank, shapley
from analyzer.rules.shapley import shapley_numerators
from tests.strategies import games_of_any_kind, players_of, rational_games

VALUE_RULES = [shapley, banzhaf, fix_alone, leave_one_out]
each_value_rule = pytest.mark.parametrize("rule", VALUE_RULES, ids=lambda rule: rule.__name__)


def exact(rule, worth, denominator):
    """Return the values as fractions, before any rounding."""
    if rule is shapley:
        numerators, divisor = shapley_numerators(worth, denominator)
        return [Fraction(int(numerator), divisor) for numerator in numerators]
    # Multiplied so that every value is an integer.
    unit = max(1, len(worth) // 2) if rule is banzhaf else 1
    whole = rule([outcome * unit for outcome in worth], 1)
    return [Fraction(int(value), unit * denominator) for value in whole]


def swapped(mask, a, b):
    """Exchange players a and b in a coalition."""
    if (mask >> a & 1) != (mask >> b & 1):
        mask ^= 1 << a | 1 << b
    return mask


@given(rational_games())
def test_shapley_is_efficient_exactly(game):
    worth, denominator = game
    assert sum(exact(shapley, *game)) == Fraction(worth[-1] - worth[0], denominator)


@each_value_rule
@given(rational_games())
def test_exact_values_are_the_ones_that_get_rounded(rule, game):
    assert rule(*game).tolist() == [float(value) for value in exact(rule, *game)]


@each_value_rule
@given(games_of_any_kind(min_players=1), st.data())
def test_null_player_gets_zero(rule, game, data):
    worth, denominator = game
    player = data.draw(st.integers(0, players_of(worth) - 1))
    worth = [worth[mask & ~(1 << player)] for mask in range(len(worth))]
    value = rule(worth, denominator)[player]
    assert value.hex() == (0.0).hex()


@each_value_rule
@given(rational_games(min_players=2), st.data())
def test_interchangeable_players_tie_exactly(rule, game, data):
    worth, denominator = game
    a, b = data.draw(st.permutations(range(players_of(worth))))[:2]
    worth = [worth[max(mask, swapped(mask, a, b))] for mask in range(len(worth))]
    values = rule(worth, denominator)
    assert values[a] == values[b]


@each_value_rule
@given(rational_games(min_players=2), st.data())
def test_renaming_players_renames_the_values(rule, game, data):
    worth, denominator = game
    a, b = data.draw(st.permutations(range(players_of(worth))))[:2]
    values = rule(worth, denominator)
    values[[a, b]] = values[[b, a]]
    renamed = [worth[swapped(mask, a, b)] for mask in range(len(worth))]
    assert rule(renamed, denominator).tolist() == values.tolist()


@each_value_rule
@given(st.data())
def test_value_of_a_sum_of_games_is_the_sum_of_the_values(rule, data):
    one, denominator = data.draw(rational_games())
    other, _ = data.draw(rational_games(players=players_of(one)))
    both = [a + b for a, b in zip(one, other, strict=True)]
    sums = [a + b for a, b in zip(exact(rule, one, denominator), exact(rule, other, denominator), strict=True)]
    assert exact(rule, both, denominator) == sums


@each_value_rule
@given(rational_games(), st.integers(-50, 50))
def test_constant_added_to_every_score_changes_nothing(rule, game, constant):
    worth, denominator = game
    shifted = [outcome + constant for outcome in worth]
    assert rule(shifted, denominator).tolist() == rule(worth, denominator).tolist()


@each_value_rule
@given(rational_games(), st.integers(1, 9))
def test_expanding_the_fraction_changes_nothing(rule, game, factor):
    worth, denominator = game
    expanded = [outcome * factor for outcome in worth]
    assert rule(expanded, denominator * factor).tolist() == rule(worth, denominator).tolist()


@each_value_rule
@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=8, max_size=8), st.integers(-20, 20))
def test_power_of_two_scales_real_values_exactly(rule, worth, exponent):
    scaled = [outcome * 2.0**exponent for outcome in worth]
    assert rule(scaled, None).tolist() == (rule(worth, None) * 2.0**exponent).tolist()


@st.composite
def outputs(draw):
    players = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, 3), min_size=2**players, max_size=2**players)
    return draw(st.lists(row, min_size=players, max_size=players))


@given(outputs())
def test_last_touch_names_at_most_one_player(table):
    marks = last_touch(table).tolist()
    assert sorted(marks, reverse=True) in ([1.0] + [0.0] * (len(table) - 1), [0.0] * len(table))


@given(outputs())
def test_nobody_after_the_last_touch_showed_anything_else(table):
    marks = last_touch(table).tolist()
    named = marks.index(1.0) if 1.0 in marks else -1
    assert all(row[0] == row[-1] for row in table[named + 1 :])
    assert named == -1 or table[named][0] != table[named][-1]


@given(outputs(), st.data())
def test_step_whose_output_never_changes_is_not_the_last_touch(table, data):
    player = data.draw(st.integers(0, len(table) - 1))
    table[player] = [1] * len(table[player])
    assert last_touch(table)[player] == 0.0


@given(games_of_any_kind())
def test_rank_is_a_decreasing_order_with_ties_by_step(game):
    values = shapley(*game)
    order = rank(values).tolist()
    assert sorted(order) == list(range(len(values)))
    keys = [(-values[player], player) for player in order]
    assert keys == sorted(keys)
